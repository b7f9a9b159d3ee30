/** The pages of a comparison and of a history: what they show, and that nothing foreign acts on them. */
import { readFileSync } from 'node:fs';
import type { Result } from '../../../src/record/result/result.ts';
import { expect, test } from '../../engine.ts';
import { run } from '../app/captured.ts';
import { hostile } from '../report/all-outcomes.ts';
import { all, byId, type Node, parseHtml, textOf } from '../report/html-tree.ts';
import { resultOf, storedRun } from './runs.ts';

const on = (day: string) => ({ startedAt: `2026-01-${day}T12:00:00.000Z` });
const seen = (value: string) => ({ openPoint: 'A5', value, exchanges: [1] });
const old = resultOf(
  { 'close-day/a': 'pass', 'close-day/b': 'fail', 'close-day/c': 'pass' },
  { ...on('01'), labels: { gateway: hostile.markup }, observations: [seen('form: wrapped')] },
);
const fresh = resultOf(
  {
    'close-day/a': { outcome: 'fail', expected: hostile.bidi, actual: hostile.escape },
    'close-day/b': 'pass',
    'close-day/c': 'inconclusive',
  },
  { ...on('02'), conclusion: 'non-conformant', observations: [seen(`form: ${hostile.markup}`)] },
);

/** Runs a command over stored runs, and reads the page that it wrote. */
async function pageOf(command: 'diff' | 'history', runs: readonly Result[]): Promise<{ root: Node; exitCode: number }> {
  const paths = runs.map((one, index) => storedRun(`runs/${index}`, one));
  const folder = test.info().outputPath('runs');
  const file = test.info().outputPath('page.html');
  const { exitCode } = await run([command, ...(command === 'diff' ? paths : [folder]), '--html', file]);
  return { root: parseHtml(readFileSync(file, 'utf8')), exitCode };
}

const rowsOf = (part: Node) => all(part, 'tr').map((row) => textOf(row).replace(/\s+/g, ' ').trim());

test('a comparison has its verdict first, then what broke first, then both runs side by side', async () => {
  const { root, exitCode } = await pageOf('diff', [old, fresh]);
  expect(exitCode).toBe(1);
  expect(textOf(all(root, 'h1')[0]!)).toBe('NEW breaks what OLD kept');
  expect(textOf(all(root, 'header')[0]!)).toContain('1 requirement holds in OLD and fails in NEW: close-day/a');
  expect(textOf(all(root, 'header')[0]!)).toContain('What broke first');
  const rows = rowsOf(byId(root, 'requirements')).slice(1);
  expect(rows.map((row) => row.split(' ')[0])).toEqual(['close-day/a', 'close-day/c', 'close-day/b']);
  expect(rows[0]).toContain('abc<U+202E>gpj.exe');
  expect(textOf(byId(root, 'behaviour'))).toContain('wrapped');
  expect(all(root).some(({ name }) => name === 'b')).toBe(false);
});

test('a history has a column for each run, and a line for each requirement or open point that changed', async () => {
  const { root, exitCode } = await pageOf('history', [fresh, old]);
  expect(exitCode).toBe(0);
  expect(textOf(all(root, 'h1')[0]!)).toBe('2 runs of 1 subject: 1 broke what the one before kept');
  const part = byId(root, 'subject-0');
  expect(all(part, 'li').map((tile) => textOf(tile).replace(/\s+/g, ' ').trim())).toEqual([
    expect.stringMatching(/^<script>.* 2026-01-01 ?1 fail, 2 pass ?✓ conformant$/),
    expect.stringMatching(/^12:00 2026-01-02 ?1 fail, 1 inconclusive, 1 pass ?✗ non-conformant ✗ breaks$/),
  ]);
  expect(rowsOf(part).slice(1)).toEqual([
    'close-day/a✗ broke',
    'close-day/bfail✓ fixed',
    'close-day/c? not determined',
    expect.stringMatching(/^Open point A5: .*\?≠ other answer$/),
  ]);
  expect(textOf(byId(root, 'subject-0-run-1'))).toContain('close-day/a');
});
