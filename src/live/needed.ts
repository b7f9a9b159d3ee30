/** Which cases a run with `--only` needs: what nothing asked for may not use up the allowance. Pure. */
import { selectedIds } from '../options/selection.ts';
import { gatewayScenarios } from '../scenarios/index.ts';
import type { PlannedCase, Scenario } from '../scenarios/scenario.ts';

interface Plan {
  readonly scenario: Scenario;
  readonly plan: readonly PlannedCase[];
}

/** The chosen requirements that every answer shows: for them nothing can be left out. None where nothing was chosen. */
export function shownByEveryAnswer(only: readonly string[]): readonly string[] {
  if (only.length === 0) return [];
  return selectedIds('gateway', only).filter((id) => !shown.has(id));
}

const shown = new Set<string>(gatewayScenarios.flatMap(({ shows }) => shows));

/** For each plan the numbers of its cases that are sent: those about a chosen requirement, and what they build on. */
export function neededNumbers(
  plans: readonly Plan[],
  only: readonly string[],
): ReadonlyMap<Scenario, ReadonlySet<number>> {
  const all = ({ plan }: Plan) => new Set(plan.keys());
  if (only.length === 0 || shownByEveryAnswer(only).length > 0)
    return new Map(plans.map((one) => [one.scenario, all(one)]));
  const chosen = new Set(selectedIds('gateway', only));
  const asked = new Set(plans.flatMap(({ plan }) => plan.map(({ label }) => label.about as string | undefined)));
  // Of some it is not an answer of their own that tells, but what a scenario is as a whole.
  const asWhole = ({ shows }: Scenario) => shows.some((id) => chosen.has(id) && !asked.has(id));
  return new Map(plans.map((one) => [one.scenario, asWhole(one.scenario) ? all(one) : about(chosen, one.plan)]));
}

function about(chosen: ReadonlySet<string>, plan: readonly PlannedCase[]): ReadonlySet<number> {
  const needed = new Set<number>();
  const add = (number: number | undefined): void => {
    if (number === undefined || needed.has(number)) return;
    needed.add(number);
    const { label, request } = plan[number]!;
    add(label.twin);
    add(request.signatureOf);
    // What came in between is what the target has to remember the earlier one over.
    const earlier = request.replay ?? request.nonceOf;
    if (earlier !== undefined) for (let between = earlier; between < number; between++) add(between);
  };
  for (const [number, { label }] of plan.entries())
    if (label.about !== undefined && chosen.has(label.about)) add(number);
  return needed;
}
