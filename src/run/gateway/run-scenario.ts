/** Performs one scenario against its own mock, with parallel cases, and shrinks failed generated ones. */

import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Alteration } from '../../mock/alteration.ts';
import type { Counterexample, PlannedCase, Scenario } from '../../plan/scenario.ts';
import type { Case } from '../../record/case.ts';
import { isUnsent } from '../../record/run.ts';
import { judgeCases } from '../../rules/index.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { ScenarioRecord } from '../scenario-record.ts';
import { mockTarget } from '../target/target.ts';
import { openTransport } from '../transport/transport.ts';
import { neededNumbers, type Selecting } from './needed-cases.ts';
import {
  cannotArrange,
  freshNow,
  type PerformCase,
  performerOf,
  type RunContext,
  type SentCases,
} from './perform-case.ts';
import { mockEndpoints, plannedCases } from './planned-cases.ts';

/** For tests of the suite itself. */
export interface OfTheMock {
  readonly alterations?: readonly Alteration[];
  readonly secondVoice?: boolean;
}

export function performScenario(scenario: Scenario, options: RunOptions, mock?: OfTheMock): Promise<ScenarioRecord> {
  const settings = { ...mock, oneConnection: scenario.inFlight === 1 };
  return onMock(scenario.id, options, settings, (context) =>
    runScenario(scenario, { ...options, ...context }, options),
  );
}

/** Opens a mock only for `use`. Each `id` has other gates. */
export async function onMock<T>(
  id: string,
  { seed, defects, variants }: RunOptions,
  { alterations, secondVoice, oneConnection }: OfTheMock & { readonly oneConnection?: boolean } = {},
  use: (context: RunContext) => Promise<T>,
): Promise<T> {
  const opened = await mockTarget(defects, variants, alterations, mockEndpoints(seed, id));
  const transport = openTransport({ oneConnection: oneConnection === true });
  try {
    return await use({ seed, target: opened.target, transport, fresh: freshNow, secondVoice });
  } finally {
    await transport.close();
    await opened.close();
  }
}

/** Never throws for the target. Runs with the same `options` object draw the plan once. */
export async function runScenario(
  scenario: Scenario,
  context: RunContext & Selecting,
  options: Selecting = context,
): Promise<ScenarioRecord> {
  if (cannotArrange(scenario, context.target)) {
    return { scenario: scenario.id, cases: [], notArranged: scenario.situation, suiteErrors: [] };
  }
  const already: SentCases = new Map();
  const { perform, suiteErrors } = performerOf(scenario, context, already);
  const planned = plannedCases(scenario, options);
  // With holes, because judges and shrinking look up a twin by its number.
  const cases: Case[] = new Array(planned.length);
  const waiting = [...neededNumbers(scenario, options)];
  const worker = async () => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
      cases[number] = await sent(perform)(planned[number]!, number);
    }
  };
  await Promise.all(Array.from({ length: Math.min(scenario.inFlight, waiting.length) }, worker));
  // Shrinking depends on answers, so no other run has built these requests.
  const again = performerOf(scenario, { ...context, built: undefined }, already);
  const shrunk = await shrinkFailures(planned, cases, sent(again.perform));
  return {
    scenario: scenario.id,
    cases: [...Object.values(cases), ...shrunk.cases],
    counterexamples: shrunk.counterexamples,
    suiteErrors: [...suiteErrors, ...again.suiteErrors],
  };
}

function sent(perform: PerformCase) {
  return async (...planned: Parameters<PerformCase>): Promise<Case> => {
    const performed = await perform(...planned);
    if (isUnsent(performed)) throw new TypeError(`case ${planned[1]}: ${performed.reason}`);
    return performed;
  };
}

/** Finds the smallest failing cases and numbers them after `cases`. `perform` records nothing. */
async function shrinkFailures(
  planned: readonly PlannedCase[],
  cases: readonly Case[],
  perform: (planned: PlannedCase, number: number) => Promise<Case>,
): Promise<{ readonly cases: readonly Case[]; readonly counterexamples: readonly Counterexample[] }> {
  const smallest: Case[] = [];
  const counterexamples: Counterexample[] = [];
  for (const failing of firstFailures(planned, cases)) {
    const about = failing.label.about!;
    const number = cases.length + smallest.length;
    let last = failing;
    // A gateway may refuse repeated ids for that reason alone (A7), so send each request once.
    const known = new Map<string, boolean>();
    const { path } = await planned[failing.number]!.generated!.shrink(async (candidate) => {
      const body = JSON.stringify(candidate.request.body);
      const before = known.get(body);
      if (before !== undefined) return before;
      const tried = await perform(candidate, number);
      // A value that concerns another requirement, or none, does not count.
      const fails = tried.label.about === about && failsAlone(tried, cases);
      known.set(body, fails);
      if (fails) last = tried;
      return fails;
    });
    smallest.push({ ...last, number });
    counterexamples.push({ about, number, path });
  }
  return { cases: smallest, counterexamples };
}

function firstFailures(planned: readonly PlannedCase[], cases: readonly Case[]): Iterable<Case> {
  const found = new Map<string, Case>();
  for (const one of Object.values(cases)) {
    const { about } = one.label;
    if (about === undefined || found.has(about) || planned[one.number]?.generated === undefined) continue;
    if (failsAlone(one, cases)) found.set(about, one);
  }
  return found.values();
}

function failsAlone(testCase: Case, cases: readonly Case[]): boolean {
  const { twin, about } = testCase.label;
  return judgeCases(about as RequirementId, twin === undefined ? [testCase] : [testCase, cases[twin.number]!]).some(
    (verdict) => verdict.testCase === testCase && verdict.finding.outcome === 'fail',
  );
}
