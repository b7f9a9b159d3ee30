/** The implementer's loop: --last-failed, --bail and --watch, as a person uses them. */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Surroundings } from '../../src/app/command.ts';
import { withLastFailed } from '../../src/app/config/last-run.ts';
import { type WatchedRun, watchRuns } from '../../src/app/watch.ts';
import { exitCode } from '../../src/record/result/conclude.ts';
import type { Result } from '../../src/record/result/result.ts';
import { jsonReport } from '../../src/report/json.ts';
import { expect, test } from '../engine.ts';
import { missingPrograms, skipUnless } from '../needed.ts';
import { run } from '../unit/app/captured.ts';
import { everything } from '../unit/report/all-outcomes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const unsigned = 'authentication/close-day-unsigned-refused';
const reportIn = (folder: string): Result => JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));

const ofMock = { ...everything, scope: undefined, subject: { ...everything.subject, target: 'mock' } };

test('--last-failed and --watch are refused in one sentence where they have nothing to do', async () => {
  const out = test.info().outputPath('out');
  mkdirSync(out);
  const store = (changes: Partial<Result>) =>
    writeFileSync(join(out, 'report.json'), jsonReport({ ...ofMock, ...changes }));
  const client = ['client', '--last-failed', '--out', out, '--', 'node', 'adapter.mjs'];
  const gateway = ['gateway', '--last-failed', '--out', out];
  const passes = everything.results.filter(({ outcome }) => outcome === 'pass');
  const interaction = { pact: 'a.json', interaction: 'a request', state: 'gate open', mismatches: [] };
  const rows: readonly [readonly string[], Partial<Result> | undefined, string][] = [
    [client, undefined, '--last-failed finds no run of a client with a verdict in'],
    [client, {}, '--last-failed finds no run of a client with a verdict in'],
    [
      client,
      {
        subject: { kind: 'client', name: 'reference', target: 'local gateway' },
        reproduce: 'npx countersign client --defect x',
      },
      'tested the built-in client, and this command tests the client started by node adapter.mjs',
    ],
    [
      gateway,
      { subject: everything.subject },
      'tested http://127.0.0.1:1/paynet, and this command tests the built-in mock',
    ],
    [gateway, { results: passes }, 'was green. '],
    [
      gateway,
      { results: passes, contracts: [{ ...interaction, outcome: 'fail' }] },
      'was green. 1 Pact interaction did not hold: only a whole run verifies those.',
    ],
    [gateway, { results: [], conclusion: 'aborted', aborted: 'cut' }, 'no run of a gateway with a verdict'],
    [[...gateway, '--only', unsigned], {}, '--last-failed and --only exclude each other'],
    [['gateway', '--smoke', '--only', unsigned], {}, '--smoke and --only exclude each other'],
    [['client', '--watch', '--json', '--', 'node', 'adapter.mjs'], {}, '--watch and --json exclude each other'],
    [['client', '--watch', '--attach', '7421'], {}, '--watch needs the command of the adapter'],
    [['client', '--watch', '--', 'no-such-program'], {}, '--watch finds no file in the command'],
    [['gateway', '--watch'], {}, "unknown option '--watch'"],
  ];
  for (const [words, stored, expected] of rows) {
    if (stored !== undefined) store(stored);
    const { exitCode, err } = await run(words);
    expect([exitCode, err.replaceAll('\n', ' ')], words.join(' ')).toEqual([2, expect.stringContaining(expected)]);
  }
});

test('--last-failed passes over runs without a verdict, and says which run it repeats', async () => {
  const cwd = test.info().outputPath();
  const store = (name: string, changes: Partial<Result>) => {
    mkdirSync(join(cwd, 'reports/runs', name), { recursive: true });
    writeFileSync(join(cwd, 'reports/runs', name, 'report.json'), jsonReport({ ...ofMock, ...changes }));
  };
  const [failed] = everything.results.filter(({ outcome }) => outcome === 'fail');
  const broken = { ...failed!, id: unsigned, exchanges: [] };
  store('1-mock', { results: [broken] });
  store('2-mock', { results: [{ ...broken, outcome: 'inconclusive' }], exchangeCount: 0 });
  store('3-mock', { results: [], conclusion: 'aborted', aborted: 'cut' });
  const remarks: string[] = [];
  const tested = { kind: 'gateway', target: 'mock' } as const;
  const given = { lastFailed: true } as const;
  const { flags, again } = await withLastFailed(given, tested, cwd, (text) => remarks.push(text));
  expect([flags, again]).toEqual([{ only: [unsigned], seed: ofMock.seed }, []]);
  expect(remarks).toEqual([
    `--last-failed repeats 1 requirement of the run in ${join('reports/runs/1-mock')}. 2 newer runs without a verdict did not count.`,
  ]);
});

