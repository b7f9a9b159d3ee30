/** countersign.config.yaml: correct files are used, and wrong values are refused with their line. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of a configuration
import { realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { loadConfig, readConfig } from '../../../src/app/config/config-file.ts';
import { parseConfigText } from '../../../src/app/config/yaml-file.ts';
import { UsageError } from '../../../src/run/options/usage-error.ts';
import { reopenCredentials } from '../../../src/run/target/live-config.ts';
import { expect, test } from '../../engine.ts';
import { privatePemOf, shopKeys } from '../../keys/index.ts';
import { folderAt, here } from './run-command.ts';
import { file } from './signed-call.ts';

const secret = 'canary-of-this-test-0123456789';
const keyPem = privatePemOf(shopKeys);

const full = `environment: integration
target: https://Gateway.example/paynet/
endpoint-id: "0111"
credentials: { consumer-key: shop, consumer-secret-file: secret.txt, private-key-file: keys/key.pem }
recurring: [{ id: "1234567890", amount: "1.00" }]
allow: { closes-day: 1, starts-payments: { count: 5, total: "5.00" } }
unknown-endpoint-id: "999999999"
states: { closing: "1112", locked: "1113" }
totals: { sale_approved_count: "0", sale_approved_sum: "0.00", reversal_approved_count: "1", reversal_approved_sum: "2.50" }
gates: 3
profile: rfc5849
rate: 5
`;

/** Writes the files of a test into its own folder. */
function folderWith(yaml: string): string {
  file(here('secret.txt'), `${secret}\n`);
  file(here('keys/key.pem'), keyPem);
  return file(here('countersign.config.yaml'), yaml);
}

async function faultsOf(yaml: string, env: Record<string, string> = {}): Promise<string[]> {
  const read = await readConfig(folderWith(yaml), env);
  return 'faults' in read ? read.faults.map(({ line, sentence }) => `${line}: ${sentence}`) : [];
}

test('paths are relative to the folder of the file itself, also if a link leads to it', async () => {
  const path = realpathSync(folderWith(`${full}ledger: ledgers\n`));
  const link = join(folderAt('links'), 'other.yaml');
  symlinkSync(path, link);
  expect(await loadConfig(link, {})).toMatchObject({ path, ledger: join(dirname(path), 'ledgers') });
});

test('a complete configuration is read, with the files that it names', async () => {
  const path = folderWith(full);
  const remarks: string[] = [];
  const config = await loadConfig(path, {}, (sentence) => remarks.push(sentence));
  expect(config).toMatchObject({
    path: realpathSync(path),
    environment: 'integration',
    target: 'https://gateway.example/paynet',
    endpointId: '0111',
    allow: { 'closes-day': 1, 'starts-payments': { count: 5, total: '5.00' } },
    states: { closing: '1112', locked: '1113' },
    totals: { sale_approved_count: '0', reversal_approved_sum: '2.50' },
    gates: 3,
    profile: 'rfc5849',
    rate: 5,
    deadlineMs: 10_000,
  });
  const opened = await reopenCredentials(config.credentials!, {});
  expect(opened.consumerSecret).toBe(secret);
  expect(opened.privateKey.equals(shopKeys.privateKey)).toBe(true);
  expect(remarks.join()).toContain('he line end at the end of the file');
});

test('an effect that the configuration does not name is not allowed', async () => {
  const config = await loadConfig(folderWith('environment: integration\nallow: { closes-day: 2 }\n'), {});
  expect(config.allow).toEqual({ 'closes-day': 2, 'starts-payments': { count: 0, total: '0.00' } });
});

test('a printed or stored configuration has no secret, and its credentials can be opened again', async () => {
  const config = await loadConfig(folderWith(full), {});
  const stored = JSON.stringify(config);
  const printed = [stored, inspect(config, { depth: 9, showHidden: true }), String(config)];
  for (const hidden of [secret, keyPem.split('\n')[1]]) expect(printed.join()).not.toContain(hidden);
  const reopened = await reopenCredentials(JSON.parse(stored).credentials, {});
  expect(reopened.consumerSecret).toBe(secret);
});

