/** `countersign diff --clients`: how stored clients are found and started, what the matrix says, and what is refused in one sentence. */
import { join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import type { Result } from '../../../src/record/result/result.ts';
import type { Difference } from '../../../src/verdict/diff/difference.ts';
import { expect, test } from '../../engine.ts';
import { hostile } from '../report/all-outcomes.ts';
import { answer, resultOf, storedRun } from '../verdict/runs.ts';
import { run } from './captured.ts';
import { file } from './signed-call.ts';

const written = (path: string, text: string) => file(test.info().outputPath(path), text);

/** The folder of a run that was given these answers. */
function stored(name: string, bodies: readonly string[], more: Partial<Result> = {}): string {
  const cases = bodies.map((body, at) => answer(body, { special: `case ${at}` }));
  return storedRun(name, resultOf({ 'close-day/a': 'pass' }, { exchangeCount: cases.length, ...more }), cases);
}

const refusal = (code: string, more = '') =>
  `{"response":{"status":"error","errorCode":${code},"errorMessage":"no"}${more},"theRequestSerialNumber":"00-1"}`;

const runs = () => [stored('old', [refusal('"7"')]), stored('new', [refusal('"7"', ',"trace":{}')])] as const;

const subject = { kind: 'client', name: 'c', target: 'local gateway' } as const;
const reproduced = (options: string, name: string) =>
  storedRun(`clients/${name}`, resultOf({}, { subject, reproduce: `npx countersign client ${options}` }));

const folder = () => test.info().outputPath('clients');

test('the matrix has a line for each client, with what was answered and read, in text, JSON and Markdown', async () => {
  const [old, fresh] = runs();
  reproduced("--only 'close-day/*' --seed 1 --defect close-day/further-members-refused", 'a-strict');
  reproduced('--seed 1 --defect close-day/text-html-not-read', 'b-plain');
  reproduced('--seed 1 --attach 4000', 'c-attached');
  written('clients/d-gone/client.yaml', 'name: gone\ncommand: [./no-such-adapter, a b]\nplainHttp: true\n');
  written('clients/e-empty/notes.txt', '');
  const { out, err, exitCode } = await run(['diff', old, fresh, '--clients', folder()]);
  expect(exitCode).toBe(1);
  expect(out).toMatch(/^breaks - compared .*\n {2}1 of 5 clients breaks: a-strict/);
  expect(out).toMatch(
    /\nWho breaks: 1 of 5 clients, 3 not verified everywhere\n {2}1 close-day: member \$\.trace is new \(allowed, 1 exchange\)\n/,
  );
  const table = /\nclient +1\n(?:\S+ +(?:reads it|breaks|unverified)\n){5}/.exec(out)?.[0].trim().split(/\n/).slice(1);
  expect(table?.map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['a-strict', 'breaks'],
    ['b-plain', 'reads it'],
    ['c-attached', 'unverified'],
    ['gone', 'unverified'],
    ['e-empty', 'unverified'],
  ]);
  const text = out.replace(/\s+/g, ' ');
  expect(text).toContain(
    'a-strict: breaks, reads undecodable: another answer than expected in place of error "7": "no"',
  );
  expect(text).toContain('c-attached: unverified, ');
  expect(text).toContain('gone: unverified, The adapter "./no-such-adapter" could not be started');
  // The path before it is broken where a line ends.
  expect(text).toContain('has neither client.yaml nor report.json: write client.yaml beside it, with name and');
  expect(err).toContain(`countersign: gone is started in ${join(folder(), 'd-gone')}: ./no-such-adapter 'a b'\n`);
  const json = JSON.parse((await run(['diff', old, fresh, '--clients', folder(), '--json'])).out) as Difference;
  expect(validate('diff', json)).toEqual([]);
  expect(json.impact!.clients[0]).toMatchObject({
    name: 'a-strict',
    readings: [{ is: 'breaks', exchange: 1, oldExchange: 1, answered: 'HTTP 200 with error 7 "no"' }],
  });
  const markdown = (await run(['diff', old, fresh, '--clients', folder(), '--markdown'])).out;
  expect(markdown).toContain('\n| client | 1 |\n| --- | ---: |\n| `a-strict` | breaks |\n| `b-plain` | reads it |\n');
});

test('what a gateway or a file says acts neither on a terminal nor in Markdown', async () => {
  const [old] = runs();
  for (const [at, text] of Object.values(hostile).entries()) {
    const body = refusal('"7"', `,${JSON.stringify(text)}:1`).replace('"no"', JSON.stringify(text));
    const fresh = stored(`new${at}`, [body]);
    written(
      'clients/a/client.yaml',
      `name: ${JSON.stringify(text.slice(0, 100))}\ncommand: [${JSON.stringify(text.slice(0, 4000).replaceAll('\0', ''))}]\nplainHttp: true\n`,
    );
    reproduced('--seed 1 --defect close-day/further-members-refused', 'b');
    for (const flags of [[], ['--json'], ['--markdown']]) {
      const { out, err } = await run(['diff', old, fresh, '--clients', folder(), ...flags]);
      expect(`${out}${err}`.replace(/\n/g, ''), `${at} ${flags}`).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect([out, err]).toEqual([expect.stringContaining('breaks'), expect.any(String)]);
    }
  }
});

