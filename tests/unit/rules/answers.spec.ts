/** Judges of answers: missing and undocumented answers, the gates and totals of close-day, and the place of the error ID. */
import { validateResponse } from '../../../schemas/payloads.ts';
import type { Case } from '../../../src/record/case.ts';
import type { Header } from '../../../src/record/exchange.ts';
import { closeDayBody } from '../../../src/rules/answers/bodies.ts';
import { gatewayJudges, judgeCases } from '../../../src/rules/index.ts';
import { observe } from '../../../src/rules/observe.ts';
import { disagreementsOnAnswers } from '../../../src/rules/schema-crosscheck.ts';
import { expect, test } from '../../engine.ts';
import {
  batchAnswer,
  errorAnswer,
  finished,
  gate,
  html,
  outcomesOf,
  parameterAnswer,
  sampleCase,
} from './sample-cases.ts';

type GatewayId = keyof typeof gatewayJudges;

const outcomes = (id: GatewayId, cases: readonly Case[]) =>
  gatewayJudges[id]({ id, cases, twinOf: () => undefined }).map(({ finding }) => finding.outcome);

test('no judge passes or fails where no response was received', () => {
  const silent = [sampleCase('close-day', undefined), sampleCase('process-recurring-payments', undefined)];
  const ids = Object.keys(gatewayJudges) as GatewayId[];
  expect(ids.filter((id) => outcomes(id, silent).some((one) => one === 'pass' || one === 'fail'))).toEqual([]);
});

test('tolerated refusals alone do not show that close-day answers with HTTP 200', () => {
  const about = 'authentication/close-day-wrong-key-refused';
  const refusal = errorAnswer({ errorCode: '1' }, { intent: 'fault', about }, 401);
  expect(outcomes('close-day/status-200', [refusal])).toEqual(['inconclusive']);
  expect(outcomes('close-day/status-200', [refusal, finished()])).toEqual(['pass', 'pass']);
});

test('an error body, an HTML page and bytes that are not UTF-8 are no acceptance of a batch', () => {
  const error = parameterAnswer({ type: 'error' });
  expect(outcomes('recurring/success-body-empty', [error])).toEqual([]);
  expect(outcomes('recurring/success-status-200', [error, batchAnswer({ body: '<html>' })])).toEqual([]);
  const broken = batchAnswer({ body: Buffer.from('type=\xff', 'latin1') });
  expect(outcomes('recurring/parameters-line-feed', [broken])).toEqual(['fail']);
});

test('a body deeper than the suite reads is a limit of the suite', () => {
  const body = `{"response":${'['.repeat(200)}${']'.repeat(200)}}`;
  expect(outcomes('close-day/body-decodable', [sampleCase('close-day', { body })])).toEqual(['inconclusive']);
});

test.describe('failures in an undocumented form', () => {
  const faults = ['unsigned', 'wrong-key'] as const;
  const twin = { 'close-day': finished(), recurring: batchAnswer() };
  const judged = (area: 'close-day' | 'recurring', status: number, count: number, twinIs: Case = twin[area]) => {
    const id = area === 'close-day' ? 'close-day/status-200' : 'recurring/failure-status-403';
    const operation = area === 'close-day' ? area : 'process-recurring-payments';
    const cases = faults
      .slice(0, count)
      .map((what) =>
        sampleCase(operation, { status }, { intent: 'fault', about: `authentication/${area}-${what}-refused` }),
      );
    return gatewayJudges[id]({ id, cases, twinOf: () => twinIs }).map(({ finding }) => finding.outcome);
  };

  for (const area of ['close-day', 'recurring'] as const) {
    test(`${area}: several fail, with any status, if right requests are accepted`, () => {
      for (const status of [302, 404, 408, 425, 429, 500, 503])
        expect(judged(area, status, 2), String(status)).toContain('fail');
    });

    test(`${area}: a single one is no evidence`, () => {
      for (const status of [302, 404, 408, 425, 429, 500, 503])
        expect(judged(area, status, 1), String(status)).toEqual([]);
    });

    test(`${area}: they are no evidence if right requests are answered in the same way`, () => {
      expect(judged(area, 500, 2, sampleCase('close-day', { status: 500 }))).toEqual([]);
    });
  }

  test('401 and 403 mean failed authentication, not a fault of the fields', () => {
    const missing = 'close-day/missing-request-id-refused';
    const fieldFault = sampleCase('close-day', { status: 403 }, { intent: 'fault', about: missing });
    const question = { id: 'close-day/status-200', cases: [fieldFault], twinOf: () => finished() } as const;
    expect(gatewayJudges['close-day/status-200'](question).map(({ finding }) => finding.outcome)).toEqual(['fail']);
  });
});