test('a secret that changed after the start is an error that names its file', async () => {
  const config = await loadConfig(folderWith(full), {});
  file(here('secret.txt'), 'short');
  await expect(reopenCredentials(config.credentials!, {})).rejects.toThrow(/secret\.txt changed after/);
});

test('keys in their former spelling are read, with a remark that names them, and lines stay right', async () => {
  const remarks: string[] = [];
  const former = 'endpointId: "1"\nrecurring: [{ id: "2", amount: "1.00", savedAmount: "1.00" }]\ndeadlineMs: 500\n';
  const read = await readConfig(folderWith(former), {}, (remark) => remarks.push(remark));
  expect(read).toMatchObject({ config: { endpointId: '1', recurring: [{ savedAmount: '1.00' }], deadlineMs: 500 } });
  const words = 'Write endpoint-id for endpointId, saved-amount for savedAmount, deadline-ms for deadlineMs.';
  expect(remarks).toEqual([expect.stringContaining(`\n${words}`)]);
  const both = await readConfig(folderWith('endpoint-id: "1"\nendpointId: "1"\n'), {});
  expect(both).toMatchObject({ faults: [{ line: 2, sentence: expect.stringContaining('occurs twice') }] });
});

test('secret and key are taken from environment variables', async () => {
  const yaml = 'credentials: { consumer-key: "${WHO}", consumer-secret: "${SECRET}", private-key: "${KEY}" }\n';
  const env = { WHO: 'shop', SECRET: secret, KEY: keyPem };
  const config = await loadConfig(folderWith(yaml), env);
  expect(config.credentials).toMatchObject({ consumerKey: 'shop', consumerSecret: { variable: 'SECRET' } });
  expect(await reopenCredentials(config.credentials!, env)).toMatchObject({ consumerSecret: secret });
});

const rest = '\n  private-key-file: k';
const profile = '{ id: "1", amount: "1.00" }';
const onThisMachine = 'http://127.0.0.1:1';
const keys = 'credentials:\n  consumer-key: shop\n';

