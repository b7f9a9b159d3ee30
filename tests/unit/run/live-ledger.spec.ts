/** The ledger: what is on the disk decides, whoever wrote it and however its process ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { expect, test } from '@playwright/test';
import { ledgerPath, openLedger } from '../../../src/run/live/ledger.ts';
import { LiveError } from '../../../src/run/live/live-error.ts';
import { takeLock } from '../../../src/run/live/lock.ts';
import { type LiveConfig, liveDefaults } from '../../../src/run/live-config.ts';
import { skipUnless } from '../../needed.ts';

const allow = { 'closes-day': 2, 'starts-payments': { count: 3, total: '3.00' } };
const day = { effect: 'closes-day', endpointId: '1' } as const;
const pay = (count: number, cents: number) => ({ effect: 'starts-payments', endpointId: '1', count, cents }) as const;

function begin(path: string, run: string) {
  const ledger = openLedger(path, run);
  ledger.begin('https://gateway.example', '1', allow);
  return ledger;
}

const file = () => test.info().outputPath('ledger.jsonl');

test('a reservation counts until it is released', () => {
  const ledger = begin(file(), 'a');
  expect(ledger.reserve(day, allow, 'x')).toEqual({ id: 1 });
  expect(ledger.reserve(day, allow, 'x')).toEqual({ id: 2 });
  expect(ledger.reserve(day, allow, 'x')).toEqual({
    refused: 'it could close a day, and allow.closes-day: 2 is used up',
  });
  ledger.settle(1, { event: 'release', answer: '' });
  expect(ledger.reserve(day, allow, 'x')).toEqual({ id: 3 });
});

test('an unclear answer and a confirmed one count alike', () => {
  const ledger = begin(file(), 'a');
  ledger.reserve(day, allow, 'x');
  ledger.settle(1, { event: 'unclear', answer: '' });
  ledger.reserve(day, allow, 'x');
  ledger.settle(2, { event: 'confirm', answer: '' });
  expect(ledger.stand()).toMatchObject({ spent: { closesDay: 2 }, confirmed: { closesDay: 1 }, unclear: 1 });
  expect(ledger.reserve(day, allow, 'x')).toHaveProperty('refused');
});

test('payments are limited by their number and by their sum', () => {
  const ledger = begin(file(), 'a');
  expect(ledger.reserve(pay(4, 100), allow, 'x')).toHaveProperty('refused');
  expect(ledger.reserve(pay(1, 301), allow, 'x')).toHaveProperty('refused');
  expect(ledger.reserve(pay(2, 250), allow, 'x')).toEqual({ id: 1 });
  expect(ledger.reserve(pay(1, 51), allow, 'x')).toHaveProperty('refused');
  expect(ledger.reserve(pay(1, 50), allow, 'x')).toEqual({ id: 2 });
});

test('runs without an end count into the next one, back to the last that has one', () => {
  const path = file();
  begin(path, 'a').reserve(day, allow, 'x');
  const b = begin(path, 'b');
  expect(b.stand()).toMatchObject({ carried: { closesDay: 1 } });
  b.reserve(day, allow, 'x');
  expect(b.reserve(day, allow, 'x')).toHaveProperty('refused');
  const c = begin(path, 'c');
  expect(c.stand()).toMatchObject({ carried: { closesDay: 2 } });
  c.end();
  expect(begin(path, 'd').stand()).toMatchObject({ carried: { closesDay: 0 } });
});

test('what a run asks before it begins is what it begins with', () => {
  const path = file();
  begin(path, 'a').reserve(day, allow, 'x');
  expect(openLedger(path, 'b').stand()).toMatchObject({ begun: false, carried: { closesDay: 1 } });
});

test('a run that another one has overtaken reserves nothing more', () => {
  const path = file();
  const a = begin(path, 'a');
  begin(path, 'b');
  expect(a.reserve(day, allow, 'x')).toEqual({ refused: 'another run has begun at this target since' });
});

test('a run whose ledger was taken away reserves nothing more', () => {
  const path = file();
  const ledger = begin(path, 'a');
  rmSync(path);
  const refused = { refused: 'the ledger no longer has the beginning of this run' };
  expect(ledger.reserve(day, allow, 'x')).toEqual(refused);
  begin(path, 'b').reserve(day, allow, 'x');
  expect(ledger.reserve(day, allow, 'x')).toEqual(refused);
});

test('a line that was cut off was never acted on, at the end and once a new one stands behind it', () => {
  const path = file();
  begin(path, 'a').reserve(day, allow, 'x');
  appendFileSync(path, '{"at":"2026-01-01T00:00:00.000Z","run":"a","event":"reser');
  expect(openLedger(path, 'b').stand().carried).toMatchObject({ closesDay: 1 });
  const b = begin(path, 'b');
  expect(b.stand().carried).toMatchObject({ closesDay: 1 });
  expect(readFileSync(path, 'utf8')).toContain('reser\n{"at"');
});

test('a ledger that cannot be read stops everything', () => {
  const path = file();
  writeFileSync(path, 'nothing of ours\n{"at":"x"}\n');
  expect(() => openLedger(path, 'a').stand()).toThrow(LiveError);
});

test('a kind that was stopped stays stopped for another process of the same run', () => {
  const path = file();
  const ledger = begin(path, 'a');
  ledger.reserve(day, allow, 'the first of them');
  ledger.settle(1, { event: 'confirm', answer: '', stops: 'kind' });
  expect([...openLedger(path, 'a').stand().stopped]).toEqual([['kind', 'the first of them']]);
});

test('each target and each endpoint has a ledger of its own, beside the configuration', () => {
  const config: LiveConfig = {
    ...liveDefaults,
    path: '/x/c.yaml',
    target: 'https://a',
    recurring: [],
    allow,
    states: {},
  };
  const paths = [
    ledgerPath(config, '/y'),
    ledgerPath({ ...config, target: 'https://b' }, '/y'),
    ledgerPath({ ...config, endpointId: '1' }, '/y'),
    ledgerPath({ ...config, path: undefined }, '/y'),
  ];
  expect(new Set(paths).size).toBe(4);
  expect(paths[0]).toMatch(/^\/x\/\.countersign\/ledger-[0-9a-f]{16}\.jsonl$/);
  expect(paths[3]).toMatch(/^\/y\/\.countersign\//);
});

test('a lock is for one process, and that of a process that is gone is taken over', () => {
  const path = test.info().outputPath('ledger.lock');
  const lock = takeLock(path);
  expect(() => takeLock(path)).toThrow(/another run is at this target: process \d+/);
  lock.release();
  lock.release();
  // Greater than any process number that the system gives.
  writeFileSync(path, '4194305\n');
  takeLock(path).release();
  writeFileSync(path, '');
  takeLock(path).release();
});

test('a process that was killed and that nobody has waited for does not hold its lock', async () => {
  skipUnless(process.platform === 'linux', 'Linux, which tells such a process apart');
  const path = test.info().outputPath('ledger.lock');
  // The shell becomes a program that never waits for its child, which ends only then.
  const program = 'console.log(process.argv[1]); setTimeout(() => {}, 60_000)';
  const script = ['-c', 'read -r line <&3 & exec "$0" -e "$1" "$!"', process.execPath, program];
  const parent = spawn('sh', script, { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  try {
    const [text] = (await once(parent.stdout!, 'data')) as [Buffer];
    const child = Number(text.toString());
    (parent.stdio[3] as Writable).end('\n');
    await expect.poll(() => readFileSync(`/proc/${child}/stat`, 'latin1')).toMatch(/\) Z /);
    writeFileSync(path, `${child}\n`);
    takeLock(path).release();
  } finally {
    parent.kill('SIGKILL');
  }
});
