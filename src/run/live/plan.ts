/** Plans a live run before its first request: which cases are sent or skipped, and their maximum effects. Pure. */
import { type Operation, operationNames } from '../../../contracts/operations.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { type CsvStyle, plainStyle, printCsv } from '../../../generators/payload.ts';
import type { PlannedCase, RequestPlan, Scenario, Situation } from '../../plan/scenario.ts';
import { decodeCsv } from '../../protocol/csv.ts';
import { groupBy } from '../../record/group-by.ts';
import { memoize } from '../../record/memoize.ts';
import type { EffectBudget } from '../../record/result/result.ts';
import { isUnsent, type Unsent } from '../../record/run.ts';
import type { ByOperation, Reserve } from '../allowance/budget.ts';
import { decide, Effects, excessReason, hasOneEffect, kindOf } from '../allowance/budget.ts';
import type { LedgerBalance } from '../allowance/ledger.ts';
import { type WorstCase, worstCaseOf } from '../allowance/worst-case.ts';
import { unsignedRequest } from '../gateway/build-request.ts';
import { cannotArrange } from '../gateway/perform-case.ts';
import type { Selection } from '../gateway/planned-cases.ts';
import { isInOrder, isOnlyTwin, neededPlans, plannedCases, shownByEveryAnswer } from '../gateway/planned-cases.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { Allowance, LiveConfig, LiveRun } from '../target/live-config.ts';
import { type Site, siteOf } from '../target/site.ts';
import { placeOf } from '../target/target.ts';

interface LivePlan {
  readonly format: 'countersign-plan';
  readonly formatVersion: 1;
  readonly target: string;
  /** Seed of the run. Another seed gives slightly different numbers of cases and effects. */
  readonly seed: string;
  readonly endpointId?: string;
  readonly allow: Allowance;
  /** Effects of unfinished runs, and of `doctor` just before this run. They count against the allowance. */
  readonly carried: EffectBudget;
  readonly carriedByDoctor?: EffectBudget;
  readonly unknownEndpointId?: string;
  readonly phases: readonly { readonly phase: Phase; readonly operation: Operation; readonly cases: number }[];
  /** Requirements of `--only` that every answer can test. For these, a few requests are enough. */
  readonly shownByEveryAnswer?: readonly string[];
  readonly whyNothing?: string;
  readonly notSent: readonly { readonly reason: string; readonly cases: number }[];
  /** Effects if the target refuses every fault and accepts all other requests. */
  readonly predicted: EffectBudget;
  /** Maximum effects, whatever the target answers, if refused requests have no effects. */
  readonly atMost: EffectBudget;
  /** Maximum effects if refused requests have effects too, and the endpoint `unknownEndpointId` exists. */
  readonly ifRefusalsAreUntrue: EffectBudget;
  /** Approximate number of requests, with probes. */
  readonly requests: number;
  /** The duration of the run if the target answers fast. */
  readonly aboutSeconds: number;
  /** An allowance that is enough to send every case, if the target refuses every fault. */
  readonly wholeRun: EffectBudget;
}

type EarlierUsage = Pick<LedgerBalance, 'carried' | 'byDoctor' | 'refusals'>;

export const noEarlierUsage: EarlierUsage = {
  carried: Effects.none,
  byDoctor: Effects.none,
  refusals: { closesDay: 0, payments: 0 },
};

export function planRun(options: LiveOptions, earlier: EarlierUsage = noEarlierUsage): LivePlan {
  const { planFor, wholeRun } = plansOf(options, earlier);
  return { ...planFor(options.live.config.allow).plan, wholeRun };
}

interface PlanWithin {
  readonly plan: Omit<LivePlan, 'wholeRun'>;
  readonly sent: readonly { readonly scenario: string; readonly planned: PlannedCase }[];
  readonly needs: EffectBudget;
  /** Number of refusals that count as no effect, for each operation. Includes those of unfinished earlier runs. */
  readonly trusted: ByOperation<number>;
}

