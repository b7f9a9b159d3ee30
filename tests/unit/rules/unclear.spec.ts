/** An answer that says neither yes nor no: whose doing it is, and what a refusal beside it shows. */
import type { Case } from '../../../src/record/case.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { blameForUnclear, describeAnswer, formOfAnswer, neverArrived } from '../../../src/rules/answers/acceptance.ts';
import { judgeCases } from '../../../src/rules/index.ts';
import { laterTwin, refused } from '../../../src/rules/twins.ts';
import { expect, test } from '../../engine.ts';
import { sampleCase } from './sample-cases.ts';

const id = 'authentication/recurring-unsigned-refused';

function answered(number: number, intent: 'valid' | 'fault', answer: Pick<Exchange, 'response' | 'failure'>): Case {
  const twin = { scenario: 'x', number: 7 };
  return {
    scenario: 'x',
    number,
    label: {
      operation: 'process-recurring-payments',
      intent,
      ...(intent === 'fault' ? { about: id, twin, differsIn: 'the signature' } : {}),
    },
    exchanges: [
      {
        request: { method: 'POST', scheme: 'https', host: 'h', target: '/1', headers: [], body: new Uint8Array() },
        startedAt: number,
        durationMs: 1,
        ...answer,
      },
    ],
  };
}

function http(status: number, body = '') {
  return { response: { status, reason: '', headers: [], body: Buffer.from(body) } };
}

function failed(kind: 'reset' | 'timeout' | 'unreachable' | 'not-sent') {
  return { failure: { kind, message: kind } };
}

function judged(twin: Case) {
  const examined = answered(0, 'fault', http(403));
  const cases = [examined, twin];
  return refused({ id, cases, twinOf: (one) => laterTwin(one, cases) })[0]!.finding;
}

test("a body that nobody can read is the subject's own; silence, faults and redirects are not", () => {
  const blame = (answer: ReturnType<typeof http> | ReturnType<typeof failed>) =>
    blameForUnclear(answered(0, 'valid', answer).exchanges[0]);
  expect([http(200, 'ok'), http(201), http(400)].map(blame)).toEqual(['subject', 'subject', 'subject']);
  const others = [
    http(500, 'ok'),
    http(302),
    http(404),
    http(408),
    http(425),
    http(429),
    failed('reset'),
    failed('timeout'),
  ];
  expect(new Set(others.map(blame))).toEqual(new Set(['environment']));
});

test('judges that cannot read a body say so where it is compressed: nothing in the request asks for that', () => {
  const headers = [['Content-Encoding', 'gzip']] as const;
  const body = '\u001f\u008b';
  const said = (
    [
      ['close-day/body-decodable', 'close-day', 200],
      ['recurring/success-body-empty', 'process-recurring-payments', 200],
      ['recurring/failure-body-empty', 'process-recurring-payments', 403],
    ] as const
  ).map(([row, operation, status]) => judgeCases(row, [sampleCase(operation, { status, headers, body })])[0]?.finding);
  const unasked = expect.stringMatching(/ \(Content-Encoding: gzip, which the request does not ask for\)$/);
  expect(said).toEqual([1, 2, 3].map(() => expect.objectContaining({ outcome: 'fail', actual: unasked })));
});

test('a body that is said to be compressed and is not is none to a client, unless it was asked for', () => {
  const json = '{"response":{"status":"error","errorCode":"1","errorMessage":"no"},"theRequestSerialNumber":"1"}';
  const parameters = 'type=process-recurring-payment-response\n&serial-number=1\n&status=processing\n';
  const outcomes = (coding: string, asks: readonly (readonly [string, string])[] = []) =>
    (
      [
        ['close-day/body-decodable', 'close-day', 200, json],
        ['recurring/success-body-empty', 'process-recurring-payments', 200, parameters],
        ['recurring/failure-body-empty', 'process-recurring-payments', 403, parameters],
        ['recurring/failure-body-empty', 'process-recurring-payments', 403, ''],
      ] as const
    ).map(([row, operation, status, body]) => {
      const sample = sampleCase(operation, { status, headers: [['Content-Encoding', coding]], body });
      const request = { ...sample.exchanges[0].request, headers: [...sample.exchanges[0].request.headers, ...asks] };
      return judgeCases(row, [{ ...sample, exchanges: [{ ...sample.exchanges[0], request }] }])[0]?.finding.outcome;
    });
  expect(outcomes('gzip')).toEqual(['fail', 'fail', 'fail', 'pass']);
  expect(outcomes('identity, X-GZip')).toEqual(['fail', 'fail', 'fail', 'pass']);
  expect(outcomes('utf-8')).toEqual(['pass', 'pass', 'pass', 'pass']);
  expect(outcomes('gzip', [['Accept-Encoding', 'gzip']])).toEqual(['pass', 'pass', 'pass', 'pass']);
});

test('only a request without a connection was never there to be acted on', () => {
  const never = (answer: Pick<Exchange, 'response' | 'failure'>) =>
    neverArrived(answered(0, 'valid', answer).exchanges[0]);
  expect([failed('unreachable'), failed('not-sent'), failed('reset'), http(500)].map(never)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a refusal beside a right request with an unreadable answer says so, and blames the subject', () => {
  expect(judged(answered(7, 'valid', http(200, 'ok')))).toMatchObject({
    outcome: 'inconclusive',
    actual: 'refused, but its twin was neither accepted nor refused: HTTP 200 with a body of 2 bytes',
    blame: 'subject',
  });
  expect(judged(answered(7, 'valid', failed('reset'))).blame).toBe('environment');
});

test('that the twin was refused too is said of nothing but a refused twin', () => {
  expect(judged(answered(7, 'valid', http(403))).actual).toBe(
    'refused, but so was its twin, which differs only in the signature: HTTP 403 with an empty body',
  );
  expect(judged(answered(8, 'valid', http(403))).actual).toBe(
    'refused, but so was the right request after it: HTTP 403 with an empty body',
  );
  expect(judged(answered(7, 'valid', http(200))).outcome).toBe('pass');
});

test("what came has the target's own words, on one line and not endless; its form alone has none", () => {
  const closeDay = (errorMessage: unknown) =>
    answered(0, 'valid', http(200, JSON.stringify({ response: { status: 'error', errorCode: '7', errorMessage } })));
  const batch = answered(0, 'valid', http(403, 'type=error\n&error-code=403\n&error-message=no+such%0A+%22key%22\n'));
  expect(describeAnswer(batch.exchanges[0])).toBe('HTTP 403 with error 403 "no such \'key\'"');
  expect(describeAnswer(closeDay('wrong signature').exchanges[0])).toBe('HTTP 200 with error 7 "wrong signature"');
  expect(describeAnswer(closeDay('x'.repeat(5000)).exchanges[0])).toBe(`HTTP 200 with error 7 "${'x'.repeat(120)}…"`);
  for (const nothing of [undefined, '', ' ', 5, {}]) {
    expect(describeAnswer(closeDay(nothing).exchanges[0])).toBe('HTTP 200 with error 7');
  }
  expect([batch, closeDay('wrong signature')].map(({ exchanges: [exchange] }) => formOfAnswer(exchange))).toEqual([
    'HTTP 403 with error 403',
    'HTTP 200 with error 7',
  ]);
});
