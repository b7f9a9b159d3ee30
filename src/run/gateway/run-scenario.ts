/**
 * Performs one scenario against a mock of its own: several cases at once, and the failing generated ones again,
 * smaller.
 */

import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Alteration } from '../../mock/alteration.ts';
import type { Counterexample, PlannedCase, Scenario } from '../../plan/scenario.ts';
import type { Case } from '../../record/case.ts';
import { isUnsent } from '../../record/run.ts';
import { isUnreadable } from '../../rules/answers/acceptance.ts';
import { judgeCases } from '../../rules/index.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { ScenarioRecord } from '../scenario-record.ts';
import { mockTarget } from '../target/target.ts';
import { notSent, openTransport } from '../transport/transport.ts';
import {
  cannotArrange,
  freshNow,
  type PerformCase,
  performerOf,
  type RunContext,
  type SendPolicy,
  type SentCases,
} from './perform-case.ts';
import { mockEndpoints, type PlanOptions, plannedCases } from './planned-cases.ts';

/** What tests of the suite itself ask for. */
export interface OfTheMock {
  /** Applied after the defects and variants of the options. */
  readonly alterations?: readonly Alteration[];
  /** Whether every signature is computed a second time; default yes. */
  readonly secondVoice?: boolean;
}

/** Performs the scenario as the options say. Throws only for a fault of the suite. */
export function performScenario(scenario: Scenario, options: RunOptions, mock?: OfTheMock): Promise<ScenarioRecord> {
  const use = (context: Omit<RunContext, 'policy'>) => runScenario(scenario, { ...options, ...context });
  return onMock(scenario.id, options, { ...mock, oneConnection: scenario.inFlight === 1 }, use);
}

/** A mock of its own for what `use` does. `id`: another scenario has other gates. */
export async function onMock<T>(
  id: string,
  options: RunOptions,
  { alterations, secondVoice, oneConnection }: OfTheMock & { readonly oneConnection?: boolean } = {},
  use: (context: Omit<RunContext, 'policy'>) => Promise<T>,
): Promise<T> {
  const endpoints = mockEndpoints(options.seed, id);
  const opened = await mockTarget(options.defects, options.variants, alterations, endpoints);
  const transport = openTransport({ oneConnection: oneConnection === true });
  try {
    return await use({
      seed: options.seed,
      target: opened.target,
      transport,
      fresh: freshNow,
      secondVoice,
    });
  } finally {
    await transport.close();
    await opened.close();
  }
}

/** Performs the scenario; what the target does is recorded, never thrown. Runs that share their `options` draw its plan once. */
export async function runScenario(
  scenario: Scenario,
  context: Omit<RunContext, 'policy'> & PlanOptions,
  options: PlanOptions = context,
): Promise<ScenarioRecord> {
  if (cannotArrange(scenario, context.target)) {
    return { scenario: scenario.id, cases: [], notArranged: scenario.situation, suiteErrors: [] };
  }
  const policy = newBreaker();
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
  const givenUp = policy.reason();
  return {
    scenario: scenario.id,
    cases: [...cases, ...shrunk.cases],
    counterexamples: shrunk.counterexamples,
    suiteErrors: [...suiteErrors, ...anew.suiteErrors],
    givenUp,
  };
}

/** A plan in which a case repeats one that comes later is a fault of the suite. */
function sent(perform: PerformCase) {
  return async (...planned: Parameters<PerformCase>): Promise<Case> => {
    const performed = await perform(...planned);
    if (isUnsent(performed)) throw new TypeError(`case ${planned[1]}: ${performed.reason}`);
    return performed;
  };
}

/** This many requests in a row without any answer mean that the target is gone. */
const patience = 5;

/** Sends everything, until the target no longer answers. */
interface Breaker extends SendPolicy {
  /** Why nothing is sent any more; undefined while the target is not given up. */
  reason(): string | undefined;
}

/** A breaker for one target. */
export function newBreaker(): Breaker {
  let unanswered = 0;
  let last = '';
  const reason = () =>
    unanswered < patience
      ? undefined
      : `${last}; ${patience} requests in a row got no answer, and nothing more was sent`;
  return {
    reason,
    async pass({ planned, request }, send) {
      const givenUp = reason();
      if (givenUp !== undefined) return notSent(request, givenUp);
      const exchange = await send();
      // Silence to unusual framing is an answer of its own and says nothing of the target's health.
      if (planned.request.framing !== undefined) return exchange;
      // A target with unreadable answers is not gone.
      unanswered = exchange.response === undefined && !isUnreadable(exchange) ? unanswered + 1 : 0;
      last = exchange.failure?.message ?? last;
      return exchange;
    },
  };
}

/**
 * Shrinks against the target. `perform` sends one planned case under a number and records nothing.
 * @returns the smallest failing cases, numbered from `cases.length` on, and the origin of each
 */
async function shrinkFailures(
  planned: readonly PlannedCase[],
  cases: readonly Case[],
  perform: (planned: PlannedCase, number: number) => Promise<Case>,
): Promise<{ readonly cases: readonly Case[]; readonly counterexamples: readonly Counterexample[] }> {
  const smallest: Case[] = [];
  const counterexamples: Counterexample[] = [];
  for (const [number, examined] of firstFailures(planned, cases)) {
    const about = examined.label.about!;
    const at = cases.length + smallest.length;
    let last = examined;
    // Sent twice, ids of the same request might be refused for that alone (A7).
    const known = new Map<string, boolean>();
    const stillFails = async (candidate: PlannedCase) => {
      const body = JSON.stringify(candidate.request.body);
      const before = known.get(body);
      if (before !== undefined) return before;
      const tried = await perform(candidate, at);
      // A value that meets another row, or none, is another question.
      const fails = tried.label.about === about && failsAlone(tried, cases);
      known.set(body, fails);
      if (fails) last = tried;
      return fails;
    };
    const { path } = await planned[number]!.generated!.shrink(stillFails);
    smallest.push({ ...last, number: at });
    counterexamples.push({ about, number: at, path });
  }
  return { cases: smallest, counterexamples };
}

function firstFailures(planned: readonly PlannedCase[], cases: readonly Case[]): Map<number, Case> {
  const found = new Map<string, number>();
  for (const examined of cases) {
    const { about } = examined.label;
    if (about === undefined || found.has(about) || planned[examined.number]?.generated === undefined) continue;
    if (failsAlone(examined, cases)) found.set(about, examined.number);
  }
  return new Map([...found.values()].map((number) => [number, cases[number]!]));
}

/** Whether the judge of the row that the case is about finds it failing, with its twin at hand. */
function failsAlone(examined: Case, cases: readonly Case[]): boolean {
  const twin = examined.label.twin === undefined ? [] : [cases[examined.label.twin.number]!];
  return judgeCases(examined.label.about as RequirementId, [examined, ...twin]).some(
    (verdict) => verdict.examined === examined && verdict.finding.outcome === 'fail',
  );
}
