/** The built command as a process: signals, pipes and exit codes. Needs dist/, which `npm test` builds first. */
import { type SpawnSyncOptionsWithStringEncoding, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endingSignals } from '../../../src/record/disk/processes.ts';
import { expect, test } from '../../engine.ts';
import { skipUnless } from '../../needed.ts';
import { file, foreignHar } from './signed-call.ts';
import { adapter, main, spawned } from './spawned.ts';

skipUnless(existsSync(main), 'the build under dist/');

for (const signal of endingSignals) {
  const tag = ['SIGTERM', 'SIGUSR2'].includes(signal) ? [] : ['@all'];
  test(`${signal} ends a mock with exit code 0 and removes its files`, { tag }, async () => {
    const { child, told, ended } = spawned(['mock', '--json']);
    await expect.poll(() => told.out, { timeout: 60_000 }).toContain('\n');
    const folder = dirname(JSON.parse(told.out).consumerSecretFile);
    expect(existsSync(folder)).toBe(true);
    child.kill(signal);
    expect([await ended, existsSync(folder)]).toEqual([0, false]);
  });
}

test('everything arrives in a pipe before the process ends, and a reader that closes it early causes no error', async () => {
  const [whole, early] = [spawned(['list', '--json']), spawned(['list', '--json'])];
  early.child.stdout!.once('data', () => early.child.stdout!.destroy());
  expect([await whole.ended, await early.ended, early.told.err]).toEqual([0, 0, '']);
  expect(JSON.parse(whole.told.out).length).toBeGreaterThan(50);
});

test('a reader that is gone does not turn the exit code of a mistake into success', async () => {
  for (const gone of ['stdout', 'stderr'] as const) {
    const { child, ended } = spawned(['explain', 'nothing-of-that-name']);
    child[gone]!.destroy();
    expect(await ended).toBe(2);
  }
});

test('a run whose progress nobody reads any more ends with its verdicts @all', async () => {
  const out = test.info().outputPath('out');
  const only = ['--only', 'close-day/request-id-bounds-accepted', '--cases', '1'];
  const { child, ended } = spawned(['gateway', ...only, '--out', out]);
  child.stderr!.destroy();
  const code = await ended;
  const { conclusion } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  expect([code, conclusion]).toEqual([0, 'conformant']);
});

test('a process that may open too few files says so in one sentence, and begins nothing', () => {
  skipUnless(process.platform !== 'win32', 'a shell that can limit the number of open files');
  for (const limit of [24, 100]) {
    const command = `ulimit -n ${limit}; exec "${process.execPath}" "${main}" gateway --out "${test.info().outputPath('out')}"`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^countersign: this process may open too few files \(EMFILE\)\. .* 1024, and start again\.\n$/,
    );
  }
  expect(existsSync(test.info().outputPath('out'))).toBe(false);
});

for (const [name, tag, ...args] of [
  ['list', []],
  ['gateway', ['@all'], '--only', 'authentication/close-day-unsigned*', '--cases', '1', '--out', 'OUT'],
] as [string, string[], ...string[]][]) {
  test(`standard output that takes nothing is told in one sentence, and no success: ${name}`, { tag }, async () => {
    skipUnless(existsSync('/dev/full'), '/dev/full');
    const full = openSync('/dev/full', 'w');
    const given = args.map((word) => (word === 'OUT' ? test.info().outputPath('out') : word));
    const options: SpawnSyncOptionsWithStringEncoding = { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' };
    const { status, stderr } = spawnSync(process.execPath, [main, name, ...given], options);
    closeSync(full);
    const [told, ...others] = stderr.trimEnd().split('\n').reverse();
    expect([status, told]).toEqual([3, expect.stringMatching(/^countersign: .*cannot be written \(ENOSPC\)/)]);
    expect(others.filter((line) => !line.startsWith('[1/1]'))).toEqual([]);
  });
}

/** What the file is let to grow beyond, as on a disk that fills up: bytes of it, and the exit code and words of a command behind it. */
function endedBehind(room: number, ...args: string[]): { status: number | null; told?: string; size: number } {
  const path = test.info().outputPath(`${args[0]}-${room}.txt`);
  // Blocks of 512 bytes, as in POSIX; the report of a narrow run is shorter.
  const most = 8192 * 512;
  writeFileSync(path, Buffer.alloc(most - room, ' '));
  const command = 'ulimit -f 8192; exec "$0" "$@" >> "$FILE"';
  const options = { env: { ...process.env, FILE: path }, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync('sh', ['-c', command, process.execPath, main, ...args], options);
  return { status, told: stderr.trimEnd().split('\n').at(-1)!, size: statSync(path).size - (most - room) };
}

test('standard output that takes a part is no success, whoever of the processes writes it', { tag: '@all' }, () => {
  skipUnless(process.platform !== 'win32', 'a shell that can limit the size of a file');
  const told = 'countersign: standard output cannot be written (EFBIG). Give it another place.';
  const [whole, narrow] = [100_000, ['--only', 'authentication/close-day-unsigned*', '--cases', '1']];
  const place = (name: string) => ['--out', test.info().outputPath(name)];
  expect(endedBehind(1000, 'list', '--json')).toEqual({ status: 3, told, size: 1000 });
  expect(endedBehind(100, 'gateway', ...narrow, ...place('cut'))).toEqual({ status: 3, told, size: 100 });
  expect(endedBehind(100, 'gateway', ...narrow, ...place('json'), '--json')).toEqual({ status: 3, told, size: 100 });
  const client = ['--only', 'close-day/method', '--cases', '1', ...place('client'), '--', ...adapter];
  expect(endedBehind(100, 'client', ...client)).toEqual({ status: 3, told, size: 100 });
  expect(existsSync(test.info().outputPath('cut/report.json'))).toBe(true);
  expect(endedBehind(whole, 'gateway', ...narrow, ...place('whole'))).toMatchObject({ status: 0 });
});

test('standard error that takes nothing costs no report, and changes no exit code', () => {
  skipUnless(existsSync('/dev/full'), '/dev/full');
  const full = openSync('/dev/full', 'w');
  const ended = (...args: string[]) =>
    spawnSync(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', full], encoding: 'utf8' }).status;
  const run = test.info().outputPath('run');
  const har = file(join(run, 'a.har'), foreignHar());
  const out = join(run, 'judged');
  expect([ended('judge', har, '--out', out), ended('explain', 'x')]).toEqual([1, 2]);
  expect(existsSync(join(out, 'report.json'))).toBe(true);
  closeSync(full);
});
