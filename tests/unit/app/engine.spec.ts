/** The engine's folder, its end on signals, and the records that its tests hand to the reporter. The tests with @all need dist/. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openEngineFolder } from '../../../src/app/engine.ts';
import { fromJson } from '../../../src/record/json.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { expect, test } from '../../engine.ts';
import { root } from '../../house/tree.ts';
import { type Spawned, spawned } from './spawned.ts';

const options = completeRunOptions({}, 0, '.');

function scratch(): string {
  const path = test.info().outputPath('tmp');
  mkdirSync(path, { recursive: true });
  return path;
}

test('the folder is fresh, only this user may enter it, and a relative parent counts from the working folder', () => {
  const parent = scratch();
  const [one, other] = [openEngineFolder(options, parent), openEngineFolder(options, relative(process.cwd(), parent))];
  if (process.platform !== 'win32') expect(statSync(one.path).mode & 0o777).toBe(0o700);
  expect(fromJson(readFileSync(other.optionsFile, 'utf8'))).toEqual(options);
  one.remove();
  expect(readdirSync(parent)).toEqual([basename(other.path)]);
});

test('where no folder can be made that is said in one sentence with what to do', () => {
  const parent = test.info().outputPath('file');
  writeFileSync(parent, '');
  expect(() => openEngineFolder(options, parent)).toThrow(
    `the folder for temporary files, ${parent}, cannot be written (ENOTDIR: a file is where a folder has to be)`,
  );
});

test('the engine of a command that was killed ends by itself, leaves a report, and removes its folder @all', async () => {
  const tmp = scratch();
  // By itself it would take a minute.
  const killed = gateway(tmp, 'recurring/keep-alive-kept', '--slow');
  await expect.poll(() => folders(tmp).length, { timeout: 60_000, intervals: [20] }).toBe(1);
  await setTimeout(1500);
  killed.child.kill('SIGKILL');
  await killed.ended;
  await expect.poll(() => folders(tmp), { timeout: 40_000 }).toEqual([]);
  expect(reported()).toMatchObject({ conclusion: 'aborted', aborted: 'the run was interrupted before its end' });
});

const seconds: readonly [name: string, NodeJS.Signals | undefined, aborted: string][] = [
  ['is written after an interruption too', undefined, 'the run was interrupted before its end'],
  ['is not lost where SIGTERM follows', 'SIGTERM', 'the run was interrupted before its end'],
  ['is given up where a second Ctrl+C follows', 'SIGINT', 'the run was interrupted before it had a report'],
];
for (const [name, second, aborted] of seconds) {
  test(`a report that takes longer than ten seconds ${name}`, { tag: '@all' }, async () => {
    const interrupted = gateway(scratch());
    await expect
      .poll(() => Object.values(interrupted.told).join(''), { timeout: 60_000, intervals: [5] })
      .toMatch(/\[ *1\//);
    const engine = engineOf(interrupted.child);
    interrupted.child.kill('SIGINT');
    // In one go, since the report of so few exchanges is soon written; the engine stands still in place of some ten thousand.
    for (const until = Date.now() + 60_000; !isWriting() && Date.now() < until; );
    process.kill(engine, 'SIGSTOP');
    await setTimeout(2000);
    if (second !== undefined) interrupted.child.kill(second);
    await setTimeout(9000);
    if (second !== 'SIGINT') process.kill(engine, 'SIGCONT');
    expect(await interrupted.ended).toBe(3);
    expect(reported()).toMatchObject({ conclusion: 'aborted', aborted });
  });
}

test('a signal that comes while the report is written does not end that', { tag: '@all' }, async () => {
  const run = gateway(scratch());
  await expect.poll(isWriting, { timeout: 60_000, intervals: [1] }).toBe(true);
  run.child.kill('SIGINT');
  await run.ended;
  expect(reported()).toMatchObject({ conclusion: 'conformant' });
});

/** A whole run whose temporary folder is this one. */
function gateway(tmp: string, only = 'authentication/close-day-valid-accepted', ...flags: string[]): Spawned {
  const words = ['gateway', '--only', only, '--cases', '1', ...flags, '--out', test.info().outputPath('out')];
  return spawned(words, { env: { ...process.env, TMPDIR: tmp } });
}

function folders(tmp: string): string[] {
  return readdirSync(tmp).filter((name) => name.startsWith('countersign-engine-'));
}

/** The only child of the command. */
function engineOf({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

/** The first of the report's files is there, and not complete yet. */
function isWriting(): boolean {
  return existsSync(test.info().outputPath('out/.junit.xml.partial'));
}

function reported(): unknown {
  return JSON.parse(readFileSync(test.info().outputPath('out/report.json'), 'utf8'));
}

const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
const config = join(root, 'playwright.config.ts');

function byHand(...options: readonly string[]) {
  const cwd = test.info().outputPath('here');
  const tmp = test.info().outputPath('tmp');
  for (const folder of [cwd, tmp]) mkdirSync(folder, { recursive: true });
  // Compiling the sources again for each run would take longer than all of them.
  const compiled = join(process.env.COUNTERSIGN_TESTS_STATE ?? tmp, 'by-hand');
  const env = { ...process.env, TMPDIR: tmp, PLAYWRIGHT_TRANSFORM_CACHE_DIR: compiled, PW_TEST_REPORTER: 'dot' };
  const { status, stdout } = spawnSync(process.execPath, [playwright, 'test', '-c', config, ...options], {
    cwd,
    env,
    encoding: 'utf8',
  });
  const left = readdirSync(tmp).filter((name) => name.startsWith('countersign-'));
  return { status, stdout, left, written: readdirSync(cwd) };
}

for (const [what, options, status, verdict, tag] of [
  ['a whole run', [], 0, 'conformant', '@all'],
  ['a whole run with another reporter', ['--reporter=list'], 0, 'conformant', '@all'],
  ['a part of a run with another reporter', ['--grep', 'close-day/locked-gate', '--reporter=list'], 3, 'aborted'],
] as const) {
  test(`${what}, started by hand, ends with our verdict and its report`, { tag: tag ?? [] }, () => {
    const ended = byHand(...options);
    expect(ended.stdout).toContain(`Conclusion: ${verdict}`);
    expect(ended).toMatchObject({ status, written: ['reports'], left: [] });
  });
}

test('a list of the tests writes nothing and judges nothing', () => {
  const ended = byHand('--list');
  expect(ended.stdout).toMatch(/^Listing tests:\n {2}gateway\.spec\.ts.*\nTotal: \d+ tests in 2 files\n$/s);
  expect(ended).toMatchObject({ status: 0, written: [], left: [] });
});
