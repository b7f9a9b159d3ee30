/** Which known defects a run would miss, and which allowance would detect more. Pure. */
import { operationNames } from '../../../contracts/operations.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { dimensions } from '../../../contracts/requirements/requirement.ts';
import type { PlannedCase } from '../../plan/scenario.ts';
import type { Case } from '../../record/case.ts';
import { groupBy } from '../../record/group-by.ts';
import { isBinding, judgedRequirements } from '../../record/result/conclude.ts';
import type { EffectBudget, Result, Unnoticed } from '../../record/result/result.ts';
import type { Side } from '../../record/run.ts';
import { classify } from '../../rules/answers/acceptance.ts';
import { Effects } from '../../run/allowance/budget.ts';
import { wholeRunAllowance } from '../../run/gateway/planned-cases.ts';
import { noEarlierUsage, plansOf } from '../../run/live/plan.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { matchesAny } from '../../run/options/selection.ts';
import type { Allowance, LiveRun } from '../../run/target/live-config.ts';
import { acceptedKey, caseKey, keysOfCases, knownDefects, noticedBy, withUnknownEndpoint } from './defect-table.ts';

type ForecastOptions = Parameters<typeof plansOf>[0] &
  Pick<RunOptions, 'profile' | 'scoring'> & { readonly live: Pick<LiveRun, 'config' | 'accepted'> };

interface Circumstances {
  readonly cases?: readonly Case[];
  /** Effects that already count against the allowance. */
  readonly before?: typeof noEarlierUsage;
  readonly known?: readonly string[];
}

/** Finds known defects that a run misses, and allowances or settings that detect more. Before a run, uses its plan. */
export function forecast(options: ForecastOptions, circumstances: Circumstances = {}): Unnoticed {
  const { cases, before = noEarlierUsage, known = [] } = circumstances;
  const binding = new Set(bindingIds(options).filter((id) => !known.includes(id)));
  const { config } = options.live;
  const { allow } = config;
  const isAccepted = predictAccepted(cases ?? []);
  const plansWith = (change: Partial<Live['config']>) => {
    const live = { ...options.live, config: { ...config, ...change } };
    const { planFor, wholeRun } = plansOf({ ...options, live }, before, isAccepted);
    const noticedWithin = (allowed: Allowance) => {
      const { sent, ...rest } = planFor(allowed);
      return { ...noticedBy(withUnknownEndpoint(keysOfPlan(sent), live), binding), ...rest };
    };
    return { noticedWithin, wholeRun };
  };
  const { noticedWithin, wholeRun } = plansWith({});
  const current = noticedWithin(allow);
  const sent = cases && withUnknownEndpoint(keysOfCases(cases), options.live);
  const { noticed: noticedNow, unnoticed, notKnown } = sent === undefined ? current : noticedBy(sent, binding);
  // A larger allowance helps only for defects that the plan misses too. So omit defects that only the run missed.
  const missedByPlan = new Set(unnoticed.filter((id) => current.unnoticed.includes(id)));
  const offer = (kind: Offer['kind'], allowed: Allowance, { noticed, plan }: typeof current, set?: string): Offer => ({
    kind,
    allow: kind === 'setting' ? [] : toFlags(allowed),
    more: noticed.filter((id) => missedByPlan.has(id)).length - noticedNow.filter((id) => !noticed.includes(id)).length,
    effects: Math.max(0, costOf(plan.ifRefusalsAreUntrue) - costOf(current.plan.ifRefusalsAreUntrue)),
    aboutSeconds: plan.aboutSeconds,
    cost: costOf(allowed),
    set,
  });
  const cheapest = (isCandidate: (step: Step) => boolean): Offer[] => {
    for (const allowed of largerAllowances(allow, wholeRun, isCandidate)) {
      const needed = largerOf(noticedWithin(allowed).needs, allow);
      const candidate = offer('more', needed, noticedWithin(needed));
      if (candidate.more > 0) return [candidate];
    }
    return [];
  };
  const singleOffers = [
    ...cheapest(({ days, payments }) => days > 0 && payments === 0),
    ...cheapest(({ days, payments }) => days === 0 && payments > 0),
  ];
  // Also try to add both days and payments, but only if this costs less than these offers.
  const costLimit = Math.min(...singleOffers.map(({ cost }) => cost), costOf(wholeRun)) - costOf(allow);
  // Try few combinations, because each combination plans a run.
  const stepLimit = Math.min(costLimit, 24);
  const combinedOffers = cheapest(({ days, payments }) => days > 0 && payments > 0 && days + payments < stepLimit);
  const whole = largerOf(wholeRun, allow);
  const all = [offer('whole', whole, noticedWithin(whole))];
  // A run can start payments only if `recurring` names profiles that may be charged.
  if (config.recurring.length > 0) {
    // This allowance is enough for all cases, even if refused requests count as effects.
    const roomy = largerOf(plentiful, wholeRun);
    const enough = largerOf(roomy, plansWith({ allow: roomy }).wholeRun);
    const largest = largerOf(enough, allow);
    const candidate = offer('plenty', largest, plansWith({ allow: enough }).noticedWithin(largest));
    if (candidate.more > all[0]!.more) all.push(candidate);
  }
  // Plan with the maximum `trust-refusals` of the schema. The number of refusals in this plan is enough.
  const { trusted } = plansWith({ trustRefusals: 1000 }).noticedWithin(allow);
  const maxRefusals = Math.max(trusted.closesDay, trusted.payments);
  const settings = settingsFor(options.live, maxRefusals).map(({ set, change }) =>
    offer('setting', allow, plansWith(change).noticedWithin(allow), set),
  );
  const offers = [...singleOffers, ...combinedOffers, ...settings, ...all]
    .filter(({ more }) => more > 0)
    .sort((a, b) => b.more / b.effects - a.more / a.effects || b.more - a.more || a.cost - b.cost);
  const missed = unnoticedOf('gateway', ({ id }) => unnoticed.includes(id));
  return { ...missed, notKnown, allowances: offers.map(({ cost: _, ...rest }) => rest) };
}

