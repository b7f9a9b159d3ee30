/** The built command and its engine as processes: signals, pipes, full disks and exit codes. Needs dist/. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startMock } from '../../../src/mock/server.ts';
import { temporaryFolder } from '../../../src/record/disk/files.ts';
import { endingSignals } from '../../../src/record/disk/processes.ts';
import { cannotListProcesses, newMark } from '../../adapter/open-session.ts';
import { expect, test } from '../../engine.ts';
import { root } from '../../house/tree.ts';
import { skipUnless } from '../../needed.ts';
import { folderAt, here, reportIn, run, unfold } from './run-command.ts';
import { file, foreignHar } from './signed-call.ts';
import { adapter, main, type Spawned, spawnMain } from './spawned.ts';

test.describe('process', () => {
  skipUnless(existsSync(main), 'the build under dist/');

  for (const signal of endingSignals) {
    const tag = ['SIGTERM', 'SIGUSR2'].includes(signal) ? [] : ['@all'];
    test(`${signal} ends a mock with exit code 0 and removes its files`, { tag }, async () => {
      const { child, output, ended } = spawnMain(['mock', '--json']);
      await expect.poll(() => output.out, { timeout: 60_000 }).toContain('\n');
      const folder = dirname(JSON.parse(output.out).consumerSecretFile);
      expect(existsSync(folder)).toBe(true);
      child.kill(signal);
      expect([await ended, existsSync(folder)]).toEqual([0, false]);
    });
  }

  test('a pipe gets all output before the process ends, and a reader may close it early', async () => {
    const [whole, early] = [spawnMain(['list', '--json']), spawnMain(['list', '--json'])];
    early.child.stdout!.once('data', () => early.child.stdout!.destroy());
    expect([await whole.ended, await early.ended, early.output.err]).toEqual([0, 0, '']);
    expect(JSON.parse(whole.output.out).length).toBeGreaterThan(50);
  });

  test('if the reader closed the pipe, wrong use still has its exit code', async () => {
    for (const stream of ['stdout', 'stderr'] as const) {
      const { child, ended } = spawnMain(['explain', 'nothing-of-that-name']);
      child[stream]!.destroy();
      expect(await ended).toBe(2);
    }
  });

  test('a run keeps its verdicts after its progress pipe is closed @all', async () => {
    const out = here('out');
    const only = ['--only', 'close-day/request-id-bounds-accepted', '--cases', '1'];
    const { child, ended } = spawnMain(['gateway', ...only, '--out', out]);
    child.stderr!.destroy();
    expect([await ended, reportIn(out).conclusion]).toEqual([0, 'conformant']);
  });

  test('progress has a line for each scenario, also if it sent nothing @all', async () => {
    const mock = await startMock();
    const target = ['--target', mock.baseUrl, '--only', 'close-day/status-200', '--out', here('out')];
    const env = { ...process.env, XDG_STATE_HOME: here('state') };
    const { output, ended } = spawnMain(['gateway', ...target], { env });
    expect(await ended).toBe(1);
    expect(output.err.match(/^\[\d\/4\] .*: nothing to judge/gm)).toHaveLength(4);
    await mock.close();
  });

  /** Runs a command that can append at most `room` bytes to a file, as on a full disk. */
  function runOnFullDisk(room: number, ...args: string[]): { status: number | null; told?: string; size: number } {
    const path = here(`${args[0]}-${room}.txt`);
    // In blocks of 512 bytes, as in POSIX. The report of a narrow run is shorter.
    const limit = 8192 * 512;
    writeFileSync(path, Buffer.alloc(limit - room, ' '));
    const command = 'ulimit -f 8192; exec "$0" "$@" >> "$FILE"';
    const options = { env: { ...process.env, FILE: path }, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync('sh', ['-c', command, process.execPath, main, ...args], options);
    return { status, told: stderr.trimEnd().split('\n').at(-1)!, size: statSync(path).size - (limit - room) };
  }

  const message = 'countersign: standard output cannot be written (EFBIG). Redirect it elsewhere.';
  const limits = () => skipUnless(process.platform !== 'win32', 'a shell that can limit the size of a file');

  test('output that is written only in part is an error', () => {
    limits();
    expect(runOnFullDisk(1000, 'list', '--json')).toEqual({ status: 3, told: message, size: 1000 });
    expect(runOnFullDisk(1_000_000, 'list', '--json')).toMatchObject({ status: 0, told: '' });
  });

  test('the output of a run that is written only in part is an error in every process', { tag: '@all' }, () => {
    limits();
    const narrow = ['gateway', '--only', 'authentication/close-day-unsigned*', '--cases', '1', '--out'];
    const client = ['client', '--only', 'close-day/method', '--cases', '1', '--out', here('client'), '--', ...adapter];
    for (const words of [[...narrow, here('cut')], [...narrow, here('json'), '--json'], client])
      expect(runOnFullDisk(100, ...words)).toEqual({ status: 3, told: message, size: 100 });
    expect(existsSync(here('cut/report.json'))).toBe(true);
    expect(runOnFullDisk(100_000, ...narrow, here('whole'))).toMatchObject({ status: 0 });
  });

  test('a full standard error costs no report, and does not change the exit code', () => {
    skipUnless(existsSync('/dev/full'), '/dev/full');
    const full = openSync('/dev/full', 'w');
    const exitCode = (...args: string[]) =>
      spawnSync(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', full], encoding: 'utf8' }).status;
    const [har, out] = [file(here('run', 'a.har'), foreignHar()), here('run', 'judged')];
    expect([exitCode('judge', har, '--out', out), exitCode('explain', 'x')]).toEqual([1, 2]);
    expect(existsSync(join(out, 'report.json'))).toBe(true);
    closeSync(full);
  });
});

