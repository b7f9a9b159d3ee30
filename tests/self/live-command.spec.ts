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
import { run } from '../unit/app/captured.ts';
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

test('a run beside another one is refused, and nothing happens twice', { tag: '@all' }, async () => {
  const written = config(little);
  const first = start(written, 'one');
  await until(async () => (await counters()).requests > 0);
  // It keeps the target until it goes on, however long the second one takes to start.
  first.child.kill('SIGSTOP');
  const second = await gateway(written, 'two');
  first.child.kill('SIGCONT');
  expect([second.code, await first.ended]).toEqual([2, 1]);
  expect(second.err).toContain('another run is at this target');
  expect(await counters()).toMatchObject({ closedDays: 1, startedPayments: 2, totalAmount: '2.00' });
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

test('a dry run says what would happen, as data too, and connects to nobody', async () => {
  const { exitCode, out: text } = await run(['gateway', '--config', config(little), '--dry-run']);
  expect([exitCode, (await counters()).requests]).toEqual([0, 0]);
  expect(text).toMatch(
    /^ {2}requests {8}about \d+, including checks that the target answers, in about \d+ s or longer if the target is slow$/m,
  );
  expect(text).toMatch(
    /^ {2}a whole run {5}needs --allow closes-day=\d+ --allow starts-payments=\d+\/\d+\.00 with --seed \S+$/m,
  );
  expect(text).toContain('booked at most  closes-day 1, starts-payments 2 with a total of 2.00');
  expect(text).toContain(
    'at worst        closes-day 13, starts-payments 14 with a total of 14.00 if its refusals are not true',
  );
  const { out } = await run(['gateway', '--config', config(little), '--dry-run', '--json', '--allow', 'closes-day=3']);
  const plan = JSON.parse(out);
  expect(plan.allow).toEqual({ 'closes-day': 3, 'starts-payments': { count: 0, total: '0.00' } });
  expect(plan.atMost).toEqual({ 'closes-day': 3, 'starts-payments': { count: 0, total: '0.00' } });
  expect(plan.notSent.map(({ reason }: { reason: string }) => reason)).toContain(
    'it could start payments, and allow has no starts-payments',
  );
});

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

async function gateway(written: string, out = 'out', more: readonly string[] = []) {
  const { told, ended } = start(written, out, more);
  return { code: await ended, err: told.err, report: reportIn(out) };
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
