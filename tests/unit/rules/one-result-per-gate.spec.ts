/** What is particular to judges of close-day: gates from one answer to the next, the enclosing member (A5) and totals together and alone. */

import { validateResponse } from '../../../schemas/validate-response.ts';
import type { Case } from '../../../src/record/case.ts';
import { closeDayBody } from '../../../src/rules/answers/close-day-body.ts';
import { judgeCases } from '../../../src/rules/index.ts';
import { expect, test } from '../../engine.ts';
import { errorAnswer, finished, gate, sampleCase } from './sample-cases.ts';

const id = 'close-day/one-result-per-gate';

/** An answer of which the gates have these ids; undefined leaves one out. */
function answer(ids: readonly (number | undefined)[], number: number, change: Partial<Case> = {}): Case {
  const gates = ids.map((gateId) => ({ ...gate, gateId }));
  return { ...finished({ response: { gates } }), number, ...change };
}

function outcomes(...cases: readonly Case[]): readonly string[] {
  return judgeCases(id, cases).map(({ finding }) => finding.outcome);
}

function at(target: string, one: Case): Case {
  return { ...one, exchanges: [{ ...one.exchanges[0], request: { ...one.exchanges[0].request, target } }] };
}

test('a gate that comes no more is one that has no result, whatever number of gates is known', () => {
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

test('of an answer with a gate without an id nothing is compared', () => {
  expect(outcomes(answer([1, 2], 0), answer([1, undefined], 1), answer([2, 3], 2))).toEqual(['fail']);
  expect(outcomes(answer([1, undefined], 0), answer([2, undefined], 1))).toEqual([]);
});

test('of a recording of another tool it is not known what was done to the endpoint between two answers', () => {
  const label = { operation: 'close-day', intent: 'open' } as const;
  expect(outcomes(answer([1, 2], 0, { label }), answer([1, 3], 1, { label }))).toEqual([]);
  const asked = { ...label, openPoint: 'A7' };
  expect(outcomes(answer([1, 2], 0, { label: asked }), answer([1, 3], 1, { label: asked }))).toEqual(['fail']);
});

const body = Buffer.from(finished().exchanges[0].response!.body).toString();
const rootOf = (text: string) => closeDayBody(sampleCase('close-day', { body: text }).exchanges[0]);
const heard = (text: string) => [...validateResponse('close-day', 200, Buffer.from(text)).keys()];

for (const [about, text] of [
  ['under the name of a documented member', `{"response":${body}}`],
  ['under the name of the other one', `{"theRequestSerialNumber":${body}}`],
  ['beside a documented member', `{"closeDay":${body},"theRequestSerialNumber":"1"}`],
  ['beside an object with one of the two', `{"closeDay":${body},"log":{"response":"sent"}}`],
  ['under no name', `{"":${body}}`],
] as const)
  test(`an answer that is enclosed ${about} is read by judge and schema`, () => {
    expect(rootOf(text)).toMatchObject({ wrapped: true, root: rootOf(body)!.root! });
    expect(heard(text)).toEqual(heard(body));
  });

for (const [about, text, row] of [
  ['two of them', `{"a":${body},"b":${body}}`, 'close-day/response-member'],
  ['a response in response', '{"response":{"response":{"status":"finished"}}}', 'close-day/status-present'],
  ['one that is two objects deep', `{"response":{"response":${body}}}`, 'close-day/serial-present'],
] as const)
  test(`${about} is no enclosed answer`, () => {
    expect(rootOf(text)).toMatchObject({ wrapped: false });
    expect(heard(text)).toContain(row);
  });

const fields = [
  'sale_approved_count',
  'sale_approved_sum',
  'reversal_approved_count',
  'reversal_approved_sum',
] as const;
const rows = fields.map(
  (field) => `close-day/accepts-${field.replaceAll('_', '-')}` as 'close-day/accepts-sale-approved-sum',
);
const twin = { scenario: 's', number: 9 };

/** `together` and each alone as they were answered; the right request after them was accepted. */
function judged(together: 'taken' | 'refused', ...refused: readonly string[]): readonly (string | undefined)[] {
  const sent = (number: number, isTaken: boolean, names: readonly string[], about?: string): Case => {
    const answer = isTaken ? finished() : errorAnswer({ errorCode: '1' });
    const body = Buffer.from(names.map((name) => `${name}=1`).join('&'));
    const label = { operation: 'close-day', intent: 'valid', about, ...(number === 9 ? {} : { twin, differsIn: 'x' }) };
    const exchange = { ...answer.exchanges[0], request: { ...answer.exchanges[0].request, body } };
    return { ...answer, scenario: 's', number, label: label as Case['label'], exchanges: [exchange] };
  };
  const cases = [
    sent(0, together === 'taken', fields),
    ...fields.map((field, at) => sent(at + 1, !refused.includes(field), [field], rows[at])),
    sent(9, true, []),
  ];
  return rows.map((row) => judgeCases(row, cases).find(({ finding }) => finding.outcome === 'fail')?.finding.expected);
}

test('totals that are taken alone and refused together break the rows of all of them', () => {
  expect(judged('taken')).toEqual([undefined, undefined, undefined, undefined]);
  expect(judged('refused').filter((expected) => expected?.includes('together'))).toHaveLength(4);
});

test('a total that is refused alone is why all of them are', () => {
  expect(judged('refused', 'sale_approved_sum')).toEqual([undefined, 'the request is accepted', undefined, undefined]);
});
