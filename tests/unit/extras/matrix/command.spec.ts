/** The command itself: what is wrong with its file, the processes that it starts, and one whole run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { validate } from '../../../../schemas/index.ts';
import { knownNames } from '../../../../src/app/commands/matrix.ts';
import { planFaults } from '../../../../src/extras/matrix/matrix-plan.ts';
import { runCommand, startGateway } from '../../../../src/extras/matrix/processes.ts';
import { expect, test } from '../../../engine.ts';
import { fencedBlocks } from '../../../house/readme-blocks.ts';
import { run } from '../../app/captured.ts';
import { kept, setting } from './setting.ts';

const surroundings = () => ({ cwd: '.', env: process.env, limitMs: 60_000, signal: new AbortController().signal });
const node = (script: string) => [process.execPath, '-e', script];

test('no name in matrix.json moves the cursor of a terminal that shows the file', async () => {
  const { run: runMatrix, out } = setting();
  await runMatrix({ profiles: ['rfc5849'], clients: [{ name: 'a\u009b2Jb\u202e', command: ['a'] }] }, () => kept);
  expect(readFileSync(join(out, 'matrix.json'), 'utf8')).toMatch(/^[ -~]*\n$/);
});

test('what is wrong with the file is said in a sentence with file and line, and nothing is run', async () => {
  const path = test.info().outputPath('matrix.yaml');
  const out = test.info().outputPath('public');
  const client = (text: string, said: string) => [`formatVersion: 1\nclients:\n  - ${text}\n`, said] as const;
  const gateway = (text: string, said: string) => [`formatVersion: 1\ngateways:\n  - ${text}\n`, said] as const;
  const wrong: readonly (readonly [text: string, said: string])[] = [
    ['', 'formatVersion is missing'],
    ['formatVersion: 1\n', 'the file names no implementation; list them under clients or gateways.'],
    ['formatVersion: 2\nclients: []\n', ':1: formatVersion is 2 (number); it must be 1'],
    ['formatVersion: 1\nclient: []\n', ':2: client is not a known key'],
    client('name: a\n    comand: [x]', ':4: clients[0].comand'),
    client('command: [x]', ':3: clients[0].name is missing'),
    client('name: a', ':3: clients[0] needs either command or defects.'),
    client('name: a\n    command: x y', ':4: clients[0].command is "x y" (text); it must be a list'),
    client('{ name: a, command: [" "] }', 'clients[0].command begins with an empty word'),
    client('{ name: a, defects: [nope] }', '"nope", which is no defect of a client; countersign list defects'),
    gateway('{ name: a, variants: [nope] }', '"nope", which is no variant of the mock; countersign'),
    gateway('{ name: a, only: [close-dya/*] }', '"close-dya/*", which is no requirement of a gateway;'),
    gateway('{ name: a, only: [transport/environments] }', 'no requirement of a gateway that a run can show'),
    gateway(
      'name: a\n    target: https://a.example/x',
      ':4: gateways[0].target is no base URL on this machine; a live',
    ),
    gateway('name: a\n    target: http://127.0.0.1@a.example/x', ':4: gateways[0].target is no base URL on this'),
    gateway('{ name: a, target: "http://127.0.0.1:1", config: c.yaml }', 'gateways[0] has target and config'),
    gateway('{ name: a, command: [serve] }', 'and needs target'),
    gateway('{ name: a, config: c.yaml, defects: [x] }', 'which only the built-in mock has'),
    ['formatVersion: 1\nclients:\n  - { name: a, command: [x] }\ngateways:\n  - name: a\n', 'is "a" again; each name'],
    ['formatVersion: 1\nprofiles: [rfc5849, lax]\n', 'profiles[1] is "lax" (text)'],
    ['formatVersion: 1\nclients: [\n', ':3: the file is no matrix: '],
  ];
  const otherwise: string[] = [];
  for (const [text, said] of wrong) {
    writeFileSync(path, text);
    const { exitCode, err, out: printed } = await run(['matrix', path, '--out', out]);
    if (exitCode !== 2 || printed !== '' || !err.includes(said) || !/^[^\n]+[.?]\n$/.test(err))
      otherwise.push(`${said}\n${err}`);
  }
  expect(otherwise).toEqual([]);
  expect(await run(['matrix', `${path}.no`])).toMatchObject({ exitCode: 2, err: expect.stringMatching('not exist') });
  expect(existsSync(out)).toBe(false);
});

test('the file that docs/how-to/run-a-matrix.md shows is right', () => {
  const [block] = fencedBlocks(readFileSync('docs/how-to/run-a-matrix.md', 'utf8')).filter(({ text }) =>
    text.startsWith('formatVersion'),
  );
  const value = parse(block!.text);
  expect([...validate('matrix-plan', value), ...planFaults(value, knownNames)]).toEqual([]);
});

test('a command that hangs is stopped at the limit and at an interruption, with what it started', async () => {
  const hangs = node("process.stderr.write('so far');setInterval(() => {}, 1000)");
  expect(await runCommand(hangs, { ...surroundings(), limitMs: 1 })).toMatchObject({ code: null, cut: 'limit' });
  const stop = new AbortController();
  const running = runCommand(hangs, { ...surroundings(), signal: stop.signal });
  stop.abort();
  expect(await running).toMatchObject({ code: null, cut: 'interrupted' });
  expect(await runCommand(hangs, { ...surroundings(), signal: stop.signal })).toMatchObject({ cut: 'interrupted' });
});

test('a command ends when its process does, and only its last words are kept', async () => {
  // What it leaves behind holds its output open, for longer than the limit.
  const leaves = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 120000)'], { stdio: 'inherit' });
    child.unref(); process.stderr.write('x'.repeat(100000) + 'last'); process.exitCode = 4`;
  const { code, err } = await runCommand(node(leaves), surroundings());
  expect([code, err.length, err.slice(-5)]).toEqual([4, 4000, 'xlast']);
  expect((await runCommand(['no-such-program'], surroundings())).code).toBe(null);
});

test('a gateway is started and ended; one that does not come says why', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const target = `http://127.0.0.1:${port}/x`;
  const taken = await startGateway(node(''), target, surroundings());
  expect(taken).toEqual({ fault: expect.stringContaining('somebody listens at') });
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

test('a whole matrix: a mock with a defect, a client that is not here, and the same as JSON @all', async () => {
  test.slow();
  const folder = test.info().outputPath('whole');
  mkdirSync(folder);
  const path = join(folder, 'matrix.yaml');
  writeFileSync(
    path,
    `formatVersion: 1
profiles: [rfc5849, strict]
clients:
  - { name: built in, defects: [authentication/method-signed-in-lower-case], only: [authentication/*], cases: 1 }
  - { name: "127", command: [${JSON.stringify(process.execPath)}, -e, process.exit(127)] }
gateways:
  - { name: mock, only: [close-day/status-200], cases: 1 }
  - { name: broken, only: [close-day/serial-present], cases: 1, defects: [close-day/serial-missing] }
`,
  );
  const out = join(folder, 'public');
  const { exitCode, out: printed } = await run(['matrix', path, '--out', out, '--json'], {
    PATH: process.env.PATH ?? '',
  });
  const matrix = JSON.parse(printed);
  expect(validate('matrix', matrix)).toEqual([]);
  const states = matrix.implementations.map(({ cells }: { cells: readonly { runs: readonly { state: string }[] }[] }) =>
    cells.map(({ runs }) => runs[0]!.state).join(' '),
  );
  expect(states.slice(1)).toEqual([
    'unsupported unsupported',
    'conformant conformant',
    'non-conformant non-conformant',
  ]);
  expect(states[0]).toBe('non-conformant non-conformant');
  expect(exitCode).toBe(1);
  const [report] = /runs\/gateway\/broken\/strict\/[^"]*report\.html/.exec(
    readFileSync(join(out, 'index.html'), 'utf8'),
  )!;
  expect(readFileSync(join(out, report), 'utf8')).toContain('close-day/serial-present');
});
