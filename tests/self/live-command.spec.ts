/**
 * The command as people run it against a gateway of their own: another process, a configuration file and nothing else.
 */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/app/config/config-file.ts';
import { exitCode } from '../../src/record/result/conclude.ts';
import { expect, test } from '../engine.ts';
import { privatePemOf, shopKeys } from '../keys/index.ts';
import { file, pem } from '../unit/app/signed-call.ts';
import { spawnMain } from '../unit/app/spawned.ts';
import { runLive } from './live-setting.ts';

let folder = '';
let mock: ChildProcess | undefined;
let ready: { baseUrl: string; controlUrl: string; caFile: string };

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-live-command-'));
  const secret = file(join(folder, 'secret.txt'), 'canary-secret-of-the-live-command\n');
  const publicKey = file(join(folder, 'key.pub.pem'), pem(shopKeys.publicKey));
  file(join(folder, 'key.pem'), privatePemOf(shopKeys));
  const flags = ['--consumer-key', 'shop', '--consumer-secret-file', secret, '--public-key-file', publicKey];
  const started = spawnMain(['mock', '--json', '--tls', '--prefix', '/paynet', ...flags]);
  mock = started.child;
  await expect.poll(() => started.output.out, { timeout: 60_000 }).toContain('\n');
  ready = JSON.parse(started.output.out);
});

test.afterEach(async () => {
  mock?.kill();
  await rm(folder, { recursive: true, force: true });
});

for (const [when, counter, min] of [
  ['among its refusals', 'requests', 12],
  ['after it closed the day', 'closedDays', 1],
] as const) {
  test(`a run that is killed ${when} and started again stays within the allowance @all`, async () => {
    const killed = spawnMain(['gateway', '--config', config(), '--seed', '7', '--out', join(folder, 'killed')]);
    await expect.poll(() => counted(counter), { timeout: 300_000, intervals: [10] }).toBeGreaterThanOrEqual(min);
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    const repeated = await runLive(await loadConfig(config(100), {}));
    expect([exitCode(repeated), repeated.conclusion]).toEqual([1, 'partial']);
    expect(await counted('closedDays')).toBe(1);
    expect(await counted('startedPayments')).toBeLessThanOrEqual(2);
    expect(await counted('totalAmount')).toBeLessThanOrEqual(2);
  });
}

test('an interrupted run sends nothing more, and has all answers in its report and its ledger @all', async () => {
  const [ledger, out] = [join(folder, 'ledger'), join(folder, 'interrupted')];
  const running = spawnMain(['gateway', '--config', config(), '--seed', '7', '--out', out]);
  await expect.poll(() => counted('requests'), { timeout: 300_000, intervals: [10] }).toBeGreaterThanOrEqual(12);
  running.child.kill('SIGINT');
  expect(await running.ended).toBe(3);
  const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  expect(report).toMatchObject({ aborted: 'the run was interrupted before its end' });
  const lines = readFileSync(join(ledger, readdirSync(ledger).find((name) => name.endsWith('.jsonl'))!), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const booked = lines.filter(({ event }) => event === 'reserve');
  const answered = lines.filter(({ answer }) => answer !== undefined);
  expect(answered.map(({ id }) => id).sort()).toEqual(booked.map(({ id }) => id).sort());
  const har = JSON.parse(readFileSync(join(out, 'exchanges.har'), 'utf8'));
  const stored = har.log.entries.map(
    ({ _countersign: { scenario, case: number } }: Entry) => `${scenario} case ${number}`,
  );
  const ofCases = booked.flatMap(({ what }) => /^\S+ case \d+/.exec(what) ?? []);
  expect(ofCases.length).toBeGreaterThanOrEqual(5);
  expect(stored).toEqual(expect.arrayContaining(ofCases));
});

interface Entry {
  readonly _countersign: { readonly scenario: string; readonly case: number };
}

/** The configuration of a run with a small allowance, which is slow by default. */
function config(rate = 20): string {
  const written = [
    'environment: integration',
    `target: ${ready.baseUrl}`,
    'endpoint-id: "1111"',
    'credentials: { consumer-key: shop, consumer-secret-file: secret.txt, private-key-file: key.pem }',
    'recurring: [{ id: "1234567890", amount: "1.00", saved-amount: "1.00" }]',
    'unknown-endpoint-id: "999999999"',
    `ca: ${ready.caFile}`,
    'deadlineMs: 60000',
    `rate: ${rate}`,
    'allow: { closes-day: 1, starts-payments: { count: 2, total: "2.00" } }',
    'ledger: ledger',
  ];
  return file(join(folder, 'countersign.config.yaml'), `${written.join('\n')}\n`);
}

async function counted(counter: 'requests' | 'closedDays' | 'startedPayments' | 'totalAmount'): Promise<number> {
  const answer = await fetch(`${ready.controlUrl}/counters`, { signal: AbortSignal.timeout(5_000) });
  return Number(((await answer.json()) as Record<typeof counter, unknown>)[counter]);
}
