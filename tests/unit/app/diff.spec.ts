/** `countersign diff`: what it compares, prints and refuses, also with stored clients. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { jsonReport } from '../../../src/report/json.ts';
import type { Difference } from '../../../src/verdict/diff/difference.ts';
import { expect, test } from '../../engine.ts';
import { hostile } from '../report/all-outcomes.ts';
import { answer, resultOf, storedRun } from '../verdict/runs.ts';
import { folderAt, here, oneLine, refuses, reportIn, run } from './run-command.ts';
import { file, foreignHar } from './signed-call.ts';

const passing = (more: Partial<Result> = {}) => resultOf({ 'close-day/a': 'pass', 'close-day/b': 'pass' }, more);
const subject = { kind: 'client', name: 'c', target: 'local gateway' } as const;
const broken = (actual = 'nothing') =>
  resultOf({ 'close-day/a': { outcome: 'fail', expected: 'it', actual }, 'close-day/b': 'pass' });

test('the verdict is the first word, and the exit code', async () => {
  const [old, same] = [storedRun('old', passing()), storedRun('same', passing({ seed: '2' }))];
  const worse = storedRun('worse', broken());
  const undecided = (name: string) =>
    storedRun(name, resultOf({ 'close-day/a': 'inconclusive', 'close-day/b': 'pass' }));
  const gap = undecided('gap');
  const safe = await run(['diff', old, same]);
  expect([safe.exitCode, safe.err]).toEqual([0, '']);
  expect(safe.out).toMatch(
    /^safe - compared 2 of 2 .*\n {2}NEW keeps every requirement .*\n {2}Differs: seed 1 in OLD, 2 in NEW\n/,
  );
  // exchanges.har may be in the folder of the report.json that the user names.
  expect(safe.out).toMatch(/Only verdicts and answers to open points were compared,\s+because/);
  const worseRun = await run(['diff', old, worse]);
  expect(worseRun.exitCode).toBe(1);
  expect(worseRun.out).toMatch(
    /^breaks - compared 2 of 2 .*\n {2}1 requirement that OLD kept and NEW breaks: close-day\/a\./,
  );
  expect(worseRun.out).toContain('\nNewly broken (1)\n  close-day/a: pass -> fail (expected it, received nothing)\n');
  const open = await run(['diff', old, gap]);
  expect(open.exitCode).toBe(1);
  expect(open.out).toMatch(
    /^not known - compared 1 of 2 .*\n {2}1 requirement that OLD kept and NEW leaves undecided: close-day\/a\.\n/,
  );
  const thinArgs = ['diff', gap, undecided('other')];
  const out = expect.stringMatching(/^no difference found, thin - compared 1 of 2 /);
  expect(await run(thinArgs)).toMatchObject({ exitCode: 1, out });
  expect((await run([...thinArgs, '--accept-thin'])).exitCode).toBe(0);
});

test('the JSON fits its schema, and a report is enough instead of a folder', async () => {
  const [old, worse] = [storedRun('old', passing({ labels: { gateway: '1' } })), storedRun('worse', broken())];
  const { out, exitCode } = await run(['diff', join(old, 'report.json'), worse, '--json']);
  expect([exitCode, validate('diff', JSON.parse(out))]).toEqual([1, []]);
  const expected = { verdict: 'breaks', newlyBroken: [{ id: 'close-day/a' }], old: { labels: { gateway: '1' } } };
  expect(JSON.parse(out)).toMatchObject(expected);
});

test('texts of a subject cannot act on a terminal or in Markdown', async () => {
  const old = storedRun('old', passing());
  for (const [name, text] of Object.entries(hostile)) {
    const worse = storedRun(`worse-${name}`, broken(text));
    for (const flags of [[], ['--json'], ['--markdown']]) {
      const { out } = await run(['diff', old, worse, ...flags]);
      expect(out.replace(/\n/g, ''), `${name} ${flags}`).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      if (flags[0] === '--markdown') expect(out.replace(/`[^`\n]*`/g, '')).not.toMatch(/<(?!\/?(?:details|summary)>)/);
    }
  }
});

test('Markdown has the verdict first and stays short', async () => {
  const [old, worse] = (['pass', 'fail'] as const).map((outcome) =>
    storedRun(
      outcome,
      resultOf(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`close-day/r${at}`, outcome]))),
    ),
  ) as [string, string];
  const { out } = await run(['diff', old, worse, '--markdown']);
  expect(out).toMatch(
    /^## ❌ Countersign comparison: breaks\n\n\*\*compared 500 of 500 .*\n\n500 requirements that OLD kept and NEW breaks: /,
  );
  expect(out.length).toBeLessThan(10_000);
});

test('a policy decides what is forbidden, and an invalid one is refused with its line', async () => {
  const observed = (value: string) => passing({ observations: [{ openPoint: 'A10', value, exchanges: [1] }] });
  const runs = [storedRun('old', observed('string')), storedRun('new', observed('long'))];
  const rule = '\n  - change: open-answer\n    name: A10\n    is: forbidden\n';
  const strict = written('strict.yaml', `formatVersion: 1\nrules:${rule}`);
  expect((await run(['diff', ...runs])).exitCode).toBe(0);
  const forbidden = await run(['diff', ...runs, '--policy', strict]);
  expect(forbidden.exitCode).toBe(1);
  expect(forbidden.out).toMatch(
    /^breaks - .*\n {2}1 change that the policy forbids: Is errorCode text or a number: long, was string \(A10\)\.\n/,
  );
  const wrong: Readonly<Record<string, RegExp>> = {
    'formatVersion: 1\nrules:\n  - change: colour\n    is: risky\n': /wrong\d\.yaml:3: rules\[0\]\.change is "colour"/,
    'rules: [': /wrong\d\.yaml:1: /,
    '': /wrong\d\.yaml:1: /,
  };
  for (const [at, [text, message]] of Object.entries(wrong).entries())
    await refuses(['diff', ...runs, '--policy', written(`wrong${at}.yaml`, text)], message, oneLine);
});

test('runs that cannot be compared are refused in one sentence', async () => {
  const old = storedRun('old', passing());
  symlinkSync(old, here('link'));
  const refused: readonly (readonly [path: string, says: string])[] = [
    [old, 'are the same run'],
    [here('link'), 'are the same run'],
    [storedRun('client', passing({ subject })), 'is a run of a gateway, and \\S+ a run of a client\\. Compare'],
    [storedRun('strict', passing({ profile: 'strict' })), 'profile rfc5849, and \\S+ the profile strict'],
    [here('nowhere'), 'nowhere does not exist'],
    [folderAt('empty'), 'report\\.json does not exist'],
    [storedRun('har', passing(), '{}'), 'exchanges\\.har: '],
    [storedRun('more', passing(), otherHar(passing().runId)), 'are not of the same run'],
    [storedRun('other', passing({ exchangeCount: 1 }), otherHar('another')), 'are not of the same run'],
  ];
  for (const [path, says] of refused) await refuses(['diff', old, path], new RegExp(says), oneLine);
});

test('exchanges without a run id are compared, with a warning', async () => {
  const old = storedRun('old', passing({ exchangeCount: 1 }), otherHar());
  const { err, exitCode } = await run(['diff', old, storedRun('same', passing({ seed: '2' }))]);
  expect([exitCode, err]).toEqual([0, expect.stringMatching(/^countersign: \S+exchanges\.har has no run id.*\n$/)]);
});

test('--json and --markdown exclude each other, and two runs are needed', async () => {
  const old = storedRun('old', passing());
  await refuses(['diff', old, old, '--json', '--markdown'], 'exclude each other');
  await refuses(['diff', old], 'the argument new is missing');
});

test('for two profiles, the hint is a command that keeps the scope of the run, and another --only is noted', async () => {
  const narrow = passing({ exchangeCount: 1, scope: { only: ['close-day/*'] } });
  const old = storedRun('old', narrow, otherHar(narrow.runId));
  const { err } = await run(['diff', old, storedRun('strict', passing({ profile: 'strict' }))]);
  const command = /countersign judge (\S+) --profile strict --out (\S+-strict)\.?\n$/.exec(err)!;
  expect(command.slice(1)).toEqual([old, `${old}-strict`]);
  const judge = async (out: string, more: readonly string[]): Promise<Result> => {
    const { err: message } = await run(['judge', old, '--profile', 'strict', '--out', out, ...more]);
    expect(existsSync(join(out, 'report.json')), message).toBe(true);
    return reportIn(out);
  };
  const same = await judge(command[2]!, []);
  expect([same.profile, same.scope, same.notes]).toEqual(['strict', { only: ['close-day/*'] }, undefined]);
  const other = await judge(`${old}-other`, ['--only', 'close-day/status-200']);
  expect(other.scope).toEqual({ only: ['close-day/status-200'] });
  expect(other.notes).toEqual([
    expect.stringMatching(/^The scope differs: .* close-day\/\*, .* close-day\/status-200\.$/),
  ]);
  writeFileSync(join(old, 'report.json'), jsonReport({ ...narrow, scope: { only: ['close-day/*'], smoke: true } }));
  const smoke = await judge(`${old}-smoke`, []);
  expect(smoke.scope).toEqual({ only: ['close-day/*'], smoke: true });
  expect(readFileSync(join(`${old}-smoke`, 'summary.md'), 'utf8')).toContain(
    'A smoke run, not a verdict on the whole contract: few cases of',
  );
});

const otherHar = (runId?: string) => foreignHar(runId === undefined ? {} : { _countersign: { runId } });

const written = (path: string, text: string) => file(here(path), text);

/** The folder of a run with these answers. */
function stored(name: string, bodies: readonly string[], more: Partial<Result> = {}): string {
  const cases = bodies.map((body, at) => answer(body, { special: `case ${at}` }));
  return storedRun(name, resultOf({ 'close-day/a': 'pass' }, { exchangeCount: cases.length, ...more }), cases);
}

