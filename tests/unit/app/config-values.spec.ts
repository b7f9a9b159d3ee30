/** Values of a configuration that make no sense: a second document, impossible counts, names, endpoints and hosts. */

import { loadConfig, readConfig } from '../../../src/app/config/config-file.ts';
import { readYamlFile } from '../../../src/app/config/yaml-file.ts';
import { expect, test } from '../../engine.ts';
import { file } from './signed-call.ts';

type Wrong = readonly [name: string, yaml: string, faults: readonly unknown[]];

const wrong: readonly Wrong[] = [
  [
    'a second document is not left out without a word',
    'target: mock\n---\nallow: {}\n',
    [expect.stringMatching(/^\d: a second document starts here/)],
  ],
  [
    'a count is one that can be meant',
    'environment: integration\nallow: { closes-day: 1152921504606846976 }\ngates: 1e30',
    [
      '2: allow.closes-day is 1152921504606846976 (number); it must be 1000000 or less',
      '3: gates is 1e30 (number); it must be 1000000 or less',
    ],
  ],
  [
    'a number beyond those of JavaScript keeps its last digit',
    'endpointId: 9007199254740993\nrate: 9007199254740993',
    [
      '1: endpointId is 9007199254740993 (number); it must be text (in quotes): "9007199254740993"',
      '2: rate is 9007199254740993 (number); it must be 100 or less',
    ],
  ],
  [
    'what YAML takes for a number and nobody can count to is called so',
    'rate: .nan\ngates: -.inf\ndeadlineMs: 1e400',
    [
      '1: rate is .nan (not a number); it must be a number',
      '2: gates is -.inf (infinite); it must be a whole number',
      '3: deadlineMs is 1e400 (infinite); it must be a whole number',
    ],
  ],
  [
    'names hold nothing that acts',
    'credentials: { consumerKey: "a\\nb", consumerSecretFile: a, privateKeyFile: b }\nrecurring: [{ id: "1\\e[2J", amount: "1.00" }]',
    [
      expect.stringMatching(/^1: credentials\.consumerKey is .*; it must be one line without control characters$/),
      expect.stringMatching(/^2: recurring\[0\]\.id is .*; it must be one line without control characters$/),
    ],
  ],
  // A path is of ASCII characters: others would be refused by a server, or end a request before it is sent.
  ...['1%0a', '..', '.', '1\\u202e', '1\\\\2', '1\\u0000', '１１１１', 'é', '1 1', '1/1'].map(
    (id): Wrong => [
      `the endpoint ${id} is none`,
      `endpointId: "${id}"`,
      [expect.stringMatching(/^1: endpointId is .*; it must be one part of a path: letters from A to Z, digits/)],
    ],
  ),
  [
    'what is required to arise is a requirement of a gateway',
    'target: https://gateway.example\nrequire: ["close-dy/*"]',
    ['2: require: there is no requirement close-dy/*'],
  ],
  [
    'what is about an endpoint needs one',
    'controlUrl: http://127.0.0.1:1\ngates: 2',
    [
      '1: controlUrl is about an endpoint, and no endpointId is named',
      '2: gates is about an endpoint, and no endpointId is named',
    ],
  ],
  [
    'an authority needs a target that shows a certificate',
    'target: http://gateway.example\nca: ca.pem',
    ['2: ca is given, and target is reached over http:, where no certificate is shown'],
  ],
  [
    'names have a length that can be meant',
    `endpointId: "${'1'.repeat(257)}"\ntarget: http://a/${'p'.repeat(2048)}\nstates: { locked: ${'l'.repeat(257)} }`,
    [
      expect.stringMatching(/^1: endpointId is .*; it must be at most 256 characters long$/),
      expect.stringMatching(/^2: target is .*; it must be at most 2048 characters long$/),
      expect.stringMatching(/^3: states\.locked is .*; it must be at most 256 characters long$/),
    ],
  ],
  ...['http:///paynet', "'http:\\\\a/paynet'"].map(
    (target): Wrong => [`${target} has no host`, `target: ${target}`, [expect.stringMatching(/^1: target.* base URL/)]],
  ),
  ...['v2/x', '..', 'v 2', '%76', `v${'2'.repeat(32)}`].map(
    (version): Wrong => [
      `the version ${version} is no part of a path`,
      `versions: { close-day: "${version}" }`,
      [expect.stringMatching(/^1: versions\.close-day is .*; it must be one part of a path, such as v2/)],
    ],
  ),
  ...['..', 'a..b', '-a', 'a!b', 'a:0', '0.0.0.0', `${'a'.repeat(64)}.example`].map(
    (host): Wrong => [
      `the host ${host.slice(0, 10)} cannot be`,
      `target: http://${host}/paynet`,
      ['1: target: the value names an impossible host or port'],
    ],
  ),
];
for (const [name, yaml, faults] of wrong) {
  test(name, async () => {
    const read = await readConfig(file(test.info().outputPath('countersign.config.yaml'), yaml), {});
    expect('faults' in read && read.faults.map(({ line, sentence }) => `${line}: ${sentence}`)).toEqual(faults);
  });
}

