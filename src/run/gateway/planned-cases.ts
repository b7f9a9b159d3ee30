/** Generates the cases of a scenario, and chooses those that a run needs. Time limits and plans use the same cases. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { operations } from '../../../contracts/operations.ts';
import { requirementById, requirements } from '../../../contracts/requirements/index.ts';
import { type GateSample, gateResults } from '../../../generators/gate-result.ts';
import { defaultWorld, type MockGate, newGate, type WorldOptions, zeroTotals } from '../../mock/world.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario, TargetFacts, TargetTotals } from '../../plan/scenario.ts';
import { drawFor, scenarioSeed } from '../../plan/seed.ts';
import type { Pair } from '../../protocol/form.ts';
import { isLoopback } from '../../record/hosts.ts';
import { memoize } from '../../record/memoize.ts';
import type { RunOptions } from '../options/run-options.ts';
import { gatewayPlan, selectScenarios } from '../options/scenarios.ts';
import { hasOnlyExclusions, performsAll, selectedIds } from '../options/selection.ts';
import type { LiveConfig, LiveRun } from '../target/live-config.ts';

type PlanOptions = Pick<RunOptions, 'seed' | 'cases' | 'path'> &
  Partial<Pick<RunOptions, 'runId' | 'slow'>> & { readonly live?: Pick<LiveRun, 'config'> };

export function plannedCases(scenario: Scenario, options: PlanOptions): readonly PlannedCase[] {
  return plansIn(options)(scenario);
}

const plansIn = memoize((options: PlanOptions) =>
  memoize((scenario: Scenario) => {
    const all = scenario.plan(drawOf(scenario.id, options));
    return options.path === undefined ? all : onlyGenerated(all);
  }),
);

export function drawOf(id: string, { seed, cases, path, live, runId }: PlanOptions): Draw {
  const values = live === undefined ? mockFacts(seed, id) : liveFacts(live.config, `${runId} ${id}`);
  return drawFor(seed, id, cases, path, values);
}

/** Each scenario has its own mock. The totals of its gate are random, and zero after the first close-day. */
function mockFacts(seed: string, scenarioId: string): Partial<TargetFacts> {
  const { totals: initialTotals } = mockEndpoints(seed, scenarioId)['1111']![0]!;
  const totals = (closedBefore: number): TargetTotals => {
    const currentTotals = closedBefore === 0 ? initialTotals : zeroTotals;
    return {
      sale_approved_count: String(currentTotals.saleApprovedCount),
      sale_approved_sum: currentTotals.saleAmount,
      reversal_approved_count: String(currentTotals.reversalApprovedCount),
      reversal_approved_sum: currentTotals.reversalAmount,
    };
  };
  return { totals, showsSecret: true, isThorough: true };
}

function onlyGenerated(planned: readonly PlannedCase[]): readonly PlannedCase[] {
  const generated = planned.flatMap((plan, number) => (plan.generated === undefined ? [] : [number, plan.label.twin]));
  const numbers = [...new Set(generated)].filter((number) => number !== undefined).sort((a, b) => a - b);
  return numbers.map((number) => {
    const plan = planned[number]!;
    const { twin } = plan.label;
    return twin === undefined ? plan : { ...plan, label: { ...plan.label, twin: numbers.indexOf(twin) } };
  });
}

/** The default endpoints, but with a random gate for 1111 and five more for 1114, and 1115 of another consumer. */
export function mockEndpoints(seed: string, scenarioId: string): NonNullable<WorldOptions['endpoints']> {
  const defaults = Object.fromEntries([...defaultWorld().endpoints].map(([id, { gates }]) => [id, gates]));
  const several = defaults['1114']!;
  const [open, ...others] = drawGates(scenarioSeed(seed, `${scenarioId} gates`), several);
  return {
    ...defaults,
    '1111': [asGate(open!, '1111')],
    '1114': [...several, ...others.map((gate) => asGate(gate, '1114'))],
    '1115': [{ ...newGate('7104', '1115'), consumerKey: 'another-consumer' }],
  };
}

type DecodedGate = GateSample['decoded'];

/** Draws only gates that are not locked, because a locked gate is another situation (section 3). */
function drawGates(seed: number, others: readonly MockGate[]): readonly DecodedGate[] {
  const unlockedGate = fc
    .oneof(gateResults.valid, gateResults.edge)
    .filter(({ label, value: { decoded } }) => label.kind === 'valid' && decoded?.isDayClosing === false)
    .map(({ value }) => value.decoded!)
    .filter((gate) => others.every(({ gateId }) => gateId !== gate.gateId));
  // Six gates: one for endpoint 1111, and five more for 1114.
  const gates = fc.uniqueArray(unlockedGate, { minLength: 6, maxLength: 6, selector: ({ gateId }) => gateId });
  return fc.sample(gates, { seed, numRuns: 1 })[0]!;
}

function asGate(gate: DecodedGate, endpointId: string): MockGate {
  return newGate(gate.gateId, endpointId, 'open', {
    saleApprovedCount: Number(gate.saleApprovedCount),
    saleAmount: gate.saleAmount,
    reversalApprovedCount: Number(gate.reversalApprovedCount),
    reversalAmount: gate.reversalAmount,
  });
}

