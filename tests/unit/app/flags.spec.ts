/** The flags of a run: its target, its allowance, and the command that repeats it. */
import { clientRunOptions } from '../../../src/app/commands/client.ts';
import { gatewayRunOptions } from '../../../src/app/commands/gateway.ts';
import { parseLabels } from '../../../src/app/config/run-flags.ts';
import { allowanceOf, gatewayTarget, mergeFlags } from '../../../src/app/config/target-flags.ts';
import { mockDefects } from '../../../src/faults/index.ts';
import { type CommandOption, optionsOf, repeatCommand } from '../../../src/run/options/options.ts';
import type { LiveConfig } from '../../../src/run/target/live-config.ts';
import { publishedConfig } from '../../../src/run/target/target.ts';
import { expect, test } from '../../engine.ts';
import { here, refuses, reportIn, run } from './run-command.ts';
import { file } from './signed-call.ts';
import { freePort } from './spawned.ts';

const silent = () => {};

test('without target and file the target is the built-in mock, which needs no allowance', async () => {
  expect(await gatewayTarget({}, {}, silent)).toBeUndefined();
  await expect(gatewayTarget({ allow: ['closes-day=1'] }, {}, silent)).rejects.toThrow('--allow needs a live target');
});

test('a loopback target gets the published identity, and what the flags allow', async () => {
  const target = 'http://127.0.0.1:8080/paynet/';
  expect(await gatewayTarget({ target }, {}, silent)).toMatchObject({
    target: 'http://127.0.0.1:8080/paynet',
    endpointId: '1111',
    allow: { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } },
  });
  const allow = ['closes-day=2', 'starts-payments=3/3.00'];
  expect((await gatewayTarget({ target, allow }, {}, silent))?.allow).toEqual({
    'closes-day': 2,
    'starts-payments': { count: 3, total: '3.00' },
  });
});

test('another target needs a configuration', async () => {
  await refuses(['gateway', '--target', 'https://gateway.example'], 'is not on this machine');
});

test('every possible host is accepted', async () => {
  for (const host of ['localhost.', '127.0.0.1:65535', '[::1]:8080'])
    expect(await gatewayTarget({ target: `http://${host}` }, {}, silent)).toMatchObject({ target: `http://${host}` });
});

test('the keys of a configuration that the mock ignores are named', async () => {
  const config = here('mock.yaml');
  const ignoredKeys = 'profile: rfc5849\nendpointId: "1"\nrate: 5\ntrust-refusals: 3\nallow: { closes-day: 0 }\n';
  const ignored = `the target is the built-in mock, which ignores these keys of ${config}`;
  const refused = (unused: string) => ({ name: 'UsageError', message: `${ignored}: ${unused}` });
  file(config, 'target: mock\n');
  expect(await gatewayTarget({ config }, {}, silent)).toBeUndefined();
  file(config, 'profile: strict\n');
  await expect(gatewayTarget({ config }, {}, silent)).rejects.toMatchObject(refused('profile'));
  file(config, `target: http://127.0.0.1:8080\n${ignoredKeys}environment: integration\n`);
  await expect(gatewayTarget({ config, target: 'mock' }, {}, silent)).rejects.toMatchObject(
    refused('endpoint-id, environment, profile, rate, trust-refusals'),
  );
});

test('a dry run on the built-in mock says what it does there', async () => {
  const { exitCode, out } = await run(['gateway', '--dry-run', '--json', '--seed', '7']);
  expect([exitCode, JSON.parse(out)]).toMatchObject([0, { format: 'countersign-plan', target: 'mock' }]);
});

test('a plan is no wider than the terminal, and 100 columns wide in a file', async () => {
  const only = ['--only', 'close-day/status-200', '--allow', 'closes-day=1'];
  const plan = ['gateway', '--dry-run', '--seed', '7', '--target', 'http://127.0.0.1:8080', ...only];
  const ledger = { XDG_STATE_HOME: test.info().outputDir };
  const [narrow, whole] = [await run(plan, ledger, { width: 80 }), await run(plan, ledger)];
  const maxWidth = (text: string) =>
    Math.max(...text.split('\n').flatMap((line) => (line.includes(' ', 18) ? [line.length] : [])));
  expect(narrow.out).toContain('  booked at most  closes-day 1');
  expect(maxWidth(narrow.out)).toBeLessThanOrEqual(80);
  expect(maxWidth(whole.out)).toBeGreaterThan(80);
  expect(maxWidth(whole.out)).toBeLessThanOrEqual(100);
  expect(narrow.out.replace(/\s+/g, '')).toBe(whole.out.replace(/\s+/g, ''));
});

