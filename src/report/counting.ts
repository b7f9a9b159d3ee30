/** What every report shows separately: known failures, outdated entries of the baseline, and rows that do not count. */
import { groupBy } from '../record/group-by.ts';
import { exercisedIn } from '../record/result/conclude.ts';
import type { BaselineEntry, KnownFailure, Result } from '../record/result/result.ts';
import { contractId } from '../record/result/score.ts';
import { withSpaces } from './visible.ts';

export function counting(result: Result): Result {
  const counts = (row: { readonly known?: KnownFailure; readonly notScored?: true }) =>
    row.known === undefined && row.notScored !== true;
  const { results, contracts, hazards } = result;
  return {
    ...result,
    results: results.filter(counts),
    contracts: contracts?.filter(counts),
    hazards: hazards?.filter(counts),
  };
}

export interface ShownApart {
  readonly id: string;
  readonly sentence: string;
  readonly received?: string;
}

export function knownFailures({ results, contracts = [], hazards = [] }: Result): ShownApart[] {
  return [
    ...hazards.map(({ id, known, sentence }) => ({ id, known, received: sentence })),
    ...results.map(({ id, known, actual }) => ({ id, known, received: actual && withSpaces(actual) })),
    ...contracts.map((row) => ({ id: contractId(row), known: row.known, received: row.mismatches.join('; ') })),
  ].flatMap(({ id, known, received }) =>
    known === undefined ? [] : [{ id, sentence: knownFailureReason(known), received }],
  );
}

export function baselineProblems({ baseline }: Result): (ShownApart & { readonly lines: readonly string[] })[] {
  return (baseline?.problems ?? []).map(({ id, sentence, corrected }) => ({
    id,
    sentence: `${sentence}. ${corrected === undefined ? 'Remove the entry.' : 'Fix the cause, or write:'}`,
    lines: corrected === undefined ? [] : entryLines(corrected),
  }));
}

interface NeverArose {
  readonly ids: readonly string[];
  readonly sentence: string;
}

/** Grouped by what would make them arise. An aborted run has none. */
export function neverArose(result: Result): NeverArose[] {
  const { neverArose: rows = [] } = result.conclusion === 'aborted' ? {} : exercisedIn(result);
  const groups = groupBy(rows, ({ hint, reason }) => hint ?? reason);
  return [...groups].map(([sentence, alike]) => ({ ids: alike.map(({ id }) => id), sentence }));
}

export function countOf(groups: readonly NeverArose[]): number {
  return groups.flatMap(({ ids }) => ids).length;
}

export function notScored({ results, contracts = [] }: Result): ShownApart[] {
  return [
    ...results.map(({ id, outcome, notScored, actual }) => ({ id, outcome, notScored, received: actual })),
    ...contracts.map((row) => ({ ...row, id: contractId(row), received: row.mismatches.join('; ') })),
  ].flatMap(({ id, outcome, notScored, received }) =>
    notScored === true ? [{ id, sentence: outcome, ...(outcome === 'pass' ? {} : { received }) }] : [],
  );
}

export function flips({ rejudged }: Result): ShownApart[] {
  return (rejudged?.flips ?? []).map(({ id, before = 'not judged', now = 'not judged', why }) => ({
    id,
    sentence: `${before} -> ${now}: ${why}`,
  }));
}

export function knownFailureReason({ reason, expires }: KnownFailure): string {
  return expires === undefined ? reason : `${reason} (until ${expires})`;
}

/** The entry as YAML, which accepts strings of JSON. */
function entryLines({ id, reason, expires, received }: BaselineEntry): string[] {
  const members = Object.entries({ reason, expires, received }).filter(([, value]) => value !== undefined);
  return [`- id: ${JSON.stringify(id)}`, ...members.map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)];
}
