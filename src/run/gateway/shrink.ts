/** Shrinks the first failing generated case of each requirement step by step while it still fails, one request at a time. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Counterexample, PlannedCase } from '../../plan/scenario.ts';
import type { Case } from '../../record/case.ts';
import { judgeCases } from '../../rules/judge-cases.ts';

/**
 * Shrinks against the target. `perform` sends one planned case under a number and records nothing.
 * @returns the smallest failing cases, numbered from `cases.length` on, and the origin of each
 */
export async function shrinkFailures(
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