for (const [yaml, sentence] of [
  ['totals: see ticket: 12', 'a second colon stands in one line; a text with a colon has to be in quotes'],
  ['target: @mock', 'a text that starts with @, a backtick or % has to be in quotes'],
  ['target: "mock" # or\nallow\nrate: 1', 'a key goes over several lines; a colon is missing, or one too many'],
  ['%target mock\n---\nrate: 1', 'a line that starts with % is no directive of YAML'],
  ['target: "mock" or', 'something stands where nothing can follow'],
  [`recurring: ${'['.repeat(5000)}`, 'more than 100 lists or maps stand in one another'],
] as const) {
  test(`what is not YAML is told in words: ${yaml.slice(0, 20)}`, async () => {
    const read = await readConfig(file(test.info().outputPath('countersign.config.yaml'), `${yaml}\n`), {});
    expect('faults' in read && read.faults[0]!.sentence).toContain(sentence);
  });
}

test('the versions of the paths are read, each by itself', async () => {
  const path = file(test.info().outputPath('countersign.config.yaml'), 'versions: { close-day: v3 }\n');
  expect(await readConfig(path, {})).toMatchObject({ config: { versions: { 'close-day': 'v3' } } });
});

test('a value from a variable is told its whole rule, and what may be meant', async () => {
  const path = file(test.info().outputPath('countersign.config.yaml'), `environment: $${'{A}'}\n`);
  const rule = 'it must be one of "integration", "production" (perhaps "production" is meant)';
  await expect(loadConfig(path, { A: 'prodution' })).rejects.toMatchObject({
    message: `${path}:1: environment, taken from A, does not fit: ${rule}`,
  });
});

test('one sentence ends before the next begins, whatever it ends with', async () => {
  const yaml = `endpointId: $${'{GATEWAY}'}\ntarget: $${'{NOWHERE}'}\nrat: 1\n`;
  const path = file(test.info().outputPath('countersign.config.yaml'), yaml);
  await expect(loadConfig(path, { GATEWAYS: '1' })).rejects.toMatchObject({
    message:
      `${path}:1: endpointId names the environment variable GATEWAY, which is not set. Did you mean GATEWAYS? ` +
      `${path}:2: target names the environment variable NOWHERE, which is not set. Set NOWHERE. ` +
      `${path}:3: rat is not a known key; perhaps "rate" is meant`,
  });
});

test('a number in any YAML file of ours is told as it is written', async () => {
  const path = file(test.info().outputPath('policy.yaml'), 'formatVersion: 9007199254740993\nrules: 0x10\n');
  await expect(readYamlFile(path, 'the policy', 'diff-policy')).rejects.toMatchObject({
    message: expect.stringMatching(/:1: formatVersion is 9007199254740993 .*:2: rules is 0x10 /),
  });
});