/** Returns `planFor`, which plans a run with an allowance, and `wholeRun`, an allowance that covers all cases. */
export function plansOf(
  options: LiveOptions,
  earlier: EarlierUsage = noEarlierUsage,
  isAccepted: (scenario: string, planned: PlannedCase) => boolean = () => false,
): { planFor(allow: Allowance): PlanWithin; readonly wholeRun: EffectBudget } {
  const priced = casesInOrder(options);
  const planFor = (allow: Allowance) => planWithin(allow, priced, options, earlier, isAccepted);
  // This allowance is larger than any run needs. Without a recurring profile, a run can start no payments.
  const isWithoutProfile = options.live.config.recurring.length === 0;
  const payments = isWithoutProfile ? { count: 0, total: '0.00' } : { count: 1_000_000, total: '1000000000.00' };
  return { planFor, wholeRun: planFor({ 'closes-day': 1_000_000, 'starts-payments': payments }).needs };
}

function planWithin(
  allow: Allowance,
  priced: readonly PricedCase[],
  options: LiveOptions,
  { carried, byDoctor, refusals }: EarlierUsage,
  isAccepted: (scenario: string, planned: PlannedCase) => boolean,
): PlanWithin {
  const { config } = options.live;
  const sent: { scenario: string; planned: PlannedCase }[] = [];
  let needs = Effects.none;
  const steps = new Set<LiveStep>();
  const caseCounts = new Map<string, number>();
  const reasons = new Map<string, number>();
  const reserve = costOf(priced);
  let booked = carried;
  let predicted = Effects.none;
  // Effects of all requests that may be sent, whatever the target answers.
  let possible = Effects.none;
  let possiblyTrusted = Effects.none;
  // Before the first case, `doctor` sends one request of each operation to `unknownEndpointId`. Count them too.
  let atUnknown = config.unknownEndpointId === undefined ? Effects.none : new Effects(1, 1, siteOf(config).maxCharge);
  const trusted = { ...refusals };
  const wronglyAccepted = { spent: Effects.none, closesDay: [] as string[], payments: [] as string[] };
  const skip = (reason: string) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const { step, planned, worst, isOtherForm } of priced) {
    const { phase, scenario } = step;
    if (isUnsent(worst)) {
      if (!isOtherForm) skip(worst.reason);
      continue;
    }
    const include = () => {
      steps.add(step);
      sent.push({ scenario: scenario.id, planned });
      const key = `${phase} ${scenario.operation}`;
      caseCounts.set(key, (caseCounts.get(key) ?? 0) + 1);
    };
    if (worst.effect === 'none' || worst.unknown) {
      atUnknown = atUnknown.add(worst);
      include();
      continue;
    }
    if (excessReason(worst, carried, allow) === undefined) {
      possible = possible.add(worst);
      if (hasOneEffect(worst)) possiblyTrusted = possiblyTrusted.add(worst);
    }
    if (isOtherForm) continue;
    const negative = phase === 'first refusals' || phase === 'refusals';
    const atClosingGate = isAtClosingGate(planned.request, scenario);
    const purpose = { what: '', atClosingGate, ...(negative && { reserve }) };
    // The plan assumes that answers are readable and that the target accepts valid requests.
    const assumed = { unreadable: Effects.none, distrusted: Effects.none };
    const usage = { ...assumed, spent: booked, carried, byDoctor, refusals: trusted, wronglyAccepted };
    const decision = decide(worst, purpose, { ...config, allow }, usage);
    if (isUnsent(decision)) {
      skip(decision.reason);
      continue;
    }
    const { doubt, reserved = Effects.none } = decision;
    include();
    needs = needs.max(booked.plus(reserved).add(worst));
    if (!negative) predicted = predicted.add(worst);
    const isWrong = negative && isAccepted(scenario.id, planned);
    const kind = kindOf(worst);
    if (isWrong) {
      wronglyAccepted.spent = wronglyAccepted.spent.add(worst);
      wronglyAccepted[kind].push(scenario.id);
    }
    if (negative && !isWrong && doubt === undefined) trusted[kind] += 1;
    else booked = booked.add(worst);
  }
  if (options.measure !== undefined || options.contracts) {
    // Measuring and the Pact contracts may use the whole allowance, because their requests depend on answers.
    const unlimited = Number.MAX_SAFE_INTEGER;
    possible = new Effects(unlimited, unlimited, unlimited);
    possiblyTrusted = possible;
  }
  const atMost = possible.min(Effects.of(allow).minus(carried));
  const everyAnswer = shownByEveryAnswer(options);
  const cases = [...caseCounts.values()].reduce((total, count) => total + count, 0);
  // Doctor sends two requests. There is one probe before the first step, and one after each step.
  const requests = cases === 0 ? 0 : cases + steps.size + 3 + (options.measure ?? 0);
  const plan: PlanWithin['plan'] = {
    format: 'countersign-plan',
    formatVersion: 1,
    target: options.target,
    seed: options.seed,
    endpointId: config.endpointId,
    allow,
    carried: carried.budget(),
    ...(!byDoctor.isNothing() && { carriedByDoctor: byDoctor.budget() }),
    ...(config.unknownEndpointId !== undefined && { unknownEndpointId: config.unknownEndpointId }),
    phases: phases.flatMap((phase) =>
      operationNames.flatMap((operation) => {
        const cases = caseCounts.get(`${phase} ${operation}`) ?? 0;
        return cases === 0 ? [] : [{ phase, operation, cases }];
      }),
    ),
    notSent: [...reasons].map(([reason, cases]) => ({ reason, cases })).sort((a, b) => b.cases - a.cases),
    whyNothing: priced.length === 0 ? nothingToSendReason(options) : undefined,
    ...(everyAnswer.length === 0 ? {} : { shownByEveryAnswer: everyAnswer }),
    predicted: predicted.budget(),
    atMost: atMost.budget(),
    requests,
    aboutSeconds: cases === 0 ? 0 : Math.ceil(startAndEndSeconds + requests * Math.max(1 / config.rate, answerSeconds)),
    ifRefusalsAreUntrue: atMost
      .plus(atUnknown)
      .plus(effectsOfTrusted(possiblyTrusted, refusals, config))
      .budget(),
  };
  return { plan, sent, needs: needs.budget(), trusted };
}

