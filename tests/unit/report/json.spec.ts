/** report.json and ctrf.json: what is read back is what was written, with right structure and counts, and what turns it red. */
import type { Result } from '../../../src/record/result/result.ts';
import { ctrfReport } from '../../../src/report/ctrf.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { expect, test } from '../../engine.ts';
import { everything, hostile, resultOf, rows, statements, withHazards } from './all-outcomes.ts';
import { ctrfFaults } from './ctrf-structure.ts';
import { golden } from './golden.ts';

test('the sample is written as the golden file has it', () => {
  const text = jsonReport(withHazards);
  expect(text).toBe(golden('all-outcomes.json', text));
});

test('every value comes back exactly, odd characters included', () => {
  expect(JSON.parse(jsonReport(everything))).toEqual(JSON.parse(JSON.stringify(everything)));
  expect(JSON.parse(jsonReport(everything)).observations[1].value).toBe(hostile.bidi);
});

test('no character of the file acts on whoever looks at it', () => {
  const acting = jsonReport(everything)
    .replaceAll('\n', '')
    .match(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(acting).toBeNull();
});

test('what only a live run has of its effects is written too', () => {
  const budget = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };
  const live = { allowed: budget, ledger: { ...budget, unclear: 1 }, notSent: [{ reason: 'it could', cases: 3 }] };
  const written = JSON.parse(jsonReport({ ...everything, effects: { ...everything.effects, ...live } })).effects;
  expect(written).toEqual({ ...everything.effects, ...live });
});

test('the sample of ctrf.json is written as the golden file has it', () => {
  const text = ctrfReport(withHazards, { statements });
  expect(text).toBe(golden('all-outcomes.ctrf.json', text));
});

test('the structure is the one of the schema, whatever the run came to', () => {
  expect(ctrfFaults(document(everything))).toEqual([]);
  expect(ctrfFaults(document(resultOf(rows.slice(0, 1))))).toEqual([]);
  expect(ctrfFaults(document(resultOf([], { conclusion: 'aborted', aborted: 'no answer' })))).toEqual([]);
  expect(ctrfFaults(document(resultOf(rows, { durationMs: 0.5 })))).toEqual([]);
});

test('a run without a failed row carries its conclusion as a test of its own', () => {
  const aborted = resultOf([], { conclusion: 'aborted', aborted: `It ended. ${hostile.escape}` });
  expect(tests(aborted)).toEqual([
    {
      name: 'conclusion',
      status: 'failed',
      duration: 0,
      suite: ['run'],
      message: 'It ended. <U+001B>[2J<U+001B>]0;title<U+0007>',
      rawStatus: 'aborted',
      type: 'conclusion',
      extra: { repeat: aborted.reproduce },
    },
  ]);
});

test('a message is safe to show and cut, and the value beside it is exact and whole', () => {
  expect(tests(everything).find(({ name }) => name === 'authentication/fails')!.extra.actual).toBe(hostile.nul);
  expect(ctrfReport(everything, { statements }).replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  const found = tests(everything).find(({ name }) => name === 'close-day/fails-long')!;
  expect(found.message.length).toBeLessThan(2_200);
  expect(found.extra.expected).toBe(hostile.long);
});

// biome-ignore lint/suspicious/noExplicitAny: what is parsed is looked at member by member.
function document(result: Result): any {
  return JSON.parse(ctrfReport(result, { statements }));
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
function tests(result: Result): any[] {
  return document(result).results.tests;
}
