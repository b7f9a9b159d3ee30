/** countersign.config.yaml as a person writes it: places, variables, secrets, and what is refused. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text of a configuration is meant
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { loadConfig, readConfig } from '../../../src/app/config/config-file.ts';
import { reopenCredentials } from '../../../src/run/target/credentials.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';
import { file } from './signed-call.ts';

const secret = 'canary-of-this-test-0123456789';
const { privateKey } = shopKeys;
const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const full = `environment: integration
target: https://Gateway.example/paynet/
endpointId: "0111"
credentials: { consumerKey: shop, consumerSecretFile: secret.txt, privateKeyFile: keys/key.pem }
recurring: [{ id: "1234567890", amount: "1.00" }]
allow: { closes-day: 1, starts-payments: { count: 5, total: "5.00" } }
unknownEndpointId: "999999999"
states: { closing: "1112", locked: "1113" }
totals: { sale_approved_count: "0", sale_approved_sum: "0.00", reversal_approved_count: "1", reversal_approved_sum: "2.50" }
gates: 3
profile: rfc5849
rate: 5
`;

/** Writes the files of a test into its own folder. */
function folderWith(yaml: string): string {
  file(test.info().outputPath('secret.txt'), `${secret}\n`);
  file(test.info().outputPath('keys/key.pem'), keyPem);
  return file(test.info().outputPath('countersign.config.yaml'), yaml);
}

async function faultsOf(yaml: string, env: Record<string, string> = {}): Promise<string[]> {
  const read = await readConfig(folderWith(yaml), env);
  return 'faults' in read ? read.faults.map(({ line, sentence }) => `${line}: ${sentence}`) : [];
}

test('paths count from the folder of the file itself, by whatever link it is found', async () => {
  const path = realpathSync(folderWith(`${full}ledger: ledgers\n`));
  mkdirSync(test.info().outputPath('links'));
  const link = test.info().outputPath('links', 'other.yaml');
  symlinkSync(path, link);
  expect(await loadConfig(link, {})).toMatchObject({ path, ledger: join(dirname(path), 'ledgers') });
});

test('a whole file is read, with the files that it names beside it', async () => {
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
  expect(config.credentials?.consumerSecret).toBe(secret);
  expect(config.credentials?.privateKey.equals(privateKey)).toBe(true);
  expect(remarks.join()).toContain('The line end at the end of the file');
});

test('what is not named is not allowed', async () => {
  const config = await loadConfig(folderWith('environment: integration\nallow: { closes-day: 2 }\n'), {});
  expect(config.allow).toEqual({ 'closes-day': 2, 'starts-payments': { count: 0, total: '0.00' } });
});

test('a configuration that is printed or stored has no secret in it, and its credentials open again from what is stored', async () => {
  const config = await loadConfig(folderWith(full), {});
  const stored = JSON.stringify(config);
  const printed = [
    stored,
    inspect(config, { depth: 9, showHidden: true }),
    String(config),
    JSON.stringify({ ...config }),
  ];
  for (const text of printed) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(keyPem.split('\n')[1]);
  }
  const again = await reopenCredentials(JSON.parse(stored).credentials, {});
  expect(again.consumerSecret).toBe(secret);
  expect(again.publicKeyPem).toBe(config.credentials?.publicKeyPem);
});

test('a secret that changed after the start is an error that names its file', async () => {
  const config = await loadConfig(folderWith(full), {});
  file(test.info().outputPath('secret.txt'), 'short');
  await expect(reopenCredentials(config.credentials!.sources, {})).rejects.toThrow(/secret\.txt changed after/);
});

test('secret and key are taken from environment variables', async () => {
  const yaml = 'credentials: { consumerKey: "${WHO}", consumerSecret: "${SECRET}", privateKey: "${KEY}" }\n';
  const env = { WHO: 'shop', SECRET: secret, KEY: keyPem };
  const config = await loadConfig(folderWith(yaml), env);
  expect(config.credentials).toMatchObject({ consumerKey: 'shop', consumerSecret: secret });
  expect(JSON.parse(JSON.stringify(config)).credentials.consumerSecret).toEqual({ variable: 'SECRET' });
});