const startAndEndSeconds = 6;
const answerSeconds = 0.02;

/** Maximum effects if all refusals that the run trusts are untrue: `trustRefusals` of each operation at most. */
function effectsOfTrusted(possible: Effects, refusals: ByOperation<number>, config: LiveConfig): Effects {
  const remaining = (kind: keyof typeof refusals) =>
    Math.min(Math.max(config.trustRefusals - refusals[kind], 0), possible[kind]);
  const payments = remaining('payments');
  const cents = Math.min(payments * siteOf(config).maxCharge, possible.cents);
  return new Effects(remaining('closesDay'), payments, cents);
}

type LiveOptions = Omit<RunOptions, 'live'> & { readonly live: Pick<LiveRun, 'config'> };

interface PricedCase {
  readonly step: LiveStep;
  readonly planned: PlannedCase;
  readonly worst: WorstCase | Unsent;
  readonly isOtherForm: boolean;
}

function arrangeablePlace(config: LiveConfig) {
  return { ...placeOf(config), ...(config.controlUrl !== undefined && { setNextAnswer: async () => {} }) };
}

const casesInOrder = memoize((options: LiveOptions): readonly PricedCase[] => {
  const { config } = options.live;
  const place = arrangeablePlace(config);
  const site = siteOf(config);
  return orderSteps(options).flatMap((step) => {
    if (cannotArrange(step.scenario, place)) return [];
    const plan = plannedCases(step.scenario, options);
    const price = (planned: PlannedCase, isOtherForm: boolean): PricedCase => {
      return { step, planned, worst: worstOf(planned.request, step, place, site), isOtherForm };
    };
    return step.numbers.flatMap((number) => [
      price(plan[number]!, false),
      ...otherForms(step, plan[number]!, number).map((other) => price(other, true)),
    ]);
  });
});

/** Effects of the valid requests of the run. A part of the allowance is reserved for them. */
export function costOfValid(options: LiveOptions): Reserve {
  return costOf(casesInOrder(options));
}

function costOf(priced: readonly PricedCase[]): Reserve {
  const costIn = (...phases: readonly Phase[]) =>
    priced
      .filter(({ step, isOtherForm }) => !isOtherForm && phases.includes(step.phase))
      .reduce((spent, { worst }) => (isUnsent(worst) || 'unknown' in worst ? spent : spent.add(worst)), Effects.none);
  return { first: costIn('first positives'), all: costIn('first positives', 'positives') };
}

