/** How long a scenario may take: what its exchanges may take at worst, and some. */
import type { Scenario } from '../scenarios/scenario.ts';
import { plannedCases } from './planned-cases.ts';
import type { RunOptions } from './run-options.ts';
import { transportDefaults } from './transport.ts';

/** Milliseconds: planned exchanges times the deadline of one, and half a minute. */
export function timeLimit(scenario: Scenario, options: RunOptions): number {
  const planned = plannedCases(scenario, options).length;
  return planned * transportDefaults.deadlineMs + 30_000;
}