/** Maximum length of a client-orderid (section 8). */
const maxOrderLength = 128;

/** With this allowance a run sends every case, even if every refusal counts as an effect. */
export const wholeRunAllowance = { days: 500, payments: 800 } as const;

/** `key` names the run and the scenario, so that each of them uses other order ids. */
function liveFacts(
  { recurring: profiles, totals, target, allow }: Pick<LiveConfig, 'recurring' | 'totals' | 'target' | 'allow'>,
  key: string,
): TargetFacts {
  let count = 0;
  return {
    payment: ([order = '', id = '', amount = '']) => {
      const profile = profiles[count % Math.max(profiles.length, 1)] ?? { id, amount };
      count += 1;
      const mark = newOrderMark(`${key} ${count}`);
      // Replace delimiters in the order id: the effect guard sends no batch whose rows can be split in several ways.
      const text = `${mark}${order.replace(/[;,"\t|]/g, '-')}`.slice(0, maxOrderLength).replace(/ $/, 'A');
      return [text, profile.id, profile.amount];
    },
    orderId: (text) => renewText(text, key),
    // A text with a million possible values is almost certainly different in each run.
    isFresh: (text) => countForms(text) >= 1_000_000,
    totals: () => totals,
    // Send secrets only on loopback: elsewhere proxies may log refused requests.
    showsSecret: isLoopback(new URL(target).host),
    isThorough:
      allow['closes-day'] >= wholeRunAllowance.days && allow['starts-payments'].count >= wholeRunAllowance.payments,
  };
}

function countForms(text: string): number {
  const places = isOneRepeated(text) ? 1 : text.length;
  return [...text].slice(0, places).reduce((product, _, at, all) => product * sizeAt(all, at), 1);
}

