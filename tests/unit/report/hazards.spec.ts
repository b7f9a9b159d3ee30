/** A hazard stands before everything else in every report, on a green one too, and nothing beside it reads as all clear. */
import type { Result, Unnoticed } from '../../../src/record/result/result.ts';
import { annotations } from '../../../src/report/annotations.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { unnoticedInWords } from '../../../src/report/words.ts';
import { expect, test } from '../../engine.ts';
import { batchSentAgain, resultOf, rows, written } from './all-outcomes.ts';

const green = (more: Partial<Result> = {}) =>
  resultOf(rows.slice(0, 1), { profile: 'rfc5849', hazards: [batchSentAgain], ...more });
const { text, page: html, summary } = written;
const writers: Readonly<Record<string, (result: Result) => string>> = { ...written, annotations, json: jsonReport };

for (const [name, write] of Object.entries(writers)) {
  test(`the ${name} of a green run says what is at risk, before any requirement and without an all-clear`, () => {
    const told = write(green());
    const [hazard, row] = [batchSentAgain.sentence, rows[0]!.id].map((one) => told.indexOf(one));
    expect(hazard).toBeGreaterThanOrEqual(0);
    if (row! >= 0) expect(hazard).toBeLessThan(row!);
    expect(told).not.toMatch(/nothing to fix/i);
    const { hazards: _, ...none } = green();
    expect(write(none)).not.toMatch(/hazard\//);
  });
}

for (const [more, words] of [
  [{}, 'conformant, with 1 hazard'],
  [{ hazards: [batchSentAgain, batchSentAgain] }, 'conformant, with 2 hazards'],
  [{ hazards: [{ ...batchSentAgain, known: { reason: 'CL-7' } }] }, 'conformant, with 1 known hazard'],
  [{ failOn: 'hazard' }, 'conformant, with 1 hazard, but a hazard that no baseline lists fails the run (exit code 1)'],
] as const) {
  test(`the first line says ${words}`, () => {
    const result = green(more);
    expect(text(result).split('\n')[0]).toBe(`Conclusion: ${words} - 1 requirement passed`);
    expect(summary(result).split('\n')[0]).toMatch(new RegExp(` ${words.replace(/[()]/g, '.')}$`));
    expect(html(result)).toContain(`<title>${words}`);
    expect(html(result)).not.toContain('Nothing to fix');
  });
}

test('the exit code of a hazard is explained where the run is not conformant either', () => {
  expect(text(green({ conclusion: 'partial', failOn: 'hazard' }))).toContain(
    'no baseline lists fails the run: exit code 1',
  );
});

test('a known hazard is listed with its reason, and is no warning', () => {
  const known = green({ hazards: [{ ...batchSentAgain, known: { reason: 'CL-7' } }] });
  expect(text(known)).toContain('Known failures (1)\nhazard/batch-sent-again\n  CL-7\n');
  expect(text(known)).not.toContain('HAZARD');
  expect(annotations(known)).toBe('');
});

test('many hazards leave room for the rest of summary.md, and the hint that they share is there once', () => {
  const [few, many] = [2, 500].map((count) =>
    summary(green({ hazards: Array.from({ length: count }, () => batchSentAgain) })),
  );
  expect(few!.split(batchSentAgain.hint)).toHaveLength(2);
  expect(many).toMatch(/… and 4\d\d more, in report\.html and report\.json\.\n\n\*\*1 requirement passed/);
  expect(many!.length).toBeLessThan(6_000);
});

test('a hazard is a warning beside a change, before the failures', () => {
  expect(annotations(green()).split('\n')).toEqual([
    `::warning title=Countersign%3A hazard/batch-sent-again::${batchSentAgain.sentence} ${batchSentAgain.hint}`,
    '',
  ]);
});

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
  expect(text).toContain(
    'trust-refusals: 97  in the configuration would notice 3 more for 87 further effects at worst, in about 9 s\n',
  );
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