test('--bail says what it left out and fails, and --last-failed then judges only that, into the same folder', async () => {
  const out = test.info().outputPath('out');
  const line = ['gateway', '--defect', 'authentication/unsigned-taken-charset', '--out', out, '--cases', '1'];
  const bailed = await run([...line, '--only', 'authentication/close-day-*', '--bail', '1', '--workers', '1']);
  expect(bailed.exitCode).toBe(1);
  const first = reportIn(out);
  const outcomeOf = (id: string) => first.results.find((row) => row.id === id)?.outcome;
  expect(first.notes).toContainEqual(
    expect.stringMatching(/^--bail 1 ended the run: it did not perform \d+ of \d+ scenarios/),
  );
  expect([outcomeOf(unsigned), outcomeOf('authentication/close-day-reused-nonce-refused')]).toEqual([
    'fail',
    'inconclusive',
  ]);
  const again = await run([...line, '--last-failed']);
  const second = reportIn(out);
  const open = first.results.filter(({ outcome }) => outcome === 'fail' || outcome === 'inconclusive');
  expect([again.exitCode, exitCode(second), second.seed]).toEqual([1, 1, first.seed]);
  expect(second.scope?.only.toSorted()).toEqual(open.map(({ id }) => id).toSorted());
  expect(second.results.filter(({ outcome }) => outcome !== 'pass').map(({ id }) => id)).toEqual([unsigned]);
});

for (const [side, defect] of [
  ['gateway', 'authentication/unsigned-taken-charset'],
  ['client', 'recurring/escapes-of-names-kept'],
] as const) {
  test(`a ${side} run that --bail ended stays so: judged again it is no greener, and no certificate is signed`, async () => {
    const folder = test.info().outputPath('run');
    const [judgedFolder, key, known] = ['judged', 'key.pem', 'known.json'].map((name) => test.info().outputPath(name));
    const words = `${side} --seed c1 --cases 1 --workers 1 --bail 1 --defect ${defect} --out`;
    await run([...words.split(' '), folder]);
    const bailed = reportIn(folder);
    const failed = bailed.results
      .filter(({ outcome }) => outcome === 'fail')
      .map(({ id }) => ({ id, reason: 'known' }));
    writeFileSync(known!, JSON.stringify({ known: failed }));
    const judged = await run(['judge', folder, '--baseline', known!, '--out', judgedFolder!]);
    expect([judged.exitCode, judged.err]).toEqual([1, '']);
    const again = reportIn(judgedFolder!);
    expect(again.rejudged?.flips).toEqual([]);
    expect(again.results.filter(({ outcome }) => outcome === 'inconclusive')).not.toEqual([]);
    expect(again.notes).toContainEqual(
      expect.stringMatching(/^--bail ended the run: it did not perform \d+ scenarios?\.$/),
    );
    await run(['certificate', '--new-key', key!]);
    for (const of of [folder, judgedFolder!]) {
      const { exitCode, err } = await run(['certificate', of, '--key', key!]);
      expect([exitCode, err]).toEqual([1, expect.stringContaining('--bail ended the run')]);
    }
  });
}

