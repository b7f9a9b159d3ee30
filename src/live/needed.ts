/** Which cases a run with `--only` needs: what nothing asked for may not use up the allowance. Pure. */
import type { RunOptions } from '../options/run-options.ts';
import { selectedIds } from '../options/selection.ts';
import { gatewayScenarios } from '../scenarios/index.ts';
import type { PlannedCase, Scenario } from '../scenarios/scenario.ts';
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

/** The chosen requirements that every answer shows: for them nothing can be left out. None where nothing was chosen. */
export function shownByEveryAnswer({ only, ...options }: Options): readonly string[] {
  if (only.length === 0) return [];
  const shown = new Set<string>(arrangeable(options).flatMap(({ shows }) => shows));
  return selectedIds('gateway', only).filter((id) => !shown.has(id));
}

/** For each plan the numbers of its cases that are sent: those about a chosen requirement, and what they build on. */
export function neededNumbers(plans: readonly Plan[], options: Options): ReadonlyMap<Scenario, ReadonlySet<number>> {
  const all = ({ plan }: Plan) => new Set(plan.keys());
  const { only } = options;
  if (only.length === 0 || shownByEveryAnswer(options).length > 0)
    return new Map(plans.map((one) => [one.scenario, all(one)]));
  const chosen = new Set(selectedIds('gateway', only));
  const asked = new Set(plans.flatMap(({ plan }) => plan.map(({ label }) => label.about as string | undefined)));
  // Of some it is not an answer of their own that tells, but what a scenario is as a whole.
  const asWhole = ({ shows, together = [] }: Scenario) =>
    shows.some((id) => chosen.has(id) && (!asked.has(id) || together.includes(id)));
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
    add(request.idsOf);
    add(request.cookiesOf);
    // What came in between is what the target has to remember the earlier one over.
    const earlier = request.replay ?? request.nonceOf;
    if (earlier !== undefined) for (let between = earlier; between < number; between++) add(between);
  };
  for (const [number, { label }] of plan.entries())
    if (label.about !== undefined && chosen.has(label.about)) add(number);
  return needed;
}
