/** Three shards give the result of the whole run. Folders that are not all its shards are refused. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeReport } from '../../../src/app/write-report.ts';
import { Notes } from '../../../src/peer/adapter/notes.ts';
import type { AnyCase } from '../../../src/record/case.ts';
import { exitCode } from '../../../src/record/result/conclude.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { junitReport } from '../../../src/report/ci.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { openReference } from '../../../src/run/client/open-client.ts';
import { performClientScenario } from '../../../src/run/client/perform-client.ts';
import { performScenario } from '../../../src/run/gateway/perform-case.ts';
import { completeRunOptions, type RunOptions } from '../../../src/run/options/run-options.ts';
import { clientPlan, gatewayPlan } from '../../../src/run/options/scenarios.ts';
import type { ClientRecord, ScenarioRecord } from '../../../src/run/scenario-record.ts';
import { concludeRun } from '../../../src/verdict/conclude.ts';
import { storedShard } from '../../../src/verdict/recordings/merge-shards.ts';
import { expect, test } from '../../engine.ts';
import { refuses, run } from '../app/run-command.ts';

const of = 3;
const setting = { seed: '7', cases: 3, json: true, startedAt: '2026-01-31T12:00:00.000Z', labels: { build: '4' } };
const now = Date.parse(setting.startedAt) + 5000;

/** Writes a folder for each shard of a run, and returns the result of the whole run. */
async function writeShards(
  options: RunOptions,
  records: readonly ScenarioRecord<AnyCase>[],
  planOf: (options: RunOptions) => readonly object[],
  folder: string,
): Promise<Result> {
  const plan = planOf(options);
  for (const index of [1, 2, 3]) {
    const reproduce = `${options.reproduce} --shard ${index}/3`;
    const sharded = { ...options, shard: { index, of }, out: join(folder, String(index)), reproduce };
    const own = planOf(sharded).map((scenario) => records[plan.indexOf(scenario)]!);
    const concluded = concludeRun(sharded, own, { now });
    await writeReport({ ...concluded, shard: storedShard(sharded, own, concluded.result) }, sharded);
  }
  return concludeRun(options, records, { now }).result;
}

async function gateway(folder: string, input: Partial<RunOptions> = {}): Promise<Result> {
  const options = completeRunOptions({ ...setting, only: ['close-day/error*'], ...input }, now, folder);
  const sharded = { ...options, shard: { index: 1, of } };
  const records = await Promise.all(gatewayPlan(options).map((scenario) => performScenario(scenario, sharded, {})));
  return writeShards(options, records, gatewayPlan, folder);
}

async function client(folder: string): Promise<Result> {
  const reference = { command: [], mode: 'process', plainHttp: false, cwd: '.' } as const;
  const input = { ...setting, target: 'client', profile: 'rfc5849', only: ['recurring/*'], client: reference } as const;
  const options = completeRunOptions({ ...input, reproduce: 'npx countersign client --seed 7' }, now, folder);
  const opened = await openReference([], undefined);
  const notes = new Notes();
  let calls = 0;
  const noisy: typeof opened.session = {
    ...opened.session,
    perform: (one) => {
      calls += 1;
      notes.add('lines of noise', 'a line of noise');
      return opened.session.perform(one);
    },
    takeNotes: () => notes.take(),
  };
  const records: ClientRecord[] = [];
  for (const scenario of clientPlan(options)) {
    const context = { ...opened, session: noisy, seed: '7', cases: 3, inFlight: 8, now: () => performance.now() };
    records.push(await performClientScenario(scenario, context));
  }
  await opened.close();
  const result = await writeShards(options, records, clientPlan, folder);
  // One note for the run, with the count of all its scenarios.
  expect(result.notes).toEqual(['a line of noise', `Altogether there were ${calls} lines of noise.`]);
  return result;
}

