/** What a scenario sends under these options: the same plan for the run, its time limit and its predicted effects. */
import type { PlannedCase, Scenario } from '../scenarios/scenario.ts';
import { chargeable } from './live/chargeable.ts';
import { onlyGenerated } from './only-generated.ts';
import type { RunOptions } from './run-options.ts';
import { drawFor } from './seed.ts';

export type PlanOptions = Pick<RunOptions, 'seed' | 'cases' | 'path'> &
  Partial<Pick<RunOptions, 'live' | 'runId' | 'slow'>>;

export function plannedCases(
  scenario: Scenario,
  { seed, cases, path, live, runId }: PlanOptions,
): readonly PlannedCase[] {
  const asSent = live && chargeable(live.config.recurring, `${runId} ${scenario.id}`);
  const all = scenario.plan(drawFor(seed, scenario.id, cases, path, asSent));
  return path === undefined ? all : onlyGenerated(all);
}