/** Builds the request without a signature, because a signature does not change the effect. */
function worstOf(
  plan: RequestPlan,
  { scenario }: LiveStep,
  place: ReturnType<typeof placeOf>,
  site: Site,
): WorstCase | Unsent {
  const situation = plan.situation ?? scenario.situation;
  if (place.endpoints[situation] === undefined) {
    return { why: 'forbidden', reason: `the configuration lacks ${missingKeys[situation]}` };
  }
  const request = unsignedRequest(plan, place, situation);
  return worstCaseOf({ ...request, isSigned: plan.unsigned !== true }, site);
}

function nothingToSendReason(options: LiveOptions): string | undefined {
  const { config } = options.live;
  const missing = orderSteps(options)
    .filter(({ scenario }) => cannotArrange(scenario, arrangeablePlace(config)))
    .map(({ scenario: { situation, needsAnswers, needsProfiles } }) =>
      needsAnswers || needsProfiles ? missingKeys.unlocked : missingKeys[situation],
    );
  if (missing.length === 0 && config.totals === undefined) missing.push("totals (the gateway's own)");
  if (missing.length === 0) return undefined;
  return `--only selects requirements that need ${[...new Set(missing)].join(' or ')} in the configuration`;
}

const forms: readonly (readonly [differsIn: string, style: Partial<CsvStyle>])[] = [
  ['CRLF line ends', { lineEnd: '\r\n' }],
  ['quotes around every cell', { cells: 'all' }],
  ['no line end after the last row', { finalLineEnd: false }],
  ['quotes around every cell and CRLF line ends', { cells: 'all', lineEnd: '\r\n' }],
  ['CRLF line ends, and none after the last row', { lineEnd: '\r\n', finalLineEnd: false }],
];

/** If `planned` is the first valid batch: the same batch in other CSV forms, to send if it is refused. Else empty. */
export function otherForms({ phase, scenario }: LiveStep, planned: PlannedCase, number: number): PlannedCase[] {
  if (phase !== 'first positives' || scenario.operation !== 'process-recurring-payments') return [];
  const [, payload] = planned.request.body[0]!;
  const { columns, rows } = decodeCsv(Buffer.from(payload, 'base64').toString('utf8'));
  // Send each form twice, because a single acceptance may be chance.
  return forms
    .flatMap((form) => [form, form])
    .map(([differsIn, style]) => {
      const csv = printCsv(columns, rows, { ...plainStyle, ...style });
      return {
        label: { intent: 'open', openPoint: 'A12', twin: number, differsIn },
        request: { ...planned.request, body: [['payload', Buffer.from(csv, 'utf8').toString('base64')]] },
      };
    });
}

/** The configuration key that each situation needs. */
export const missingKeys: Readonly<Record<Situation, string>> = {
  open: 'endpoint-id',
  closing: 'states.closing (an endpoint whose gates are all closing)',
  locked: 'states.locked (an endpoint whose gates are all locked)',
  'several-gates': 'gates (the number of gates of the endpoint)',
  unknown: 'unknown-endpoint-id (an endpoint that does not exist)',
  'of-another-consumer': 'an endpoint of another consumer (only the mock has one)',
  unlocked: 'control-url (the control interface of a mock)',
  'closed-by-hand': 'control-url (the control interface of a mock)',
};

const phases = ['first refusals', 'refusals', 'first positives', 'positives', 'observations', 'last'] as const;

type Phase = (typeof phases)[number];

/** Cases of one scenario, sent in sequence. */
export interface LiveStep {
  readonly scenario: Scenario;
  readonly phase: Phase;
  readonly numbers: readonly number[];
}