for (const [name, perform, tag] of [
  ['the mock', gateway, []],
  ['a client', client, ['@all']],
] as const) {
  test(`three shards of a run with ${name} are that run, in any order`, { tag: [...tag] }, async () => {
    const folder = test.info().outputPath();
    const whole = await perform(folder);
    const dirs = [3, 1, 2].map((index) => join(folder, String(index)));
    const merged = await run(['merge', ...dirs, '--out', join(folder, 'merged'), '--json']);
    expect(merged).toMatchObject({ err: '', exitCode: exitCode(whole) });
    const { runId, ...result } = JSON.parse(merged.out);
    expect(runId).not.toBe(whole.runId);
    expect(result).toEqual(JSON.parse(jsonReport({ ...whole, runId: undefined as unknown as string })));
    expect(whole.results.some(({ outcome }) => outcome === 'pass')).toBe(true);
  });
}

test('merged shards of a failing run fail, and every report of a shard names its number @all', async () => {
  const folder = test.info().outputPath();
  const defects = ['close-day/error-without-message'];
  const whole = await gateway(folder, { cases: 1, defects });
  const dirs = ['1', '2', '3'].map((name) => join(folder, name));
  const merged = await run(['merge', ...dirs, '--out', join(folder, 'm')], { GITHUB_ACTIONS: 'true' });
  expect(merged.err).toContain('::error title=Countersign%3A close-day/error-');
  expect([merged.exitCode, exitCode(whole), whole.conclusion]).toEqual([1, 1, 'non-conformant']);
  for (const index of [1, 2, 3]) {
    const read = (file: string) => readFileSync(join(folder, String(index), file), 'utf8');
    const shard: Result = JSON.parse(read('report.json'));
    expect(shard.conclusion).toMatch(/^(?:partial|non-conformant)$/);
    expect(exitCode(shard)).toBe(shard.conclusion === 'partial' ? 0 : 1);
    expect(exitCode({ ...shard, conclusion: 'partial', acceptPartial: true, results: [] })).toBe(1);
    for (const file of ['summary.md', 'report.html']) expect(read(file)).toContain(`Shard ${index} of 3`);
    const green = junitReport({ ...shard, conclusion: 'partial', results: [] }, { statements: () => undefined });
    expect(green).toContain(`Shard ${index} of 3: run countersign merge on all 3 shards to get a verdict.`);
    expect(read('junit.xml')).toContain(`<property name="shard" value="${index} of 3"/>`);
  }
  for (const command of [
    ['judge', join(folder, '1')],
    ['diff', join(folder, '1'), join(folder, 'm')],
  ])
    await refuses(command, 'is shard 1 of 3 of a run');
});

// biome-ignore lint/suspicious/noExplicitAny: the edits make invalid shards.
type Change = (shard: any, folder: string) => unknown;
const member =
  (name: string, value: unknown): Change =>
  (shard) =>
    Object.assign(shard, { [name]: value });
const option =
  (name: string, value: unknown): Change =>
  (shard, folder) =>
    member(name, value)(shard.options, folder);
const file = (name: string, bytes: string) => (_: unknown, folder: string) =>
  writeFileSync(join(folder, name), bytes, 'latin1');

/** Edits of the second of three shards, each with the error of `merge`. */
const broken: readonly (readonly [what: string, change: Change, says: string])[] = [
  ['another seed', option('seed', '8'), 'not shards of one run: seed "7" in the first, "8" in the second'],
  ['no labels', option('labels', undefined), 'labels {"build":"4"} in the first, not set in the second'],
  ['--accept-partial', option('acceptPartial', true), '--accept-partial not set in the first'],
  [
    'another set',
    option('scoring', { set: { name: 'x', ids: [] } }),
    '--set, --baseline, --require and --fail-on not set',
  ],
  ['another command', option('reproduce', 'npx countersign gateway'), 'reproduce "npx countersign gateway --seed 7"'],
  ['a client', option('client', { command: [], mode: 'process', plainHttp: false }), 'a gateway in the first'],
  [
    'another suite',
    ({ suite }, folder) => member('version', '9.9.9')(suite, folder),
    'written by countersign 9.9.9, and',
  ],
  ['more shards', ({ shard }, folder) => member('of', 4)(shard, folder), 'shards 3 in the first, 4 in the second'],
  [
    'the same shard',
    ({ shard }, folder) => member('index', 1)(shard, folder),
    'shard 1 of 3 is given twice, the second time in',
  ],
  ['an aborted shard', member('aborted', 'it stopped'), 'shard 2 of 3 in 2 was aborted: it stopped'],
  ['a case too many', (shard) => shard.records[0].caseNumbers.push(999), 'that exchanges.har lacks'],
  ['another form', member('records', 'none'), 'shard.json cannot be used: records'],
  ['another index', ({ shard }, folder) => member('index', 0)(shard, folder), 'shard.json cannot be used: shard.index'],
  ['no JSON', file('shard.json', '{'), 'shard.json is not JSON'],
  ['no UTF-8', file('shard.json', '{"format":"\xff"}'), 'shard.json is not UTF-8'],
  ['a duration without end', member('durationMs', 1e15), 'durationMs is 1000000000000000 (number)'],
  ['no shard', (_, folder) => rmSync(join(folder, 'shard.json')), 'is not a shard of a run: '],
  ['no exchanges', (_, folder) => rmSync(join(folder, 'exchanges.har')), 'exchanges.har does not exist'],
  ['broken exchanges', file('exchanges.har', '[]'), 'the file has no log'],
  ['no folder', (_, folder) => rmSync(folder, { recursive: true }), 'is not a shard of a run'],
];