const wrong: [name: string, yaml: string, faults: string[]][] = [
  [
    'an unknown key has its line and what was meant',
    'target: mock\nenviroment: integration',
    ['2: enviroment is not a known key; perhaps "environment" is meant'],
  ],
  [
    'a misspelt effect is found where it stands',
    'environment: integration\nallow:\n  close-day: 1\n',
    ['3: allow.close-day is not a known key; perhaps "closes-day" is meant'],
  ],
  [
    'a number keeps the zeros that it was written with',
    'endpointId: 0111',
    ['1: endpointId is 0111 (number); it must be text (in quotes): "0111"'],
  ],
  [
    'an amount without quotes keeps its decimals',
    'recurring:\n  - id: "1"\n    amount: 1.00',
    ['3: recurring[0].amount is 1.00 (number); it must be text (in quotes): "1.00"'],
  ],
  [
    'an amount has two decimals',
    'recurring: [{ id: "1", amount: "1.5" }]',
    ['1: recurring[0].amount is "1.5" (text); it must be an amount with two decimals, such as "1.00"'],
  ],
  ['a key stands once', 'target: mock\ntarget: mock', ['2: the same key appears a second time; leave one of them out']],
  [
    'a profile may be listed once',
    'recurring:\n  - { id: "1", amount: "1.00" }\n  - { id: "1", amount: "2.00" }',
    ['3: recurring[1].id is the same as recurring[0].id'],
  ],
  [
    'the unknown endpoint cannot be the one that is used',
    'endpointId: "1111"\nunknownEndpointId: "1111"',
    ['2: unknownEndpointId is the same endpoint as endpointId'],
  ],
  [
    'an endpoint has one state',
    'states:\n  closing: "1"\n  locked: "1"',
    ['3: states.locked is the same endpoint as states.closing'],
  ],
  [
    'payments without profiles are refused',
    'environment: integration\nallow: { starts-payments: { count: 1, total: "1.00" } }',
    ['2: allow.starts-payments is given, and recurring names no profile that may be charged'],
  ],
  ['a profile name is one of those that there are', 'profile: rfc5489', ['1: profile: there is no profile rfc5489']],
  [
    'a base URL ends before /api/',
    'target: https://gateway.example/paynet/api/v2',
    ['1: target: the value includes /api/'],
  ],
  [
    'the control interface is one of this machine',
    'target: https://gateway.example\ncontrolUrl: http://127.0.0.1:1\nendpointId: "1"',
    ['2: controlUrl is for a mock on this machine, and controlUrl or target leads elsewhere'],
  ],
  [
    'no URL has a password, and none is repeated',
    'target: "user:pa55word@gateway.example"\ncontrolUrl: http://user:pa55word@127.0.0.1:1',
    [
      '1: target is "…@gateway.example" (text); it must be mock, or a base URL such as https://gateway.example/paynet without query or blanks',
    ],
  ],
  ['nor has that of it', 'controlUrl: http://u:pa55word@127.0.0.1:1\nendpointId: "1"', ['1: controlUrl has an @']],
  [
    'a secret is named once',
    'credentials:\n  consumerKey: shop\n  consumerSecretFile: a\n  consumerSecret: "${A}"\n  privateKeyFile: b',
    ['4: credentials has both consumerSecret and consumerSecretFile'],
  ],
  [
    'secret and key have to be named',
    'credentials: { consumerKey: shop }',
    [
      '1: credentials has neither consumerSecretFile nor consumerSecret',
      '1: credentials has neither privateKeyFile nor privateKey',
    ],
  ],
  ['an empty file is no configuration', '# nothing\n', ['1: the file is empty']],
  ['a secret is not quoted', 'a-secret\n', ['1: the file holds no keys with values, so it is not a configuration']],
  ['nor as credentials', 'credentials: a-secret\n', ['1: credentials is text that is not shown; it must be an object']],
  ['a tab is told', 'allow:\n\tcloses-day: 1', ['2: a line is indented with a tab; YAML takes spaces only']],
  ['an open bracket', 'a: [', ['1: wrong indentation, or a [ or { is not closed; keys of a map share one column']],
  [
    'all faults are told, in the order of the file',
    'rate: 0\nendpointId: a/b\ndeadlineMs: 1',
    [
      '1: rate is 0 (number); it must be 0.1 or more',
      `2: endpointId is "a/b" (text); it must be one part of a path: letters from A to Z, digits, and any of -._~!$&'()*+,;=:@`,
      '3: deadlineMs is 1 (number); it must be 100 or more',
    ],
  ],
];
for (const [name, yaml, faults] of wrong) {
  test(name, async () => {
    expect(await faultsOf(yaml, { A: 'a' })).toEqual(faults);
  });
}

