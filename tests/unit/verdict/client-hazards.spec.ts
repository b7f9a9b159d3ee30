/** Hazards in calls of a client and in records, with the amount at risk. */

import { requirementById } from '../../../contracts/requirements/index.ts';
import { parameterBody, reply } from '../../../src/plan/client/cases.ts';
import { type Call, type ClientCase, type ClientReply, clientCase } from '../../../src/record/case.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { clientEvidence } from '../../../src/verdict/client/client-evidence.ts';
import { expect, test } from '../../engine.ts';
import {
  batch,
  closeDay,
  type Draft,
  fields,
  keysOf,
  now,
  recurring,
  unsent,
} from '../rules/client/sample-requests.ts';

type Answer = Pick<Exchange, 'response' | 'failure'>;

const answer = (...of: Parameters<typeof reply>): Answer => {
  const { status, headers, body } = reply(...of) as Extract<ReturnType<typeof reply>, { kind: 'reply' }>;
  return { response: { status, reason: '', headers, body } };
};
const none = (kind: 'reset' | 'timeout' = 'reset'): Answer => ({ response: undefined, failure: { kind, message: '' } });
const retryAsked = answer(503, null, '', [['Retry-After', '0']]);
const [accepted, refused, html] = [answer(200, null, ''), answer(403, null, ''), answer(200, 'text/html', '<html>')];
const truncated: Answer = { response: { ...accepted.response!, headers: [['Content-Length', '9']] } };
const refusal = Object.entries({ type: 'validation-error', 'error-code': '403' });
const error = answer(200, null, parameterBody(refusal, 'raw-line-feed'));

let number = 0;

/** One call, in which each request gets the same answer. */
function call(requests: readonly ClientCase[], answered: Answer, more: Partial<Call> = {}): ClientCase {
  const exchanges = requests.map(({ exchanges: [exchange] }) => ({ ...exchange!, ...answered }));
  return clientCase({ scenario: 'client/sample', number: ++number, exchanges }, { ...requests[0]!.call, ...more });
}

/** A record of one request, `seconds` after the first one. */
function recorded(request: ClientCase, answered: Answer, seconds: number): ClientCase {
  const { operation } = request.label;
  const unknown = { label: { operation, input: 'observed' }, asked: undefined, reply: undefined } as const;
  const { exchanges, ...rest } = call([request], answered, unknown);
  const startedAt = now + 1000 * seconds;
  return { ...rest, exchanges: [{ ...exchanges[0]!, startedAt, durationMs: 10 }] };
}

function found(...calls: ClientCase[]): string[] {
  const hazards = clientEvidence(calls, { hasKeys: false, keysOf: () => undefined }).hazards!();
  expect(new Set(hazards.map(({ id, how }) => `${id} ${how}`)).size).toBe(hazards.length);
  return hazards.map(({ id, sentence, atRisk, exchanges, hint }) => {
    expect(hint).not.toBe('');
    const { count, total } = atRisk['starts-payments'];
    const [, circumstance, end] = /^(.*): (.*) may be (?:charged|closed) again\.$/.exec(sentence)!;
    const wanted =
      count === 0 ? '1 day' : count === 1 ? `1 payment of ${total}` : `${count} payments, ${total} in total,`;
    expect([atRisk['closes-day'], end]).toEqual([count === 0 ? 1 : 0, wanted]);
    return `${id.replace('hazard/', '')} [${exchanges.join()}] ${count}/${total} ${circumstance}`;
  });
}

const row = (id: string, amount = '1.00') => [id, '1234567890', amount];
const rows = (...cells: string[][]): Draft => ({ input: { ...batch, rows: cells } });
const withReply = (reply: ClientReply): Partial<Call> => ({ reply });
const isRefused = withReply({ outcome: 'completed', decoded: { kind: 'refused', http_status: 403 } });

const inCalls: readonly [what: string, calls: () => ClientCase[], hazards: readonly string[]][] = [
  [
    'a batch that is sent three times after 503',
    () => [call([recurring(), recurring(), recurring()], retryAsked)],
    ['batch-sent-again [1,2,3] 4/2669.00 The batch was sent 3 times in one call, after status 503 with Retry-After: 0'],
  ],
  [
    'batches that are sent again after several answers of a kind, and of another kind',
    () => {
      const one = rows(row('a'));
      const twice = (answered: Answer) => call([recurring(one), recurring(one)], answered);
      return [twice(retryAsked), twice(answer(502, null, '')), twice(none('timeout'))];
    },
    [
      'batch-sent-again [1,2,3,4] 2/2.00 The batch was sent again in 2 calls, up to 2 times in one call, after status 502, 503 with Retry-After: 0',
      'batch-sent-again [5,6] 1/1.00 The batch was sent 2 times in one call, after no answer in time',
    ],
  ],
  [
    'a batch that is sent again with other order ids',
    () => [call([recurring(rows(row('a'))), recurring(rows(row('b')))], accepted)],
    ['batch-sent-again [1,2] 1/1.00 The batch was sent 2 times in one call, after status 200'],
  ],
  [
    'a close-day that is sent again with another id',
    () => [call([closeDay(), closeDay({ input: { ...fields, day_close_request_id: 'another01' } })], truncated)],
    [
      'close-day-sent-again [1,2] 0/0.00 The close-day request was sent 2 times in one call, after an answer that is cut off',
    ],
  ],
  [
    'a call without an answer that is told as refused',
    () => [call([recurring()], none(), isRefused), call([closeDay()], html, withReply({ outcome: 'refused_locally' }))],
    [
      'unanswered-told-as-refused [1] 2/1334.50 The client reports 1 call as refused after a reset connection',
      'unanswered-told-as-refused [2] 0/0.00 The client reports 1 call as refused after an answer that cannot be read',
    ],
  ],
  [
    'nothing where the first request was refused, or another call follows, or the adapter ended',
    () => [
      call([recurring(), recurring()], refused),
      call([recurring(), recurring()], error),
      call([recurring()], accepted),
      call([recurring()], accepted),
      call([recurring(), recurring()], retryAsked, { repeated: true }),
      call([recurring(), recurring({ method: 'GET' })], retryAsked),
    ],
    [],
  ],
  [
    'nothing where a batch is split',
    () => {
      const { asked } = recurring(rows(row('a'), row('b'))).call;
      return [call([recurring(rows(row('a'))), recurring(rows(row('b')))], accepted, { asked })];
    },
    [],
  ],
  [
    'nothing where a refusal was received, or no answer is told as none',
    () => [
      call([recurring()], refused, isRefused),
      call([recurring()], answer(504, null, ''), isRefused),
      call([closeDay()], none(), withReply({ outcome: 'transport_error' })),
      call([closeDay()], html, withReply({ outcome: 'completed', decoded: { kind: 'undecodable' } })),
      call(
        [closeDay()],
        answer(200, null, Buffer.from('{"response":{"status":"error","e":"\xe9"}}', 'latin1')),
        isRefused,
      ),
    ],
    [],
  ],
];

