/** Draws the cases of a scenario, the same for the run, its time limit and its predicted effects. */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type DrawnGate, gateResults } from '../../../generators/gate-result.ts';
import { defaultWorld, type MockGate, newGate, noTotals, type Totals, type WorldOptions } from '../../mock/world.ts';
import type { Draw, OwnTotals, PlannedCase, RequestPlan, Scenario } from '../../plan/scenario.ts';
import { type AsSent, drawFor, scenarioSeed } from '../../plan/seed.ts';
import type { Pair } from '../../protocol/form.ts';
import { isLoopback } from '../../record/hosts.ts';
import { memoize } from '../../record/memoize.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { LiveConfig } from '../target/live-config.ts';

export type PlanOptions = Pick<RunOptions, 'seed' | 'cases' | 'path'> &
  Partial<Pick<RunOptions, 'live' | 'runId' | 'slow'>>;

export function plannedCases(scenario: Scenario, options: PlanOptions): readonly PlannedCase[] {
  const plans = drawn(options);
  const plan = plans.get(scenario) ?? draw(scenario, options);
  plans.set(scenario, plan);
  return plan;
}

const drawn = memoize((_: PlanOptions) => new Map<Scenario, readonly PlannedCase[]>());

function draw(scenario: Scenario, options: PlanOptions): readonly PlannedCase[] {
  const all = scenario.plan(drawOf(scenario.id, options));
  return options.path === undefined ? all : onlyGenerated(all);
}

export function drawOf(id: string, { seed, cases, path, live, runId }: PlanOptions): Draw {
  const values = live === undefined ? ofTheMock(seed, id) : livePayments(live.config, `${runId} ${id}`);
  return drawFor(seed, id, cases, path, values);
}

/** Each scenario has its own mock: totals start as in its world, and every close-day resets them. */
function ofTheMock(seed: string, scenarioId: string): Partial<AsSent> {
  const { totals } = mockEndpoints(seed, scenarioId)['1111']![0]!;
  return {
    totals: (closedBefore) => asSent(closedBefore === 0 ? totals : noTotals),
    showsSecret: true,
    hasRoom: true,
  };
}

function asSent(totals: Totals): OwnTotals {
  return {
    sale_approved_count: String(totals.saleApprovedCount),
    sale_approved_sum: totals.saleAmount,
    reversal_approved_count: String(totals.reversalApprovedCount),
    reversal_approved_sum: totals.reversalAmount,
  };
}

function onlyGenerated(planned: readonly PlannedCase[]): readonly PlannedCase[] {
  const generated = planned.flatMap((plan, number) => (plan.generated === undefined ? [] : [number]));
  const twins = generated.map((number) => planned[number]!.label.twin);
  const kept = [...new Set([...generated, ...twins])].filter((number) => number !== undefined).sort((a, b) => a - b);
  return kept.map((number) => {
    const plan = planned[number]!;
    const { twin } = plan.label;
    return twin === undefined ? plan : { ...plan, label: { ...plan.label, twin: kept.indexOf(twin) } };
  });
}

const further = 5;

/** The default endpoints with drawn gates, and one of another consumer. Equal seed and scenario give equal gates. */
export function mockEndpoints(seed: string, scenarioId: string): NonNullable<WorldOptions['endpoints']> {
  const byDefault = Object.fromEntries([...defaultWorld().endpoints].map(([id, { gates }]) => [id, gates]));
  const several = byDefault['1114']!;
  const [open, ...others] = drawnGates(scenarioSeed(seed, `${scenarioId} gates`), several);
  return {
    ...byDefault,
    '1111': [asGate(open!, '1111')],
    '1114': [...several, ...others.map((gate) => asGate(gate, '1114'))],
    '1115': [{ ...newGate('7104', '1115'), consumerKey: 'another-consumer' }],
  };
}

type Decoded = DrawnGate['decoded'];

/** Not locked, because a locked gate is another situation (section 3). Ids are unique. */
function drawnGates(seed: number, others: readonly MockGate[]): readonly Decoded[] {
  const ids = new Set(others.map(({ gateId }) => gateId));
  const free = fc
    .oneof(gateResults.valid, gateResults.edge)
    .filter(({ label, value: { decoded } }) => label.kind === 'valid' && decoded?.isDayClosing === false)
    .map(({ value }) => value.decoded!)
    .filter(({ gateId }) => !ids.has(gateId));
  const drawn = fc.uniqueArray(free, {
    minLength: 1 + further,
    maxLength: 1 + further,
    selector: (gate) => gate.gateId,
  });
  return fc.sample(drawn, { seed, numRuns: 1 })[0]!;
}

