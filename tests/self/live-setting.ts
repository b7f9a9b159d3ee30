/**
 * A mock that someone else started, for tests of live runs: other credentials, a prefix and an authority of its own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newAuthority } from '../../src/mock/certificates.ts';
import { defaultWorld, type MockOptions, type RunningMock, startMock } from '../../src/mock/index.ts';
import type { Result } from '../../src/record/result/result.ts';
import { performStep } from '../../src/run/live/perform-step.ts';
import { orderSteps } from '../../src/run/live/plan.ts';
import { beginLive, endOfLive, liveSession } from '../../src/run/live/session.ts';
import { completeRunOptions, type RunOptions } from '../../src/run/options/run-options.ts';
import type { ScenarioRecord } from '../../src/run/scenario-record.ts';
import { type LiveConfig, nothingAllowed, openConfig } from '../../src/run/target/live-config.ts';
import { concludeRun } from '../../src/verdict/conclude.ts';
import { otherShopKeys, privatePemOf, shopKeys } from '../keys/index.ts';
import { file, pem } from '../unit/app/signed-call.ts';

export const secret = 'canary-secret-of-the-live-test';

/** The consumer that may call the mock, with the credentials by which a gateway recognizes it. */
export const consumer = { consumerKey: 'shop', consumerSecret: secret, publicKeyPem: pem(shopKeys.publicKey) };

/** Enough for every case that may be sent at all. */
export const large: LiveConfig['allow'] = { 'closes-day': 500, 'starts-payments': { count: 2_000, total: '2000.00' } };

/** One close-day and two payments. */
export const small = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };

let cached: { authority: ReturnType<typeof newAuthority>; server: { key: string; cert: string } } | undefined;

/** The authority of this process and a certificate of it, made once, with kept keys. */
export function testTls(): { authority: ReturnType<typeof newAuthority>; server: { key: string; cert: string } } {
  if (cached === undefined) {
    const key = privatePemOf(otherShopKeys);
    const authority = newAuthority(Date.now(), key);
    cached = { authority, server: authority.issue({ key }) };
  }
  return cached;
}

export interface LiveSetting {
  readonly mock: RunningMock;
  /** Folder of the configuration. */
  readonly folder: string;
  readonly config: LiveConfig;
  close(): Promise<void>;
}

/** Starts the mock and describes it. */
export async function startLive({
  mock: options,
  ...config
}: Partial<LiveConfig> & { readonly mock?: MockOptions } = {}): Promise<LiveSetting> {
  const { authority, server } = testTls();
  const folder = await mkdtemp(join(tmpdir(), 'countersign-live-'));
  const path = (name: string) => join(folder, name);
  const mock = await startMock({
    prefix: '/paynet',
    tls: server,
    control: { port: 0 },
    world: defaultWorld({ consumers: [consumer] }),
    ...options,
  });
  const credentials = {
    consumerKey: 'shop',
    consumerSecret: { file: file(path('secret.txt'), `${secret}\n`) },
    privateKey: { file: file(path('key.pem'), privatePemOf(shopKeys)) },
  };
  const { config: opened } = await openConfig(
    {
      path: path('countersign.config.yaml'),
      ledger: path('state'),
      environment: 'integration',
      target: mock.baseUrl,
      endpointId: '1111',
      credentials,
      recurring: [{ id: '1234567890', amount: '1.00', savedAmount: '1.00' }],
      allow: nothingAllowed,
      unknownEndpointId: '999999999',
      states: {},
      caFile: file(path('ca.pem'), authority.certificatePem),
      rate: 1_000_000,
      deadlineMs: 60_000,
      trustRefusals: 10,
    },
    {},
  );
  const close = async () => {
    await mock.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { mock, folder, config: { ...opened, ...config }, close };
}

/** Starts the mock, and closes it after `use`. */
export async function withLive<T>(
  options: Parameters<typeof startLive>[0],
  use: (setting: LiveSetting) => Promise<T>,
): Promise<T> {
  const setting = await startLive(options);
  return use(setting).finally(() => setting.close());
}

/**
 * A live run in this process, from lock and preflight to the end of its ledger; without the latter unless it `ends`.
 */
export async function runLive(config: LiveConfig, input: Partial<RunOptions> = {}, ends = true): Promise<Result> {
  return (await concludeLive(config, input, ends)).result;
}

/** Like `runLive`, but returns the whole conclusion, and a function that concludes the same run with other options. */
export async function concludeLive(config: LiveConfig, input: Partial<RunOptions> = {}, ends = true) {
  const options = completeRunOptions({ target: config.target, seed: 'live', cases: 3, ...input }, Date.now(), '.');
  const begun = await beginLive({ runId: options.runId, config }, {});
  try {
    if (begun.hindrance !== undefined) throw new Error(begun.hindrance.reason);
    const live = { ...options, live: begun.live };
    const records: ScenarioRecord[] = [];
    // One step after the other, as the engine's one worker does it.
    const session = await liveSession(live, process.env);
    for (const step of orderSteps(live)) records.push(await performStep(session, step, live));
    const end = { now: Date.now(), live: await endOfLive(live) };
    const conclude = (more: Partial<RunOptions>) => concludeRun({ ...live, ...more }, records, end);
    return { ...conclude({}), conclude };
  } finally {
    begun.end(ends);
  }
}
