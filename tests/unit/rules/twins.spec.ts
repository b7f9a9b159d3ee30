/** Acceptance and refusal with a twin, and answers that are neither. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Case } from '../../../src/record/case.ts';
import { answerSummary, blameForUnclear, describeAnswer, isUnreached } from '../../../src/rules/answers/acceptance.ts';
import { judgeCases } from '../../../src/rules/index.ts';
import { judgeAccepted, judgeRefused, laterTwin } from '../../../src/rules/twins.ts';
import { expect, test } from '../../engine.ts';
import {
  type Answer,
  batchAnswer,
  errorAnswer,
  finished,
  outcomesOf,
  parameterAnswer,
  sampleCase,
} from './sample-cases.ts';

const success = finished();
const refusal = errorAnswer({ errorCode: '1' });
const error99 = errorAnswer();
const unclear: Record<string, Case> = {
  '500': sampleCase('close-day', { status: 500 }),
  '429': sampleCase('close-day', { status: 429 }),
  '404': sampleCase('close-day', { status: 404 }),
  '302': sampleCase('close-day', { status: 302 }),
  'a 500 that says error': errorAnswer({ errorCode: '1' }, {}, 500),
  'an HTML page': sampleCase('close-day', { body: '<html>' }),
  silence: sampleCase('close-day', undefined),
};

function outcome(
  judge: typeof judgeRefused,
  testCase: Case,
  twin?: Case,
  id: RequirementId = 'close-day/missing-request-id-refused',
): string | undefined {
  const intent = judge === judgeRefused ? 'fault' : 'valid';
  const label = { ...testCase.label, intent, about: id, ...(twin && { twin: { scenario: 's', number: 1 } }) } as const;
  return judge({ id, cases: [{ ...testCase, label }], twinOf: () => twin })[0]?.finding.outcome;
}

const validRow = 'authentication/close-day-valid-accepted';
const wrongKey = 'authentication/close-day-wrong-key-refused';
const reused = 'authentication/close-day-reused-nonce-refused';

const judgements: readonly (readonly [why: string, expected: string, ...Parameters<typeof outcome>])[] = [
  ['a refusal passes if its twin was accepted', 'pass', judgeRefused, refusal, success],
  ['a refusal is no evidence if its twin was refused', 'inconclusive', judgeRefused, refusal, refusal],
  ['a refusal is no evidence if its twin is missing', 'inconclusive', judgeRefused, refusal],
  ['a refusal is no evidence if its twin got an unclear answer', 'inconclusive', judgeRefused, refusal, unclear['500']],
  ['an accepted fault fails if its twin was accepted', 'fail', judgeRefused, success, success],
  ['an accepted fault fails if its twin was refused', 'fail', judgeRefused, success, refusal],
  ['an accepted fault fails without its twin', 'fail', judgeRefused, success],
  ['a right request must be accepted', 'pass', judgeAccepted, success],
  ['a refused right request fails', 'fail', judgeAccepted, refusal],
  ['a refused right request fails if its twin was accepted', 'fail', judgeAccepted, refusal, success],
  ['a refused right request is no evidence if its twin was refused', 'inconclusive', judgeAccepted, refusal, refusal],
  ['error 99 shows that a twin passed authentication', 'pass', judgeRefused, refusal, error99, wrongKey],
  ['error 99 shows that a request passed authentication', 'pass', judgeAccepted, error99, undefined, validRow],
  ['error 99 for a wrong signature shows that it was accepted', 'fail', judgeRefused, error99, success, wrongKey],
  ['error 99 for a twin shows nothing about fields', 'inconclusive', judgeRefused, refusal, error99],
  ['error 99 for a faulty field shows nothing', 'inconclusive', judgeRefused, error99, success],
  ['error 99 for a right field shows nothing', 'inconclusive', judgeAccepted, error99, success],
  ['a nonce is reused if the first request with it was accepted', 'fail', judgeRefused, success, success, reused],
  ['a nonce is not reused if the first request was refused', 'inconclusive', judgeRefused, success, refusal, reused],
  ['a nonce of a refused batch is unused', 'inconclusive', judgeRefused, success, batchAnswer({ status: 403 }), reused],
  ['a nonce of an accepted batch is reused', 'pass', judgeRefused, refusal, batchAnswer({ status: 200 }), reused],
];

for (const [reason, expected, ...of] of judgements) {
  test(reason, () => {
    expect(outcome(...of)).toBe(expected);
  });
}

test('error 99 shows the same for a right request that tests no requirement', () => {
  const id = validRow;
  const [verdict] = judgeCases(id, [errorAnswer({}, { intent: 'valid' })]);
  expect(verdict?.finding).toMatchObject({ outcome: 'pass', remark: expect.any(String) });
  // A request for another requirement is no evidence for this one.
  const unrelated = errorAnswer({}, { intent: 'valid', about: 'close-day/generated-requests-accepted' });
  expect(judgeCases(id, [unrelated])).toEqual([]);
});

test('a fault in an open form counts only if it is accepted', () => {
  const id = 'authentication/close-day-wrong-key-refused';
  const label = { intent: 'fault', about: id, openPoint: 'A30', twin: { scenario: 's', number: 1 } } as const;
  const judged = (answer: Case) =>
    judgeRefused({ id, cases: [{ ...answer, label: { ...answer.label, ...label } }], twinOf: () => success });
  expect(judged(success).map(({ finding }) => finding.outcome)).toEqual(['fail']);
  for (const answer of [refusal, ...Object.values(unclear)]) expect(judged(answer)).toEqual([]);
  // A server may answer chunks with 411, and HTTP/1.0 with 505.
  const twin = finished({}, { intent: 'valid' });
  const odd = [411, 411, 505].map((status) => sampleCase('close-day', { status }, label));
  expect(outcomesOf('close-day/status-200', twin, ...odd)).toEqual(['pass']);
  const batches = [411, 411].map((code) => sampleCase('process-recurring-payments', { status: code }, label));
  expect(outcomesOf('recurring/failure-status-403', batchAnswer(), ...batches)).toEqual([]);
});

for (const [name, answer] of Object.entries(unclear)) {
  test(`${name} is neither acceptance nor refusal`, () => {
    expect(outcome(judgeRefused, answer, success)).toBe('inconclusive');
    expect(outcome(judgeAccepted, answer)).toBe('inconclusive');
  });
}

test('a batch is accepted by the empty 200 and by its response type, and refused by 403, 401 and both error types', () => {
  for (const [answer, expected] of [
    [batchAnswer(), 'pass'],
    [parameterAnswer({ type: 'process-recurring-payment-response' }), 'pass'],
    [batchAnswer({ status: 403 }), 'fail'],
    [batchAnswer({ status: 401 }), 'fail'],
    [parameterAnswer({ type: 'validation-error' }), 'fail'],
    [parameterAnswer({ type: 'error' }, { status: 500 }), 'fail'],
    [batchAnswer({ body: 'OK' }), 'inconclusive'],
    [batchAnswer({ status: 503 }), 'inconclusive'],
  ] as const)
    expect(outcome(judgeAccepted, answer)).toBe(expected);
});

test('a gateway that accepts only another form of the CSV is undetermined, and the finding names the form', () => {
  const id = 'authentication/recurring-valid-accepted';
  const batch = (status: number, label: Case['label'] | object) =>
    sampleCase('process-recurring-payments', { status }, label);
  const right = batch(403, { about: id });
  const judged = (...forms: Case[]) => judgeAccepted({ id, cases: [right, ...forms], twinOf: () => right })[0]!.finding;
  const inForm = (status: number, openPoint: string) =>
    batch(status, { intent: 'open', openPoint, differsIn: 'CRLF line ends' });
  expect(judged(inForm(200, 'A12'), inForm(200, 'A12'))).toMatchObject({
    outcome: 'inconclusive',
    blame: 'unspecified',
    actual: expect.stringContaining('the same batch with CRLF line ends was accepted'),
  });
  expect(judged(inForm(403, 'A12'), inForm(403, 'A12')).outcome).toBe('fail');
  // A gateway that misreads some signatures may accept one batch of any form by chance.
  expect(judged(inForm(200, 'A12')).outcome).toBe('fail');
  expect(judged(inForm(200, 'A12'), inForm(403, 'A12')).outcome).toBe('fail');
  // Another method than POST is not a form of the CSV.
  expect(judged(inForm(200, 'A30'), inForm(200, 'A30')).outcome).toBe('fail');
  // A gateway that accepted the plain form earlier in the run refuses this batch for another reason.
  expect(judged(batch(200, {}), inForm(200, 'A12'), inForm(200, 'A12')).outcome).toBe('fail');
});

test('a right request that is refused with a gateway-specific code is undetermined if another one was accepted', () => {
  const id = 'authentication/close-day-valid-accepted';
  const refusedAs = (errorCode: string, intent: 'valid' | 'fault' = 'valid') => errorAnswer({ errorCode }, { intent });
  const outcomes = (...cases: Case[]) => outcomesOf(id, ...cases);
  expect(outcomes(success, refusedAs('98'), refusedAs('1', 'fault'))).toEqual(['pass', 'inconclusive']);
  expect(outcomes(success, refusedAs('98'), refusedAs('98', 'fault'))).toEqual(['pass', 'fail']);
  expect(outcomes(refusedAs('98'), refusedAs('1', 'fault'))).toEqual(['fail']);
  // Without a code, the refusal may be about the signature.
  expect(outcomes(success, sampleCase('close-day', { status: 403 }))).toEqual(['pass', 'fail']);
});

test('a twin that was refused with a gateway-specific code leaves the finding open, without blame for the gateway', () => {
  const id = 'authentication/close-day-wrong-key-refused';
  const wrong = errorAnswer({ errorCode: '1' }, { intent: 'fault', about: id });
  const closed = errorAnswer({ errorCode: '98' });
  const judged = (twin: Case, ...cases: Case[]) =>
    judgeRefused({ id, cases: [wrong, ...cases], twinOf: () => twin })[0]!.finding;
  const open = { outcome: 'inconclusive', blame: 'unspecified', because: { openPoint: 'A6' } };
  expect(judged(closed, success, closed)).toMatchObject(open);
  expect(judged(refusal, success, refusal)).toMatchObject({ outcome: 'inconclusive', blame: 'subject' });
  expect(judged(closed, closed)).toMatchObject({ outcome: 'inconclusive', blame: 'subject' });
  // If its twin was accepted, a refused request has no excuse.
  const asked = { ...closed, label: { ...closed.label, about: id, twin: { scenario: 's', number: 1 } } } as const;
  const right = (twin: Case) => judgeAccepted({ id, cases: [asked, success, twin], twinOf: () => twin })[0]!.finding;
  expect(right(closed)).toMatchObject(open);
  expect(right(success).outcome).toBe('fail');
});

test('a nonce that a batch used first is open if that batch is open', () => {
  const id = 'authentication/close-day-reused-nonce-refused';
  const batch = (status: number, label: object) => sampleCase('process-recurring-payments', { status }, label);
  const twin = batch(403, {});
  const inForm = batch(200, { intent: 'open', openPoint: 'A12', differsIn: 'CRLF line ends' });
  const repeats = errorAnswer({ errorCode: '1' }, { intent: 'fault', about: id });
  const { finding } = judgeRefused({ id, cases: [repeats, twin, inForm, { ...inForm }], twinOf: () => twin })[0]!;
  expect(finding).toMatchObject({ outcome: 'inconclusive', blame: 'unspecified', because: { openPoint: 'A12' } });
});

test('a right batch may be refused if it has a recurring payment twice, and not if it has each payment once', () => {
  const about = 'recurring/many-rows-accepted' as const;
  const batch = (status: number, csv: string, number: number): Case => {
    const payload = encodeURIComponent(Buffer.from(csv).toString('base64'));
    const label = { intent: 'valid', ...(number === 1 ? { about, twin: { scenario: 's', number: 2 } } : {}) } as const;
    const testCase = sampleCase('process-recurring-payments', { status }, label);
    const request = { ...testCase.exchanges[0].request, body: Buffer.from(`payload=${payload}`) };
    return { ...testCase, scenario: 's', number, exchanges: [{ ...testCase.exchanges[0], request }] };
  };
  const csvOf = (ids: readonly string[], lineEnd = '\n') =>
    `${['client-orderid;amount;recurring-payment-id', ...ids.map((id, at) => `a${at};1.00;${id}`)].join(lineEnd)}${lineEnd}`;
  const refusedWith = (csv: string) =>
    judgeCases(about, [batch(403, csv, 1), batch(200, csvOf(['1']), 2)]).map(({ finding }) => finding);
  const judged = (...ids: string[]) => refusedWith(csvOf(ids));
  expect(judged('1', '1')).toMatchObject([{ outcome: 'inconclusive', because: { openPoint: 'A7' } }]);
  expect(judged('1', '2')).toMatchObject([{ outcome: 'fail' }]);
  expect(refusedWith(csvOf(['1', '1'], '\r\n'))).toMatchObject([{ outcome: 'inconclusive' }]);
  // Other cases: a line end inside a cell, a CSV without that column, and a text that is not CSV.
  const others = [csvOf(['"1\n2"', '"1\n3"']), 'client-orderid;amount\na;1.00\nb;1.00\n', '"a\nb\nc'];
  for (const csv of others) expect(refusedWith(csv)).toMatchObject([{ outcome: 'fail' }]);
});

test.describe('an unclear answer', () => {
  const id = 'authentication/recurring-unsigned-refused';

  function caseOf(number: number, intent: 'valid' | 'fault', answer: Answer): Case {
    const fault = { about: id, twin: { scenario: 'x', number: 7 }, differsIn: 'the signature' } as const;
    const label = { intent, ...(intent === 'fault' ? fault : {}) };
    return { ...sampleCase('process-recurring-payments', answer, label), scenario: 'x', number };
  }

  const http = (status: number, body = ''): Answer => ({ status, body });
  const failed = (failure: Answer['failure']): Answer => ({ failure });

  function judged(twin: Case) {
    const testCase = caseOf(0, 'fault', http(403));
    const cases = [testCase, twin];
    return judgeRefused({ id, cases, twinOf: (one) => laterTwin(one, cases) })[0]!.finding;
  }

  test('an unreadable body is the fault of the subject; a missing answer, a server error and a redirect are not', () => {
    const blame = (answer: Answer) => blameForUnclear(caseOf(0, 'valid', answer).exchanges[0]);
    expect([http(200, 'ok'), http(201), http(400)].map(blame)).toEqual(['subject', 'subject', 'subject']);
    const others = [http(500, 'ok'), ...[302, 404, 408, 425, 429].map((status) => http(status))].concat(
      (['reset', 'timeout'] as const).map(failed),
    );
    expect(new Set(others.map(blame))).toEqual(new Set(['environment']));
  });

  test('a judge that cannot read a body names a compression that the request did not ask for', () => {
    const headers = [['Content-Encoding', 'gzip']] as const;
    const body = '\u001f\u008b';
    const findings = (
      [
        ['close-day/body-decodable', 'close-day', 200],
        ['recurring/success-body-empty', 'process-recurring-payments', 200],
        ['recurring/failure-body-empty', 'process-recurring-payments', 403],
      ] as const
    ).map(([row, of, status]) => judgeCases(row, [sampleCase(of, { status, headers, body })])[0]?.finding);
    const unrequested = expect.stringMatching(/ \(Content-Encoding: gzip, which the request does not ask for\)$/);
    expect(findings).toEqual([1, 2, 3].map(() => expect.objectContaining({ outcome: 'fail', actual: unrequested })));
  });

  test('a body that is not compressed, although a header says so, passes only if the request asked for compression', () => {
    const { exchanges, ...rest } = finished({ headers: [['Content-Encoding', 'gzip']] });
    const request = { ...exchanges[0].request, headers: [['Accept-Encoding', 'gzip']] as const };
    const asked: Case = { ...rest, exchanges: [{ ...exchanges[0], request }] };
    const outcomes = [{ ...rest, exchanges }, asked].map((one) => outcomesOf('close-day/body-decodable', one));
    expect(outcomes).toEqual([['fail'], ['pass']]);
  });

  test('only a request without a connection certainly never arrived', () => {
    const never = (answer: Answer) => isUnreached(caseOf(0, 'valid', answer).exchanges[0]);
    const answers = [failed('unreachable'), failed('not-sent'), failed('reset'), http(500)];
    expect(answers.map(never)).toEqual([true, true, false, false]);
  });

  test('a refusal is inconclusive if the answer to its twin is unreadable, and the subject is blamed', () => {
    expect(judged(caseOf(7, 'valid', http(200, 'ok')))).toMatchObject({
      outcome: 'inconclusive',
      actual: 'refused, but its twin was neither accepted nor refused: HTTP 200 with a body of 2 bytes',
      blame: 'subject',
    });
    expect(judged(caseOf(7, 'valid', failed('reset'))).blame).toBe('environment');
  });

  test('the finding says that the twin was refused only if it was', () => {
    expect(judged(caseOf(7, 'valid', http(403))).actual).toBe(
      'refused, but its twin, which differs only in the signature, was refused too: HTTP 403 with an empty body',
    );
    expect(judged(caseOf(8, 'valid', http(403))).actual).toBe(
      'refused, but the correct request after it was refused too: HTTP 403 with an empty body',
    );
    expect(judged(caseOf(7, 'valid', http(200))).outcome).toBe('pass');
  });

  test("an answer is described with the target's own words, in one short line, and its form without them", () => {
    const closeDay = (errorMessage: unknown) =>
      caseOf(0, 'valid', http(200, JSON.stringify({ response: { status: 'error', errorCode: '7', errorMessage } })));
    const batch = caseOf(0, 'valid', http(403, 'type=error\n&error-code=403\n&error-message=no+such%0A+%22key%22\n'));
    expect(describeAnswer(batch.exchanges[0])).toBe('HTTP 403 with error 403 "no such \'key\'"');
    expect(describeAnswer(closeDay('wrong signature').exchanges[0])).toBe('HTTP 200 with error 7 "wrong signature"');
    expect(describeAnswer(closeDay('x'.repeat(5000)).exchanges[0])).toBe(`HTTP 200 with error 7 "${'x'.repeat(120)}…"`);
    for (const nothing of [undefined, '', ' ', 5, {}])
      expect(describeAnswer(closeDay(nothing).exchanges[0])).toBe('HTTP 200 with error 7');
    expect([batch, closeDay('wrong signature')].map(({ exchanges: [exchange] }) => answerSummary(exchange))).toEqual([
      'HTTP 403 with error 403',
      'HTTP 200 with error 7',
    ]);
  });
});
