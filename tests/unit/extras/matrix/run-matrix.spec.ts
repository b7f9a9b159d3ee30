/** A matrix of implementations: the states of cells, the stored results of earlier runs, and the command. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { validate } from '../../../../schemas/index.ts';
import { refusalOf } from '../../../../src/app/commands/matrix.ts';
import { runCommand, startGateway } from '../../../../src/app/matrix-processes.ts';
import {
  type CellState,
  type ImplementationMatrix,
  matrixExitCode,
  type PlanSubject,
  planFaults,
} from '../../../../src/extras/matrix/matrix.ts';
import { folderNameOf, openMatrixStore } from '../../../../src/extras/matrix/run-matrix.ts';
import { expect, test } from '../../../engine.ts';
import { fencedBlocks } from '../../../house/readme-blocks.ts';
import { listen } from '../../../listen.ts';
import { here, refuses, run } from '../../app/run-command.ts';
import { file } from '../../app/signed-call.ts';
import { batchSentAgain } from '../../report/all-outcomes.ts';
import { resultOf } from '../../verdict/runs.ts';
import { broken, faultOfMatrix, passing, setting } from './setting.ts';

const client = (name: string, more: Partial<PlanSubject> = {}): PlanSubject => ({ name, command: [name], ...more });
const stored = (folder: string): ImplementationMatrix => JSON.parse(readFileSync(join(folder, 'matrix.json'), 'utf8'));
const states = ({ implementations }: ImplementationMatrix) =>
  implementations.map(({ name, cells }) => [name, ...cells.map(({ runs }) => runs.at(-1)?.state)].join(' '));
const at = (day: number) => ({ now: () => Date.parse('2026-01-01T04:00:00.000Z') + day * 86_400_000 });

test('each implementation runs once, and the other profiles judge the recorded run', async () => {
  const { run, out, lines } = setting();
  const plan = {
    profiles: ['rfc5849', 'strict'],
    clients: [client('a b', { mode: 'one-shot', plainHttp: true, cases: 3, only: ['close-day/*'] })],
    gateways: [{ name: 'mock', variants: ['x'], defects: ['y'] }],
  } as const;
  const { matrix, states: ran } = await run(plan, () => passing);
  expect(ran).toEqual(['conformant', 'conformant', 'conformant', 'conformant']);
  expect(lines.map((line) => line.replaceAll(out, 'OUT').replaceAll(/\d{4}-\d\d\S+Z/g, 'AT'))).toEqual([
    'client --cases 3 --only close-day/* --one-shot --plain-http --seed 7 --profile rfc5849 --out OUT/runs/client/a-b_c8687a08aa5d/rfc5849/AT --json -- a b',
    'judge OUT/runs/client/a-b_c8687a08aa5d/rfc5849/AT --profile strict --out OUT/runs/client/a-b_c8687a08aa5d/strict/AT --json',
    'gateway --target mock --defect y --variant x --seed 7 --profile rfc5849 --out OUT/runs/gateway/mock/rfc5849/AT --json',
    'judge OUT/runs/gateway/mock/rfc5849/AT --profile strict --out OUT/runs/gateway/mock/strict/AT --json',
  ]);
  expect(stored(out)).toEqual(matrix);
  expect(validate('matrix', matrix)).toEqual([]);
});

for (const [what, more, code] of [
  ['', {}, 0],
  [' that fails its run', { failOn: 'hazard' }, 1],
] as const) {
  test(`a conformant cell with a hazard${what} is conformant, and the matrix ends with ${code}`, async () => {
    const { run } = setting();
    const result = await run({ clients: [client('fine')] }, () => ({ ...passing, hazards: [batchSentAgain], ...more }));
    expect(result.matrix.implementations[0]!.cells[0]!.runs[0]).toMatchObject({ state: 'conformant', hazards: 1 });
    expect(matrixExitCode(result.states)).toBe(code);
  });
}

test('a cell is conformant only if both its report and its exit code say so', async () => {
  const { run, out } = setting();
  const outcomes: Readonly<Record<string, ReturnType<Parameters<typeof run>[1]>>> = {
    fine: passing,
    broken,
    silent: { code: 0 },
    refused: { code: 2, err: 'something\ncountersign: --cases 0 is no number.\n' },
    late: { code: 0, cut: 'limit' },
    missing: resultOf({}, { conclusion: 'aborted', aborted: 'it exited with code 127', unsupported: true }),
    faulty: resultOf({}, { conclusion: 'aborted', aborted: 'the adapter fell over' }),
  };
  const clients = Object.keys(outcomes).map((name) => client(name));
  const { matrix } = await run({ clients }, (words) => outcomes[words.at(-1)!]);
  expect(states(matrix)).toEqual([
    'fine conformant',
    'broken non-conformant',
    'silent aborted',
    'refused aborted',
    'late aborted',
    'missing unsupported',
    'faulty aborted',
  ]);
  const reasons = matrix.implementations.map(({ cells }) => cells[0]!.runs[0]!.reason);
  expect(reasons.slice(2)).toEqual([
    'the command wrote no report and ended with code 0',
    '--cases 0 is no number',
    'the run exceeded the time limit of the matrix, 1 min',
    'it exited with code 127',
    'the adapter fell over',
  ]);
  // If a run writes no report, its folder is removed.
  const withFolder = matrix.implementations.filter(({ cells }) => cells[0]!.runs[0]!.run !== undefined);
  expect(withFolder.map(({ name }) => name)).toEqual(['fine', 'broken', 'faulty']);
  expect(readdirSync(join(out, 'runs', 'client', 'missing', 'rfc5849'))).toEqual([]);
});

test('a conformant report with an exit code other than 0 makes the cell aborted', async () => {
  const { run, out } = setting();
  const runLying = async (argv: readonly string[]) => {
    writeFileSync(join(argv[argv.indexOf('--out') + 1]!, 'report.json'), JSON.stringify(passing));
    return { code: 1, err: '' };
  };
  await run({ clients: [client('a')] }, () => undefined, { run: runLying });
  expect(states(stored(out))).toEqual(['a aborted']);
});

test('the exit code depends on the cells of this run: unsupported is no failure and no success', () => {
  const codes: readonly (readonly [CellState[], number])[] = [
    [['conformant', 'unsupported'], 0],
    [['conformant', 'partial'], 1],
    [['conformant', 'non-conformant'], 1],
    [['non-conformant', 'aborted'], 3],
    [['unsupported'], 3],
    [[], 3],
  ];
  expect(codes.map(([all]) => matrixExitCode(all))).toEqual(codes.map(([, code]) => code));
});

test('a later run extends the trend, and names the changed cells', async () => {
  const { run, out } = setting();
  const clients = [client('a'), client('b')];
  await run({ clients }, () => passing);
  expect(stored(out)).toMatchObject({ changes: [], news: 0 });
  await run({ clients }, (words) => (words.at(-1) === 'a' ? broken : passing), at(1));
  const { changes, news, implementations } = stored(out);
  expect(news).toBe(1);
  const change = { name: 'a', from: 'conformant', to: 'non-conformant', is: 'worse', broke: ['close-day/a'] };
  const sentence = 'a, rfc5849: conformant became non-conformant; broke close-day/a';
  expect(changes).toMatchObject([{ ...change, sentence, at: '2026-01-02T04:00:00.000Z' }]);
  expect(implementations.map(({ cells }) => cells[0]!.runs.length)).toEqual([2, 2]);
  for (const { cells } of implementations)
    for (const { run: folder } of cells[0]!.runs) expect(existsSync(join(out, folder!, 'report.json'))).toBe(true);
  // The next run is compared with the latest run that has a verdict.
  await run({ clients }, () => ({ code: 3, err: 'countersign: no room' }), at(2));
  await run({ clients }, () => passing, at(3));
  const latest = stored(out).changes.slice(0, 4);
  expect(latest.map(({ name, is, fixed }) => [name, is, fixed])).toEqual([
    ['b', 'other', []],
    ['a', 'other', ['close-day/a']],
    ['b', 'worse', []],
    ['a', 'worse', []],
  ]);
});

test('--only runs the named implementations, and keeps the other cells and removed implementations', async () => {
  const { run, out, lines } = setting();
  await run({ clients: [client('a'), client('b'), client('gone')] }, () => passing);
  lines.length = 0;
  await run({ clients: [client('a'), client('b')] }, () => broken, { only: ['b'], ...at(1) });
  expect(lines).toHaveLength(1);
  expect(states(stored(out))).toEqual(['a conformant', 'b non-conformant', 'gone conformant']);
  expect(stored(out).implementations.map(({ unlisted }) => unlisted)).toEqual([undefined, undefined, true]);
  await expect(run({ clients: [client('a')] }, () => passing, { only: ['c'] })).rejects.toThrow(
    '--only needs the name of an implementation in the file, not c',
  );
});

test('a live target is run only if --live names it', async () => {
  const { run, out, lines } = setting();
  const plan = { clients: [client('a')], gateways: [{ name: 'integration', config: 'c.yaml' }] };
  for (const only of [[], ['integration']]) await run(plan, () => passing, { only });
  expect(lines.filter((line) => line.startsWith('gateway'))).toEqual([]);
  expect(stored(out).implementations[1]).toEqual({
    kind: 'gateway',
    name: 'integration',
    waits: 'a live target runs only if --live names it',
    cells: [{ profile: 'rfc5849', runs: [] }],
  });
  await expect(run(plan, () => passing, { live: ['a'] })).rejects.toThrow('--live needs the name of a live target');
  await run(plan, () => passing, { live: ['integration'], only: ['integration'] });
  expect(lines.at(-1)).toMatch(/^gateway --config c\.yaml --seed 7 --profile rfc5849 /);
  expect(lines.at(-1)).not.toContain('--allow');
});

test('an interruption keeps the finished runs, and nothing of the current run', async () => {
  const { run, out, stop } = setting();
  const done = await run({ clients: [client('a'), client('b'), client('c')] }, (words) => {
    if (words.at(-1) !== 'b') return passing;
    stop.abort();
    return { code: 3, cut: 'interrupted' };
  });
  expect(done).toMatchObject({ interrupted: true, states: ['conformant'] });
  expect(states(stored(out))).toEqual(['a conformant', 'b ', 'c ']);
  expect(readdirSync(join(out, 'runs', 'client', 'b', 'rfc5849'))).toEqual([]);
  expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('1 of 3 cells are conformant');
});

test('keep removes the folders of old runs, but not their figures', async () => {
  const { run, out } = setting();
  for (const day of [0, 1, 2])
    await run({ clients: [client('a')], keep: 2 }, () => (day === 0 ? broken : passing), at(day));
  expect(readdirSync(join(out, 'runs', 'client', 'a', 'rfc5849'))).toHaveLength(2);
  const { runs } = stored(out).implementations[0]!.cells[0]!;
  expect(runs.map(({ run: folder, state }) => [state, folder !== undefined])).toEqual([
    ['non-conformant', false],
    ['conformant', true],
    ['conformant', true],
  ]);
});

test('a clock that was set back is reported, and does not prevent a run', async () => {
  const { run, out, messages } = setting();
  for (const day of [5, 1, 1]) await run({ clients: [client('a')] }, () => passing, at(day));
  expect(messages.filter((sentence) => sentence.startsWith('the clock shows'))).toHaveLength(1);
  expect(readdirSync(join(out, 'runs', 'client', 'a', 'rfc5849'))).toHaveLength(3);
  expect(stored(out).implementations[0]!.cells[0]!.runs).toHaveLength(3);
});

test('if a command does not start its gateway, the cell has the reason; exit code 127 is unsupported', async () => {
  const { run, out, lines } = setting();
  const gateways = [{ name: 'g', target: 'http://127.0.0.1:9/x', command: ['serve'] }];
  for (const [fault, state] of [
    [{ fault: 'its command ended with code 1' }, 'aborted'],
    [{ fault: 'its command ended with code 127', unsupported: true as const }, 'unsupported'],
  ] as const) {
    await run({ gateways }, () => passing, { start: async () => fault });
    expect(stored(out).implementations[0]!.cells[0]!.runs.at(-1)).toMatchObject({ state, reason: fault.fault });
  }
  const stopped: string[] = [];
  await run({ gateways }, () => passing, { start: async () => ({ stop: async () => void stopped.push('it') }) });
  expect([stopped, lines.at(-1)]).toEqual([['it'], expect.stringContaining('--target http://127.0.0.1:9/x')]);
});

test('an output folder with other files, in use, or not a folder is refused before the first run', async () => {
  const { run, out, lines } = setting();
  const start = () => run({ clients: [client('a')] }, () => passing);
  mkdirSync(out);
  writeFileSync(join(out, 'thesis.txt'), '');
  await expect(start()).rejects.toThrow('has other files, such as thesis.txt, and no matrix.json');
  rmSync(out, { recursive: true });
  await start();
  lines.length = 0;
  const right = readFileSync(join(out, 'matrix.json'), 'utf8');
  const leadsOut = ['../../etc', 'runs/client/../../x', 'javascript:alert(1)'];
  const folders = leadsOut.map((folder) => right.replace(/runs\/client\/a\/[^"]*/, folder));
  for (const text of ['{', '{"format":"x"}', '[]', ...folders]) {
    writeFileSync(join(out, 'matrix.json'), text);
    await expect(start()).rejects.toMatchObject({ code: 'unreadable-file' });
  }
  rmSync(out, { recursive: true });
  writeFileSync(out, '');
  await expect(start()).rejects.toMatchObject({ code: 'unwritable-file' });
  rmSync(out);
  const other = await openMatrixStore(out, faultOfMatrix);
  await expect(start()).rejects.toThrow('another countersign matrix is writing to the folder');
  other.close();
  expect(lines).toEqual([]);
  await start();
  expect(readdirSync(out).sort()).toEqual(['index.html', 'matrix.json', 'runs']);
});

