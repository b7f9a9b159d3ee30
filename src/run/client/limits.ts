/** How long a client may take: for its start, and for one scenario at worst. */

import type { ClientPlan, ClientScenario } from '../../plan/client/client-scenario.ts';
import { drawFor } from '../../plan/seed.ts';
import type { ClientOptions, RunOptions } from '../options/run-options.ts';
import { ordinaryDeadlineMs } from './session-case.ts';

/** Milliseconds in which a person has to attach an adapter by hand. */
export const attachLimitMs = 600_000;

/** Milliseconds for the start of the client, over the limit that its session has for that. */
export function openingLimitMs({ mode }: ClientOptions): number {
  return mode === 'attach' ? attachLimitMs + 60_000 : 90_000;
}

/** Milliseconds after which no further call of a scenario is made: the deadlines of its calls one after another, and half a minute. */
export function callsLimitMs(scenario: ClientScenario, options: RunOptions): number {
  if (options.client?.mode === 'attach') return Number.POSITIVE_INFINITY;
  return callsOf(scenario, options).reduce((sum, { deadlineMs = ordinaryDeadlineMs }) => sum + deadlineMs, 0) + 30_000;
}

/** Milliseconds for a scenario; 0 is no limit. The last call, and the last smaller one, may take twelve times its deadline, with pings, progress and a start. */
export function clientTimeLimit(scenario: ClientScenario, options: RunOptions): number {
  if (options.client?.mode === 'attach') return 0;
  return callsLimitMs(scenario, options) + 24 * ordinaryDeadlineMs + 120_000;
}

/** The calls of the scenario under these options; with a path only the generated one that it names. */
export function callsOf(
  scenario: ClientScenario,
  { seed, cases, path }: Pick<RunOptions, 'seed' | 'cases' | 'path'>,
): readonly ClientPlan[] {
  const all = scenario.plan(drawFor(seed, scenario.id, cases, path));
  return path === undefined ? all : all.filter(({ generated }) => generated !== undefined);
}
