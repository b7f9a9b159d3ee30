/**
 * The cases of a live run in their order: which are needed, what must be refused first, then what settles most, then
 * what is only observed. Pure.
 */
import { operationNames } from '../../../contracts/operations.ts';
import { requirementById, requirements } from '../../../contracts/requirements/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { PlannedCase, RequestPlan, Scenario, Situation } from '../../plan/scenario.ts';
import { groupBy } from '../../record/group-by.ts';
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
  const needed = neededCases(options);
  const firsts = operationNames.flatMap(
    (operation) => firstPositive(needed.filter(({ scenario }) => scenario.operation === operation)) ?? [],
  );
  const refusals = firstRefusals(needed);
  const later = needed.filter((one) => !firsts.includes(one) && !refusals.includes(one));
  const stepsOf = (phase: Phase, cases = later.filter((one) => one.phase === phase)) =>
    Array.from(
      groupBy(cases, ({ scenario }) => scenario),
      ([scenario, some]): LiveStep => {
        return { scenario, phase, numbers: some.map(({ number }) => number) };
      },
    );
  const isReplayed = ({ scenario }: LiveStep) =>
    plannedCases(scenario, options).some(({ request }) => request.replay !== undefined);
  return [
    ...stepsOf('first refusals', refusals),
    ...byWeight(stepsOf('refusals')),
    ...firsts.flatMap((first) => stepsOf('first positives', [first])),
    ...byWeight(stepsOf('positives')),
    ...stepsOf('observations'),
    // Replays first: what a gateway remembers of timestamps may have all that follows one ahead of the clock refused (A3).
    ...stepsOf('last').sort((a, b) => Number(isReplayed(b)) - Number(isReplayed(a))),
  ];
}

export function titleOf({ scenario, phase }: Pick<LiveStep, 'scenario' | 'phase'>): string {
  return `${scenario.id} (${phase})`;
}

export function scenarioOf(title: string): string {
  return title.replace(/ \([^)]*\)$/, '');
}

/** A case that is sent. */
interface NeededCase {
  readonly scenario: Scenario;
  readonly number: number;
  readonly planned: PlannedCase;
  /** Whether a case of its scenario builds on an earlier one. */
  readonly inOrder: boolean;
  /** Undefined for what is only sent as the first right request. */
  readonly phase: Phase | undefined;
}

/** What is signed at all, by which key and over which body: these rows are settled before any other. */
const core = /-(?:unsigned|wrong-key|altered-body)-refused$/;

/** In case no more are believed: every refusal of the core rows, then one for each required row, those with the fewest cases first. */
function firstRefusals(needed: readonly NeededCase[]): NeededCase[] {
  const rowOf = ({ planned }: NeededCase) => planned.label.about ?? '';
  const all = needed.filter((one) => one.phase === 'refusals' && requirementById(rowOf(one))?.kind === 'required');
  const isCore = (one: NeededCase) => core.test(rowOf(one));
  const casesOf = (row: string) => all.filter((one) => rowOf(one) === row).length;
  return all
    .filter((one, index) => isCore(one) || all.findIndex((other) => rowOf(other) === rowOf(one)) === index)
    .sort((a, b) => Number(isCore(b)) - Number(isCore(a)) || casesOf(rowOf(a)) - casesOf(rowOf(b)));
}

/** The right request whose acceptance is the twin of all refusals before it: one that a row is about, or else the first twin. */
function firstPositive(needed: readonly NeededCase[]): NeededCase | undefined {
  const candidates = needed.filter(({ scenario, planned: { request, label }, inOrder }) => {
    const isPlain = scenario.needsAnswers !== true && !inOrder && (request.situation ?? scenario.situation) === 'open';
    return isPlain && label.intent === 'valid' && label.twin === undefined;
  });
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

/** The cases about a chosen requirement, and what they build on. */
function neededCases(options: PlanOptions & Options): readonly NeededCase[] {
  const { only, slow } = options;
  const isWhole = isWholeButExceptions(only);
  const ids = selectedIds('gateway', only);
  const chosen = new Set<string>(ids);
  const plans = selectScenarios(arrangeable(options), ids, slow).map((scenario) => {
    const plan = plannedCases(scenario, options);
    return { scenario, plan, inOrder: isInOrder(plan) };
  });
  const asked = new Set(plans.flatMap(({ plan }) => plan.map(({ label }) => label.about as string | undefined)));
  // Of some it is not an answer of their own that tells, but what a scenario is as a whole.
  const asWhole = ({ shows, together = [] }: Scenario) =>
    !isWhole && shows.some((id) => chosen.has(id) && (!asked.has(id) || together.includes(id)));
  const answers = answersFor(shownByEveryAnswer(options), plans);
  const isNeeded = (planned: PlannedCase) => {
    const { about } = planned.label;
    return (about === undefined ? isWhole : chosen.has(about)) || answers.has(planned);
  };
  return plans.flatMap(({ scenario, plan, inOrder }) => {
    const numbers = withEarlier(plan, asWhole(scenario) ? () => true : isNeeded);
    return plan
      .map((planned, number) => ({ scenario, number, planned, inOrder, phase: phaseOf(planned, scenario, inOrder) }))
      .filter(({ number }) => numbers.has(number));
  });
}

/** The right request that a row is about, and one wrong request for each required row, unless only an accepted close-day shows the rows. */
function answersFor(
  rows: readonly string[],
  plans: readonly (Pick<NeededCase, 'scenario' | 'inOrder'> & { readonly plan: readonly PlannedCase[] })[],
): ReadonlySet<PlannedCase> {
  const found = new Map<string, PlannedCase>();
  for (const { scenario, plan, inOrder } of plans) {
    const { operation } = scenario;
    const shown = requirements.filter((row) => rows.includes(row.id) && [operation, 'both'].includes(row.operation));
    const alsoRefused = shown.some(({ id }) => !/^close-day\/(?:gate|finished)-/.test(id)) && !inOrder;
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