const refusal = (code: string, more = '') =>
  `{"response":{"status":"error","errorCode":${code},"errorMessage":"no"}${more},"theRequestSerialNumber":"00-1"}`;

const runs = () => [stored('old', [refusal('"7"')]), stored('new', [refusal('"7"', ',"trace":{}')])] as const;

const reproduced = (options: string, name: string) =>
  storedRun(`clients/${name}`, resultOf({}, { subject, reproduce: `npx countersign client ${options}` }));

const folder = () => here('clients');

test('the comparison has a line for each client with its answers, in text, JSON and Markdown', async () => {
  const [old, fresh] = runs();
  reproduced("--only 'close-day/*' --seed 1 --defect close-day/further-members-refused", 'a-strict');
  reproduced('--seed 1 --defect close-day/text-html-not-read', 'b-plain');
  reproduced('--seed 1 --attach 4000', 'c-attached');
  written('clients/d-gone/client.yaml', 'name: gone\ncommand: [./no-such-adapter, a b]\nplainHttp: true\n');
  written('clients/e-empty/notes.txt', '');
  const { out, err, exitCode } = await run(['diff', old, fresh, '--clients', folder()]);
  expect(exitCode).toBe(1);
  expect(out).toMatch(/^breaks - compared .*\n {2}1 client of 5 that cannot read NEW: a-strict/);
  expect(out).toMatch(
    /\nWho breaks: 1 of 5 clients, 3 not verified everywhere\n {2}1 close-day: member \$\.trace is new \(allowed, 1 exchange\)\n/,
  );
  const unverified = ['c-attached', 'gone', 'e-empty'].map((name) => `${name} +unverified\\n`);
  expect(out).toMatch(new RegExp(`\nclient +1\na-strict +breaks\nb-plain +reads it\n${unverified.join('')}`));
  const text = out.replace(/\s+/g, ' ');
  expect(text).toContain(
    'a-strict: breaks, because it reads undecodable: another answer than expected instead of error "7": "no"',
  );
  expect(text).toContain('c-attached: unverified, ');
  expect(text).toContain('gone: unverified, The adapter "./no-such-adapter" could not be started');
  // The path may be broken at the end of a line.
  expect(text).toContain('has neither client.yaml nor report.json: write a client.yaml there, with name and');
  expect(err).toContain(`countersign: starting gone in ${join(folder(), 'd-gone')}: ./no-such-adapter 'a b'\n`);
  const json = JSON.parse((await run(['diff', old, fresh, '--clients', folder(), '--json'])).out) as Difference;
  expect(validate('diff', json)).toEqual([]);
  expect(json.impact!.clients[0]).toMatchObject({
    name: 'a-strict',
    readings: [{ is: 'breaks', exchange: 1, oldExchange: 1, answered: 'HTTP 200 with error 7 "no"' }],
  });
  const markdown = (await run(['diff', old, fresh, '--clients', folder(), '--markdown'])).out;
  expect(markdown).toContain('\n| client | 1 |\n| --- | ---: |\n| `a-strict` | breaks |\n| `b-plain` | reads it |\n');
});

