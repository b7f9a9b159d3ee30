/** The implementer's loop: --last-failed, --bail and --watch, as a person uses them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Surroundings } from '../../src/app/command.ts';
import { withLastFailed } from '../../src/app/config/run-flags.ts';
import { skippedRecord } from '../../src/app/engine.ts';
import { performClientInProcess, performInProcess } from '../../src/app/prove/run-in-process.ts';
import { type WatchedRun, watchRuns } from '../../src/app/watch.ts';
import { writeReport } from '../../src/app/write-report.ts';
import { usableClientDefects } from '../../src/faults/index.ts';
import type { AnyCase } from '../../src/record/case.ts';
import type { Result } from '../../src/record/result/result.ts';
import { jsonReport } from '../../src/report/json.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { clientPlan, gatewayPlan } from '../../src/run/options/scenarios.ts';
import { selectedIds } from '../../src/run/options/selection.ts';
import { UsageError } from '../../src/run/options/usage-error.ts';
import type { ScenarioRecord } from '../../src/run/scenario-record.ts';
import { concludeRun } from '../../src/verdict/conclude.ts';
import { expect, test } from '../engine.ts';
import { root } from '../house/tree.ts';
import { missingPrograms, skipUnless } from '../needed.ts';
import { run } from '../unit/app/run-command.ts';
import { file } from '../unit/app/signed-call.ts';
import { main, spawnMain } from '../unit/app/spawned.ts';
import { everything } from '../unit/report/all-outcomes.ts';

const unsigned = 'authentication/close-day-unsigned-refused';
const reportIn = (folder: string): Result => JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));

const about = { pact: 'a.json', interaction: 'a request', state: 'gate open', mismatches: [] };
const interaction = { ...about, outcome: 'fail' } as const;
const ofMock = { ...everything, scope: undefined, subject: { ...everything.subject, target: 'mock' } };

test('--last-failed and --watch are refused in one sentence if there is nothing to repeat or watch', async () => {
  const out = test.info().outputPath('out');
  mkdirSync(out);
  const store = (changes: Partial<Result>) =>
    writeFileSync(join(out, 'report.json'), jsonReport({ ...ofMock, ...changes }));
  const client = ['client', '--last-failed', '--out', out, '--', 'node', 'adapter.mjs'];
  const gateway = ['gateway', '--last-failed', '--out', out];
  const passes = everything.results.filter(({ outcome }) => outcome === 'pass');
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
    [
      gateway,
      { results: passes, contracts: [interaction] },
      'passed or is not applicable. Remove --last-failed to test all requirements and the Pact contracts.',
    ],
    [gateway, { results: [], conclusion: 'aborted', aborted: 'cut' }, 'no run of a gateway with a verdict'],
    [[...gateway, '--only', unsigned], {}, '--last-failed and --only exclude each other'],
    [['gateway', '--smoke', '--only', unsigned], {}, '--smoke and --only exclude each other'],
    [
      ['gateway', '--only', unsigned, '--require', 'recurring/*'],
      {},
      '--only selects no requirement that matches --require recurring/*',
    ],
    [['client', '--watch', '--json', '--', 'node', 'adapter.mjs'], {}, '--watch and --json exclude each other'],
    [['client', '--watch', '--attach', '7421'], {}, '--watch watches the files of the adapter'],
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
  store('1-mock', { results: [broken], contracts: [interaction] });
  store('2-mock', { results: [{ ...broken, outcome: 'inconclusive' }], exchangeCount: 0 });
  store('3-mock', { results: [], conclusion: 'aborted', aborted: 'cut' });
  const remarks: string[] = [];
  const tested = { kind: 'gateway', target: 'mock' } as const;
  const input = { lastFailed: true } as const;
  const { flags, again } = await withLastFailed(input, tested, cwd, (text) => remarks.push(text));
  expect([flags, again]).toEqual([{ only: [unsigned], seed: ofMock.seed }, []]);
  expect(remarks).toEqual([
    `--last-failed repeats 1 requirement of the run in ${join('reports/runs/1-mock')}. Some Pact interactions also did not pass: only a run of all requirements verifies them.`,
  ]);
});

test('--bail fails and names the skipped requirements, and --last-failed then judges only these, in the same folder @all', async () => {
  const out = test.info().outputPath('out');
  const line = ['gateway', '--defect', 'authentication/unsigned-taken-charset', '--out', out, '--cases', '1'];
  const reused = 'authentication/close-day-reused-nonce-refused';
  const only = ['--only', unsigned, '--only', reused];
  expect(await spawnMain([...line, ...only, '--bail', '1', '--workers', '1']).ended).toBe(1);
  const first = reportIn(out);
  expect(first.notes).toContainEqual(expect.stringMatching(/^--bail 1 ended the run before \d+ of \d+ scenarios/));
  const outcomesIn = ({ results }: Result) => Object.fromEntries(results.map(({ id, outcome }) => [id, outcome]));
  expect(outcomesIn(first)).toEqual({ [unsigned]: 'fail', [reused]: 'inconclusive' });
  const code = await spawnMain([...line, '--last-failed']).ended;
  const second = reportIn(out);
  expect([code, second.seed]).toEqual([1, first.seed]);
  expect(second.scope?.only.toSorted()).toEqual([reused, unsigned]);
  expect(outcomesIn(second)).toEqual({ [unsigned]: 'fail', [reused]: 'pass' });
});

/** The result of a whole run that --bail ended after the scenarios of one requirement. */
async function bailedRun(side: 'client' | 'gateway', defect: string, only: string, out: string): Promise<Result> {
  const narrow = { seed: 'c1', cases: 1, only: [only], profile: 'strict' } as const;
  const client = { command: [], mode: 'process', plainHttp: false, cwd: '.', defects: [defect] } as const;
  const subject = side === 'client' ? { target: 'client', client } : { defects: [defect] };
  const options = completeRunOptions({ ...narrow, ...subject, only: [], bail: 1, out }, Date.now(), '.');
  const alterations = usableClientDefects.filter(({ id }) => id === defect).map(({ alteration }) => alteration);
  const performed: readonly ScenarioRecord<AnyCase>[] =
    side === 'client'
      ? await performClientInProcess(narrow, alterations)
      : await performInProcess({ ...options, only: [only] }, {});
  const others = (side === 'client' ? clientPlan(options) : gatewayPlan(options)).filter(
    ({ id }) => !performed.some(({ scenario }) => scenario === id),
  );
  const run = concludeRun(options, [...performed, ...others.map(({ id }) => skippedRecord(id))], { now: Date.now() });
  await writeReport(run, options);
  return run.result;
}