test('by --watch alone the client of the tutorial goes from red to green, as its text says', async () => {
  skipUnless(missingPrograms('sed').length === 0, 'sed');
  const folder = test.info().outputPath('client');
  const installed = join(folder, 'node_modules/countersign');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(root, installed);
  const adapter = join(folder, 'adapter.mjs');
  const guide = readFileSync(join(root, 'docs/tutorials/repair-a-client.md'), 'utf8');
  const [plant, start, red, green] = [...guide.matchAll(/```(?:sh|text)\n(.*?)```/gs)].map(([, text]) => text!.trim());
  const shell = (line: string) =>
    spawn('sh', ['-c', line.replace('npx', 'exec npx')], {
      cwd: folder,
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    });
  await new Promise((done) => shell(plant!).once('exit', done));
  expect(readFileSync(adapter, 'utf8')).toContain("encodeForm(parameters).replaceAll('%2B', '+')");
  writeFileSync(
    join(folder, 'npx'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${root}/dist/src/app/main.js" "$@"\n`,
    { mode: 0o755 },
  );
  const watching = shell(start!);
  const ended = new Promise((done) => watching.once('exit', done));
  let text = '';
  for (const stream of [watching.stdout, watching.stderr]) stream.on('data', (chunk) => (text += chunk));
  const waits = (times: number) =>
    expect.poll(() => text.split('waiting for a change').length - 1, { timeout: 240_000 }).toBe(times);
  try {
    await waits(1);
    expect(text).toMatch(asPattern(red!));
    text = text.slice(-60);
    copyFileSync(join(root, 'adapters/node/adapter.mjs'), adapter);
    await waits(2);
    expect(text).toMatch(asPattern(green!));
  } finally {
    watching.kill('SIGINT');
  }
  expect(await ended).toBe(0);
});

test('--watch sees a folder that is made again, names a foreign file in --out, and ends with 3 in an unfinished run', async () => {
  test.slow();
  const folder = test.info().outputPath('client');
  const [built, out] = [join(folder, 'dist'), join(folder, 'out')];
  const plant = () => {
    mkdirSync(built, { recursive: true });
    copyFileSync(join(root, 'adapters/node/adapter.mjs'), join(built, 'adapter.mjs'));
  };
  plant();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/countersign'));
  const only = ['--only', 'authentication/signature-*', '--cases', '1', '--out', out];
  const watching = spawn(
    process.execPath,
    [join(root, 'dist/src/app/main.js'), 'client', '--watch', ...only, '--', 'node', 'dist/adapter.mjs'],
    { cwd: folder },
  );
  const ended = new Promise((done) => watching.once('exit', done));
  let text = '';
  for (const stream of [watching.stdout, watching.stderr]) stream.on('data', (chunk) => (text += chunk));
  /** A change during a run causes one more. */
  const runsAfter = async (change: () => void) => {
    text = '';
    change();
    let length: number;
    do {
      length = text.length;
      await pause(2000);
    } while (text.length > length || !text.includes('Ctrl+C ends'));
    return text.replace(/\s+/g, ' ');
  };
  const verdict = 'requirements passed';
  try {
    expect(await runsAfter(() => {})).toContain(verdict);
    const remove = () => rmSync(built, { recursive: true });
    expect(await runsAfter(remove)).toContain('The earlier report in');
    expect(await runsAfter(plant)).toContain(verdict);
    const replace = () => {
      renameSync(built, join(folder, 'old'));
      plant();
    };
    expect(await runsAfter(replace)).toContain(verdict);
    writeFileSync(join(out, 'notes.txt'), 'mine');
    const edit = () => writeFileSync(join(built, 'other.mjs'), '');
    expect(await runsAfter(edit)).toContain('contains other files, such as notes.txt. Name a new or empty');
    rmSync(join(out, 'notes.txt'));
    text = '';
    edit();
    await expect.poll(() => text).toContain('a file changed');
  } finally {
    watching.kill('SIGINT');
  }
  expect(await ended).toBe(3);
});

test('--watch ends with 3 in the whole run after a narrowed one, and says what that run judges', async () => {
  const adapter = test.info().outputPath('adapter.mjs');
  writeFileSync(adapter, '');
  const stop = new AbortController();
  const failing = { ...everything, results: everything.results.filter(({ outcome }) => outcome === 'fail') };
  const runs: WatchedRun[] = [
    { exitCode: 1, result: failing },
    { exitCode: 0, result: { ...everything, results: [] } },
  ];
  const remarks: string[] = [];
  const remark = (sentence: string) => {
    remarks.push(sentence);
    if (sentence.startsWith('waiting')) setTimeout(() => writeFileSync(adapter, ' '), 100);
  };
  const perform = async (): Promise<WatchedRun> => {
    if (runs.length === 0) stop.abort();
    return runs.shift() ?? { exitCode: 3 };
  };
  const cwd = test.info().outputPath();
  const watched = { command: ['adapter.mjs'], cwd, out: join(cwd, 'out'), isSelective: true };
  const surroundings = { interrupted: () => stop.signal, remark } as Surroundings;
  expect(await watchRuns(watched, perform, surroundings)).toBe(3);
  expect(remarks.at(-1)).toBe('the failed requirements pass now. Judging all selected requirements.');
});

/** `…` stands for anything. */
function asPattern(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('[^]*?'));
}