function asGate(gate: Decoded, endpointId: string): MockGate {
  return newGate(gate.gateId, endpointId, 'open', {
    saleApprovedCount: Number(gate.saleApprovedCount),
    saleAmount: gate.saleAmount,
    reversalApprovedCount: Number(gate.reversalApprovedCount),
    reversalAmount: gate.reversalAmount,
  });
}

const ownOrder = 'cs';

/** Maximum length of a client-orderid (section 8). */
const longest = 128;

/** With this allowance a run sends everything: there is room even if refusals are not believed. */
export const plenty = { days: 500, payments: 800 } as const;

/** `place`: run and scenario. The same place gives the same payments, another place other order ids. */
function livePayments(
  { recurring: profiles, totals, target, allow }: Pick<LiveConfig, 'recurring' | 'totals' | 'target' | 'allow'>,
  place: string,
): AsSent {
  let count = 0;
  return {
    payment: ([order = '', id = '', amount = '']) => {
      const profile = profiles[count % Math.max(profiles.length, 1)] ?? { id, amount };
      count += 1;
      const mark = `${ownOrder}${hashOf(`${place} ${count}`).slice(0, 10)}-`;
      // Possible delimiters would make the worst case of a batch harder to read.
      const text = `${mark}${order.replace(/[;,"\t|]/g, '-')}`.slice(0, longest).replace(/ $/, 'A');
      return [text, profile.id, profile.amount];
    },
    orderId: (text) => reletter(text, place),
    isFresh: (text) => formsOf(text) >= manyForms,
    totals: () => totals,
    // Outside loopback, servers on the way may log refused requests.
    showsSecret: isLoopback(new URL(target).host),
    hasRoom: allow['closes-day'] >= plenty.days && allow['starts-payments'].count >= plenty.payments,
  };
}

const manyForms = 1_000_000;

function formsOf(text: string): number {
  const places = isOneRepeated(text) ? 1 : text.length;
  return [...text].slice(0, places).reduce((product, _, at, all) => product * sizeAt(all, at), 1);
}

/** Replaces digits by digits, and letters by letters of the same case. Keeps everything else. */
export function reletter(text: string, place: string): string {
  const stream = createHash('sha512').update(`${place} ${text}`).digest();
  const isOne = isOneRepeated(text);
  return [...text]
    .map((character, at, all) => {
      const size = sizeAt(all, at);
      const first = size === 9 ? '1' : /[a-z]/.test(character) ? 'a' : 'A';
      if (size === 1) return character;
      return String.fromCharCode(first.charCodeAt(0) + (stream[(isOne ? 0 : at) % stream.length]! % size));
    })
    .join('');
}

function sizeAt(all: readonly string[], at: number): number {
  const character = all[at]!;
  if (all[at - 1] === '%' || all[at - 2] === '%') return 1;
  if (/[1-9]/.test(character)) return 9;
  if (/e/i.test(character) && /\d/.test(all[at - 1] ?? '')) return 1;
  if (at === 1 && all[0] === '0' && /x/i.test(character)) return 1;
  if (isInKeptWord(all.join(''), at)) return 1;
  return /[A-Za-z]/.test(character) ? 26 : 1;
}

/** Words that a firewall may block, between hyphens. The case tests them, so they stay. */
function isInKeptWord(text: string, at: number): boolean {
  const words = text.matchAll(/(?<=^|-)(?:or|union|select|drop)(?=-|$)/g);
  return [...words].some(({ index, 0: word }) => index <= at && at < index + word.length);
}

function isOneRepeated(text: string): boolean {
  return /^(.)\1+$/u.test(text);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Each run gets other ids of the same form. Equal ids stay equal. */
export function reletterIds(plan: RequestPlan, runId: string): RequestPlan {
  if (plan.keepsId !== true) return plan;
  const body = plan.body.map(
    ([name, value]): Pair => [name, name === 'day_close_request_id' ? reletter(value, runId) : value],
  );
  return { ...plan, body };
}