test.describe('close-day', () => {
  const id = 'close-day/one-result-per-gate';

  /** An answer whose gates have these ids. Undefined leaves an id out. */
  function answer(ids: readonly (number | undefined)[], number: number, change: Partial<Case> = {}): Case {
    const gates = ids.map((gateId) => ({ ...gate, gateId }));
    return { ...finished({ response: { gates } }), number, ...change };
  }

  const outcomes = (...cases: readonly Case[]) => outcomesOf(id, ...cases);

  function at(target: string, one: Case): Case {
    return { ...one, exchanges: [{ ...one.exchanges[0], request: { ...one.exchanges[0].request, target } }] };
  }

  test('a gate that is missing in a later answer has no result', () => {
    expect(outcomes(answer([1, 2], 0), answer([1], 1))).toEqual(['fail']);
  });

  test('the same gates in another order, in other digits or after another query are the same', () => {
    const other = sampleCase('close-day', {
      body: '{"response":{"status":"finished","gates":[{"gateId":2},{"gateId":1.0}]}}',
    });
    expect(outcomes(answer([1, 2], 0), { ...other, number: 1 })).toEqual([]);
    expect(outcomes(answer([1, 2], 0), at('/api/v2/close-day/1111?a=1', answer([1, 3], 1)))).toEqual(['fail']);
  });

  test('another endpoint, another host and another scenario may have other gates', () => {
    const first = answer([1, 2], 0);
    const other = answer([3], 1);
    const request = { ...other.exchanges[0].request, host: 'other.test' };
    expect(outcomes(first, { ...other, exchanges: [{ ...other.exchanges[0], request }] })).toEqual([]);
    expect(outcomes(first, at('/api/v2/close-day/1112', answer([3], 1)))).toEqual([]);
    expect(outcomes(first, answer([3], 0, { scenario: 'another/scenario' }))).toEqual([]);
  });

  test('an answer with a gate without an id is not compared', () => {
    expect(outcomes(answer([1, 2], 0), answer([1, undefined], 1), answer([2, 3], 2))).toEqual(['fail']);
    expect(outcomes(answer([1, undefined], 0), answer([2, undefined], 1))).toEqual([]);
  });

  test('answers in the recording of another tool are not compared, because the endpoint may have changed', () => {
    const label = { operation: 'close-day', intent: 'open' } as const;
    expect(outcomes(answer([1, 2], 0, { label }), answer([1, 3], 1, { label }))).toEqual([]);
    const question = { ...label, openPoint: 'A7' };
    expect(outcomes(answer([1, 2], 0, { label: question }), answer([1, 3], 1, { label: question }))).toEqual(['fail']);
  });

  const body = Buffer.from(finished().exchanges[0].response!.body).toString();
  const rootOf = (text: string) => closeDayBody(sampleCase('close-day', { body: text }).exchanges[0]);
  const schemaRows = (text: string) => [...validateResponse('close-day', 200, Buffer.from(text)).keys()];

  for (const [about, text] of [
    ['under the name of a documented member', `{"response":${body}}`],
    ['under the name of the other one', `{"theRequestSerialNumber":${body}}`],
    ['beside a documented member', `{"closeDay":${body},"theRequestSerialNumber":"1"}`],
    ['beside an object with one of the two', `{"closeDay":${body},"log":{"response":"sent"}}`],
    ['under no name', `{"":${body}}`],
  ] as const) {
    test(`judge and schema read an answer that is enclosed ${about}`, () => {
      expect(rootOf(text)).toMatchObject({ wrapped: true, root: rootOf(body)!.root! });
      expect(schemaRows(text)).toEqual(schemaRows(body));
    });
  }

  for (const [about, text, row] of [
    ['two of them', `{"a":${body},"b":${body}}`, 'close-day/response-member'],
    ['a response in response', '{"response":{"response":{"status":"finished"}}}', 'close-day/status-present'],
    ['one that is two objects deep', `{"response":{"response":${body}}}`, 'close-day/serial-present'],
  ] as const) {
    test(`${about} is no enclosed answer`, () => {
      expect(rootOf(text)).toMatchObject({ wrapped: false });
      expect(schemaRows(text)).toContain(row);
    });
  }

  const fields = 'sale_approved_count sale_approved_sum reversal_approved_count reversal_approved_sum'.split(' ');
  const rows = fields.map(
    (field) => `close-day/accepts-${field.replaceAll('_', '-')}` as 'close-day/accepts-sale-approved-sum',
  );
  const twin = { scenario: 's', number: 9 };

  /** Cases with all totals together and with each alone, and the answers to them. The right request after them was accepted. */
  function judged(together: 'taken' | 'refused', ...refused: readonly string[]): readonly (string | undefined)[] {
    const sent = (number: number, isAccepted: boolean, names: readonly string[], about?: string): Case => {
      const answer = isAccepted ? finished() : errorAnswer({ errorCode: '1' });
      const body = Buffer.from(names.map((name) => `${name}=1`).join('&'));
      const label = { operation: 'close-day', intent: 'valid', about, ...(number !== 9 && { twin, differsIn: 'x' }) };
      const exchange = { ...answer.exchanges[0], request: { ...answer.exchanges[0].request, body } };
      return { ...answer, scenario: 's', number, label: label as Case['label'], exchanges: [exchange] };
    };
    const cases = [
      sent(0, together === 'taken', fields),
      ...fields.map((field, at) => sent(at + 1, !refused.includes(field), [field], rows[at])),
      sent(9, true, []),
    ];
    return rows.map((id) => judgeCases(id, cases).find(({ finding }) => finding.outcome === 'fail')?.finding.expected);
  }

  test('totals that are accepted alone and refused together break the requirements on all of them', () => {
    expect(judged('taken')).toEqual([undefined, undefined, undefined, undefined]);
    expect(judged('refused').filter((expected) => expected?.includes('together'))).toHaveLength(4);
  });

  test('a total that is refused alone explains why all together are refused', () => {
    expect(judged('refused', 'sale_approved_sum')).toEqual([
      undefined,
      'the request is accepted',
      undefined,
      undefined,
    ]);
  });
});

