/** Which cases a run with `--only` needs: what nothing asked for may not use up the allowance. Pure. */
import { requirementById, requirements } from '../../../contracts/requirements/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { PlannedCase, Scenario } from '../../plan/scenario.ts';
import type { RunOptions } from '../options/run-options.ts';
import { isWholeButExceptions, selectedIds } from '../options/selection.ts';
import type { LiveRun } from '../target/live-run.ts';

type Options = Pick<RunOptions, 'only'> & { readonly live?: Pick<LiveRun, 'config'> };

interface Plan {
  readonly scenario: Scenario;
  readonly plan: readonly PlannedCase[];
}

/** The scenarios that such a target can be asked at all: answers on purpose come from one that has a control interface. */
export function arrangeable({ live }: Pick<Options, 'live'>): readonly Scenario[] {
  return gatewayScenarios.filter(({ needsAnswers }) => !needsAnswers || live?.config.controlUrl !== undefined);
}

/** The chosen requirements that no case is about, since every answer shows them. None where nothing was chosen. */
export function shownByEveryAnswer({ only, ...options }: Options): readonly string[] {
  if (isWholeButExceptions(only)) return [];
  const shown = new Set<string>(arrangeable(options).flatMap(({ shows }) => shows));
  return selectedIds('gateway', only).filter((id) => !shown.has(id));
}

/** For each plan the numbers of its cases that are sent: those about a chosen requirement, and what they build on. */
export function neededNumbers(plans: readonly Plan[], options: Options): ReadonlyMap<Scenario, ReadonlySet<number>> {
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

/**
 * The fewest cases that show these requirements: the right request that a row is about, and unless only an accepted close-day
 * has what they are about, one wrong request for each required row.
 */
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

/** Whether a case of the scenario builds on an earlier one. */
export function isInOrder(plan: readonly PlannedCase[]): boolean {
  return plan.some(
    ({ label, request }, number) => request.late !== true && (request.replay !== undefined || label.twin! < number),
  );
}
