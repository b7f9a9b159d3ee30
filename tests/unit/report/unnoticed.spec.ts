/** What a run does not rule out, in each report. */
import type { Result, Unnoticed } from '../../../src/record/result/result.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { unnoticedInWords } from '../../../src/report/words.ts';
import { expect, test } from '../../engine.ts';
import { resultOf, rows, written } from './all-outcomes.ts';

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
  const text = written.text(result, 200);
  expect(text).toContain('Not ruled out (3)\n');
  expect(text).toContain(`  ${sentence} (close-day, signing: 2; both operations, behaviour: 1). report.json and`);
  expect(text).toContain(`  ${flags}  would notice 1 more in about 4 s\n`);
  expect(text).toContain('trust-refusals: 97  would notice 3 more for 87 further effects at worst, in about 9 s,');
  expect(text).toContain('448/448.00  would notice 2 more in about 6 min: a whole run\n');
});

test('on the page: every id, folded by group', () => {
  const page = written.page(result);
  expect(page).toContain('<summary>close-day, signing: 2</summary>');
  expect(page).toContain('<li>authentication/&lt;two></li>');
  expect(page).toContain('<summary>not known: 1</summary>');
  expect(page).toContain(flags);
});

test('in Markdown: one line with the next allowance', () => {
  expect(written.summary(result)).toContain(`**Not ruled out:** ${sentence}. With \`${flags}\` it would notice 1`);
});

test('for programs: whole in report.json and CTRF, the sentence in JUnit', () => {
  expect(JSON.parse(jsonReport(result)).unnoticed).toEqual(unnoticed);
  expect(JSON.parse(written.ctrf(result)).results.environment.extra.unnoticed).toEqual(unnoticed);
  expect(written.junit(result)).toContain(`<property name="notRuledOut" value="${sentence}"/>`);
});

test('nothing is said of it where a run has no forecast', () => {
  const { unnoticed: _, ...without } = result;
  expect(written.text(without)).not.toContain('Not ruled out');
  expect(written.junit(without)).not.toContain('notRuledOut');
});

test('where all is noticed that is what is said', () => {
  const all = { ...unnoticed, count: 0, groups: [], notKnown: [] };
  expect(unnoticedInWords(all)).toBe('This run would notice 209 of 209 known defects of a gateway');
});
