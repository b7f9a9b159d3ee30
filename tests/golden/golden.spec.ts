/**
 * Stored runs of real and wrong subjects, judged again: a change of a judge shows here whose verdict it flips. `-u all` takes the
 * new verdicts over. Each `NAME.har.br` is the `exchanges.har` of a run with `--seed 1 --cases 1`, compressed with brotli.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from '../engine.ts';
import { clientScenarios } from '../../src/plan/client/index.ts';
import { gatewayScenarios } from '../../src/plan/index.ts';
import { evidenceOf, rejudged } from '../../src/verdict/conclude.ts';
import { finishRun } from '../../src/verdict/finish-run.ts';
import { readRecording } from '../../src/verdict/recordings/recording.ts';
import type { Result } from '../../src/record/result/result.ts';
import { publishedKeys } from '../../src/run/target/published.ts';
import { isUpdate } from '../house/tree.ts';
import { resultOf } from '../unit/report/all-outcomes.ts';

const folder = import.meta.dirname;
const verdictsFile = join(folder, 'verdicts.json');
type Verdicts = Record<string, Record<string, string>>;
const stored: Verdicts = JSON.parse(readFileSync(verdictsFile, 'utf8'));
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.har.br'))
  .map((name) => name.replace('.har.br', ''));

for (const name of names) {
  test(`${name} has the verdicts that it had`, () => {
    const verdicts = verdictsOf(name);
    if (isUpdate(test.info())) {
      const all: Verdicts = JSON.parse(readFileSync(verdictsFile, 'utf8'));
      writeFileSync(verdictsFile, `${JSON.stringify({ ...all, [name]: verdicts }, undefined, 2)}\n`);
      return;
    }
    expect(
      flipsBetween(stored[name]!, verdicts),
      'to take them over: npx playwright test -c playwright.tests.config.ts tests/golden -u all',
    ).toEqual([]);
  });
}

test('there are runs of both sides, conforming ones and wrong ones', () => {
  expect(Object.keys(stored).sort()).toEqual([...names].sort());
  const wrong = names.filter((name) => Object.values(stored[name]!).includes('fail'));
  for (const side of ['client', 'gateway']) {
    const ofSide = names.filter((name) => name.startsWith(side));
    expect(ofSide.filter((name) => wrong.includes(name)).length).toBeGreaterThan(0);
    expect(ofSide.filter((name) => !wrong.includes(name)).length).toBeGreaterThan(0);
  }
});

test('a verdict that flips is named, with what it was, what it is and why', () => {
  const row = { ...resultOf([]), results: [{ ...anyRow, outcome: 'pass' as const }] };
  const flipped: Result = { ...row, results: [{ ...anyRow, outcome: 'fail' }] };
  const why = (before: Result, after: Result) => rejudged(before, after).flips.map(({ id, why }) => `${id}: ${why}`);
  expect(why(row, row)).toEqual([]);
  expect(rejudged(row, flipped).flips).toEqual([
    { id: anyRow.id, before: 'pass', now: 'fail', why: expect.stringContaining('does not follow from the evidence') },
  ]);
  const edit = (more: Partial<Result['results'][number]>): Result => ({ ...row, results: [{ ...anyRow, ...more }] });
  const newer: Result = { ...flipped, suite: { name: 'countersign', version: '9.0.0' } };
  expect(why(row, newer)).toEqual([expect.stringMatching(/the judge changed between countersign .* and 9\.0\.0/)]);
  expect(why(edit({ statement: 'Old words.' }), newer)).toEqual([expect.stringContaining('before: "Old words."')]);
  expect(why(edit({ kind: 'expected' }), newer)).toEqual([expect.stringContaining('changed from expected to required')]);
  expect(why(row, { ...newer, profile: 'rfc5849' })).toEqual([expect.stringContaining('the profile is rfc5849')]);
  expect(why({ ...row, results: [] }, newer)).toEqual([expect.stringContaining('the requirement is new')]);
  expect(why(row, { ...newer, results: [] })).toEqual([expect.stringContaining('the requirement was removed')]);
  // What --only left out, then or now, has not flipped.
  expect(why({ ...row, results: [], scope: { only: ['x'] } }, newer)).toEqual([]);
  expect(why(row, { ...newer, results: [], scope: { only: ['x'] } })).toEqual([]);
});

const anyRow: Result['results'][number] = {
  id: 'close-day/status-200',
  operation: 'close-day',
  dimension: 'behaviour',
  kind: 'required',
  section: '2.2',
  basis: 'document',
  outcome: 'pass',
  statement: 'Words of now.',
  exchanges: [],
  provenBy: [],
};

function verdictsOf(name: string): Record<string, string> {
  const har = brotliDecompressSync(readFileSync(join(folder, `${name}.har.br`))).toString('utf8');
  const side = name.startsWith('client') ? 'client' : 'gateway';
  const recorded = { ...readRecording(har, name), side } as const;
  const { results } = finishRun({
    header: { ...resultOf([]), subject: { kind: side, name, target: 'recording' }, profile: 'rfc5849' },
    only: [],
    planned: side === 'gateway' ? gatewayScenarios : clientScenarios,
    records: recorded.records,
    // The search for reasons of wrong signatures changes no outcome.
    evidence: { ...evidenceOf(recorded, { hasKeys: true, keysOf: publishedKeys }), signatures: undefined },
  });
  return Object.fromEntries(results.map(({ id, outcome }) => [id, outcome]));
}

/** `id: pass -> fail`, one for each that is another by now. */
function flipsBetween(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((id) => before[id] !== after[id])
    .map((id) => `${id}: ${before[id] ?? 'not judged'} -> ${after[id] ?? 'not judged'}`);
}