/** A file, and a part of each fault in the order of the file. */
const wrong: readonly (readonly [name: string, yaml: string, ...faults: string[]])[] = [
  ['an unknown key', 'target: mock\nenviroment: a', '2: enviroment is not a known key; perhaps "environment" is meant'],
  ['a number of zeros', 'endpoint-id: 0111', '1: endpoint-id is 0111 (number); it must be text (in quotes): "0111"'],
  ['an amount without quotes', 'recurring:\n  - id: "1"\n    amount: 1.00', '3: recurring[0].amount is 1.00 (number)'],
  ['a key twice', 'target: mock\ntarget: mock', '2: the same key occurs twice; remove one of them'],
  ['a profile twice', `recurring:\n  - ${profile}\n  - ${profile}`, '3: recurring[1].id is the same as'],
  ['one endpoint twice', 'endpoint-id: "1"\nunknownEndpointId: "1"', '2: unknown-endpoint-id and endpoint-id may'],
  ['an endpoint of two states', 'states:\n  closing: "1"\n  locked: "1"', '3: states.locked and states.closing may'],
  [
    'no profile',
    'environment: integration\nallow: { starts-payments: { count: 1, total: "1.00" } }',
    '2: allow.starts-payments needs a recurring payment',
  ],
  ['an unknown profile name', 'profile: rfc5489', '1: profile: there is no profile rfc5489'],
  ['a base URL ends at /api/', 'target: https://gateway.example/paynet/api/v2', '1: target: the value includes /api/'],
  [
    'control elsewhere',
    `target: https://g.example\ncontrolUrl: ${onThisMachine}\nendpointId: "1"`,
    '2: control-url needs a mock on this',
  ],
  ['a password in target', 'target: "user:pa55word@gateway.example"', '1: target is "…@gateway.example"'],
  [
    'a password in control-url',
    'control-url: http://u:pa55word@127.0.0.1:1\nendpointId: "1"',
    '1: control-url: it has more than scheme',
  ],
  ['a secret twice', `${keys}  consumer-secret-file: a\n  consumer-secret: "\${A}"${rest}`, '4: credentials has both'],
  ['no secret, no key', 'credentials: { consumer-key: shop }', 'neither consumer-secret-file', 'neither private-key-f'],
  ['an empty file', '# nothing\n', '1: the file has no keys with values, so it is not a configuration'],
  ['a secret as the file', 'a-secret\n', '1: the file has no keys with values, so it is not a configuration'],
  ['credentials as text', 'credentials: a-secret\n', '1: credentials is text that is not shown; it must be an object'],
  ['a tab', 'allow:\n\tcloses-day: 1', '2: a line is indented with a tab; use spaces'],
  ['an open bracket', 'a: [', '1: the indentation is wrong, or a [ or { is not closed; indent all keys of a map'],
  ['all faults', 'rate: 0\nendpointId: a/b\ndeadlineMs: 1', '1: rate is 0 (number); it must', '2: e', '3: d'],
  ['a second document', 'target: mock\n---\nallow: {}\n', ': a second document starts here'],
  ['an immense count', 'environment: integration\ngates: 1e30', '2: gates is 1e30 (number); it must be 1000000'],
  ['a key that acts', `${keys.replace('shop', '"a\\nb"')}  consumer-secret-file: a${rest}`, 'one line without control'],
  ['an id that acts', 'recurring: [{ id: "1\\e[2J", amount: "1.00" }]', 'it must be one line without control'],
  // A path has only ASCII characters: servers refuse others, and some end a request before it is sent.
  ...['1%0a', '..', '.', '1\\u202e', '1\\\\2', '1\\u0000', '１１１１', 'é', '1 1', '1/1'].map(
    (id) =>
      [`the endpoint ${id}`, `endpoint-id: "${id}"`, 'it must be one part of a path: letters from A to Z'] as const,
  ),
  ['no requirement', 'target: https://gateway.example\nrequire: ["close-dy/*"]', '2: require: there is no req'],
  ['without an endpoint', 'control-url: http://127.0.0.1:1\ngates: 2', '1: control-url needs', '2: gates needs'],
  ['an authority over http', 'target: http://gateway.example\nca: ca.pem', '2: ca needs https:, but target'],
  ['a long id', `endpoint-id: "${'1'.repeat(257)}"`, '; it must be at most 256 characters long'],
  ...['http:///paynet', "'http:\\\\a/paynet'"].map((url) => [`no host: ${url}`, `target: ${url}`, ' URL'] as const),
  ...['v2/x', '..', 'v 2', '%76', `v${'2'.repeat(32)}`].map(
    (one) =>
      [`the version ${one}`, `versions: { close-day: "${one}" }`, 'it must be one part of a path, such as v2'] as const,
  ),
  ...['..', 'a..b', '-a', 'a!b', 'a:0', '0.0.0.0', `${'a'.repeat(64)}.example`].map(
    (host) =>
      [`the host ${host.slice(0, 10)}`, `target: http://${host}/paynet`, 'has an impossible host or port'] as const,
  ),
  ['a second colon', 'totals: see ticket: 12', 'a line has a second colon; a text with a colon must'],
  ['an @', 'target: @mock', 'a text that starts with @, a backtick or % must be in quotes'],
  ['no colon in a line', 'target: "mock" # or\nallow\nrate: 1', 'a key has several lines; a colon is missing'],
  ['a % at the start', '%target mock\n---\nrate: 1', 'a text that starts with % must be in quotes'],
  ['a text behind a text', 'target: "mock" or', 'something follows a complete value'],
  ['5000 brackets', `recurring: ${'['.repeat(5000)}`, 'more than 100 lists or maps are nested'],
];
for (const [name, yaml, ...faults] of wrong) {
  test(`a configuration is refused in words: ${name}`, async () => {
    const actual = await faultsOf(yaml, { A: 'a' });
    expect(actual).toEqual(faults.map((fault) => expect.stringContaining(fault)));
    expect(actual.join()).not.toContain('pa55word');
  });
}

