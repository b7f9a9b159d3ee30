/** How long a scenario may take: what its exchanges may take at worst, and some. */
import type { Scenario } from '../scenarios/scenario.ts';
import type { LiveStep } from './live/order.ts';
import { longestPause } from './live/pace.ts';
import { plannedCases } from './planned-cases.ts';
import type { RunOptions } from './run-options.ts';
import { transportDefaults } from './transport.ts';

/** Milliseconds: planned exchanges times the deadline of one, and half a minute. */
export function timeLimit(scenario: Scenario, options: RunOptions): number {
  const planned = plannedCases(scenario, options).length;
  return planned * transportDefaults.deadlineMs + 30_000;
}

/** The same for a step of a live run, where requests wait for their turn, and probes stand around them. */
export function liveTimeLimit({ numbers }: Pick<LiveStep, 'numbers'>, { live }: RunOptions): number {
  const { rate, deadlineMs } = live!.config;
  const probes = 8;
  return (numbers.length + probes) * (1000 / rate + deadlineMs + longestPause) + 30_000;
}

/** Milliseconds for all steps of a live run: what a target takes that answers, and five minutes. */
export function liveRunLimit(steps: readonly Pick<LiveStep, 'numbers'>[], { live }: RunOptions): number {
  const { rate, deadlineMs } = live!.config;
  const requests = steps.reduce((total, { numbers }) => total + numbers.length + 1, 0);
  return requests * (1000 / rate + deadlineMs) + 300_000;
}