test('only a close-day shows what close-day does on a locked gate', () => {
  const label = { facts: { gate: 'locked' } } as const;
  const found = [errorAnswer({}, label), batchAnswer({}, label)].map((testCase) =>
    observe([testCase]).flatMap(({ value }) => (value.includes('a locked gate') ? [value] : [])),
  );
  expect(found).toEqual([['close-day on a locked gate: HTTP 200 with error 99'], []]);
});

test.describe('the error ID', () => {
  const id = 'recurring/error-id-with-500';
  const failed = { type: 'error', status: 'error', 'serial-number': '1', 'error-message': 'internal error' };

  function coded(code: string, ...headers: Header[]): Case {
    return parameterAnswer({ ...failed, 'error-code': code }, { headers: [html, ...headers] });
  }

  function find(cases: readonly Case[]) {
    const verdicts = gatewayJudges[id]({ id, cases, twinOf: () => undefined });
    expect(disagreementsOnAnswers(id, cases, verdicts)).toEqual([]);
    return verdicts.map(({ finding }) => finding);
  }

  test('an error ID in a header counts, because its place is open', () => {
    for (const name of ['X-Error-Id', 'X-Failure', 'Request-Id']) {
      const cases = [coded('403'), coded('500', [name, 'a7f3-1'])];
      expect(find(cases)).toEqual([
        expect.objectContaining({ outcome: 'pass', remark: expect.stringContaining(name) }),
      ]);
    }
  });

  test('a header that every answer has is inconclusive if its name may mean an ID, and otherwise no error ID', () => {
    const outcome = (...[name, value]: Header) => find([coded('403', [name, 'b']), coded('500', [name, value])])[0]!;
    for (const name of ['X-Request-Id', 'CF-RAY', 'x-amzn-trace', 'X-Correlation-ID'])
      expect(outcome(name, 'a7f3-1'), name).toMatchObject({ outcome: 'inconclusive', blame: 'unspecified' });
    for (const name of ['X-Powered-By', 'X-RateLimit-Remaining', 'Server', 'X-Backend'])
      expect(outcome(name, 'node 17'), name).toMatchObject({ outcome: 'fail' });
  });

  test('a header of HTTP, an empty header and the code itself are no error ID', () => {
    for (const header of [
      ['Retry-After', '120'],
      ['Set-Cookie', 'sid=17'],
      ['X-Error-Id', ' '],
      ['X-Error-Code', '500'],
      ['X-Status', '500 Internal'],
      ['X-Error', 'true'],
      ['X-Valid', 'no'],
      ['Age', '0'],
      ['X-Cache', 'Error from 17'],
      ['Proxy-Status', 'origin; error=17'],
    ] satisfies Header[])
      expect(find([coded('403'), coded('500', header)]), header[0]).toMatchObject([{ outcome: 'fail' }]);
  });

  test('in the body, a name of an error ID passes, what other answers lack passes with a remark, and the rest does not pass', () => {
    const body = (code: string, change: Readonly<Record<string, string>>) =>
      parameterAnswer({ ...failed, 'error-code': code, ...change }, { headers: [html] });
    const message = 'error-message';
    for (const [other, own, outcome] of [
      [{}, { 'error-id': 'a7f3' }, { outcome: 'pass' }],
      [{ errorRef: 'b' }, { errorRef: 'a' }, { outcome: 'pass' }],
      [{}, { retry: 'no' }, { outcome: 'pass', remark: expect.stringContaining('parameter retry') }],
      [{ retry: 'yes' }, { retry: 'no' }, { outcome: 'inconclusive', blame: 'unspecified' }],
      [{}, { [message]: 'error a7f3' }, { outcome: 'pass', remark: expect.stringContaining('error-message') }],
      [{ [message]: 'wait 30 s' }, { [message]: 'retry in 30 s' }, { outcome: 'inconclusive', blame: 'unspecified' }],
      [{ [message]: 'error b1' }, { [message]: 'error a7f3' }, { outcome: 'pass' }],
      [{}, { [message]: 'error 500' }, { outcome: 'fail' }],
    ] satisfies [Record<string, string>, Record<string, string>, object][])
      expect(find([body('403', other), body('500', own)]), JSON.stringify(own)).toMatchObject([outcome]);
  });

  test('without other answers, a header counts by its name', () => {
    expect(find([coded('500', ['X-Error-Id', '17'])])).toMatchObject([{ outcome: 'pass' }]);
    expect(find([coded('500', ['X-Backend', '17'])])).toMatchObject([{ outcome: 'fail' }]);
  });

  test('the place of the error ID is observed, and an empty parameter is none', () => {
    const places = (...cases: readonly Case[]) =>
      observe(cases)
        .filter(({ openPoint }) => openPoint === 'A20')
        .map(({ value }) => value);
    expect(places(coded('500', ['X-Error-Id', '17']))).toEqual(['header X-Error-Id']);
    expect(places(coded('500'))).toEqual(['nowhere']);
    expect(places(coded('403'), coded('500', ['X-Failure', 'a7f3-1']))).toEqual(['header X-Failure']);
    const blank = batchAnswer({ body: 'type=error\n&error-code=500\n&error-message=no\n&error-id=+\n' });
    expect(places(blank)).toEqual(['nowhere']);
  });

  test('the schema contradicts a pass for a body without an error ID, unless the pass rests on a header', () => {
    const cases = [coded('403'), coded('500', ['X-RateLimit', 'low'])];
    const passing = [{ testCase: cases[1]!, finding: { outcome: 'pass' } }] as const;
    expect(disagreementsOnAnswers(id, cases, passing)).toHaveLength(1);
    const remarked = [{ testCase: cases[1]!, finding: { outcome: 'pass', remark: 'in a header' } }] as const;
    expect(disagreementsOnAnswers(id, cases, remarked)).toEqual([]);
  });
});