const inRecords: readonly [what: string, calls: () => ClientCase[], hazards: readonly string[]][] = [
  [
    'an order id that is sent again with another amount after no answer',
    () => [
      recorded(recurring(rows(row('a'), row('b'))), none(), 0),
      recorded(recurring(rows(row('b', '2.50'), row('c'))), accepted, 30),
    ],
    ['batch-sent-again [1,2] 1/2.50 A client-orderid was sent again in 1 request, after no answer (30 s later)'],
  ],
  [
    'a batch that a redirect leads to another endpoint',
    () => [
      recorded(recurring(rows(row('a'))), answer(307, null, '', [['Location', '/p2']]), 0),
      recorded(recurring({ ...rows(row('a')), target: '/p2' }), accepted, 0),
    ],
    [
      'batch-sent-again [1,2] 1/1.00 A client-orderid was sent again in 1 request, after a redirect by status 307 (0 s later)',
    ],
  ],
  [
    'a payment that stands twice in a batch',
    () => [recorded(recurring(rows(row('a'), row('a'), row('b'))), accepted, 0)],
    [
      'batch-sent-again [1] 1/1.00 In 1 request a client-orderid occurs more than once with the same recurring-payment-id',
    ],
  ],
  [
    'a close-day with the same id, and one with another id soon after no answer',
    () => [
      recorded(closeDay(), answer(200, null, '{"response":{"status":"finished","gates":[]}}'), 0),
      recorded(closeDay(), none(), 7200),
      recorded(closeDay({ input: { day_close_request_id: 'another01' } }), accepted, 7230),
    ],
    [
      'close-day-sent-again [1,2] 0/0.00 The close-day request was sent again in 1 request, after status 200 (7200 s later)',
      'close-day-sent-again [2,3] 0/0.00 The close-day request was sent again in 1 request, after no answer (30 s later)',
    ],
  ],
  [
    'nothing where the first was refused, the next close-day comes late, or another endpoint is meant',
    () => [
      recorded(recurring(rows(row('a'))), refused, 0),
      recorded(recurring(rows(row('a'))), accepted, 5),
      recorded(recurring({ ...rows(row('a')), target: '/p1/api/v4/process-recurring-payments/2222' }), accepted, 6),
      recorded(closeDay(), none(), 10),
      recorded(closeDay({ input: { day_close_request_id: 'another01' } }), accepted, 400),
    ],
    [],
  ],
];

for (const [where, rows] of Object.entries({ 'in calls': inCalls, 'in a record': inRecords })) {
  for (const [what, calls, hazards] of rows)
    test(`${where} is found: ${what}`, () => expect(found(...calls())).toEqual(hazards));
}

const keys = { keysOf, hasKeys: true };

test('a judge that throws takes the verdict on no other row', () => {
  const broken = {
    ...keys,
    keysOf: () => {
      throw new Error('no keys today');
    },
  };
  const calls = [closeDay(), closeDay({ method: 'GET' })];
  const evidence = clientEvidence(calls, broken);
  expect(() => evidence.judge('authentication/signature-verifies')).toThrow('no keys today');
  expect(evidence.judge('close-day/method').map(({ finding }) => finding.outcome)).toEqual(['pass', 'fail']);
});

test('if a client declines all calls of an operation, the requirement is open because of its capabilities', () => {
  const declined = unsent({ outcome: 'unsupported', reason: 'none' }, {}, { operation: 'process-recurring-payments' });
  const reasonOf = (calls: readonly ClientCase[], id = 'recurring/payload-only') => {
    const offered = ['close-day', 'process-recurring-payments'] as const;
    return clientEvidence(calls, keys, { offered }).noVerdictOn!(requirementById(id)!);
  };
  expect(reasonOf([closeDay(), declined])).toEqual({
    outcome: 'inconclusive',
    blame: 'configuration',
    actual: 'the client does not support the input: none',
  });
  expect(reasonOf([closeDay(), declined, recurring()])).toMatchObject({ blame: 'subject' });
  expect(reasonOf([closeDay()])).toMatchObject({ blame: 'subject' });
  const failed = { ...declined, call: { ...declined.call, reply: { outcome: 'adapter_error' } } } as const;
  expect(reasonOf([failed], 'authentication/uri-port')?.actual).toBe(
    'no call of the client could test this requirement',
  );
  expect(reasonOf([closeDay()], 'authentication/uri-port')?.actual).toContain('with any form of the URI');
});