for (const [side, defect, broken] of [
  ['gateway', 'authentication/unsigned-taken-charset', unsigned],
  ['client', 'recurring/escapes-of-names-kept', 'recurring/decodes-validation-error'],
] as const) {
  test(`a ${side} run that --bail ended has no better result when judged again, and gets no certificate`, async () => {
    const folder = test.info().outputPath('run');
    const [judgedFolder, key, known] = ['judged', 'key.pem', 'known.json'].map((name) => test.info().outputPath(name));
    const bailed = await bailedRun(side, defect, broken, folder);
    const failed = bailed.results
      .filter(({ outcome }) => outcome === 'fail')
      .map(({ id }) => ({ id, reason: 'known' }));
    expect(failed).not.toEqual([]);
    writeFileSync(known!, JSON.stringify({ known: failed }));
    const judged = await run(['judge', folder, '--baseline', known!, '--out', judgedFolder!]);
    expect([judged.exitCode, judged.err]).toEqual([1, '']);
    const again = reportIn(judgedFolder!);
    expect(again.rejudged?.flips).toEqual([]);
    expect(again.results.filter(({ outcome }) => outcome === 'inconclusive')).not.toEqual([]);
    expect(again.notes).toContainEqual(expect.stringMatching(/^--bail ended the run before \d+ scenarios?\.$/));
    await run(['certificate', '--new-key', key!]);
    for (const of of [folder, judgedFolder!]) {
      const { exitCode, err } = await run(['certificate', of, '--key', key!]);
      expect([exitCode, err]).toEqual([1, expect.stringContaining('--bail ended the run')]);
    }
  });
}