function keysOfPlan(sent: readonly { readonly scenario: string; readonly planned: PlannedCase }[]): Set<string> {
  const keys = sent.flatMap(({ scenario, planned: { label, request } }) => [
    caseKey(scenario, request.operation, label),
    ...(label.intent === 'valid' ? [acceptedKey(request.operation)] : []),
  ]);
  return new Set(keys);
}

// The returned function predicts if the target accepts a planned faulty request. It looks for recorded answers to
// requests with the same key. If there are none, it looks for accepted requests about the same requirement.
function predictAccepted(cases: readonly Case[]): Parameters<typeof plansOf>[2] {
  const answers = new Map<string, boolean>();
  const broken = new Set<string>();
  for (const testCase of cases) {
    const { scenario, label } = testCase;
    const [exchange] = testCase.exchanges;
    if (label.intent !== 'fault' || exchange.response === undefined) continue;
    const key = caseKey(scenario, label.operation, label);
    const isAccepted = classify(testCase) === 'accepted';
    answers.set(key, answers.get(key) === true || isAccepted);
    if (isAccepted && label.about !== undefined) broken.add(label.about);
  }
  return (scenario, { label, request }) =>
    answers.get(caseKey(scenario, request.operation, label)) ?? (label.about !== undefined && broken.has(label.about));
}

type Live = ForecastOptions['live'];

interface Setting {
  /** The name of the setting, and its value or meaning, such as `trust-refusals: 5`. */
  readonly set: string;
  readonly change: Partial<Live['config']>;
}

/** Settings with which a run could send more requests. Some values are placeholders that serve only for the plan. */
function settingsFor({ config, accepted }: Live, maxRefusals: number): Setting[] {
  const { recurring, states, controlUrl, totals, unknownEndpointId } = config;
  const trustRefusals = Math.max(config.trustRefusals, maxRefusals);
  const settings: Setting[] = [{ set: `trust-refusals: ${trustRefusals}`, change: { trustRefusals } }];
  const add = (set: string, change: Setting['change']) => settings.push({ set, change });
  if (recurring.some(({ savedAmount }) => savedAmount === undefined)) {
    const saved = recurring.map((one) => ({ savedAmount: one.amount, ...one }));
    add('recurring: saved-amount of each payment, which is charged if a row has no amount', { recurring: saved });
  }
  const [first, ...others] = recurring;
  if (first !== undefined && others.length === 0) {
    add('recurring: a second profile', { recurring: [first, { ...first, id: `${first.id}1` }] });
  }
  const isControlled = controlUrl !== undefined;
  if (!isControlled && states.closing === undefined) {
    add('states: closing, an endpoint whose gates are closing', { states: { ...states, closing: 'closing' } });
  }
  if (!isControlled && states.locked === undefined) {
    add('states: locked, an endpoint whose gates are locked', { states: { ...states, locked: 'locked' } });
  }
  if (totals === undefined) {
    const sales = { sale_approved_count: '0', sale_approved_sum: '0.00' };
    const reversals = { reversal_approved_count: '0', reversal_approved_sum: '0.00' };
    add("totals: the gateway's totals at the endpoint", { totals: { ...sales, ...reversals } });
  }
  if (unknownEndpointId === undefined && accepted === undefined) {
    add('unknown-endpoint-id: an endpoint that does not exist', { unknownEndpointId: 'unknown' });
  }
  return settings;
}

type Offer = Unnoticed['allowances'][number] & { readonly cost: number; readonly effects: number };

const plentiful = {
  'closes-day': wholeRunAllowance.days,
  'starts-payments': { count: wholeRunAllowance.payments, total: '0.00' },
};

/** Ids of the requirements whose failure makes the run non-conformant. */
export function bindingIds(options: Pick<ForecastOptions, 'profile' | 'only' | 'scoring'>): string[] {
  const { only, profile, scoring } = options;
  return judgedRequirements('gateway', profile)
    .filter(({ kind, untestable }) => isBinding(kind, profile) && untestable === undefined)
    .map(({ id }) => id)
    .filter((id) => only.length === 0 || matchesAny(id, only))
    .filter((id) => scoring?.set?.ids.includes(id) ?? true);
}

