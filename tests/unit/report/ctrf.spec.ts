/** ctrf.json: its structure, its counts, and what turns it red. */

import type { Result } from '../../../src/record/result/result.ts';
import { ctrfReport } from '../../../src/report/ctrf.ts';
import { expect, test } from '../../engine.ts';
import { everything, hostile, resultOf, rows, statements, withHazards } from './all-outcomes.ts';
import { ctrfFaults } from './ctrf-structure.ts';
import { golden } from './golden.ts';

test('the sample is written as the golden file has it', () => {
  const text = ctrfReport(withHazards, { statements });
  expect(text).toBe(golden('all-outcomes.ctrf.json', text));
});

test('the structure is the one of the schema, whatever the run came to', () => {
  expect(ctrfFaults(document(everything))).toEqual([]);
  expect(ctrfFaults(document(resultOf(rows.slice(0, 1))))).toEqual([]);
  expect(ctrfFaults(document(resultOf([], { conclusion: 'aborted', aborted: 'no answer' })))).toEqual([]);
  expect(ctrfFaults(document(resultOf(rows, { durationMs: 0.5 })))).toEqual([]);
});

test('the check of the structure finds what is wrong', () => {
  const wrong = document(everything);
  wrong.results.tests[0].duration = 0.5;
  wrong.results.tests[1].colour = 'red';
  wrong.results.summary.passed += 1;
  delete wrong.results.tool.name;
  expect(ctrfFaults(wrong)).toEqual([
    "/results/tool must have required property 'name'",
    '/results/tests/0/duration must be integer',
    '/results/tests/1 must NOT have additional properties',
    'the count of passed is wrong',
  ]);
});

test('every outcome has its status, and inconclusive is neither passed nor skipped', () => {
  const statuses = Object.fromEntries(tests(everything).map(({ rawStatus, status }) => [rawStatus, status]));
  expect(statuses).toEqual({
    pass: 'passed',
    fail: 'failed',
    inconclusive: 'other',
    'not-applicable': 'skipped',
    error: 'failed',
  });
  expect(tests(everything).find(({ rawStatus }) => rawStatus === 'error')!.type).toBe('suite-fault');
});

test('rows are in the order of the dimensions, each under its own', () => {
  const suites = tests(everything).map(({ suite }) => suite[0]);
  expect([...new Set(suites)]).toEqual(['signing', 'payload-encoding', 'response-decoding', 'transport', 'behaviour']);
  expect(suites).toHaveLength(rows.length);
});

test('whoever counts failed tests sees red exactly where the run is not conformant', () => {
  const conclusions = [
    resultOf(rows.slice(0, 2)),
    resultOf([rows[0]!, rows[5]!]),
    resultOf([rows[2]!]),
    resultOf([rows[10]!]),
    resultOf([]),
    resultOf([], { conclusion: 'aborted', aborted: 'The adapter did not start.' }),
  ].map((result) => [result.conclusion, document(result).results.summary.failed]);
  expect(conclusions).toEqual([
    ['conformant', 0],
    ['partial', 1],
    ['non-conformant', 1],
    ['aborted', 1],
    ['partial', 1],
    ['aborted', 1],
  ]);
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

test('a message is safe to show, and the values beside it are exact', () => {
  const found = tests(everything).find(({ name }) => name === 'authentication/fails')!;
  expect(found.message).toBe(`expected ${hostile.markup}, received a<U+0000>b`);
  expect(found.extra.actual).toBe(hostile.nul);
  expect(found.extra).toMatchObject({
    basis: 'document',
    exchanges: [4, 5],
    provenBy: ['b-defect'],
    hint: hostile.escape,
  });
  expect(ctrfReport(everything, { statements }).replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
});

test('a long value is cut in the message and whole beside it', () => {
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
