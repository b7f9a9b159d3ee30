/** The command as people run it against a gateway of their own: another process, a configuration file and nothing else. */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/app/config/config-file.ts';
import { exitCode } from '../../src/record/result/conclude.ts';
import type { Result } from '../../src/record/result/result.ts';
import { expect, test } from '../engine.ts';
import { privatePemOf, shopKeys } from '../keys/index.ts';
import { file, pem } from '../unit/app/signed-call.ts';
import { type Spawned, spawned } from '../unit/app/spawned.ts';
import { runLive } from './live-setting.ts';

test.describe.configure({ mode: 'serial', timeout: 300_000 });

const little = 'allow: { closes-day: 1, starts-payments: { count: 2, total: "2.00" } }';

let folder = '';
let mock: ChildProcess | undefined;
let ready: { baseUrl: string; controlUrl: string; caFile: string };

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-live-command-'));
  const secret = file(join(folder, 'secret.txt'), 'canary-secret-of-the-live-command\n');
  const publicKey = file(join(folder, 'key.pub.pem'), pem(shopKeys.publicKey));
  file(join(folder, 'key.pem'), privatePemOf(shopKeys));
  const flags = ['--consumer-key', 'shop', '--consumer-secret-file', secret, '--public-key-file', publicKey];
  const started = spawned(['mock', '--json', '--tls', '--prefix', '/paynet', ...flags]);
  mock = started.child;
  await expect.poll(() => started.told.out, { timeout: 60_000 }).toContain('\n');
  ready = JSON.parse(started.told.out);
});

test.afterEach(async () => {
  mock?.kill();
  await rm(folder, { recursive: true, force: true });
});

const moments: Readonly<Record<string, (seen: Counters) => boolean>> = {
  'among its refusals': ({ requests }) => requests >= 12,
  'once the day is closed': ({ closedDays }) => closedDays >= 1,
};
for (const [name, hasCome] of Object.entries(moments)) {
  test(`a run that is killed ${name} and started again exceeds nothing`, { tag: '@all' }, async () => {
    const ledger = `ledger: ${join(folder, 'ledger')}`;
    const killed = start(config(little, ledger, 'rate: 30'), 'killed');
    await until(async () => hasCome(await counters()));
    killed.child.kill('SIGKILL');
    await killed.ended;
    // What started it is gone: another process of the command would find no more than this one.
    const again = await runLive(await loadConfig(config(little, ledger), {}));
    expect([exitCode(again), again.conclusion]).toEqual([1, 'partial']);
    const { closedDays, startedPayments, totalAmount } = await counters();
    expect(closedDays).toBe(1);
    expect(startedPayments).toBeLessThanOrEqual(2);
    expect(Number(totalAmount)).toBeLessThanOrEqual(2);
  });
}

test('a run that is interrupted sends nothing more, and has what was answered in its report and its ledger @all', async () => {
  const ledger = join(folder, 'ledger');
  const running = start(config(little, `ledger: ${ledger}`, 'rate: 20'), 'interrupted');
  await until(async () => (await counters()).requests >= 12);
  running.child.kill('SIGINT');
  expect(await running.ended).toBe(3);
  expect(reportIn('interrupted')).toMatchObject({ aborted: 'the run was interrupted before its end' });
  const lines = readFileSync(join(ledger, readdirSync(ledger).find((name) => name.endsWith('.jsonl'))!), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const booked = lines.filter(({ event }) => event === 'reserve');
  const answered = lines.filter(({ answer }) => answer !== undefined);
  expect(answered.map(({ id }) => id).sort()).toEqual(booked.map(({ id }) => id).sort());
  const har = JSON.parse(readFileSync(join(folder, 'interrupted', 'exchanges.har'), 'utf8'));
  const kept = har.log.entries.map(
    ({ _countersign: { scenario, case: number } }: Entry) => `${scenario} case ${number}`,
  );
  const ofCases = booked.flatMap(({ what }) => /^\S+ case \d+/.exec(what) ?? []);
  expect(ofCases.length).toBeGreaterThanOrEqual(5);
  expect(kept).toEqual(expect.arrayContaining(ofCases));
});

interface Entry {
  readonly _countersign: { readonly scenario: string; readonly case: number };
}

/** Writes the configuration with these lines more. */
function config(...lines: string[]): string {
  const written = [
    'environment: integration',
    `target: ${ready.baseUrl}`,
    'endpoint-id: "1111"',
    'credentials: { consumer-key: shop, consumer-secret-file: secret.txt, private-key-file: key.pem }',
    'recurring: [{ id: "1234567890", amount: "1.00", saved-amount: "1.00" }]',
    'unknown-endpoint-id: "999999999"',
    `ca: ${ready.caFile}`,
    'deadlineMs: 60000',
    ...(lines.some((line) => line.startsWith('rate:')) ? [] : ['rate: 100']),
    ...lines,
  ];
  return file(join(folder, 'countersign.config.yaml'), `${written.join('\n')}\n`);
}

function start(written: string, out: string, more: readonly string[] = []): Spawned {
  const words = ['gateway', '--config', written, '--seed', '7', '--out', join(folder, out), ...more];
  return spawned(words, { env: { ...process.env, XDG_STATE_HOME: join(folder, 'state') } });
}

function reportIn(out: string): Result | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, out, 'report.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

interface Counters {
  readonly requests: number;
  readonly closedDays: number;
  readonly startedPayments: number;
  readonly totalAmount: string;
}

async function counters(): Promise<Counters> {
  const answer = await fetch(`${ready.controlUrl}/counters`, { signal: AbortSignal.timeout(5_000) });
  return (await answer.json()) as Counters;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
