/**
 * Gateways that act and say something else: what they did, by their own count, is never more than terminal and report state
 * as the worst; and what honest ones did is booked exactly. Needs dist/.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planText } from '../../src/app/live/live-run.ts';
import { resultDocument } from '../../src/report/result-document.ts';
import { terminalText } from '../../src/report/terminal.ts';
import { planRun } from '../../src/run/live/plan.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { expect, test } from '../engine.ts';
import { askBehindGate, attacks, type Behaviour, believed, openZoo, type Zoo } from './attacks.ts';
import { type LiveSetting, runLive, startLive } from './live-setting.ts';

test.describe.configure({ timeout: 300_000 });

const allow = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };

let zoo: Zoo;
let setting: LiveSetting;
let folder = '';
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-attacks-'));
  zoo = await openZoo();
  setting = await startLive({ allow, mock: { tls: undefined } });
});
test.afterAll(async () => {
  zoo.close();
  await setting.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Silence is waited for; where the answers count, no busy machine may make silence of them. */
const deadlineOf = ({ says }: Behaviour) => (says === 'is silent' ? 50 : 20_000);

test('behind the gate no gateway does more than the ledger has, booked, believed and at the unknown endpoint @all', async () => {
  for (const [name, behaviour] of Object.entries(attacks)) await behindGate(name, behaviour);
});

/** Those that mean something to the gate, and each twentieth: what it believes of every one is in tests/unit/run/live-guard.spec.ts. */
const statuses = Array.from({ length: 400 }, (_, at) => 200 + at).filter(
  (status) => (status - 200) % 20 === 0 || [201, 204, 302, 401, 403, 404, 408, 429, 500, 503].includes(status),
);

for (const about of ['accepted', 'faulty', 'all'] as const) {
  for (const acts of ['always', 'when accepted'] as const) {
    test(`whatever status is said to what is ${about}, by a gateway that acts ${acts}, it does no more than is booked @all`, async () => {
      for (const status of statuses) {
        await behindGate(`${status}`, { acts, says: { status }, about });
      }
    });
  }
}

async function behindGate(name: string, behaviour: Behaviour): Promise<void> {
  const target = zoo.target(behaviour);
  const config = { ...setting.config, deadlineMs: deadlineOf(behaviour) };
  const { spent, refused, elsewhere, proven } = await askBehindGate(target, config, folder);
  const did = await zoo.did(target);
  const told = `${name}: ${JSON.stringify({ did, spent, refused, elsewhere })}`;
  for (const [done, booked, distrusted] of [
    [did.closedDays, spent.closesDay, refused.closesDay + elsewhere.closesDay],
    [did.payments, spent.payments, refused.payments + elsewhere.payments],
    [did.cents, spent.cents, refused.cents + elsewhere.cents],
  ] as const) {
    expect(done, told).toBeLessThanOrEqual(booked + distrusted);
    if (behaviour.acts === 'when accepted') expect(done, told).toBeLessThanOrEqual(booked);
  }
  expect(refused.closesDay, told).toBeLessThanOrEqual(believed);
  expect(refused.payments, told).toBeLessThanOrEqual(believed);
  if (name !== 'is right about everything') return;
  // The wrong one behind those that are believed, the bad batch of two, and what was right.
  expect([did.closedDays, did.payments, proven]).toEqual([1, 3, { closesDay: true, payments: true }]);
  expect([spent.closesDay, spent.payments]).toEqual([2, 6]);
}

/** Whole runs: what terminal and report say. The others are tagged. */
const sample = ['starts the good rows of a batch that it refuses'];

/** Where what it says is untrue in the same way, the gate alone has shown it. */
const isTelling = ({ acts, says, about }: Behaviour) =>
  says === 'honest' || (acts === 'when accepted') === (about === 'accepted');

