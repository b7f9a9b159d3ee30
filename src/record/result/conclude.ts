/** Only this file derives the conclusion and the exit code of a run. */
import { includesBasis, profileByName } from '../../../contracts/profiles.ts';
import { requirementById, requirements } from '../../../contracts/requirements/index.ts';
import { type Dimension, dimensions } from '../../../contracts/requirements/requirement.ts';
import { pluralize } from '../pluralize.ts';
import type { Side } from '../run.ts';
import type { Cause, ContractRow, OutcomeCounts, Result, ResultRow } from './result.ts';
import { outcomes } from './result.ts';
import { isNewFail, newHazards } from './score.ts';

export type WeighedRow = Pick<ResultRow, 'outcome' | 'kind' | 'reason' | 'notScored' | 'demanded' | 'known'>;

/** `aborted`: an `error`. `non-conformant`: a `fail`. `partial`: a shard, a gap, no pass, or a target that stopped. */
export function conclude(
  rows: readonly WeighedRow[],
  run: Pick<Result, 'profile' | 'causes'> & { readonly isShard?: boolean },
): Result['conclusion'] {
  if (rows.some((row) => row.outcome === 'error')) return 'aborted';
  if (rows.some((row) => row.outcome === 'fail' && row.notScored !== true)) return 'non-conformant';
  const isWhole = run.isShard !== true && fatalCause(run) === undefined && rows.some(isPassed);
  return isWhole && !rows.some((row) => leavesGap(row, run.profile)) ? 'conformant' : 'partial';
}

/** The cause that says after which request the target stopped answering. Undefined if the target did not stop. */
export function fatalCause({ causes = [] }: Pick<Result, 'causes'>): Cause | undefined {
  return causes.find(({ fatal }) => fatal === true);
}

function isPassed(row: WeighedRow): boolean {
  return row.notScored !== true && row.outcome === 'pass';
}

/** True if a row that counts is `inconclusive`, or `not-applicable` without a reason. `known` rows do not count. */
export function leavesGap(row: WeighedRow, profile: string): boolean {
  const { outcome, kind, reason = '', demanded, known, notScored } = row;
  const isOpen = outcome === 'inconclusive' || (outcome === 'not-applicable' && reason.trim() === '');
  const binds = demanded === true || isBinding(kind, profile);
  return isOpen && binds && known === undefined && notScored !== true;
}

/** True if failures of this kind of requirement count. The profile decides if `expected` requirements count. */
export function isBinding(kind: ResultRow['kind'], profile: string): boolean {
  return kind !== 'expected' || profileByName(profile)?.expectedIsJudged === true;
}

/** The requirements of a side that a run with this profile judges. Requirements of kind `probe` are not judged. */
export function judgedRequirements(side: Side, profile: string) {
  const profileRow = profileByName(profile);
  return requirements.filter(
    (row) =>
      row.side === side && row.kind !== 'probe' && profileRow && includesBasis(profileRow, row.basis ?? 'document'),
  );
}

/** Pact interactions count like `required` requirements. */
export function weighContracts(contracts: readonly ContractRow[] = []): (WeighedRow & Pick<ResultRow, 'blame'>)[] {
  return contracts.map((row) => ({ ...row, kind: 'required' }));
}

/** Counts the scored requirements by outcome. The result has every outcome, even if its count is 0. */
export function countOutcomes(rows: readonly Pick<ResultRow, 'outcome' | 'notScored'>[]): OutcomeCounts {
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as OutcomeCounts;
  for (const row of rows) if (row.notScored !== true) counts[row.outcome] += 1;
  return counts;
}

export function countByDimension(
  rows: readonly Pick<ResultRow, 'outcome' | 'dimension' | 'notScored'>[],
): Record<Dimension, OutcomeCounts> {
  const counted = dimensions.map((dimension) => [
    dimension,
    countOutcomes(rows.filter((row) => row.dimension === dimension)),
  ]);
  return Object.fromEntries(counted) as Record<Dimension, OutcomeCounts>;
}

/**
 * 0: success. 1: a failure, a gap, an outdated baseline entry, a hazard that fails the run, or a target that stopped.
 * 3: an aborted run, or a fault of the suite. Known failures do not count.
 * A shard ignores gaps that the configuration causes. So does --accept-partial, but not for --require.
 */