test('the temporary folder is only for this user, and a failure to create it is one sentence', () => {
  const { path, remove } = temporaryFolder('countersign-', {}, folderAt('tmp'));
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o700);
  remove();
  const parent = file(here('file'), '');
  expect(() => temporaryFolder('countersign-', {}, parent)).toThrow(
    `the folder for temporary files, ${parent}, cannot be written (ENOTDIR: not a directory)`,
  );
});

test('if the command is killed, its engine ends, writes a report, and removes its folder @all', async () => {
  const tmp = folderAt('tmp');
  // Without the signal the command would take a minute.
  const killed = gateway(tmp, 'recurring/keep-alive-kept', '--slow');
  await expect.poll(() => folders(tmp).length, { timeout: 60_000, intervals: [20] }).toBe(1);
  await pause(1500);
  killed.child.kill('SIGKILL');
  await killed.ended;
  await expect.poll(() => folders(tmp), { timeout: 40_000 }).toEqual([]);
  expect(reportIn(here('out'))).toMatchObject({
    conclusion: 'aborted',
    aborted: 'the run was interrupted before its end',
  });
});

for (const [what, second, aborted] of [
  ['is written too', undefined, 'the run was interrupted before its end'],
  ['is not lost where SIGTERM follows', 'SIGTERM', 'the run was interrupted before its end'],
  ['is given up where a second Ctrl+C follows', 'SIGINT', 'the run was interrupted before it had a report'],
] as const) {
  test(`a report that takes longer than ten seconds after an interruption ${what}`, { tag: '@all' }, async () => {
    const interrupted = gateway(folderAt('tmp'), '*');
    await expect
      .poll(() => Object.values(interrupted.output).join(''), { timeout: 60_000, intervals: [5] })
      .toMatch(/\[ *25\//);
    const engine = engineOf(interrupted.child);
    interrupted.child.kill('SIGINT');
    // Stop the engine at once: it writes the report of so few exchanges very fast.
    for (const until = Date.now() + 60_000; !isWriting() && Date.now() < until; );
    process.kill(engine, 'SIGSTOP');
    await pause(2000);
    if (second !== undefined) interrupted.child.kill(second);
    if (second !== 'SIGINT') {
      await pause(9000);
      process.kill(engine, 'SIGCONT');
    }
    expect(await interrupted.ended).toBe(3);
    expect(reportIn(here('out'))).toMatchObject({ conclusion: 'aborted', aborted });
  });
}

/** A whole run with this temporary folder. */
function gateway(tmp: string, only = 'authentication/close-day-valid-accepted', ...flags: string[]): Spawned {
  const words = ['gateway', '--only', only, '--cases', '1', ...flags, '--out', here('out')];
  return spawnMain(words, { env: { ...process.env, TMPDIR: tmp } });
}

function folders(tmp: string): string[] {
  return readdirSync(tmp).filter((name) => name.startsWith('countersign-engine-'));
}

/** The process of the engine, which is the only child of the command. */
function engineOf({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

/** True while the engine writes the report: junit.xml comes first, and report.json last. */
function isWriting(): boolean {
  const isThere = (name: string) => existsSync(here('out', name));
  return (isThere('.junit.xml.partial') || isThere('junit.xml')) && !isThere('report.json');
}

function runByHand(...options: readonly string[]) {
  const [cwd, tmp] = [folderAt('here'), folderAt('tmp')];
  // The compiler of the engine would take longer than the runs.
  const hook = `import { stripTypes } from '${pathToFileURL(join(root, 'tests/strip-types.mjs'))}';`;
  const stripped = JSON.stringify(join(process.env.COUNTERSIGN_TESTS_STATE ?? tmp, 'without-types'));
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(`${hook}stripTypes(${stripped})`)}`;
  const env = { ...process.env, TMPDIR: tmp, PW_TEST_REPORTER: 'dot', PW_DISABLE_TS_ESM: '1', NODE_OPTIONS };
  const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const words = [playwright, 'test', '-c', join(root, 'playwright.config.ts'), ...options];
  const { status, stdout } = spawnSync(process.execPath, words, { cwd, env, encoding: 'utf8' });
  const remaining = readdirSync(tmp).filter((name) => name.startsWith('countersign-'));
  return { status, stdout, left: remaining, written: readdirSync(cwd) };
}

for (const [what, options, status, verdict] of [
  ['a whole run with another reporter', ['--reporter=list'], 0, 'conformant'],
  ['a part of a run with another reporter', ['--grep', 'close-day/locked-gate', '--reporter=list'], 3, 'aborted'],
] as const) {
  test(`${what}, started by hand, ends with our verdict and its report @all`, () => {
    const ended = runByHand(...options);
    expect(ended.stdout).toContain(`Conclusion: ${verdict}`);
    expect(ended).toMatchObject({ status, written: ['reports'], left: [] });
  });
}

test('a list of the tests writes nothing and judges nothing @all', () => {
  const ended = runByHand('--list');
  expect(ended.stdout).toMatch(/^Listing tests:\n {2}gateway\.spec\.ts.*\nTotal: \d+ tests in 2 files\n$/s);
  expect(ended).toMatchObject({ status: 0, written: [], left: [] });
});

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
    const out = here('out');
    // Adapters do not inherit this variable, so a shell sets it.
    const [name, value] = Object.entries(mark.env)[0]!;
    const command = [
      'sh',
      '-c',
      `${name}=${value} exec "$0" "$1" "$2"`,
      process.execPath,
      join(root, 'tests/adapter/broken.mjs'),
      script,
    ];
    const { child, output, ended } = spawnMain(['client', ...flags, '--out', out, '--', ...command]);
    await expect.poll(() => mark.alive().length, { timeout: 60_000 }).toBe(1);
    await pause(300);
    child.kill(signal);
    expect([await ended, unfold(output.err)]).toEqual([3, expect.stringMatching(sentence)]);
    expect(await mark.remaining()).toEqual([]);
    if (sentence !== told.run) return;
    const aborted = 'the run was interrupted before it began';
    expect(reportIn(out)).toMatchObject({ conclusion: 'aborted', aborted });
  });
}

for (const signal of ['SIGINT', 'SIGUSR2'] as const) {
  const tag = signal === 'SIGINT' ? [] : ['@all'];
  test(`${signal} while the engine starts is named, without output above, and leaves no file`, { tag }, async () => {
    skipUnless(!cannotListProcesses, 'the list of processes in /proc');
    const mark = newMark();
    const tmp = folderAt('tmp');
    const env = { ...process.env, ...mark.env, TMPDIR: tmp };
    const { child, output, ended } = spawnMain(['gateway', '--out', join(tmp, 'report')], { env });
    // The second process is the engine, before it has read its configuration.
    await expect.poll(() => mark.alive().length, { timeout: 60_000, intervals: [10] }).toBe(2);
    await pause(20);
    child.kill(signal);
    const sentence =
      'the run was interrupted before it had a report. Nothing was judged. Start the run again to get a report.';
    expect([await ended, unfold(output.err)]).toEqual([3, `countersign: ${sentence}\n`]);
    expect(readdirSync(tmp).filter((name) => name !== 'report')).toEqual([]);
  });
}

for (const [side, ...flags] of [
  // With --slow, the run cannot end before the signal.
  ['gateway', '--slow', '--cases', '1'],
  ['client', '--cases', '500', '--', ...adapter],
] as const) {
  const tag = side === 'client' ? ['@all'] : [];
  test(`a signal in a run of a ${side} blames neither suite nor ${side}, also when judged again`, { tag }, async () => {
    const out = here('report');
    const { child, ended } = spawnMain([side, '--seed', '7', '--out', out, ...flags]);
    await new Promise((resolve) => child.stderr!.once('data', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(3);
    const { conclusion, aborted, contracts, results } = reportIn(out);
    expect([conclusion, aborted]).toEqual(['aborted', 'the run was interrupted before its end']);
    expect((contracts ?? []).filter(({ outcome }: Row) => outcome === 'error')).toEqual([]);
    const left = results.filter(({ outcome }: Row) => outcome !== 'pass' && outcome !== 'not-applicable');
    expect(left.filter(({ blame }: Row) => blame !== 'environment').map(({ id }: Row) => id)).toEqual(
      left.filter(({ id }: Row) => id === 'transport/https').map(({ id }: Row) => id),
    );
    const rejudged = await run(['judge', out, '--json', '--out', here('again')]);
    const outcomes = (rows: readonly Row[]) => rows.map(({ repeat: _, ...row }) => row);
    expect([rejudged.exitCode, outcomes(JSON.parse(rejudged.out).results)]).toEqual([3, outcomes(results)]);
  });
}