interface Step {
  readonly days: number;
  readonly payments: number;
}

// Larger allowances, the cheapest first. If payments are added, the total is enough for a whole run.
function largerAllowances(allow: Allowance, whole: EffectBudget, isCandidate: (step: Step) => boolean) {
  const { count } = allow['starts-payments'];
  const { total } = largerOf(whole, allow)['starts-payments'];
  const range = (max: number) => Array.from({ length: Math.max(0, max) + 1 }, (_, more) => more);
  const steps = range(whole['closes-day'] - allow['closes-day']).flatMap((days) =>
    range(whole['starts-payments'].count - count)
      .map((payments): Step => ({ days, payments }))
      .filter(isCandidate),
  );
  return steps
    .sort((a, b) => a.days + a.payments - b.days - b.payments)
    .map(({ days, payments }) => ({
      'closes-day': allow['closes-day'] + days,
      'starts-payments': payments === 0 ? allow['starts-payments'] : { count: count + payments, total },
    }));
}

function largerOf(needs: EffectBudget, allow: EffectBudget): EffectBudget {
  return Effects.of(needs).max(Effects.of(allow)).budget();
}

function costOf({ 'closes-day': days, 'starts-payments': { count } }: EffectBudget): number {
  return days + count;
}

/** The budget as values of --allow. An effect with the count 0 is left out. */
export function toFlags({ 'closes-day': days, 'starts-payments': { count, total } }: EffectBudget): string[] {
  const flags = [days > 0 && `closes-day=${days}`, count > 0 && `starts-payments=${count}/${total}`];
  return flags.filter((flag) => flag !== false);
}

/** Defects that break no judged requirement; undefined if there are none. */
export function unnoticedByIds(side: Side, judged: ReadonlySet<string>): Unnoticed | undefined {
  const unnoticed = unnoticedOf(side, ({ breaks }) => !breaks.some((id) => judged.has(id)));
  return unnoticed.count === 0 ? undefined : unnoticed;
}

type KnownDefect = (typeof knownDefects)[Side][number];

function unnoticedOf(side: Side, isMissed: (defect: KnownDefect) => boolean): Unnoticed {
  const known = knownDefects[side];
  const missed = known.filter(isMissed);
  const groups = [...operationNames, 'both' as const].flatMap((operation) =>
    dimensions.flatMap((dimension) => {
      const defects = missed
        .filter((one) => one.operation === operation && requirementById(one.breaks[0]!)?.dimension === dimension)
        .map(({ id }) => id);
      return defects.length === 0 ? [] : [{ operation, dimension, defects }];
    }),
  );
  const clientSide = side === 'client' ? side : undefined;
  return { side: clientSide, of: known.length, count: missed.length, groups, notKnown: [], allowances: [] };
}

/** Adds the defects that a run misses. The sent cases decide this; for mock and client, the judged requirements. */
export function withUnnoticed(result: Result, cases: readonly Case[]): Result {
  const { subject, aborted, scope } = result;
  if (aborted !== undefined || scope?.shard !== undefined) return result;
  const isLive = subject.kind === 'gateway' && subject.target !== 'mock';
  const judged = countedIds(result, isLive);
  const unnoticed = isLive ? unnoticedByCases(cases, judged) : unnoticedByIds(subject.kind, judged);
  return unnoticed === undefined ? result : { ...result, unnoticed };
}

function unnoticedByCases(cases: readonly Case[], judged: ReadonlySet<string>): Unnoticed {
  const config = cases.some(({ label }) => label.facts?.gate === 'unknown') ? { unknownEndpointId: '0' } : {};
  const { unnoticed, notKnown } = noticedBy(withUnknownEndpoint(keysOfCases(cases), { config }), judged);
  return { ...unnoticedOf('gateway', ({ id }) => unnoticed.includes(id)), notKnown };
}

/** Requirements whose failure counts, except known failures. `withUndecided`: also requirements without a verdict. */
function countedIds({ results, profile }: Result, withUndecided: boolean): Set<string> {
  const counting = results
    .filter(({ outcome }) => withUndecided || outcome === 'pass' || outcome === 'fail')
    .filter(({ kind, known, notScored }) => isBinding(kind, profile) && known === undefined && !notScored);
  return new Set(counting.map(({ id }) => id));
}

/** Ids of the known defects by the requirement that they break. */
export const provenBy: Readonly<Record<Side, ReadonlyMap<string, readonly string[]>>> = {
  gateway: defectsByRow(knownDefects.gateway),
  client: defectsByRow(knownDefects.client),
};

function defectsByRow(defects: readonly KnownDefect[]): ReadonlyMap<string, readonly string[]> {
  const pairs = defects.flatMap(({ id, breaks }) => breaks.map((row) => ({ row, id })));
  return new Map(
    Array.from(
      groupBy(pairs, ({ row }) => row),
      ([row, some]) => [row, some.map(({ id }) => id)],
    ),
  );
}
