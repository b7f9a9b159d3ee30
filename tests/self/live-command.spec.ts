/**
 * The command as people run it against a gateway of their own: another process, a configuration file and nothing else.
 */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '../engine.ts';
import { privatePemOf, shopKeys } from '../keys/index.ts';
import { file, pem } from '../unit/app/signed-call.ts';
import { spawned } from '../unit/app/spawned.ts';

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

test('an interrupted run sends nothing more, and has all answers in its report and its ledger @all', async () => {
  const [ledger, out] = [join(folder, 'ledger'), join(folder, 'interrupted')];
  const running = spawned(['gateway', '--config', config(), '--seed', '7', '--out', out]);
  await expect.poll(requests, { timeout: 300_000, intervals: [10] }).toBeGreaterThanOrEqual(12);
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

/** The configuration of a slow run with a small allowance. */
function config(): string {
  const written = [
    'environment: integration',
    `target: ${ready.baseUrl}`,
    'endpoint-id: "1111"',
    'credentials: { consumer-key: shop, consumer-secret-file: secret.txt, private-key-file: key.pem }',
    'recurring: [{ id: "1234567890", amount: "1.00", saved-amount: "1.00" }]',
    'unknown-endpoint-id: "999999999"',
    `ca: ${ready.caFile}`,
    'deadlineMs: 60000',
    'rate: 20',
    'allow: { closes-day: 1, starts-payments: { count: 2, total: "2.00" } }',
    'ledger: ledger',
  ];
  return file(join(folder, 'countersign.config.yaml'), `${written.join('\n')}\n`);
}

async function requests(): Promise<number> {
  const answer = await fetch(`${ready.controlUrl}/counters`, { signal: AbortSignal.timeout(5_000) });
  return ((await answer.json()) as { requests: number }).requests;
}