const hidden = 'hunter2-hunter2-hunter2';
const leaks: [name: string, yaml: string, sentence: RegExp][] = [
  [
    'a secret in plain sight',
    `credentials:\n  consumerKey: shop\n  consumerSecret: ${hidden}\n  privateKeyFile: k`,
    /^3: credentials\.consumerSecret holds a secret in plain sight$/,
  ],
  [
    'a secret with a variable in it',
    `credentials:\n  consumerKey: shop\n  consumerSecret: ${hidden}\${A}\n  privateKeyFile: k`,
    /^3: credentials\.consumerSecret holds a secret in plain sight$/,
  ],
  [
    'a secret behind an alias',
    `credentials:\n  consumerKey: &k ${hidden}\n  consumerSecret: *k\n  privateKeyFile: k`,
    /^3: an alias/,
  ],
  ['a secret under a key of all objects', `__proto__: ${hidden}`, /^1: __proto__ is not a known key/],
  ['a secret that looks like an alias', `credentials:\n  consumerSecret: *${hidden}`, /^2: an alias/],
  ['a secret that breaks the syntax', `credentials:\n  consumerSecret: "${hidden}\n`, /^\d: a quote or a bracket/],
  ['a value from a variable that does not fit', 'endpointId: ${A}', /^1: endpointId, taken from A, does not fit: /],
];
for (const [name, yaml, sentence] of leaks) {
  test(`${name} is refused and not shown`, async () => {
    const faults = await faultsOf(yaml, { A: `${hidden}/x` });
    expect(faults[0]).toMatch(sentence);
    expect(faults.join()).not.toContain(hidden);
  });
}

const variables: [text: string, sentence: string, hint: string][] = [
  ['${GATEWAY}', 'endpointId names the environment variable GATEWAY, which is not set', 'Did you mean GATEWAYS?'],
  ['${ELSEWHERE_ID}', 'endpointId names the environment variable ELSEWHERE_ID, which is not set', 'Set ELSEWHERE_ID.'],
  ['${EMPTY}', 'endpointId names the environment variable EMPTY, which is empty', 'Give EMPTY a value.'],
  [
    '${GATEWAYS',
    'endpointId has a ${ without the name of an environment variable and a closing bracket',
    'Write it as in ${GATEWAY_URL}.',
  ],
  [
    '${}',
    'endpointId has a ${ without the name of an environment variable and a closing bracket',
    'Write it as in ${GATEWAY_URL}.',
  ],
];
for (const [text, sentence, hint] of variables) {
  test(`the value ${text} is refused with a hint`, async () => {
    const read = await readConfig(folderWith(`endpointId: "${text}"`), { GATEWAYS: '1', EMPTY: '' });
    expect(read).toEqual({ faults: [{ line: 1, sentence, hint }] });
  });
}

test('the error of a wrong file names file, line, key and what was meant', async () => {
  const path = folderWith('target: mock\nenviroment: integration\n');
  await expect(loadConfig(path, {})).rejects.toMatchObject({
    name: 'UsageError',
    message: `${path}:2: enviroment is not a known key; perhaps "environment" is meant`,
  });
});

test('a file that is not there is reported with the way to make one', async () => {
  const path = join(test.info().outputPath('none'), 'x.yaml');
  await expect(loadConfig(path, {})).rejects.toMatchObject({
    message: `the configuration ${path} does not exist`,
    hint: 'Check --config; countersign init writes one to start from.',
  });
});

for (const [name, content, message] of [
  ['a short secret', 'too-short', /holds a secret of fewer than 16 characters/],
  ['an empty secret', '\n', /is empty/],
] as const) {
  test(`${name} is refused before anything is sent`, async () => {
    const path = folderWith(full);
    file(test.info().outputPath('secret.txt'), content);
    const error = await loadConfig(path, {}).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'UsageError' });
    expect(error.message).toMatch(message);
  });
}

test('a key file that is not there is reported by its path', async () => {
  const path = folderWith(full.replace('keys/key.pem', 'keys/none.pem'));
  await expect(loadConfig(path, {})).rejects.toMatchObject({
    message: `the file ${test.info().outputPath('keys/none.pem')} does not exist`,
  });
});