const hidden = 'hunter2-hunter2-hunter2';
const leaks: [name: string, yaml: string, sentence: RegExp][] = [
  ['in plain sight', `${keys}  consumer-secret: ${hidden}${rest}`, /^3: credentials\.consumer-secret is a secret/],
  ['at a variable', `${keys}  consumer-secret: ${hidden}\${A}${rest}`, /^3: credentials\.consumer-secret is a secret/],
  ['behind an alias', `credentials:\n  consumer-key: &k ${hidden}\n  consumer-secret: *k${rest}`, /^3: an alias/],
  ['under a key of all objects', `__proto__: ${hidden}`, /^1: __proto__ is not a known key/],
  ['that looks like an alias', `credentials:\n  consumer-secret: *${hidden}`, /^2: an alias/],
  ['that breaks the syntax', `credentials:\n  consumer-secret: "${hidden}\n`, /^\d: a quote or a bracket/],
  ['from a variable that does not fit', 'endpoint-id: ${A}', /^1: endpoint-id, which comes from A, is wrong: /],
];
for (const [name, yaml, sentence] of leaks) {
  test(`a secret ${name} is refused and not shown`, async () => {
    const faults = await faultsOf(yaml, { A: `${hidden}/x` });
    expect(faults[0]).toMatch(sentence);
    expect(faults.join()).not.toContain(hidden);
  });
}

const unclosed = 'endpoint-id has a ${ without the name of an environment variable or without a closing bracket';
for (const [text, sentence, hint] of [
  ['${GATEWAY}', 'endpoint-id uses the environment variable GATEWAY, which is not set', 'Did you mean GATEWAYS?'],
  ['${ELSEWHERE_ID}', 'endpoint-id uses the environment variable ELSEWHERE_ID, which is not set', 'Set ELSEWHERE_ID.'],
  ['${EMPTY}', 'endpoint-id uses the environment variable EMPTY, which is empty', 'Set EMPTY.'],
  ['${GATEWAYS', unclosed, 'Write it like ${GATEWAY_URL}.'],
  ['${}', unclosed, 'Write it like ${GATEWAY_URL}.'],
] as const) {
  test(`the value ${text} is refused with a hint`, async () => {
    const read = await readConfig(folderWith(`endpoint-id: "${text}"`), { GATEWAYS: '1', EMPTY: '' });
    expect(read).toEqual({ faults: [{ line: 1, sentence, hint }] });
  });
}

test('a missing file is reported with the command that writes one', async () => {
  const path = here('none', 'x.yaml');
  const hint = 'Check --config. `countersign init` writes one to start from.';
  const refusal = { message: `the configuration ${path} does not exist`, hint };
  await expect(loadConfig(path, {})).rejects.toMatchObject(refusal);
});

test('a secret that is empty, and a key file that is missing, are refused before anything is sent', async () => {
  const path = folderWith(full);
  const keyFile = here('keys/none.pem');
  file(path, full.replace('keys/key.pem', 'keys/none.pem'));
  const refused = { name: 'UsageError', message: expect.stringContaining(`the file ${keyFile} does not exist`) };
  await expect(loadConfig(path, {})).rejects.toMatchObject(refused);
  file(here('secret.txt'), '\n');
  await expect(loadConfig(path, {})).rejects.toMatchObject({ message: expect.stringContaining('is empty') });
});