for (const [name, behaviour] of Object.entries(attacks)) {
  if (!isTelling(behaviour)) continue;
  const tag = sample.includes(name) ? [] : ['@all'];
  test(`a gateway that ${name} does no more than plan, terminal and report state as the worst`, { tag }, async () => {
    const target = zoo.target(behaviour);
    const { ca: _, ...rest } = setting.config;
    const config = { ...rest, target, deadlineMs: deadlineOf(behaviour) };
    const only = ['authentication/*', 'recurring/many-rows-accepted', 'recurring/csv-row-length-enforced'];
    const options = completeRunOptions({ target, seed: 'live', cases: 3, only }, Date.now(), '/nowhere');
    const plan = planRun({ ...options, live: { config } });
    const result = await runLive(config, { only }).catch((cause: Error) => cause);
    const did = await zoo.did(target);
    const planned = plan.ifRefusalsAreUntrue;
    expect(did.closedDays).toBeLessThanOrEqual(planned['closes-day']);
    expect(did.payments).toBeLessThanOrEqual(planned['starts-payments'].count);
    expect(did.cents).toBeLessThanOrEqual(inCents(planned['starts-payments'].total));
    expect(planText(plan, { path: '', reach: '' })).toContain(`at worst        ${inWords(planned)} if its refusals`);
    // Ten of each are believed, and one request for each operation goes to the endpoint that is named as unknown.
    expect([planned['closes-day'], planned['starts-payments'].count]).toEqual([1 + 10 + 1, 2 + 10 + 1]);
    // What is not a gateway at all to the first requests gets no others.
    if (result instanceof Error) return expect(did.closedDays + did.payments).toBeLessThanOrEqual(2);
    const { recorded, unclear, ledger, ifRefusalsAreUntrue: worst } = result.effects;
    expect(did.closedDays).toBeLessThanOrEqual(worst!['closes-day']);
    expect(did.payments).toBeLessThanOrEqual(worst!['starts-payments'].count);
    expect(did.cents).toBeLessThanOrEqual(inCents(worst!['starts-payments'].total));
    expect(worst!['closes-day']).toBeLessThanOrEqual(planned['closes-day']);
    expect(worst!['starts-payments'].count).toBeLessThanOrEqual(planned['starts-payments'].count);
    expect(recorded['closes-day'] + unclear!['closes-day']).toBe(ledger!['closes-day']);
    expect(recorded['starts-payments'] + unclear!['starts-payments']).toBe(ledger!['starts-payments'].count);
    const text = terminalText(resultDocument(result, { statements: () => undefined }), {
      colour: false,
      width: 400,
      most: Number.POSITIVE_INFINITY,
    });
    expect(text).toContain(`up to ${inWords(worst!)}`);
    expect(text).toContain(`closes-day ${recorded['closes-day']}`);
    if (behaviour.acts === 'when accepted') {
      // Its refusals are true: the booked figure has all of it.
      expect(did.closedDays).toBeLessThanOrEqual(ledger!['closes-day']);
      expect(did.payments).toBeLessThanOrEqual(ledger!['starts-payments'].count);
    }
    if (name === 'is right about everything') {
      expect([did.closedDays, did.payments, did.cents]).toEqual([1, 2, 200]);
      expect([recorded['closes-day'], recorded['starts-payments']]).toEqual([1, 2]);
      expect(ledger!['starts-payments'].total).toBe('2.00');
    }
  });
}

test('what a batch is asked for again in other forms is in the plan', { tag: '@all' }, async () => {
  const target = zoo.target({ acts: 'always', says: { status: 403 }, about: 'all' });
  const { ca: _, ...rest } = setting.config;
  const room = { 'closes-day': 0, 'starts-payments': { count: 30, total: '30.00' } };
  const config = { ...rest, target, allow: room, deadlineMs: 20_000 };
  const only = ['authentication/recurring-valid-accepted'];
  const options = completeRunOptions({ target, seed: 'live', cases: 3, only }, Date.now(), '/nowhere');
  const planned = planRun({ ...options, live: { config } }).ifRefusalsAreUntrue['starts-payments'];
  const result = await runLive(config, { only });
  const did = await zoo.did(target);
  // The batch, and each of five forms twice.
  expect(did.payments).toBeGreaterThanOrEqual(11);
  expect(did.payments).toBeLessThanOrEqual(planned.count);
  expect(did.cents).toBeLessThanOrEqual(inCents(planned.total));
  expect(did.payments).toBeLessThanOrEqual(result.effects.ifRefusalsAreUntrue!['starts-payments'].count);
});

function inCents(total: string): number {
  return Number(total.replace('.', ''));
}

function inWords(effects: typeof allow): string {
  const { count, total } = effects['starts-payments'];
  return `closes-day ${effects['closes-day']}, starts-payments ${count} with a total of ${total}`;
}
