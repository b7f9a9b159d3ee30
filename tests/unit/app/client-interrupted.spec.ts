/** Signals to `countersign client` and `countersign gateway` before a report exists, and words that start nothing. Needs dist/. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cannotListProcesses, newMark } from '../../adapter/opened.ts';
import { expect, test } from '../../engine.ts';
import { root } from '../../house/tree.ts';
import { skipUnless } from '../../needed.ts';
import { run } from './captured.ts';
import { adapter, spawned } from './spawned.ts';

const broken = join(root, 'tests/adapter/broken.mjs');

interface Row {
  readonly id: string;
  readonly outcome: string;
  readonly blame?: string;
  readonly repeat?: string;
}

const told = {
  run: /^countersign: the run was interrupted before it began\. Nothing was judged\. .*\n$/,
  check: /^countersign: the check of the adapter was interrupted before its end\. .*\n$/,
};

for (const [what, signal, script, flags, sentence, tag] of [
  ['while ready is awaited', 'SIGINT', 'never-ready', [], told.run, ['@all']],
  ['while ready is awaited', 'SIGTERM', 'never-ready', [], told.run, []],
  ['during the first call', 'SIGHUP', 'never-answers', [], told.run, ['@all']],
  ['during the check of an adapter', 'SIGINT', 'never-ready', ['--check-adapter'], told.check, ['@all']],
] as const) {
  test(`${signal} ${what} ends with exit code 3, one sentence and no process`, { tag: [...tag] }, async () => {
    skipUnless(!cannotListProcesses, 'the list of processes in /proc');
    const mark = newMark();
    const out = test.info().outputPath('out');
    // The mark is set behind the list of variables that an adapter is given of ours.
    const [name, value] = Object.entries(mark.env)[0]!;
    const asked = ['sh', '-c', `${name}=${value} exec "$0" "$1" "$2"`, process.execPath, broken, script];
    const { child, told: said, ended } = spawned(['client', ...flags, '--out', out, '--', ...asked]);
    await expect.poll(() => mark.alive().length, { timeout: 60_000 }).toBe(1);
    await pause(300);
    child.kill(signal);
    expect([await ended, said.err]).toEqual([3, expect.stringMatching(sentence)]);
    expect(await mark.left()).toEqual([]);
    if (sentence !== told.run) return;
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
    expect(report).toMatchObject({ conclusion: 'aborted', aborted: 'the run was interrupted before it began' });
  });
}

for (const signal of ['SIGINT', 'SIGUSR2'] as const) {
  test(`${signal} while the engine starts is named, no output is said to be above, and no file is left`, async () => {
    skipUnless(!cannotListProcesses, 'the list of processes in /proc');
    const mark = newMark();
    const tmp = test.info().outputPath('tmp');
    mkdirSync(tmp, { recursive: true });
    const env = { ...process.env, ...mark.env, TMPDIR: tmp };
    const { child, told: said, ended } = spawned(['gateway', '--out', join(tmp, 'report')], { env });
    // The second process is the engine, which has not read its configuration yet.
    await expect.poll(() => mark.alive().length, { timeout: 60_000, intervals: [10] }).toBe(2);
    await pause(20);
    child.kill(signal);
    const sentence = 'the run was interrupted before it had a report. Nothing was judged. Start it again to have one.';
    expect([await ended, said.err]).toEqual([3, `countersign: ${sentence}\n`]);
    expect(readdirSync(tmp).filter((name) => name !== 'report')).toEqual([]);
  });
}

for (const [side, ...flags] of [
  ['gateway', '--cases', '500'],
  ['client', '--cases', '500', '--', ...adapter],
] as const) {
  test(`what a signal keeps a ${side} from showing is laid on neither the suite nor the ${side}, also when it is judged again`, async () => {
    const out = test.info().outputPath('report');
    const { child, ended } = spawned([side, '--seed', '7', '--out', out, ...flags]);
    await new Promise((resolve) => child.stderr!.once('data', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(3);
    const { conclusion, aborted, contracts, results } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
    expect([conclusion, aborted]).toEqual(['aborted', 'the run was interrupted before its end']);
    expect((contracts ?? []).filter(({ outcome }: Row) => outcome === 'error')).toEqual([]);
    const left = results.filter(({ outcome }: Row) => outcome !== 'pass' && outcome !== 'not-applicable');
    expect(left.filter(({ blame }: Row) => blame !== 'environment').map(({ id }: Row) => id)).toEqual(
      left.filter(({ id }: Row) => id === 'transport/https').map(({ id }: Row) => id),
    );
    const again = await run(['judge', out, '--json', '--out', test.info().outputPath('again')]);
    const outcomes = (rows: readonly Row[]) => rows.map(({ repeat: _, ...row }) => row);
    expect([again.exitCode, outcomes(JSON.parse(again.out).results)]).toEqual([3, outcomes(results)]);
  });
}
