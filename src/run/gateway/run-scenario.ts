/** Performs one scenario against the mock: several cases at once, and the failing generated ones again, smaller. */

import type { Scenario } from '../../plan/scenario.ts';
import type { Case } from '../../record/case.ts';
import { type Breaker, newBreaker } from './breaker.ts';
import {
  cannotArrange,
  isLeftOut,
  type PerformCase,
  performerOf,
  type RunContext,
  type ScenarioRecord,
  type SendPolicy,
  type SentCases,
} from './perform-case.ts';
import { type PlanOptions, plannedCases } from './planned-cases.ts';
import { shrinkFailures } from './shrink.ts';

/** Performs the scenario; what the target does is recorded, never thrown. Runs that share their `options` draw its plan once. */
export async function runScenario(
  scenario: Scenario,
  context: Omit<RunContext, 'policy'> & PlanOptions,
  options: PlanOptions = context,
): Promise<ScenarioRecord> {
  if (cannotArrange(scenario, context.target)) {
    return { scenario: scenario.id, cases: [], notArranged: scenario.situation, suiteErrors: [] };
  }
  const breaker = newBreaker();
  const policy = untilSilent(breaker);
  const already: SentCases = new Map();
  const { perform, suiteErrors } = performerOf(scenario, { ...context, policy }, already);
  const planned = plannedCases(scenario, options);
  const cases: Case[] = new Array(planned.length);
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < planned.length; number = next++) {
      cases[number] = await sent(perform)(planned[number]!, number);
    }
  };
  await Promise.all(Array.from({ length: Math.min(scenario.inFlight, planned.length) }, worker));
  // What shrinking sends depends on the answers: no other run has built it.
  const anew = performerOf(scenario, { ...context, policy, built: undefined }, already);
  const shrunk = await shrinkFailures(planned, cases, sent(anew.perform));
  const givenUp = breaker.reason();
  return {
    scenario: scenario.id,
    cases: [...cases, ...shrunk.cases],
    counterexamples: shrunk.counterexamples,
    suiteErrors: [...suiteErrors, ...anew.suiteErrors],
    givenUp,
  };
}

/** Everything is sent, until the target no longer answers. */
function untilSilent(breaker: Breaker): SendPolicy {
  return {
    pass({ planned, request }, send) {
      // Silence to unusual framing is an answer of its own and says nothing of the target's health.
      const isFramed = planned.request.framing !== undefined;
      return isFramed && breaker.reason() === undefined ? send() : breaker.guard(request, send);
    },
  };
}

/** A plan in which a case repeats one that comes later is a fault of the suite. */
function sent(perform: PerformCase) {
  return async (...planned: Parameters<PerformCase>): Promise<Case> => {
    const performed = await perform(...planned);
    if (isLeftOut(performed)) throw new TypeError(`case ${planned[1]}: ${performed.reason}`);
    return performed;
  };
}
