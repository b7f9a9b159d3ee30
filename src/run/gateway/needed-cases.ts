/** The cases that decide the selected requirements, with those that they depend on. Pure. */
import { operations } from '../../../contracts/operations.ts';
import { requirementById, requirements } from '../../../contracts/requirements/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { PlannedCase, Scenario } from '../../plan/scenario.ts';
import { memoize } from '../../record/memoize.ts';
import type { RunOptions } from '../options/run-options.ts';
import { gatewayPlan, isWholeButExceptions, selectedIds, selectScenarios } from '../options/selection.ts';
import type { LiveRun } from '../target/live-config.ts';
import { type PlanOptions, plannedCases } from './planned-cases.ts';

type Options = Pick<RunOptions, 'only'> & { readonly live?: Pick<LiveRun, 'config'> };

export type Selecting = PlanOptions & Pick<RunOptions, 'only' | 'smoke' | 'shard' | 'again'>;

interface NeededPlan {
  readonly scenario: Scenario;
  readonly plan: readonly PlannedCase[];
  /** Places in `plan`. */
  readonly numbers: ReadonlySet<number>;
}

/** The scenarios of a run on the mock. */
export function neededScenarios(options: RunOptions): readonly Scenario[] {
  return gatewayPlan(options).filter((scenario) => neededNumbers(scenario, options).length > 0);
}

/** Numbers of cases, ascending. A case keeps the number that it has in a whole run. */
export function neededNumbers(scenario: Scenario, options: Selecting): readonly number[] {
  return byScenario(options).get(scenario) ?? [];
}

const byScenario = memoize(
  (options: Selecting) =>
    new Map(neededPlans(options).map(({ scenario, numbers }) => [scenario, [...numbers].sort((a, b) => a - b)])),
);

/** Scripted answers need a control interface. */
function arrangeable({ live }: Pick<Options, 'live'>): readonly Scenario[] {
  return gatewayScenarios.filter(
    ({ needsAnswers }) => !needsAnswers || live === undefined || live.config.controlUrl !== undefined,
  );
}

/** The selected requirements that every answer shows, so no case is about them. Empty without a selection. */
export function shownByEveryAnswer({ only, ...options }: Options): readonly string[] {
  if (isWholeButExceptions(only)) return [];
  const shown = new Set<string>(arrangeable(options).flatMap(({ shows }) => shows));
  return selectedIds('gateway', only).filter((id) => !shown.has(id));
}

/** What the cases of --smoke decide: a valid request, and one fault for each requirement that a fault must fail. */
export function gatewaySmokeIds(): readonly string[] {
  const shown = new Set<string>(gatewayScenarios.flatMap(({ shows }) => shows));
  const only = selectedIds('gateway', []).filter((id) => !shown.has(id));
  const cases = neededPlans({ seed: '1', cases: 1, only, smoke: true }).flatMap(({ plan, numbers }) =>
    plan.filter((_, number) => numbers.has(number)),
  );
  return [...new Set([...only, ...cases.flatMap(({ label }) => label.about ?? [])])];
}

/** The cases about a selected requirement, and those that they depend on. */
export function neededPlans(options: Selecting): readonly NeededPlan[] {
  const { only, slow, smoke, shard, again = [], live, path } = options;
  const isWhole = isWholeButExceptions(only);
  // A shard performs all of its share: with few cases it might show nothing.
  const isAll = live === undefined && (isWhole || (path ?? shard) !== undefined);
  const ids = selectedIds('gateway', only);
  const chosen = new Set<string>(ids);
  const plans = selectScenarios(arrangeable(options), ids, slow).map((scenario) => ({
    scenario,
    plan: plannedCases(scenario, options),
  }));
  const asked = new Set(plans.flatMap(({ plan }) => plan.map(({ label }) => label.about as string | undefined)));
  // Some requirements are shown only by the scenario as a whole.
  const asWhole = ({ shows, together = [] }: Scenario) =>
    isAll || (!isWhole && !smoke && shows.some((id) => chosen.has(id) && (!asked.has(id) || together.includes(id))));
  const answers = answersFor(shownByEveryAnswer(options), plans, live === undefined && !smoke);
  const isNeeded = (planned: PlannedCase) => {
    const { about } = planned.label;
    if (live === undefined && !smoke && isTwinAlone(planned) && chosen.has(validOf(planned))) return true;
    return answers.has(planned) || (!smoke && (about === undefined ? isWhole : chosen.has(about)));
  };
  return plans.map(({ scenario, plan }) => {
    return {
      scenario,
      plan,
      numbers: withEarlier(
        plan,
        (planned, number) => asWhole(scenario) || isNeeded(planned) || again.includes(`${scenario.id} ${number}`),
      ),
    };
  });
}

export function isTwinAlone({ label }: PlannedCase): boolean {
  return label.intent === 'valid' && label.about === undefined && label.differsIn === undefined;
}

function validOf({ request }: PlannedCase): string {
  return `authentication/${operations[request.operation].area}-valid-accepted`;
}

/** The valid request that a row is about and, if refusals show a row too, two faults of each row, or one of each required row. */
function answersFor(
  rows: readonly string[],
  plans: readonly Omit<NeededPlan, 'numbers'>[],
  hasRoom: boolean,
): ReadonlySet<PlannedCase> {
  const found = new Map<string, PlannedCase[]>();
  for (const { scenario, plan } of plans) {
    const { operation } = scenario;
    const shown = requirements.filter((row) => rows.includes(row.id) && [operation, 'both'].includes(row.operation));
    const alsoRefused = shown.some(({ id }) => !/^close-day\/(?:gate|finished)-/.test(id)) && !isInOrder(plan);
    for (const planned of shown.length === 0 ? [] : plan) {
      const { about, intent } = planned.label;
      const earlier = found.get(about ?? '') ?? [];
      if (about === undefined || earlier.length === (hasRoom && intent === 'fault' ? 2 : 1)) continue;
      const isWrong = alsoRefused && intent === 'fault' && (hasRoom || requirementById(about)?.kind === 'required');
      if (isWrong || about.endsWith('-valid-accepted')) found.set(about, [...earlier, planned]);
    }
  }
  return new Set([...found.values()].flat());
}

function withEarlier(
  plan: readonly PlannedCase[],
  isNeeded: (planned: PlannedCase, number: number) => boolean,
): ReadonlySet<number> {
  const needed = new Set<number>();
  const add = (number: number | undefined): void => {
    if (number === undefined || needed.has(number)) return;
    needed.add(number);
    const { label, request } = plan[number]!;
    add(label.twin);
    add(request.signatureOf);
    add(request.idsOf);
    add(request.cookiesOf);
    // The requests in between test whether the target still remembers the earlier one.
    const earlier = request.replay ?? request.nonceOf;
    if (earlier !== undefined) for (let between = earlier; between < number; between++) add(between);
  };
  for (const [number, planned] of plan.entries()) if (isNeeded(planned, number)) add(number);
  return needed;
}

/** Whether a case depends on an earlier one. */
export function isInOrder(plan: readonly PlannedCase[]): boolean {
  return plan.some(
    ({ label, request }, number) => request.late !== true && (request.replay !== undefined || label.twin! < number),
  );
}