test('each name has its own folder, and no name leads out of the output folder', () => {
  const plain = 'a,A,a b,a-b,a/b,..,../a,.,con,ä,ö,<b>,, '.split(',');
  const names = [...plain, 'x'.repeat(100), 'x'.repeat(40)];
  const folders = names.map(folderNameOf);
  expect(new Set(folders.map((one) => one.toLowerCase())).size).toBe(names.length);
  for (const folder of folders) expect(folder).toMatch(/^[a-z0-9_][a-z0-9_-]*$/);
});

const surroundings = () => ({ cwd: '.', env: process.env, limitMs: 60_000, signal: new AbortController().signal });
const node = (script: string) => [process.execPath, '-e', script];

test('a fault of the file is reported with file and line, and nothing is run', async () => {
  const client = (text: string, message: string) => [`formatVersion: 1\nclients:\n  - ${text}\n`, message] as const;
  const gateway = (text: string, message: string) => [`formatVersion: 1\ngateways:\n  - ${text}\n`, message] as const;
  const wrong: readonly (readonly [text: string, said: string])[] = [
    ['', 'formatVersion is missing'],
    ['formatVersion: 1\n', 'the file lists no client and no gateway; add one under clients or gateways.'],
    ['formatVersion: 2\nclients: []\n', ':1: formatVersion is 2 (number); it must be 1'],
    ['formatVersion: 1\nclient: []\n', ':2: client is not a known key'],
    client('name: a\n    comand: [x]', ':4: clients[0].comand'),
    client('command: [x]', ':3: clients[0].name is missing'),
    client('name: a', ':3: clients[0]: the command of the adapter is missing.'),
    client('name: a\n    command: x y', ':4: clients[0].command is "x y" (text); it must be a list'),
    client('{ name: a, command: [" "] }', 'clients[0]: the first word of the adapter command is empty'),
    client('{ name: a, defects: [nope] }', 'clients[0]: there is no client defect nope'),
    gateway('{ name: a, variants: [nope] }', 'gateways[0]: there is no variant nope'),
    gateway('{ name: a, only: [close-dya/*] }', 'gateways[0]: there is no requirement close-dya/*'),
    gateway('{ name: a, only: [transport/environments] }', 'gateways[0]: no run can test transport/environments'),
    gateway('name: a\n    target: https://a.example/x', ':3: gateways[0]: --target https://a.example/x is not on this'),
    gateway('name: a\n    target: http://127.0.0.1@a.example/x', 'gateways[0]: --target '),
    gateway('name: a\n    target: mock', ':4: gateways[0].target is "mock" (text); it must be a base URL'),
    gateway('{ name: a, target: "http://127.0.0.1:1", config: c.yaml }', 'gateways[0]: it has target and config'),
    gateway('{ name: a, command: [serve] }', 'gateways[0].target is missing; gateways[0].command needs it'),
    gateway('{ name: a, config: c.yaml, defects: [close-day/serial-missing] }', 'only the built-in mock has defects'),
    gateway('{ name: a, target: "http://127.0.0.1:1", command: [" "] }', 'the first word of its command is empty'),
    ['formatVersion: 1\nclients:\n  - { name: a, command: [x] }\ngateways:\n  - name: a\n', 'name "a" occurs twice'],
    ['formatVersion: 1\nprofiles: [rfc5849, lax]\n', 'profiles[1] is "lax" (text)'],
    ['formatVersion: 1\nclients: [\n', ':3: the file is not the matrix: '],
  ];
  for (const [text, said] of wrong)
    await refuses(['matrix', file(here('matrix.yaml'), text), '--out', here('public')], said, /^[^\n]+[.?]\n$/);
  await refuses(['matrix', here('matrix.yaml.no')], 'not exist');
  expect(existsSync(here('public'))).toBe(false);
});