test('each fault is a sentence of its own in the message', async () => {
  const yaml = `endpoint-id: $${'{GATEWAY}'}\ntarget: $${'{NOWHERE}'}\nrat: 1\n`;
  const path = folderWith(yaml);
  await expect(loadConfig(path, { GATEWAYS: '1' })).rejects.toMatchObject({
    message:
      `${path}:1: endpoint-id uses the environment variable GATEWAY, which is not set. Did you mean GATEWAYS? ` +
      `${path}:2: target uses the environment variable NOWHERE, which is not set. Set NOWHERE. ` +
      `${path}:3: rat is not a known key; perhaps "rate" is meant`,
  });
});

const lines = full.trimEnd().split('\n');

const values = [
  ...['null', '.nan', '1e400', '1152921504606846976', '-1', 'true', '2026-01-01', '[]', '{}', '[[1]]', '{a: {a: 1}}'],
  ...['"\\0"', '"\\ud800"', '"a\\nb"', '"\\x1b[31m"', `"${'x'.repeat(3000)}"`, '"\uff11"', `"$${'{NONE}'}"`],
  ...['*x', '&x [*x]', '!!binary aGk=', 'http://..', '/dev/zero', '[', '{', '"'],
  ...['? a', '<<: {a: 1}', '{__proto__: 1}', '1\n---\ntarget: mock'],
];

/** What is wrong with the faults that are reported for this file, or undefined. */
async function faultOf(text: string): Promise<string | undefined> {
  try {
    const read = await readConfig(file(here('countersign.config.yaml'), text), { SECRET: 'a secret of the test' });
    const faults = 'faults' in read ? read.faults : [];
    const unclear = faults.find(
      ({ line, sentence }) =>
        !(line >= 1) || /undefined|\[object|[\0-\x1f\x7f\ud800-\udfff]/.test(sentence) || sentence.length > 1000,
    );
    return unclear && `${unclear.line}: ${unclear.sentence}`;
  } catch (cause) {
    return cause instanceof UsageError ? undefined : String(cause);
  }
}

async function wrongValues(step: number): Promise<string[]> {
  const wrong: string[] = [];
  for (const [at, line] of lines.entries()) {
    // Replace each value of the line in turn.
    for (const { index, 0: before } of line.matchAll(/[\w-]+: /g)) {
      for (const [number, value] of values.entries()) {
        if ((at + index + number) % step !== 0) continue;
        const rest = line.slice(index + before.length).replace(/^(?:"[^"]*"|[\w.:/]+|\[.*\]|\{.*\}$)/, () => value);
        const text = [...lines.slice(0, at), line.slice(0, index + before.length) + rest, ...lines.slice(at + 1)];
        const found = await faultOf(text.join('\n'));
        if (found !== undefined) wrong.push(`${text[at]}: ${found}`);
      }
    }
  }
  return wrong;
}

test('any wrong value gives a sentence', async () => {
  expect(await faultOf(lines.join('\n'))).toBeUndefined();
  expect(await wrongValues(7)).toEqual([]);
});

test('every wrong value in every place gives a sentence', { tag: '@all' }, async () => {
  expect(await wrongValues(1)).toEqual([]);
});

test('a file may nest 100 lists or maps in any notation', () => {
  const fault = (line: number) => ({ faults: [{ line, sentence: 'more than 100 lists or maps are nested' }] });
  const deep = (opening: string) => parseConfigText(opening.repeat(100_000));
  for (const of of ['[', '{a: ', '- ', '? ', ': ', 'a: ', '[? ', '[a: ']) expect(deep(of), of).toEqual(fault(1));
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `${' '.repeat(at)}a:`).join('\n');
  expect(parseConfigText(lines(3000))).toEqual(fault(100));
  for (const text of [lines(98), `${'['.repeat(98)}${']'.repeat(98)}`])
    expect('faults' in parseConfigText(text)).toBe(false);
});
