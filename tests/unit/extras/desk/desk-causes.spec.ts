/** What is wrong with one request at the desk: its own mistake, and nothing that only another request shows. */
import { requirementById } from '../../../../contracts/requirements/index.ts';
import { causesAt, failingRows } from '../../../../src/extras/desk/view.ts';
import type { Result, ResultRow } from '../../../../src/record/result/result.ts';
import { expect, test } from '../../../engine.ts';

const id = 'authentication/signature-verifies';
const statement = requirementById(id)!.statement;
const deviation = { id: 'body-left-out', summary: 'The form is not signed.', fix: 'Sign the form.', snippet: '' };
const row = { id, statement, outcome: 'fail', actual: 'the first signature', exchanges: [1, 2, 3, 4] };
const explanation = { exchange: 2, deviations: [deviation], facts: [], triedCount: 1 };
const cause = { outcome: 'fail', sentence: '', deviations: ['body-left-out'], requirements: [id], exchanges: [2, 3] };
const cases = [11, 12, 13, 14].map((number) => ({ number }));

function told(number: number, causes: readonly object[], explanations?: readonly object[]): string[] {
  const result = { results: [{ ...row, explanations } as unknown as ResultRow], causes } as unknown as Result;
  return causesAt(failingRows(result, cases), [number]).map(({ sentence }) => sentence);
}

test('each request with a mistake that has a name is told that mistake, not the first one alone', () => {
  for (const number of [12, 13]) expect(told(number, [cause], [explanation])).toEqual([deviation.summary]);
});

test('what was received is told of the request that sent it, and of no other', () => {
  expect(told(11, [cause], [explanation])).toEqual([`${statement} Received: the first signature.`]);
  expect(told(14, [cause], [explanation])).toEqual([statement]);
  expect(told(12, [])).toEqual([statement]);
});

test('a cause of another requirement, or of signatures that nothing explains, names no mistake', () => {
  const others = [
    { ...cause, requirements: ['x'] },
    { ...cause, deviations: [] },
    { ...cause, deviations: undefined },
  ];
  for (const other of others) expect(told(13, [other], [explanation])).toEqual([statement]);
});