test('the file in docs/how-to/run-a-matrix.md is valid', async () => {
  const [block] = fencedBlocks(readFileSync('docs/how-to/run-a-matrix.md', 'utf8')).filter(({ text }) =>
    text.startsWith('formatVersion'),
  );
  const value = parse(block!.text);
  expect([...validate('matrix-plan', value), ...(await planFaults(value, refusalOf))]).toEqual([]);
});

test('a hanging command and its children are stopped at the time limit or an interruption', async () => {
  const hangs = node("process.stderr.write('so far');setInterval(() => {}, 1000)");
  expect(await runCommand(hangs, { ...surroundings(), limitMs: 1 })).toMatchObject({ code: null, cut: 'limit' });
  const stop = new AbortController();
  const running = runCommand(hangs, { ...surroundings(), signal: stop.signal });
  stop.abort();
  expect(await running).toMatchObject({ code: null, cut: 'interrupted' });
  expect(await runCommand(hangs, { ...surroundings(), signal: stop.signal })).toMatchObject({ cut: 'interrupted' });
});

test('a command ends with its process, and only the end of its output is kept', async () => {
  // The child of the command keeps the pipe open for longer than the time limit.
  const leaves = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 120000)'], { stdio: 'inherit' });
    child.unref(); process.stderr.write('x'.repeat(100000) + 'last'); process.exitCode = 4`;
  const { code, err } = await runCommand(node(leaves), surroundings());
  expect([code, err.length, err.slice(-5)]).toEqual([4, 4000, 'xlast']);
  expect((await runCommand(['no-such-program'], surroundings())).code).toBe(null);
});

test('a gateway is started and stopped, and a gateway that does not start gives the reason', async () => {
  const server = createServer();
  const { port, host } = await listen(server);
  const target = `http://${host}/x`;
  const conflict = await startGateway(node(''), target, surroundings());
  expect(conflict).toEqual({ fault: expect.stringContaining('another program already listens at') });
  await new Promise((resolve) => server.close(resolve));
  const listening = node(`require('node:net').createServer((s) => s.end()).listen(${port}, '127.0.0.1')`);
  const started = await startGateway(listening, target, surroundings());
  if ('fault' in started) throw new Error(started.fault);
  await started.stop();
  const faults = [
    [['no-such-program'], { unsupported: true }],
    [node('process.exit(127)'), { unsupported: true }],
    [node("console.error('port taken');process.exitCode = 3"), { fault: 'its command ended with code 3: port taken' }],
  ] as const;
  for (const [command, said] of faults) expect(await startGateway(command, target, surroundings())).toMatchObject(said);
});

