/** How long a scenario may take: what its exchanges may take at worst, and some. */

import type { Scenario } from '../../plan/scenario.ts';
import { longestPause } from '../allowance/guard.ts';
import { plannedCases } from '../gateway/planned-cases.ts';
import type { RunOptions } from '../options/run-options.ts';
import { silenceMs, transportDefaults } from '../transport/transport.ts';
import type { LiveStep } from './order.ts';

/** Milliseconds: planned exchanges times the deadline of one, and half a minute. */
export function timeLimit(scenario: Scenario, options: RunOptions): number {
  const planned = plannedCases(scenario, options).length;
  return planned * transportDefaults.deadlineMs + (scenario.slow ? silenceMs : 0) + 30_000;
}

/** The same for a step of a live run, where requests wait for their turn, and probes come before and after them. */
export function liveTimeLimit(
  { numbers, scenario }: Pick<LiveStep, 'numbers' | 'scenario'>,
  { live }: RunOptions,
): number {
  const { rate, deadlineMs } = live!.config;
  const probes = 8;
  const silent = scenario.slow ? silenceMs : 0;
  return (numbers.length + probes) * (1000 / rate + deadlineMs + longestPause) + silent + 30_000;
}

/** Milliseconds for measuring, on the mock or live. */
export function measuringLimit({ measure = 0, live }: RunOptions): number {
  const { rate, deadlineMs } = live?.config ?? { rate: 100, deadlineMs: transportDefaults.deadlineMs };
  return measure * (1000 / rate + deadlineMs) + 60_000;
}

/** Milliseconds: a timer of more ends at once. */
const longestTimer = 2 ** 31 - 1;

/** Milliseconds for all steps of a live run: what a target takes that answers, and five minutes. */
export function liveRunLimit(steps: readonly Pick<LiveStep, 'numbers'>[], options: RunOptions): number {
  const { live, slow } = options;
  const { rate, deadlineMs } = live!.config;
  const requests = steps.reduce((total, { numbers }) => total + numbers.length + 1, 0);
  const limit = requests * (1000 / rate + deadlineMs) + (slow ? silenceMs : 0) + measuringLimit(options) + 300_000;
  return Math.min(limit, longestTimer);
}
