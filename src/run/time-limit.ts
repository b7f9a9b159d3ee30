/** How long a scenario may take: what its exchanges may take at worst, and some. */
import type { Scenario } from '../scenarios/scenario.ts';
import type { RunOptions } from './run-options.ts';
import { drawFor } from './seed.ts';
import { transportDefaults } from './transport.ts';

/** Milliseconds: planned exchanges times the deadline of one, and half a minute. */
export function timeLimit(scenario: Scenario, options: RunOptions): number {
  const planned = scenario.plan(drawFor(options.seed, scenario.id, options.cases, options.path)).length;
  return planned * transportDefaults.deadlineMs + 30_000;
}
