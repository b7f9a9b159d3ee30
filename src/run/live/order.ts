/**
 * The cases of a live run in their order: which are needed, what must be refused first, then what settles most, then
 * what is only observed. Pure.
 */
import { operationNames } from '../../../contracts/operations.ts';
import { requirementById, requirements } from '../../../contracts/requirements/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { PlannedCase, RequestPlan, Scenario, Situation } from '../../plan/scenario.ts';
import { type PlanOptions, plannedCases } from '../gateway/planned-cases.ts';
import type { RunOptions } from '../options/run-options.ts';
import { isWholeButExceptions, selectedIds, selectScenarios } from '../options/selection.ts';
import type { LiveRun } from '../target/live-config.ts';

/** What a situation needs, by the key of the configuration that names it; an ordinary endpoint is always named. */
export const missingKeys: Readonly<Record<Situation, string>> = {
  open: 'endpoint-id',
  closing: 'states.closing (an endpoint all of whose gates are closing)',
  locked: 'states.locked (an endpoint all of whose gates are locked)',
  'several-gates': 'gates (the number of gates of the endpoint)',
  unknown: 'unknown-endpoint-id (an endpoint that does not exist)',
  'of-another-consumer': 'an endpoint of another consumer (only the mock has one)',
  unlocked: 'control-url (the control interface of a mock)',
  'closed-by-hand': 'control-url (the control interface of a mock)',
};

export const phases = ['first refusals', 'refusals', 'first positives', 'positives', 'observations', 'last'] as const;

/** Refusals leave the target unchanged, if they are true; each of the others has its effect. */
export type Phase = (typeof phases)[number];

/** Cases of one scenario that are sent one after the other. */
export interface LiveStep {
  readonly scenario: Scenario;
  readonly phase: Phase;
  readonly numbers: readonly number[];
}

/** All steps in their order; the same for the same run, in whichever process. */
export function orderSteps(options: PlanOptions & Pick<RunOptions, 'only'>): readonly LiveStep[] {
  const scenarios = selectScenarios(arrangeable(options), selectedIds('gateway', options.only), options.slow);
  const plans = scenarios.map((scenario) => ({ scenario, plan: plannedCases(scenario, options) }));
  const needed = neededNumbers(plans, options);
  const firsts = operationNames.flatMap((operation) => {
    const first = firstPositive(
      plans.filter(({ scenario }) => scenario.operation === operation),
      needed,
    );
    return first === undefined ? [] : [first];
  });
  const isFirst = (scenario: Scenario, number: number) =>
    firsts.some((first) => first.scenario === scenario && first.number === number);
  const refusals = firstRefusals(plans, needed);
  const earliest = (scenario: Scenario) => refusals.findIndex((first) => first.scenario === scenario);
  const steps = plans.flatMap(({ scenario, plan }) => {
    const inOrder = isInOrder(plan);
    const early = refusals.filter((first) => first.scenario === scenario).map(({ number }) => number);
    const numbers = [...needed.get(scenario)!].sort((a, b) => a - b).filter((number) => !isFirst(scenario, number));
    return phases.map((phase): LiveStep => {
      if (phase === 'first refusals') return { scenario, phase, numbers: early };
      const meant = numbers.filter((number) => phaseOf(plan[number]!, scenario, inOrder) === phase);
      return { scenario, phase, numbers: meant.filter((number) => !early.includes(number)) };
    });
  });
  const isReplayed = ({ scenario }: LiveStep) =>
    plans.some((one) => one.scenario === scenario && one.plan.some(({ request }) => request.replay !== undefined));
  const ofPhase = (phase: Phase) => steps.filter((step) => step.phase === phase && step.numbers.length > 0);
  return [
    ...ofPhase('first refusals').sort((a, b) => earliest(a.scenario) - earliest(b.scenario)),
    ...byWeight(ofPhase('refusals')),
    ...firsts.map(({ scenario, number }): LiveStep => ({ scenario, phase: 'first positives', numbers: [number] })),
    ...byWeight(ofPhase('positives')),
    ...ofPhase('observations'),
    // Replays first: what a gateway remembers of timestamps may have all that follows one ahead of the clock refused (A3).
    ...ofPhase('last').sort((a, b) => Number(isReplayed(b)) - Number(isReplayed(a))),
  ];
}