test('--defect and --variant accept several ids, and may be repeated', async () => {
  const defects = mockDefects.slice(0, 3).map(({ id }) => id);
  for (const words of [
    ['--defect', ...defects.slice(0, 2), '--defect', defects[2]!],
    ['--variant', 'refusal-401', 'chunked-bodies', '--variant', 'further-headers'],
  ]) {
    const { exitCode, err } = await run(['gateway', '--dry-run', ...words]);
    expect([exitCode, err], err).toEqual([0, expect.not.stringContaining('error')]);
  }
  await refuses(['gateway', '--dry-run', '--defect', defects[0]!, 'nothing-of-that-name'], 'nothing-of-that-name');
});

test('with a variant, the profile is rfc5849, and the first line says so', async () => {
  const plan = ['gateway', '--dry-run', '--variant', 'refusal-401'];
  const notice = /^countersign: with a variant, the profile is rfc5849/;
  expect((await run(plan)).err).toMatch(notice);
  expect((await run([...plan, '--profile', 'strict'])).err).not.toMatch(notice);
});

const target = 'https://gateway.example/paynet';
const { allow: nothing, ...withoutFile } = mergeFlags(undefined, {});
const live: LiveConfig = {
  ...withoutFile,
  environment: 'integration',
  target,
  endpointId: '1111',
  recurring: [{ id: '1', amount: '1.00' }],
  profile: 'strict',
  allow: { 'closes-day': 1, 'starts-payments': { count: 5, total: '5.00' } },
};

test('without a file and flags the target is the mock, and nothing is allowed', () => {
  expect(mergeFlags(undefined, {})).toEqual({
    target: 'mock',
    recurring: [],
    states: {},
    allow: { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } },
    rate: 2,
    deadlineMs: 10_000,
    trustRefusals: 10,
  });
});

test('flags override the file, and --allow replaces the whole allowance', () => {
  expect(mergeFlags(live, {})).toEqual(live);
  expect(mergeFlags(live, { profile: 'rfc5849' }).profile).toBe('rfc5849');
  const unallowed = { ...live, allow: nothing };
  expect(mergeFlags(unallowed, { target: 'http://127.0.0.1:1/x/' }).target).toBe('http://127.0.0.1:1/x');
  const { allow } = mergeFlags(live, { allow: ['closes-day=3'] });
  expect(allow).toEqual({ 'closes-day': 3, 'starts-payments': { count: 0, total: '0.00' } });
});

const wrongFlags: readonly (readonly [flags: string, message: string, hint?: string])[] = [
  ['close-day=1', 'names no effect', 'Did you mean closes-day?'],
  ['closes-day', 'must give a number of close-days up to 1,000,000', 'closes-day=1'],
  ['closes-day=1000001', 'must give a number of close-days up to 1,000,000', 'closes-day=1'],
  ['starts-payments=5/5', 'must be PAYMENTS/TOTAL: at most 1,000,000 payments, and a total with two', '5/5.00'],
  ['closes-day=1 closes-day=2', '--allow closes-day occurs twice'],
];
for (const [flags, message, hint] of wrongFlags) {
  test(`--allow ${flags}: ${message}`, () => {
    const refusal = { name: 'UsageError', message: expect.stringContaining(message) };
    const hinted = hint === undefined ? refusal : { ...refusal, hint: expect.stringContaining(hint) };
    expect(() => allowanceOf(flags.split(' '))).toThrow(expect.objectContaining(hinted));
  });
}

const production = { ...live, environment: 'production' } as const;
type Unsafe = readonly [LiveConfig | undefined, Parameters<typeof mergeFlags>[1], message: string];
const forbidden = 'the environment is production, and effects are allowed';
const missingLine = 'no configuration has the line "environment: integration"';
const unsafe: Readonly<Record<string, Unsafe>> = {
  'production with an allowance in a file': [production, {}, forbidden],
  'production with --allow': [{ ...production, allow: nothing }, { allow: ['closes-day=1'] }, forbidden],
  'an allowance without file': [undefined, { target, allow: ['closes-day=1'] }, missingLine],
  'an allowance without an environment': [{ ...live, environment: undefined }, {}, missingLine],
  'an allowance of another target': [live, { target: 'https://other.example' }, `effects are allowed for ${target}`],
  'an allowance without an endpoint': [{ ...live, endpointId: undefined }, {}, 'but endpoint-id is missing'],
  'payments without profiles': [{ ...live, recurring: [] }, {}, 'the configuration lists none under recurring'],
  ...Object.fromEntries(
    ['gateway.example', 'ftp://gateway.example', 'https://a:b@gateway.example', 'https://gateway.example/?x'].map(
      (one): [string, Unsafe] => [`--target ${one}`, [undefined, { target: one }, 'target']],
    ),
  ),
};
for (const [name, [config, flags, message]] of Object.entries(unsafe)) {
  test(`${name} is refused`, () => {
    const refusal = { name: 'UsageError', message: expect.stringContaining(message) };
    expect(() => mergeFlags(config, flags)).toThrow(expect.objectContaining(refusal));
  });
}