test('with --watch, the client of the tutorial goes from red to green, as its text says @all', async () => {
  skipUnless(missingPrograms('sed').length === 0, 'sed');
  const folder = test.info().outputPath('client');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules/countersign'));
  const adapter = join(folder, 'adapter.mjs');
  const guide = readFileSync(join(root, 'docs/tutorials/repair-a-client.md'), 'utf8');
  const [plant, start, red, green] = [...guide.matchAll(/```(?:sh|text)\n(.*?)```/gs)].map(([, text]) => text!.trim());
  // Three requirements in place of all.
  const only = ['close-day/sale-approved-sum', 'recurring/payload-escaped', 'close-day/method'];
  const withOnly = (text: string) =>
    text
      .replace('Judging all ', 'Judging all selected…')
      .replace(`${selectedIds('client', []).length - 2} passed`, '1 passed')
      .replace(`${selectedIds('client', []).length} requirements`, '3 requirements');
  const shell = (line: string) => spawn('sh', ['-c', line], { cwd: folder });
  await once(shell(plant!), 'exit');
  expect(readFileSync(adapter, 'utf8')).toContain("encodeForm(parameters).replaceAll('%2B', '+')");
  const command = `exec "${process.execPath}" "${main}"`;
  const flags = only.map((id) => ` --only ${id}`).join('');
  const watching = shell(start!.replace('npx countersign', command).replace(' --watch', ` --watch --cases 1${flags}`));
  const ended = once(watching, 'exit');
  let text = '';
  for (const stream of [watching.stdout, watching.stderr]) stream.on('data', (chunk) => (text += chunk));
  const waits = () => expect.poll(() => text, { timeout: 240_000 }).toContain('Ctrl+C stops.');
  try {
    await waits();
    expect(text).toMatch(asPattern(withOnly(red!)));
    text = '\n';
    copyFileSync(join(root, 'adapters/node/adapter.mjs'), adapter);
    await waits();
    expect(text).toMatch(asPattern(withOnly(green!)));
  } finally {
    watching.kill('SIGINT');
  }
  expect((await ended)[0]).toBe(0);
});

const failing = { ...everything, results: everything.results.filter(({ outcome }) => outcome === 'fail') };
const passing = { exitCode: 0, result: { ...everything, results: [] } } as const;

/** Watches an adapter. `steps`: what each run does and gives; `edits`: what the user does at each wait. */
async function watched(steps: (() => WatchedRun)[], edits: (() => void)[]): Promise<[unknown, string[], number]> {
  const stop = new AbortController();
  const [remarks, narrowedRuns]: [string[], string[]] = [[], []];
  const remark = (sentence: string) => {
    remarks.push(sentence);
    if (sentence.startsWith('waiting')) setTimeout(edits.shift() ?? (() => stop.abort()), 50);
  };
  const perform = async (only?: readonly string[]): Promise<WatchedRun> => {
    if (only !== undefined) narrowedRuns.push(...only);
    const step = steps.shift();
    if (step === undefined) stop.abort();
    return step?.() ?? { exitCode: 3 };
  };
  const cwd = test.info().outputPath();
  const watching = { command: ['node', 'dist/adapter.mjs'], cwd, out: join(cwd, 'out'), isSelective: true };
  const surroundings = { abortSignal: () => stop.signal, remark } as Surroundings;
  return [await watchRuns(watching, perform, surroundings), remarks, narrowedRuns.length];
}

function built(): string {
  return file(test.info().outputPath('dist/adapter.mjs'), String(Math.random()));
}

test('--watch sees a folder that is made again, says why a run is refused, and ends with 3 in an unfinished whole run', async () => {
  const folder = dirname(built());
  const refuse = () => {
    throw new UsageError('the folder contains notes.txt', 'Name a new folder.');
  };
  const steps = [() => ({ exitCode: 1, result: failing }) as const, () => ({ exitCode: 3 }) as const, refuse];
  const edits = [() => rmSync(folder, { recursive: true }), built, () => file(join(folder, 'other.mjs'), '')];
  const [exitCode, remarks, narrowed] = await watched([...steps, () => passing], edits);
  expect([exitCode, narrowed]).toEqual([3, 3 * failing.results.length]);
  const changed = `a file changed. Judging the requirements that failed: ${failing.results.length}.`;
  const waiting = 'waiting for a change in dist; Ctrl+C stops.';
  expect(remarks).toEqual([
    ...[waiting, changed, waiting, changed, 'the folder contains notes.txt.\nName a new folder.', waiting, changed],
    'the failed requirements pass now. Judging all selected requirements.',
  ]);
});

test('--watch runs again after a change during a run, but not for a file that each run writes', async () => {
  built();
  const step = () => {
    file(test.info().outputPath('dist/state.json'), String(Math.random()));
    return passing;
  };
  const wait = () => {};
  const [exitCode, remarks] = await watched([step, step, step], [wait, wait]);
  const count = (start: string) => remarks.filter((remark) => remark.startsWith(start)).length;
  expect([exitCode, count('a file changed'), count('dist/state.json changes in each run')]).toEqual([0, 2, 1]);
});

/** `…` stands for anything. */
function asPattern(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('[^]*?'));
}
