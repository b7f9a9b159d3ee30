/** The verification of contracts as a part of a run (needs dist/), and on a live mock within the allowance. */
import type { SpawnOptions } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { ledgerInMemory } from '../../../src/app/prove/live-in-memory.ts';
import { readPactFiles, verifiesContracts } from '../../../src/extras/pact/contracts.ts';
import { verifyContracts } from '../../../src/extras/pact/verify-contracts.ts';
import { startMock } from '../../../src/mock/server.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { newGuard } from '../../../src/run/allowance/guard.ts';
import type { LiveConfig } from '../../../src/run/target/live-config.ts';
import { siteOf } from '../../../src/run/target/site.ts';
import { liveTarget, publishedConfig } from '../../../src/run/target/target.ts';
import { openTransport } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';
import { spawnMain } from '../../unit/app/spawned.ts';
import { startStubBroker } from '../broker/stub-broker.ts';

// Whole runs verify contracts, and few cases keep this one short.
test.describe.configure({ timeout: 180_000 });

test('a whole run on the mock verifies the contracts, and one narrowed with --only does not', () => {
  const narrowed = ['close-day/serial-present'];
  expect([[], narrowed].map((only) => verifiesContracts({ target: 'mock', only }))).toEqual([true, false]);
});

test('a run on a live target with a broker verifies its pacts and publishes the results @all', async () => {
  const [path] = (await readPactFiles()).map((file) => file.path);
  const pact = JSON.parse(readFileSync(path!, 'utf8'));
  const interactions = pact.interactions.filter((one: object) => JSON.stringify(one).includes('"gate open"'));
  const broker = await startStubBroker([{ consumer: 'till', version: '7', pact: { ...pact, interactions } }]);
  const mock = await startMock({});
  try {
    const only = [
      '--only',
      'close-day/serial-present',
      '--allow',
      'closes-day=400',
      '--target',
      mock.baseUrl,
      '--seed',
      'contracts',
    ];
    await gatewayRun([...only, '--pact-broker', broker.url, '--publish-results', '4.12.0']).ended;
    expect(reportOfRun().contracts).toMatchObject([
      { pact: 'Pact between till (7) and payment-gateway', outcome: 'pass' },
    ]);
    expect(broker.requests.at(-1)).toMatchObject({
      line: 'POST /pacts/provider/payment-gateway/consumer/till/version/7/verification-results',
      body: { success: true, providerApplicationVersion: '4.12.0' },
    });
  } finally {
    await Promise.all([broker.close(), mock.close()]);
  }
});

test('without the package of the verifier a run skips the contracts, and --contracts is refused @all', async () => {
  const hook = test.info().outputPath('no-verifier.cjs');
  const missing = "throw Object.assign(new Error(name + ' is missing'), { code: 'MODULE_NOT_FOUND' })";
  writeFileSync(
    hook,
    `const Module = require('node:module'), found = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) => { if (name.startsWith('@pact-foundation/')) ${missing}; return found(name, ...rest); };`,
  );
  const runWith = async (...flags: readonly string[]) => {
    const run = gatewayRun(flags, { env: { ...process.env, NODE_OPTIONS: `--require=${hook}` } });
    return { code: await run.ended, err: run.output.err.replace(/\s+/g, ' ') };
  };
  const sentence = 'the Pact contracts need the package @pact-foundation/pact-core, which is not installed';
  expect(await runWith('--contracts')).toMatchObject({ code: 2, err: expect.stringContaining(sentence) });
  expect(await runWith()).toMatchObject({ code: 0, err: expect.stringContaining(`${sentence}. This run skips them.`) });
  const { conclusion, contracts } = reportOfRun();
  expect([conclusion, contracts]).toEqual(['conformant', undefined]);
});

function gatewayRun(flags: readonly string[], options?: SpawnOptions) {
  return spawnMain(['gateway', '--cases', '1', '--out', test.info().outputPath('run'), ...flags], options);
}

function reportOfRun(): Result {
  return JSON.parse(readFileSync(test.info().outputPath('run', 'report.json'), 'utf8'));
}

const recurring = [
  { id: '1234567890', amount: '1.00' },
  { id: '1234567891', amount: '10.42' },
];

async function verifyWith(allow: LiveConfig['allow']) {
  const mock = await startMock({ control: { port: 0 } });
  try {
    const { baseUrl, controlUrl } = mock;
    const { credentials: _, ...published } = publishedConfig;
    const config = { ...published, target: baseUrl, controlUrl, recurring, allow };
    const pace = { turn: async () => {}, onAnswer: () => {}, overloadReason: () => undefined };
    const guard = newGuard({ site: siteOf(config), limits: config, ledger: ledgerInMemory(), pace });
    const target = await liveTarget(config, {});
    const rows = await verifyContracts(
      async () => ({ target, close: async () => {} }),
      undefined,
      () => ({ transport: openTransport(), sendGuarded: guard.send.bind(guard) }),
    );
    return { rows, counters: mock.counters() };
  } finally {
    await mock.close();
  }
}

test('a live mock keeps the contracts within the allowance; interactions without an endpoint are inconclusive @all', async () => {
  const { rows, counters } = await verifyWith({
    'closes-day': 20,
    'starts-payments': { count: 60, total: '400.00' },
  });
  expect(rows.filter(({ outcome }) => outcome !== 'pass')).toMatchObject([
    { state: 'several gates', outcome: 'inconclusive', blame: 'configuration' },
    // A batch that cannot be read may charge any amount, so the guard never sends it to a live target.
    { state: 'payload not base64', outcome: 'inconclusive', blame: 'configuration' },
  ]);
  expect(rows).toHaveLength(21);
  expect(counters.closedDays).toBeLessThanOrEqual(20);
  expect(counters.startedPayments).toBeLessThanOrEqual(60);
});

test('without an allowance nothing is sent, and no interaction passes', { tag: '@all' }, async () => {
  const noEffects = { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } };
  const { rows, counters } = await verifyWith(noEffects);
  expect([...new Set(rows.map(({ outcome, blame }) => `${outcome} ${blame}`))]).toEqual(['inconclusive configuration']);
  expect(counters).toMatchObject({ closedDays: 0, startedPayments: 0, requests: 0 });
});