export function titleOf({ scenario, phase }: Pick<LiveStep, 'scenario' | 'phase'>): string {
  return `${scenario.id} (${phase})`;
}

export function scenarioOf(title: string): string {
  return title.replace(/ \([^)]*\)$/, '');
}

interface Plan {
  readonly scenario: Scenario;
  readonly plan: readonly PlannedCase[];
}

type Needed = ReturnType<typeof neededNumbers>;

/** What is signed at all, by which key and over which body: these rows are settled before any other. */
const core = /-(?:unsigned|wrong-key|altered-body)-refused$/;

/** In case no more are believed: every refusal of the core rows, then one for each required row, those with the fewest cases first. */
function firstRefusals(plans: readonly Plan[], needed: Needed): { scenario: Scenario; number: number }[] {
  const all = plans.flatMap(({ scenario, plan }) => {
    const inOrder = isInOrder(plan);
    return plan.flatMap((planned, number) => {
      const { about } = planned.label;
      const required =
        needed.get(scenario)!.has(number) && about !== undefined && requirementById(about)?.kind === 'required';
      return required && phaseOf(planned, scenario, inOrder) === 'refusals' ? [{ scenario, number, about }] : [];
    });
  });
  const casesOf = (row: string) => all.filter(({ about }) => about === row).length;
  return all
    .filter(({ about }, index) => core.test(about) || all.findIndex((other) => other.about === about) === index)
    .sort((a, b) => Number(core.test(b.about)) - Number(core.test(a.about)) || casesOf(a.about) - casesOf(b.about));
}

/** The right request whose acceptance is the twin of all refusals before it: one that a row is about, or else the first twin. */
function firstPositive(plans: readonly Plan[], needed: Needed): { scenario: Scenario; number: number } | undefined {
  const candidates = plans
    .filter(({ scenario, plan }) => scenario.needsAnswers !== true && !isInOrder(plan))
    .flatMap(({ scenario, plan }) => plan.map((planned, number) => ({ scenario, planned, number })))
    .filter(({ scenario, planned }) => (planned.request.situation ?? scenario.situation) === 'open')
    .filter(({ scenario, number }) => needed.get(scenario)!.has(number))
    .filter(({ planned }) => planned.label.intent === 'valid' && planned.label.twin === undefined);
  return (
    candidates.find(({ planned }) => planned.label.about !== undefined) ??
    candidates.find(({ planned }) => isTwinAlone(planned)) ??
    candidates[0]
  );
}

function isTwinAlone({ label }: PlannedCase): boolean {
  return label.intent === 'valid' && label.about === undefined && label.differsIn === undefined;
}

function phaseOf(planned: PlannedCase, scenario: Scenario, inOrder: boolean): Phase | undefined {
  const { label, request } = planned;
  if (request.late) return 'last';
  // What builds on an earlier case of the same scenario goes right behind it.
  if (inOrder) return scenario.shows.length > 0 ? 'positives' : 'observations';
  if (isTwinAlone(planned)) return undefined;
  if (label.intent === 'fault') return 'refusals';
  if (label.intent === 'open') return 'observations';
  if (isAtClosingGate(request, scenario)) return 'refusals';
  return label.about !== undefined || scenario.needsAnswers ? 'positives' : 'observations';
}

/** A gate that is closing answers with error 99, which closes nothing by itself, and is not believed either. */
export function isAtClosingGate({ situation }: RequestPlan, scenario: Pick<Scenario, 'situation'>): boolean {
  return (situation ?? scenario.situation) === 'closing';
}

function byWeight(steps: readonly LiveStep[]): LiveStep[] {
  const isHeavy = ({ scenario }: LiveStep) => scenario.shows.some((id) => requirementById(id)?.kind === 'required');
  return [...steps.filter(isHeavy), ...steps.filter((step) => !isHeavy(step))];
}