test('client files, folders and runs that cannot answer are refused in one sentence, and nothing is started', async () => {
  const [old, fresh] = runs();
  const wrong: Readonly<Record<string, string>> = {
    'name: x\n': 'client\\.yaml:\\d: .*command',
    'name: x\ncommand: []\n': 'client\\.yaml:2: command .*a list',
    'name: x\ncommand: [node]\nmode: attach\n': 'client\\.yaml:3: mode is "attach"',
    'name: x\ncommand: [&a node, *a]\n': 'client\\.yaml:2: the file is not the client: an alias',
  };
  for (const [text, says] of Object.entries(wrong)) {
    written('clients/x/client.yaml', text);
    await refuses(['diff', old, fresh, '--clients', folder()], new RegExp(says), oneLine);
  }
  const without = storedRun('without', resultOf({ 'close-day/a': 'pass' }));
  written('clients/x/client.yaml', 'name: x\ncommand: [node]\n');
  storedRun('gateways/run', resultOf({}));
  written('broken/run/report.json', '{');
  written('none/notes.txt', '');
  const refused: readonly (readonly [fresh: string, clients: string, says: string])[] = [
    [fresh, 'nowhere', 'nowhere does not exist'],
    [fresh, 'clients/x/client.yaml', 'client\\.yaml cannot be read as a folder'],
    [fresh, 'none', 'none has no client'],
    [fresh, 'gateways', 'run is a run of a gateway, not of a client'],
    [fresh, 'broken', 'report\\.json is not JSON'],
    [without, 'clients', 'without has no exchanges\\.har'],
  ];
  for (const [path, clients, says] of refused)
    await refuses(['diff', old, path, '--clients', here(clients)], new RegExp(says), oneLine);
});

