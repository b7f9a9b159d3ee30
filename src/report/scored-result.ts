/** Separates known failures and outdated baseline entries from the verdicts that count. */
import type { BaselineEntry, KnownFailure, Result } from '../record/result/result.ts';
import { contractId } from '../record/result/score.ts';
import { showSpaces } from './visible.ts';

/** The result without known failures, known hazards, and rows that are not scored. */
export function scoredResult(result: Result): Result {
  const isScored = (row: { readonly known?: KnownFailure; readonly notScored?: true }) =>
    row.known === undefined && row.notScored !== true;
  const { results, contracts, hazards } = result;
  return {
    ...result,
    results: results.filter(isScored),
    contracts: contracts?.filter(isScored),
    hazards: hazards?.filter(isScored),
  };
}

interface ReportItem {
  readonly id: string;
  readonly sentence: string;
  readonly received?: string;
}

export function knownFailures({ results, contracts = [], hazards = [] }: Result): ReportItem[] {
  return [
    ...hazards.map(({ id, known, sentence }) => ({ id, known, received: sentence })),
    ...results.map(({ id, known, actual }) => ({ id, known, received: actual && showSpaces(actual) })),
    ...contracts.map((row) => ({ id: contractId(row), known: row.known, received: row.mismatches.join('; ') })),
  ].flatMap(({ id, known, received }) =>
    known === undefined ? [] : [{ id, sentence: knownFailureReason(known), received }],
  );
}

export function baselineProblems({ baseline }: Result): (ReportItem & { readonly lines: readonly string[] })[] {
  return (baseline?.problems ?? []).map(({ id, sentence, corrected }) => ({
    id,
    sentence: `${sentence}. ${corrected === undefined ? 'Remove the entry.' : 'Fix the cause, or write:'}`,
    lines: corrected === undefined ? [] : entryLines(corrected),
  }));
}

export function knownFailureReason({ reason, expires }: KnownFailure): string {
  return expires === undefined ? reason : `${reason} (until ${expires})`;
}

function entryLines({ id, reason, expires, received }: BaselineEntry): string[] {
  const members = Object.entries({ id, reason, expires, received }).filter(([, value]) => value !== undefined);
  return members.map(([key, value], at) => `${at === 0 ? '-' : ' '} ${key}: ${JSON.stringify(value)}`);
}
