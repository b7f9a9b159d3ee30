/** How long a client may take: for its start, and for one scenario at worst. */

import type { ClientOptions, RunOptions } from '../options/run-options.ts';
import type { ClientScenario } from '../scenarios/client/client-scenario.ts';
import { drawFor } from '../scenarios/seed.ts';
import { ordinaryDeadlineMs } from './session-case.ts';

/** Milliseconds in which a person has to attach an adapter by hand. */
export const attachLimitMs = 600_000;

/** Milliseconds for the start of the client, over the limit that its session has for that. */
export function openingLimitMs({ mode }: ClientOptions): number {
  return mode === 'attach' ? attachLimitMs + 60_000 : 90_000;
}

/** Milliseconds for a scenario: the deadlines of its calls one after another, and half a minute. */
export function clientTimeLimit(scenario: ClientScenario, { seed, cases, client }: RunOptions): number {
  if (client?.mode === 'attach') return 0;
  const plans = scenario.plan(drawFor(seed, scenario.id, cases));
  return plans.reduce((sum, { deadlineMs = ordinaryDeadlineMs }) => sum + deadlineMs, 0) + 30_000;
}
