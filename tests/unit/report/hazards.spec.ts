/** A hazard stands before everything else in every report, on a green one too, and nothing beside it reads as all clear. */
import type { Result } from '../../../src/record/result/result.ts';
import { annotations } from '../../../src/report/annotations.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { expect, test } from '../../engine.ts';
import { batchSentAgain, resultOf, rows, unnoticed, written } from './all-outcomes.ts';

const green = (more: Partial<Result> = {}) =>
  resultOf(rows.slice(0, 1), { profile: 'rfc5849', hazards: [batchSentAgain], ...more });
const { summary } = written;
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

test('many hazards leave room for the rest of summary.md, and the hint that they share is there once', () => {
  const [few, many] = [2, 500].map((count) =>
    summary(green({ hazards: Array.from({ length: count }, () => batchSentAgain) })),
  );
  expect(few!.split(batchSentAgain.hint)).toHaveLength(2);
  expect(many).toMatch(/… and 497 more hazards\./);
  expect(many!.length).toBeLessThan(6_000);
});

const result: Result = { ...resultOf(rows.slice(0, 1)), unnoticed };
const sentence = 'This run would not notice 3 of 209 known defects of a gateway; of 1 more that is not known';
const flags = '--allow closes-day=2 --allow starts-payments=1/1.00';

test('on the page: every id, folded by group', () => {
  const page = written.page(result);
  expect(page).toContain('<summary>close-day, signing: 2</summary>');
  expect(page).toContain('authentication/&lt;two>');
  expect(page).toContain('<summary>not known: 1</summary>');
  expect(page).toContain(flags);
});

test('for programs: whole in report.json and CTRF, the sentence in JUnit', () => {
  expect(JSON.parse(jsonReport(result)).unnoticed).toEqual(unnoticed);
  expect(JSON.parse(written.ctrf(result)).results.environment.extra.unnoticed).toEqual(unnoticed);
  expect(written.junit(result)).toContain(`<property name="notRuledOut" value="${sentence}"/>`);
});