for (const way of ['--target', '--config']) {
  test(`gateway ${way} says in one sentence that the target cannot be reached, and ends with exit code 3`, async () => {
    const [out, port] = [here('out'), await freePort()];
    const url = `http://127.0.0.1:${port}/paynet`;
    const config = `environment: integration\ntarget: ${url}\nendpoint-id: "1111"\n`;
    const flags = way === '--target' ? [url, '--allow', 'closes-day=1'] : [file(here('c.yaml'), config)];
    const { exitCode, err } = await run(['gateway', way, ...flags, '--out', out]);
    const aborted = `127.0.0.1:${port} refuses connections`;
    const told = `countersign: ${aborted}. Nothing was judged. Check the port, and that the gateway is up.\n`;
    expect([exitCode, err]).toEqual([3, told]);
    expect(reportIn(out)).toMatchObject({ conclusion: 'aborted', aborted });
  });
}

test('the repeat command has every option that affects verdicts, and no other', () => {
  for (const command of ['gateway', 'client', 'judge']) {
    const options = optionsOf(command).filter(({ isRepeated }) => isRepeated);
    const value = ({ takes, isList }: CommandOption) => (takes === '' ? true : isList ? ['a b'] : 'a b');
    const given = Object.fromEntries(options.map((option) => [option.name, value(option)]));
    const repeated = repeatCommand(command, { ...given, json: true, out: 'x', verbose: true }, ['x']);
    const flags = options.map(({ flag, takes }) => (takes === '' ? flag : `${flag} 'a b'`));
    expect(repeated).toBe(`npx countersign ${command} ${flags.join(' ')} x`);
  }
});

test('the repeat command has the given options, and a seed if none was given', async () => {
  const gateway = async (...given: Parameters<typeof gatewayRunOptions>) =>
    (await gatewayRunOptions(...given)).reproduce;
  const input = { config: 'my shop.yaml', only: ['close-day/*'], except: ['close-day/status-200'], seed: '7' };
  expect(await gateway(input, undefined, 0, '/')).toBe(
    "npx countersign gateway --config 'my shop.yaml' --only 'close-day/*' --except close-day/status-200 --seed 7",
  );
  const target = 'http://127.0.0.1:8080/paynet';
  const allow = ['closes-day=1', 'starts-payments=2/2.00'];
  expect(await gateway({ target, allow, seed: '7' }, { ...publishedConfig, target }, 0, '/')).toBe(
    `npx countersign gateway --target ${target} --allow closes-day=1 --allow starts-payments=2/2.00 --seed 7`,
  );
  const { reproduce } = await gatewayRunOptions({ challenge: 'of-them', shard: '2/3' }, undefined, 0, '/');
  expect(reproduce).toBe('npx countersign gateway --challenge of-them --shard 2/3');
  expect(await gateway({ pactBroker: 'https://broker.example' }, undefined, 0, '/')).toMatch(
    /^npx countersign gateway --seed \d+ --pact-broker https:\/\/broker\.example$/,
  );
  const client = async (...given: Parameters<typeof clientRunOptions>) => (await clientRunOptions(...given)).reproduce;
  expect(await client(['my client', '--fast'], { oneShot: true, seed: '7' }, 0, '/')).toBe(
    "npx countersign client --one-shot --seed 7 -- 'my client' --fast",
  );
  expect(await client([], { attach: 7000, challenge: 'of-them', shard: '1/2' }, 0, '/')).toBe(
    'npx countersign client --attach 7000 --challenge of-them --shard 1/2',
  );
});

test('--reporter is passed to the engine, and excludes --json', async () => {
  const reporter = ['list'];
  expect(await gatewayRunOptions({ reporter }, undefined, 0, '/')).toMatchObject({ reporter });
  await refuses(['gateway', '--reporter', 'list', '--json'], '--reporter and --json exclude each other');
});

test('labels are kept as given, and quoted in the repeat command', () => {
  const labels = parseLabels(['gateway=4.12.0', 'ticket=OPS-7', 'note=a(b),c']);
  expect(labels).toEqual({ gateway: '4.12.0', ticket: 'OPS-7', note: 'a(b),c' });
  expect(repeatCommand('client', { label: ['gateway=4.12.0', 'note=a(b),c'] })).toBe(
    "npx countersign client --label gateway=4.12.0 --label 'note=a(b),c'",
  );
  expect(parseLabels([])).toBeUndefined();
});

for (const text of ['a', 'a b=c', 'a=b c', "a='", `${'x'.repeat(41)}=a`]) {
  test(`the label ${JSON.stringify(text.slice(0, 20))} is refused`, () => {
    const hint = expect.stringContaining('A name has');
    expect(() => parseLabels([text])).toThrow(expect.objectContaining({ name: 'UsageError', hint }));
  });
}

test('a name twice and more than twenty labels are refused', () => {
  expect(() => parseLabels(['a=1', 'a=2'])).toThrow(/twice/);
  expect(() => parseLabels(Array.from({ length: 21 }, (_, at) => `a${at}=1`))).toThrow(/at most 20/);
});