/** The steps of a run in order. Every process of a run computes the same order. */
export function orderSteps(options: Selection): readonly LiveStep[] {
  const needed = neededPlans(options).flatMap(({ scenario, plan, numbers }): NeededCase[] => {
    const inOrder = isInOrder(plan);
    return plan
      .map((planned, number) => ({ scenario, number, planned, inOrder, phase: phaseOf(planned, scenario, inOrder) }))
      .filter(({ number }) => numbers.has(number));
  });
  const firstPositives = operationNames.flatMap(
    (operation) => firstPositive(needed.filter(({ scenario }) => scenario.operation === operation)) ?? [],
  );
  const refusals = firstRefusals(needed);
  const others = needed.filter((one) => !firstPositives.includes(one) && !refusals.includes(one));
  const stepsOf = (phase: Phase, cases = others.filter((one) => one.phase === phase)) =>
    [...groupBy(cases, ({ scenario }) => scenario)].map(
      ([scenario, group]): LiveStep => ({ scenario, phase, numbers: group.map(({ number }) => number) }),
    );
  const isReplayed = ({ scenario }: LiveStep) =>
    plannedCases(scenario, options).some(({ request }) => request.replay !== undefined);
  return [
    ...stepsOf('first refusals', refusals),
    ...requiredFirst(stepsOf('refusals')),
    ...firstPositives.flatMap((first) => stepsOf('first positives', [first])),
    ...requiredFirst(stepsOf('positives')),
    ...stepsOf('observations'),
    // Send replays before future timestamps: after a future timestamp, a gateway may refuse earlier timestamps (A3).
    ...stepsOf('last').sort((a, b) => Number(isReplayed(b)) - Number(isReplayed(a))),
  ];
}

export function titleOf({ scenario, phase }: Pick<LiveStep, 'scenario' | 'phase'>): string {
  return `${scenario.id} (${phase})`;
}

export function scenarioOf(title: string): string {
  return title.replace(/ \([^)]*\)$/, '');
}

interface NeededCase {
  readonly scenario: Scenario;
  readonly number: number;
  readonly planned: PlannedCase;
  readonly inOrder: boolean;
  /** Undefined for a valid request that tests no requirement. It is sent only if it is the first valid request. */
  readonly phase: Phase | undefined;
}

/** Requirements that show whether the target checks signature, key and body. Their cases are sent first. */
const coreIds = /-(?:unsigned|wrong-key|altered-body)-refused$/;

/** Only the first refusals are trusted. So send `coreIds` cases first, then one case per `required` requirement. */
function firstRefusals(needed: readonly NeededCase[]): NeededCase[] {
  const idOf = ({ planned }: NeededCase) => planned.label.about ?? '';
  const all = needed.filter((one) => one.phase === 'refusals' && requirementById(idOf(one))?.kind === 'required');
  const isCore = (one: NeededCase) => coreIds.test(idOf(one));
  const casesOf = (id: string) => all.filter((one) => idOf(one) === id).length;
  return all
    .filter((one, index) => isCore(one) || all.findIndex((other) => idOf(other) === idOf(one)) === index)
    .sort((a, b) => Number(isCore(b)) - Number(isCore(a)) || casesOf(idOf(a)) - casesOf(idOf(b)));
}

/** Chooses the valid request to send first, preferably one that tests a requirement. */
function firstPositive(needed: readonly NeededCase[]): NeededCase | undefined {
  const candidates = needed.filter(({ scenario, planned: { request, label }, inOrder }) => {
    const isPlain = scenario.needsAnswers !== true && !inOrder && (request.situation ?? scenario.situation) === 'open';
    return isPlain && label.intent === 'valid' && label.twin === undefined;
  });
  return (
    candidates.find(({ planned }) => planned.label.about !== undefined) ??
    candidates.find(({ planned }) => isOnlyTwin(planned)) ??
    candidates[0]
  );
}

function phaseOf(planned: PlannedCase, scenario: Scenario, inOrder: boolean): Phase | undefined {
  const { label, request } = planned;
  if (request.late) return 'last';
  // Keep the cases of an ordered scenario in one phase: each must directly follow the case that it depends on.
  if (inOrder) return scenario.shows.length > 0 ? 'positives' : 'observations';
  if (isOnlyTwin(planned)) return undefined;
  if (label.intent === 'fault') return 'refusals';
  if (label.intent === 'open') return 'observations';
  if (isAtClosingGate(request, scenario)) return 'refusals';
  return label.about !== undefined || scenario.needsAnswers ? 'positives' : 'observations';
}

/** True if the gate is closing. Its error 99 does not prove that the request had no effect. */
export function isAtClosingGate({ situation }: RequestPlan, scenario: Pick<Scenario, 'situation'>): boolean {
  return (situation ?? scenario.situation) === 'closing';
}

function requiredFirst(steps: readonly LiveStep[]): LiveStep[] {
  const isRequired = ({ scenario }: LiveStep) => scenario.shows.some((id) => requirementById(id)?.kind === 'required');
  return [...steps.filter(isRequired), ...steps.filter((step) => !isRequired(step))];
}
