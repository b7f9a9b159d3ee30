/** What a run does not rule out, in each report. */

import type { Result, Unnoticed } from '../../../src/record/result/result.ts';
import { ctrfReport } from '../../../src/report/ctrf.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { junitReport } from '../../../src/report/junit.ts';
import { htmlReport } from '../../../src/report/pages/report-page.ts';
import { summaryReport } from '../../../src/report/summary.ts';
import { textReport } from '../../../src/report/text.ts';
import { unnoticedInWords } from '../../../src/report/words.ts';
import { expect, test } from '../../engine.ts';
import { resultOf, rows, statements } from './all-outcomes.ts';

const unnoticed: Unnoticed = {
  of: 209,
  count: 3,
  groups: [
    { operation: 'close-day', dimension: 'signing', defects: ['authentication/one', 'authentication/<two>'] },
    { operation: 'both', dimension: 'behaviour', defects: ['close-day/three'] },
  ],
  notKnown: ['close-day/four'],
  allowances: [
    { kind: 'more', allow: ['closes-day=2', 'starts-payments=1/1.00'], more: 1, aboutSeconds: 4 },
    { kind: 'setting', allow: [], set: 'trust-refusals: 97', more: 3, effects: 87, aboutSeconds: 9 },
    { kind: 'whole', allow: ['closes-day=255', 'starts-payments=448/448.00'], more: 2, aboutSeconds: 342 },
  ],
};
const result: Result = { ...resultOf(rows.slice(0, 1)), unnoticed };
const sentence = 'This run would not notice 3 of 209 known defects of a gateway; of 1 more that is not known';
const flags = '--allow closes-day=2 --allow starts-payments=1/1.00';

test('on a terminal: one sentence with the groups, and each allowance to copy', () => {
  const text = textReport(result, { statements, colour: false, width: 200, files: [] });
  expect(text).toContain('Not ruled out (3)\n');
  expect(text).toContain(
    `  ${sentence} (close-day, signing: 2; both operations, behaviour: 1). report.json and report.html name them.\n`,
  );
  expect(text).toContain(`  ${flags}  would notice 1 more in about 4 s\n`);
  expect(text).toContain(
    '  trust-refusals: 97  would notice 3 more for 87 further effects at worst, in about 9 s, with',
  );
  expect(text).toContain('448/448.00  would notice 2 more in about 6 min: a whole run\n');
});

test('on the page: every id, folded by group', () => {
  const page = htmlReport(result, { statements, questions: () => undefined, baseStringOf: () => undefined, cases: [] });
  expect(page).toContain('<summary>close-day, signing: 2</summary>');
  expect(page).toContain('<li>authentication/&lt;two></li>');
  expect(page).toContain('<summary>not known: 1</summary>');
  expect(page).toContain(flags);
});

test('in Markdown: one line with the next allowance', () => {
  expect(summaryReport(result, { statements })).toContain(
    `**Not ruled out:** ${sentence}. With \`${flags}\` it would notice 1 more in about 4 s.`,
  );
});

test('for programs: whole in report.json and CTRF, the sentence in JUnit', () => {
  expect(JSON.parse(jsonReport(result)).unnoticed).toEqual(unnoticed);
  expect(JSON.parse(ctrfReport(result, { statements })).results.environment.extra.unnoticed).toEqual(unnoticed);
  expect(junitReport(result, { statements })).toContain(`<property name="notRuledOut" value="${sentence}"/>`);
});

test('nothing is said of it where a run has no forecast', () => {
  const { unnoticed: _, ...without } = result;
  expect(textReport(without, { statements, colour: false, width: 100, files: [] })).not.toContain('ruled out (');
  expect(junitReport(without, { statements })).not.toContain('notRuledOut');
});

test('where all is noticed that is what is said', () => {
  const all = { ...unnoticed, count: 0, groups: [], notKnown: [] };
  expect(unnoticedInWords(all)).toBe('This run would notice 209 of 209 known defects of a gateway');
});