export function exitCode(result: Pick<Result, 'conclusion' | 'profile' | 'results'> & Partial<Result>): 0 | 1 | 3 {
  const rows = [...result.results, ...weighContracts(result.contracts)];
  if (result.conclusion === 'aborted' || rows.some((row) => row.outcome === 'error')) return 3;
  if (fatalCause(result) !== undefined || (result.baseline?.problems ?? []).length > 0) return 1;
  if (failsOnHazard(result) && newHazards(result).length > 0) return 1;
  const gaps = rows.filter((row) => leavesGap(row, result.profile));
  const isShard = result.scope?.shard !== undefined;
  const gapsAreAccepted =
    (result.acceptPartial || isShard) &&
    gaps.every((row) => row.blame === 'configuration' && (isShard || row.demanded !== true));
  if (result.conclusion === 'conformant') return 0;
  if (result.conclusion === 'non-conformant') {
    const everyFailureIsKnown = rows.some((row) => row.known !== undefined) && !rows.some(isNewFail);
    return everyFailureIsKnown && (gaps.length === 0 || gapsAreAccepted) ? 0 : 1;
  }
  if (isShard && !rows.some(isPassed)) return 1;
  return gapsAreAccepted && (isShard || gaps.length > 0) ? 0 : 1;
}

export function failsOnHazard({ profile, failOn }: Pick<Result, 'profile' | 'failOn'>): boolean {
  return failOn === 'hazard' || profileByName(profile)?.hazardFails === true;
}

/** Counts the `required` requirements that a run on this subject can test, and lists those that no case tested. */
export function exercisedIn({ subject, results }: Pick<Result, 'subject' | 'results'>): Required<Result>['exercised'] {
  const required = results.filter(
    ({ id, kind, notScored }) => kind === 'required' && notScored !== true && isTestable(id, subject),
  );
  const neverArose = required
    .filter(isUntested)
    .map(({ id, reason = 'no reason was recorded', hint }) => ({ id, reason, hint }));
  return { required: required.length, neverArose };
}

export function isTestable(id: string, { target }: Pick<Result['subject'], 'target'>): boolean {
  const { untestable, liveOnly } = requirementById(id) ?? {};
  return untestable === undefined && !(liveOnly === true && target === 'mock');
}

/** True if no case of the run tested the requirement. */
export function isUntested({ outcome, demanded }: Pick<ResultRow, 'outcome' | 'demanded'>): boolean {
  return outcome === 'not-applicable' || demanded === true;
}

/** A phrase such as `as far as exercised: 80 of 101 required; 21 untested`. Undefined if none is untested. */
export function formatExercised(exercised: ConclusionFacts['exercised']): string | undefined {
  const { required = 0, neverArose = [] } = exercised ?? {};
  if (neverArose.length === 0) return undefined;
  return `as far as exercised: ${required - neverArose.length} of ${required} required; ${neverArose.length} untested`;
}

/** A phrase such as `, with 2 hazards, 1 of them known`; empty if there is no hazard. */
export function formatHazards(result: Pick<ConclusionFacts, 'hazards'>): string {
  const count = formatHazardCount(result);
  return count === '' ? '' : `, with ${count}`;
}

function formatHazardCount({ hazards = [] }: Pick<ConclusionFacts, 'hazards'>): string {
  const all = hazards.length;
  const known = all - newHazards({ hazards }).length;
  if (all === 0) return '';
  if (known === all) return pluralize(known, 'known hazard');
  const total = pluralize(all, 'hazard');
  return known === 0 ? total : `${total}, ${known} of them known`;
}

interface ConclusionFacts {
  readonly conclusion: Result['conclusion'];
  readonly exercised?: { readonly required: number; readonly neverArose: readonly unknown[] } | undefined;
  readonly hazards?: Result['hazards'] | undefined;
}

/** A phrase such as `conformant as far as exercised: 80 of 101 required; 21 untested; 1 hazard`. */
export function formatConclusion({ conclusion, exercised, hazards }: ConclusionFacts): string {
  const extent = conclusion === 'conformant' ? formatExercised(exercised) : undefined;
  if (extent === undefined) return `${conclusion}${formatHazards({ hazards })}`;
  return [`${conclusion} ${extent}`, formatHazardCount({ hazards })].filter(Boolean).join('; ');
}

/** The conclusion as every report prints it. */
export function conclusionOf(result: Pick<Result, 'conclusion' | 'subject' | 'results' | 'hazards'>): string {
  return formatConclusion({ ...result, exercised: exercisedIn(result) });
}