/** Replaces only digits and letters, and keeps their kind and case. Another key gives another text. */
export function renewText(text: string, key: string): string {
  const stream = createHash('sha512').update(`${key} ${text}`).digest();
  const isOne = isOneRepeated(text);
  return [...text]
    .map((character, at, all) => {
      const size = sizeAt(all, at);
      if (size === 1) return character;
      const firstLetter = /[a-z]/.test(character) ? 'a' : 'A';
      const first = size === 9 ? '1' : firstLetter;
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
  // Keep these words between hyphens, because the case tests if a firewall blocks them.
  const keywords = [...all.join('').matchAll(/(?<=^|-)(?:or|union|select|drop)(?=-|$)/g)];
  if (keywords.some(({ index, 0: word }) => index <= at && at < index + word.length)) return 1;
  return /[A-Za-z]/.test(character) ? 26 : 1;
}

function isOneRepeated(text: string): boolean {
  return /^(.)\1+$/u.test(text);
}

/** Makes a prefix for the order ids of a request. The prefix matches `orderPrefix`. */
export function newOrderMark(key: string): string {
  return `cs${hashOf(key).slice(0, 10)}-`;
}

/** SHA-256 in hexadecimal. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** If the request has `keepsId`, replaces its ids by ids of the same form, new in each run. Equal ids stay equal. */
export function renewIds(plan: RequestPlan, runId: string): RequestPlan {
  if (plan.keepsId !== true) return plan;
  const body = plan.body.map(
    ([name, value]): Pair => [name, name === 'day_close_request_id' ? renewText(value, runId) : value],
  );
  return { ...plan, body };
}

export type Selection = PlanOptions & Pick<RunOptions, 'only' | 'smoke' | 'shard' | 'again'>;
type ScenarioPlan = { readonly scenario: Scenario; readonly plan: readonly PlannedCase[] };
/** `numbers` are indexes in `plan`. */
type NeededPlan = ScenarioPlan & { readonly numbers: ReadonlySet<number> };

/** The scenarios of a run on the mock. */
export function neededScenarios(options: RunOptions): readonly Scenario[] {
  return gatewayPlan(options).filter((one) => performsAll(options) || neededNumbers(one, options).length > 0);
}

/** Numbers of cases, ascending. A case keeps the number that it has in a whole run. */
export function neededNumbers(scenario: Scenario, options: Selection): readonly number[] {
  if (performsAll(options)) return [...plannedCases(scenario, options).keys()];
  return numbersByScenario(options).get(scenario) ?? [];
}

const numbersByScenario = memoize(
  (options: Selection) =>
    new Map(neededPlans(options).map(({ scenario, numbers }) => [scenario, [...numbers].sort((a, b) => a - b)])),
);

function arrangeableScenarios({ live }: Pick<PlanOptions, 'live'>): readonly Scenario[] {
  return gatewayScenarios.filter(
    ({ needsAnswers }) => !needsAnswers || live === undefined || live.config.controlUrl !== undefined,
  );
}

/** The selected requirements that no scenario names: the suite judges them on every answer. Empty without selection. */
export function shownByEveryAnswer({ only, live }: Pick<Selection, 'only' | 'live'>): readonly string[] {
  if (hasOnlyExclusions(only)) return [];
  const testable = new Set<string>(arrangeableScenarios({ live }).flatMap(({ shows }) => shows));
  return selectedIds('gateway', only).filter((id) => !testable.has(id));
}

/** The requirements that `--smoke` can judge: it sends valid requests, and one faulty request per required refusal. */
export function gatewaySmokeIds(): readonly string[] {
  const testable = new Set<string>(gatewayScenarios.flatMap(({ shows }) => shows));
  const only = selectedIds('gateway', []).filter((id) => !testable.has(id));
  const cases = neededPlans({ seed: '1', cases: 1, only, smoke: true }).flatMap(({ plan, numbers }) =>
    plan.filter((_, number) => numbers.has(number)),
  );
  return [...new Set([...only, ...cases.flatMap(({ label }) => label.about ?? [])])];
}

/** The cases about the selected requirements, and the other cases that these repeat or need for comparison. */
export function neededPlans(options: Selection): readonly NeededPlan[] {
  const { only, slow, smoke, shard, again = [], live, path } = options;
  const isWhole = hasOnlyExclusions(only);
  // A shard performs all cases of its scenarios, because a few cases may be too few to decide a requirement.
  const isAll = live === undefined && (isWhole || (path ?? shard) !== undefined);
  const ids = selectedIds('gateway', only);
  const chosen = new Set<string>(ids);
  const plans = selectScenarios(arrangeableScenarios(options), ids, slow).map((scenario) => ({
    scenario,
    plan: plannedCases(scenario, options),
  }));
  const named = new Set(plans.flatMap(({ plan }) => plan.map(({ label }) => label.about as string | undefined)));
  // Perform a whole scenario for a chosen requirement that no case names, or that `needAllCases` lists.
  const needsAllCases = ({ shows, needAllCases = [] }: Scenario) =>
    isAll ||
    (!isWhole && !smoke && shows.some((id) => chosen.has(id) && (!named.has(id) || needAllCases.includes(id))));
  const answers = answersFor(shownByEveryAnswer(options), plans, live === undefined && !smoke);
  const isNeeded = (planned: PlannedCase) => {
    const { about } = planned.label;
    const valid = `authentication/${operations[planned.request.operation].area}-valid-accepted`;
    if (live === undefined && !smoke && isOnlyTwin(planned) && chosen.has(valid)) return true;
    return answers.has(planned) || (!smoke && (about === undefined ? isWhole : chosen.has(about)));
  };
  return plans.map(({ scenario, plan }) => {
    const isWanted = (planned: PlannedCase, number: number) =>
      needsAllCases(scenario) || isNeeded(planned) || again.includes(`${scenario.id} ${number}`);
    return { scenario, plan, numbers: withDependencies(plan, isWanted) };
  });
}

export function isOnlyTwin({ label }: PlannedCase): boolean {
  return label.intent === 'valid' && label.about === undefined && label.differsIn === undefined;
}

/** Chooses a few requests whose answers test `ids`. Includes faulty ones only if a refusal can test one of `ids`. */
function answersFor(ids: readonly string[], plans: readonly ScenarioPlan[], hasRoom: boolean) {
  const found = new Map<string, PlannedCase[]>();
  for (const { scenario, plan } of plans) {
    const { operation } = scenario;
    const testable = requirements.filter((row) => ids.includes(row.id) && [operation, 'both'].includes(row.operation));
    const includesFaults = testable.some(({ id }) => !/^close-day\/(?:gate|finished)-/.test(id)) && !isInOrder(plan);
    for (const planned of testable.length === 0 ? [] : plan) {
      const { about, intent } = planned.label;
      const earlier = found.get(about ?? '') ?? [];
      if (about === undefined || earlier.length === (hasRoom && intent === 'fault' ? 2 : 1)) continue;
      const isFault = includesFaults && intent === 'fault' && (hasRoom || requirementById(about)?.kind === 'required');
      if (isFault || about.endsWith('-valid-accepted')) found.set(about, [...earlier, planned]);
    }
  }
  return new Set([...found.values()].flat());
}

function withDependencies(plan: readonly PlannedCase[], isNeeded: (planned: PlannedCase, number: number) => boolean) {
  const needed = new Set<number>();
  const add = (number: number | undefined): void => {
    if (number === undefined || needed.has(number)) return;
    needed.add(number);
    const { label, request } = plan[number]!;
    add(label.twin);
    add(request.signatureOf);
    add(request.idsOf);
    add(request.cookiesOf);
    // Send the requests between the original and its repetition too: they test how long the target remembers a nonce.
    const earlier = request.replay ?? request.nonceOf;
    if (earlier !== undefined) for (let between = earlier; between < number; between++) add(between);
  };
  for (const [number, planned] of plan.entries()) if (isNeeded(planned, number)) add(number);
  return needed;
}

/** Whether a case of the plan depends on an earlier case. */
export function isInOrder(plan: readonly PlannedCase[]): boolean {
  return plan.some(
    ({ label, request }, number) => request.late !== true && (request.replay !== undefined || label.twin! < number),
  );
}