test('a file that says no command is refused in one sentence, and nothing is started', async () => {
  const [old, fresh] = runs();
  const wrong: Readonly<Record<string, RegExp>> = {
    'name: x\n': /client\.yaml:\d: .*command/,
    'name: x\ncommand: node adapter.mjs\n': /client\.yaml:2: command .*a list/,
    'name: x\ncommand: []\n': /client\.yaml:2: command .*a list/,
    'name: x\ncommand: [node, {a: 1}]\n': /client\.yaml:2: command\[1\]/,
    'name: x\ncommand: [node]\nmode: attach\n': /client\.yaml:3: mode is "attach"/,
    'name: x\ncommand: [node]\nshell: true\n': /client\.yaml:3: .*shell/,
    'name: [\n': /client\.yaml:\d: /,
    '- 1\n': /client\.yaml:1: /,
    'name: x\ncommand: [&a node, *a]\n': /client\.yaml:2: the file is no client: an alias/,
  };
  for (const [text, says] of Object.entries(wrong)) {
    written('clients/x/client.yaml', text);
    const { exitCode, out, err } = await run(['diff', old, fresh, '--clients', folder()]);
    expect([exitCode, out, err], text).toEqual([2, '', expect.stringMatching(says)]);
    expect(err).toMatch(/^countersign: [^\n]+\n$/);
  }
});

test('folders and runs that cannot answer are refused in one sentence', async () => {
  const [old, fresh] = runs();
  const without = storedRun('without', resultOf({ 'close-day/a': 'pass' }));
  written('clients/x/client.yaml', 'name: x\ncommand: [node]\n');
  storedRun('gateways/run', resultOf({}));
  written('broken/run/report.json', '{');
  written('none/notes.txt', '');
  const at = (name: string) => test.info().outputPath(name);
  const refused: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [[old, fresh, '--clients', at('nowhere')], /nowhere does not exist/],
    [[old, fresh, '--clients', at('clients/x/client.yaml')], /client\.yaml cannot be read as a folder/],
    [[old, fresh, '--clients', at('none')], /none has no client/],
    [[old, fresh, '--clients', at('gateways')], /run is a run of a gateway, and no client/],
    [[old, fresh, '--clients', at('broken')], /report\.json is not JSON/],
    [[old, without, '--clients', at('clients')], /without has no exchanges\.har/],
  ];
  for (const [args, says] of refused) {
    const { exitCode, out, err } = await run(['diff', ...args]);
    expect([exitCode, out, err]).toEqual([2, '', expect.stringMatching(says)]);
    expect(err).toMatch(/^countersign: [^\n]+\n$/);
  }
});

test('a command in a report is taken word by word, or not at all', async () => {
  const [old, fresh] = runs();
  const commands: Readonly<Record<string, string | undefined>> = {
    "--plain-http -- ./no-such-program 'a b' 'it'\\''s'": "./no-such-program 'a b' 'it'\\''s'",
    '--one-shot --plain-http -- ./no-such-program --attach 1': './no-such-program --attach 1',
    '-- node a.mjs; touch x': undefined,
    '-- $(touch x)': undefined,
    '-- node "a"': undefined,
    '--defect close-day/no-such-defect': undefined,
    '': undefined,
  };
  for (const [options, command] of Object.entries(commands)) {
    reproduced(options, 'one');
    const { out, err } = await run(['diff', old, fresh, '--clients', folder(), '--json']);
    expect(err).toBe(command === undefined ? '' : `countersign: one is started in ${process.cwd()}: ${command}\n`);
    const [reading] = (JSON.parse(out) as Difference).impact!.clients[0]!.readings;
    const reason = command === undefined ? /does not say how the client is started: write client\.yaml/ : /./;
    expect(reading).toEqual({ is: 'unverified', reason: expect.stringMatching(reason) });
  }
});

test('a client whose adapter dies over an answer of NEW breaks there, and is asked for the other answers all the same @all', async () => {
  // An adapter that has died is started again after a pause, eight times.
  const plain = [refusal('"7"'), refusal('"8"'), refusal('"9"'), refusal('"10"')];
  const old = stored('old', [...plain, refusal('"99"')]);
  const fresh = stored('new', [
    ...plain.map((body) => body.replace('"status"', '"trace":{},"status"')),
    refusal('"99"'),
  ]);
  written('clients/a/adapter.mjs', dyingAdapter);
  written('clients/a/client.yaml', 'name: dying\ncommand: [node, adapter.mjs]\nplainHttp: true\n');
  const { out } = await run(['diff', old, fresh, '--clients', folder(), '--json']);
  expect((JSON.parse(out) as Difference).impact!.clients[0]!.readings).toEqual([
    expect.objectContaining({
      is: 'breaks',
      expected: 'an error',
      read: expect.stringContaining('exited with code 9'),
    }),
    { is: 'reads it' },
  ]);
});

test('what is wrong with the flags by themselves is said before a run or a client is read', async () => {
  const flags = ['--clients', 'no-clients', '--target', 'mock', '--allow', 'closes-day=1'];
  const { err, exitCode } = await run(['diff', 'no-old', 'no-new', ...flags]);
  expect([exitCode, err]).toEqual([2, expect.stringMatching(/^countersign: --allow is for live targets: [^\n]+\n$/)]);
});

/** Reads errors, and ends where it meets a trace. */
const dyingAdapter = `
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { t, id, base_url } = JSON.parse(line);
  if (t === 'hello') say({ t: 'ready', protocol: 1, adapter: { name: 'a' }, client: { name: 'c' }, offers: { ops: ['close-day'] } });
  if (t === 'bye') process.exit(0);
  if (t !== 'case') return;
  const answer = await (await fetch(base_url + '/api/x', { method: 'POST' })).json();
  if ('trace' in answer.response) process.exit(9);
  const { errorCode, errorMessage } = answer.response;
  say({ t: 'result', id, outcome: 'completed', decoded: { kind: 'error', errorCode, errorMessage } });
});
`;