test(`${broken.length + 3} merges that are of no whole run are refused, each with a sentence`, async () => {
  const folder = test.info().outputPath();
  await gateway(folder, { cases: 1 });
  const wrong: string[] = [];
  const expectRefusal = async (what: string, dirs: readonly string[], message: string) => {
    const out = join(folder, 'out');
    const { exitCode: code, err } = await run(['merge', ...dirs.map((dir) => join(folder, dir)), '--out', out]);
    const text = err.replaceAll(`${folder}/`, '').replaceAll('changed/', '');
    if (code !== 2 || !text.includes(message) || text.trim().includes('\n')) wrong.push(`${what}: ${code} ${text}`);
  };
  for (const [what, change, message] of broken) {
    rmSync(join(folder, 'changed'), { recursive: true, force: true });
    mkdirSync(join(folder, 'changed'));
    cpSync(join(folder, '2'), join(folder, 'changed', '2'), { recursive: true });
    const path = join(folder, 'changed', '2', 'shard.json');
    const shard = JSON.parse(readFileSync(path, 'utf8'));
    const before = JSON.stringify(shard);
    change(shard, join(folder, 'changed', '2'));
    if (JSON.stringify(shard) !== before) writeFileSync(path, JSON.stringify(shard));
    await expectRefusal(what, ['1', 'changed/2', '3'], message);
  }
  await expectRefusal('one missing', ['1', '3'], 'shard 2 of 3 is missing');
  await expectRefusal('two missing', ['2'], 'shards 1, 3 of 3 are missing');
  expect(wrong.join('\n')).toBe('');
});

test('--shard is refused without a seed, for a live target, and with options of a whole run', async () => {
  const refused = (args: readonly string[], says: string) =>
    refuses(['gateway', ...args, '--out', test.info().outputPath('none')], says);
  await refused(['--shard', '1/3'], '--shard needs --seed or --challenge');
  for (const odd of ['0/3', '3', '1/99', 'x', '1/3/4', '-1/3'])
    await refused(['--seed', '7', '--shard', odd], `--shard ${odd} is not INDEX/NUMBER with at most 64 shards`);
  await refused(['--seed', '7', '--shard', '4/3'], '--shard 4/3 is not INDEX/NUMBER with at most 64 shards');
  await refused(
    ['--seed', '7', '--shard', '1/64', '--only', 'close-day/error*'],
    '--shard 1/64 asks for more shards than there are scenarios',
  );
  const half = ['--seed', '7', '--shard', '1/2'];
  await refused([...half, '--baseline', 'none.yaml', '--update-baseline'], '--update-baseline needs the whole run');
  await refused([...half, '--path', '1/2:0'], '--path and --shard exclude each other');
  await refused([...half, '--measure'], '--measure and --shard exclude each other');
  const live = ['--target', 'http://127.0.0.1:1', '--allow', 'closes-day=1'];
  await refused([...live, ...half], '--shard works only on the mock: the allowance of a live target is for one run');
});
