/** A hazard stands before everything else in every report, on a green one too, and nothing beside it reads as all clear. */
import type { Result } from '../../../src/record/result/result.ts';
import { annotations } from '../../../src/report/annotations.ts';
import { jsonReport } from '../../../src/report/json.ts';
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
