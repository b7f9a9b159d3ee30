/** Orders the cases of a live run: first refusals, then what decides most, then observations. Pure. */
import { operationNames } from '../../../contracts/operations.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { PlannedCase, RequestPlan, Scenario, Situation } from '../../plan/scenario.ts';
import { groupBy } from '../../record/group-by.ts';
import { isInOrder, isTwinAlone, neededPlans, type Selecting } from '../gateway/needed-cases.ts';
import { plannedCases } from '../gateway/planned-cases.ts';

/** The configuration key that each situation needs. An ordinary endpoint is always configured. */
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

/** True refusals leave the target unchanged. All other phases have effects. */
export type Phase = (typeof phases)[number];

/** Cases of one scenario, sent in sequence. */
export interface LiveStep {
  readonly scenario: Scenario;
  readonly phase: Phase;
  readonly numbers: readonly number[];
}

/** The same run has the same order in every process. */
export function orderSteps(options: Selecting): readonly LiveStep[] {
  const needed = neededPlans(options).flatMap(({ scenario, plan, numbers }): NeededCase[] => {
    const inOrder = isInOrder(plan);
    return plan
      .map((planned, number) => ({ scenario, number, planned, inOrder, phase: phaseOf(planned, scenario, inOrder) }))
      .filter(({ number }) => numbers.has(number));
  });
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
    // Replays first: a gateway that remembers a future timestamp may refuse everything after it (A3).
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
  /** Whether the scenario has a case that depends on an earlier one. */
  readonly inOrder: boolean;
  /** Undefined if it is sent only as the first valid request. */
  readonly phase: Phase | undefined;
}

/** Whether signature, key and body are checked. These requirements come first. */
const core = /-(?:unsigned|wrong-key|altered-body)-refused$/;

/** Few refusals may be believed, so send all core ones, then one per required row. Rows with few cases come first. */
function firstRefusals(needed: readonly NeededCase[]): NeededCase[] {
  const rowOf = ({ planned }: NeededCase) => planned.label.about ?? '';
  const all = needed.filter((one) => one.phase === 'refusals' && requirementById(rowOf(one))?.kind === 'required');
  const isCore = (one: NeededCase) => core.test(rowOf(one));
  const casesOf = (row: string) => all.filter((one) => rowOf(one) === row).length;
  return all
    .filter((one, index) => isCore(one) || all.findIndex((other) => rowOf(other) === rowOf(one)) === index)
    .sort((a, b) => Number(isCore(b)) - Number(isCore(a)) || casesOf(rowOf(a)) - casesOf(rowOf(b)));
}

/** The valid request that is the twin of all refusals: one that tests a requirement, else the first twin. */
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

function phaseOf(planned: PlannedCase, scenario: Scenario, inOrder: boolean): Phase | undefined {
  const { label, request } = planned;
  if (request.late) return 'last';
  // A dependent case goes right after the case that it depends on.
  if (inOrder) return scenario.shows.length > 0 ? 'positives' : 'observations';
  if (isTwinAlone(planned)) return undefined;
  if (label.intent === 'fault') return 'refusals';
  if (label.intent === 'open') return 'observations';
  if (isAtClosingGate(request, scenario)) return 'refusals';
  return label.about !== undefined || scenario.needsAnswers ? 'positives' : 'observations';
}

/** A closing gate answers with error 99, which has no effect and is not believed. */
export function isAtClosingGate({ situation }: RequestPlan, scenario: Pick<Scenario, 'situation'>): boolean {
  return (situation ?? scenario.situation) === 'closing';
}

function byWeight(steps: readonly LiveStep[]): LiveStep[] {
  const isHeavy = ({ scenario }: LiveStep) => scenario.shows.some((id) => requirementById(id)?.kind === 'required');
  return [...steps.filter(isHeavy), ...steps.filter((step) => !isHeavy(step))];
}