test('a whole matrix with a defect of the mock and a missing client has the same cells as JSON @all', async () => {
  test.slow();
  const plan = `formatVersion: 1
profiles: [rfc5849, strict]
clients:
  - { name: built in, defects: [authentication/method-signed-in-lower-case], only: [authentication/*], cases: 1 }
  - { name: "127", command: [${JSON.stringify(process.execPath)}, -e, process.exit(127)] }
gateways:
  - { name: mock, only: [close-day/status-200], cases: 1 }
  - { name: broken, only: [close-day/serial-present], cases: 1, defects: [close-day/serial-missing] }
`;
  const words = ['matrix', file(here('matrix.yaml'), plan), '--out', here('public'), '--json'];
  const { exitCode, out } = await run(words, { PATH: process.env.PATH ?? '' });
  const matrix: ImplementationMatrix = JSON.parse(out);
  expect([exitCode, validate('matrix', matrix)]).toEqual([1, []]);
  expect(states(matrix)).toEqual([
    'built in non-conformant non-conformant',
    '127 unsupported unsupported',
    'mock conformant conformant',
    'broken non-conformant non-conformant',
  ]);
  const index = readFileSync(here('public', 'index.html'), 'utf8');
  const [report] = /runs\/gateway\/broken\/strict\/[^"]*report\.html/.exec(index)!;
  expect(readFileSync(here('public', report), 'utf8')).toContain('close-day/serial-present');
});
