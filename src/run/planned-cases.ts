/** What a scenario sends under these options: the same plan for the run, its time limit and its predicted effects. */
import type { PlannedCase, Scenario } from '../scenarios/scenario.ts';
import { onlyGenerated } from './only-generated.ts';
import type { RunOptions } from './run-options.ts';
import { drawFor } from './seed.ts';

export function plannedCases(
  scenario: Scenario,
  { seed, cases, path }: Pick<RunOptions, 'seed' | 'cases' | 'path'>,
): readonly PlannedCase[] {
  const all = scenario.plan(drawFor(seed, scenario.id, cases, path));
  return path === undefined ? all : onlyGenerated(all);
}