test('the command in a report is parsed word by word, or not used', async () => {
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
    expect(err).toBe(command === undefined ? '' : `countersign: starting one in ${process.cwd()}: ${command}\n`);
    const [reading] = (JSON.parse(out) as Difference).impact!.clients[0]!.readings;
    const reason = command === undefined ? /does not say how the client is started: write a client\.yaml/ : /./;
    expect(reading).toEqual({ is: 'unverified', reason: expect.stringMatching(reason) });
  }
});

test('a client whose adapter dies at an answer of NEW breaks there, and still gets the other answers @all', async () => {
  // An adapter that has died is started again after a pause, eight times.
  const plain = [refusal('"7"'), refusal('"8"'), refusal('"9"'), refusal('"10"')];
  const old = stored('old', [...plain, refusal('"99"')]);
  const fresh = stored('new', [...plain.map((one) => one.replace('"status"', '"trace":{},"status"')), refusal('"99"')]);
  written('clients/a/adapter.mjs', dyingAdapter);
  written('clients/a/client.yaml', 'name: dying\ncommand: [node, adapter.mjs]\nplainHttp: true\n');
  const { out } = await run(['diff', old, fresh, '--clients', folder(), '--json']);
  const broken = { is: 'breaks', expected: 'an error', read: expect.stringContaining('exited with code 9') };
  const { readings } = (JSON.parse(out) as Difference).impact!.clients[0]!;
  expect(readings).toEqual([expect.objectContaining(broken), { is: 'reads it' }]);
});

test('wrong flags are reported before a run or a client is read', async () => {
  const flags = ['--clients', 'no-clients', '--target', 'mock', '--allow', 'closes-day=1'];
  await refuses(['diff', 'no-old', 'no-new', ...flags], '--allow needs a live target: ', oneLine);
});

/** An adapter that reads error answers, and ends at an answer with a trace. */
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