type Options = Pick<RunOptions, 'only'> & { readonly live?: Pick<LiveRun, 'config'> };

/** The scenarios that such a target can be asked at all: answers on purpose come from one that has a control interface. */
function arrangeable({ live }: Pick<Options, 'live'>): readonly Scenario[] {
  return gatewayScenarios.filter(({ needsAnswers }) => !needsAnswers || live?.config.controlUrl !== undefined);
}

/** The chosen requirements that no case is about, since every answer shows them. None where nothing was chosen. */
export function shownByEveryAnswer({ only, ...options }: Options): readonly string[] {
  if (isWholeButExceptions(only)) return [];
  const shown = new Set<string>(arrangeable(options).flatMap(({ shows }) => shows));
  return selectedIds('gateway', only).filter((id) => !shown.has(id));
}

/** For each plan the numbers of its cases that are sent: those about a chosen requirement, and what they build on. */
function neededNumbers(plans: readonly Plan[], options: Options): ReadonlyMap<Scenario, ReadonlySet<number>> {
  const { only } = options;
  const isWhole = isWholeButExceptions(only);
  const chosen = new Set<string>(selectedIds('gateway', only));
  const asked = new Set(plans.flatMap(({ plan }) => plan.map(({ label }) => label.about as string | undefined)));
  // Of some it is not an answer of their own that tells, but what a scenario is as a whole.
  const asWhole = ({ shows, together = [] }: Scenario) =>
    !isWhole && shows.some((id) => chosen.has(id) && (!asked.has(id) || together.includes(id)));
  const answers = answersFor(shownByEveryAnswer(options), plans);
  const isNeeded = (planned: PlannedCase) => {
    const { about } = planned.label;
    return (about === undefined ? isWhole : chosen.has(about)) || answers.has(planned);
  };
  return new Map(
    plans.map(({ scenario, plan }) => [scenario, withEarlier(plan, asWhole(scenario) ? () => true : isNeeded)]),
  );
}

/** The right request that a row is about, and one wrong request for each required row, unless only an accepted close-day shows the rows. */
function answersFor(rows: readonly string[], plans: readonly Plan[]): ReadonlySet<PlannedCase> {
  const found = new Map<string, PlannedCase>();
  for (const { scenario, plan } of plans) {
    const { operation } = scenario;
    const shown = requirements.filter((row) => rows.includes(row.id) && [operation, 'both'].includes(row.operation));
    const alsoRefused = shown.some(({ id }) => !/^close-day\/(?:gate|finished)-/.test(id)) && !isInOrder(plan);
    for (const planned of shown.length === 0 ? [] : plan) {
      const { about, intent } = planned.label;
      if (about === undefined || found.has(about)) continue;
      const isWrong = alsoRefused && intent === 'fault' && requirementById(about)?.kind === 'required';
      if (isWrong || about.endsWith('-valid-accepted')) found.set(about, planned);
    }
  }
  return new Set(found.values());
}

function withEarlier(plan: readonly PlannedCase[], isNeeded: (planned: PlannedCase) => boolean): ReadonlySet<number> {
  const needed = new Set<number>();
  const add = (number: number | undefined): void => {
    if (number === undefined || needed.has(number)) return;
    needed.add(number);
    const { label, request } = plan[number]!;
    add(label.twin);
    add(request.signatureOf);
    add(request.idsOf);
    add(request.cookiesOf);
    // What came in between is what the target has to remember the earlier one over.
    const earlier = request.replay ?? request.nonceOf;
    if (earlier !== undefined) for (let between = earlier; between < number; between++) add(between);
  };
  for (const [number, planned] of plan.entries()) if (isNeeded(planned)) add(number);
  return needed;
}

function isInOrder(plan: readonly PlannedCase[]): boolean {
  return plan.some(
    ({ label, request }, number) => request.late !== true && (request.replay !== undefined || label.twin! < number),
  );
}
