/**
 * What became of client scenarios, and the one order of their calls and exchanges: report.json and exchanges.har name
 * an exchange by its place in it, from 1.
 */
import type { Introduction, Noted } from '../../peer/adapter/client-session.ts';
import { inSentences } from '../../peer/adapter/notes.ts';
import type { Counterexample } from '../../plan/scenario.ts';
import type { Case, ClientCase, Skipped } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';

export interface ClientRecord {
  readonly scenario: string;
  readonly cases: readonly ClientCase[];
  readonly skipped: readonly Skipped[];
  readonly counterexamples?: readonly Counterexample[];
  /** Who the client is, as its adapter says; absent where it did not come to that. */
  readonly introduction?: Introduction;
  /** What was noticed besides results, in this scenario and since the one before it. */
  readonly notes: readonly Noted[];
  /** Why the client was given up before the scenario ended. */
  readonly givenUp?: string;
  /** Faults of the suite itself. */
  readonly suiteErrors: readonly string[];
}

/** What was noticed besides results in all of them, one sentence each. */
export function notesOf(records: readonly ClientRecord[]): string[] {
  return inSentences(records.flatMap(({ notes }) => notes));
}

interface NumberedCalls {
  /** By scenario id and case number, never by arrival. */
  readonly calls: readonly ClientCase[];
  /** Each request that arrived, in the same order. */
  readonly cases: readonly Case[];
  readonly numberOf: ReadonlyMap<Exchange, number>;
}

/** Pure. */
export function numberCalls(unordered: readonly ClientCase[]): NumberedCalls {
  const calls = [...unordered].sort((a, b) => compare(a.scenario, b.scenario) || a.number - b.number);
  const cases = calls.flatMap((one) => one.exchanges.map((exchange) => ({ ...one, exchanges: [exchange] as const })));
  return { calls, cases, numberOf: new Map(cases.map(({ exchanges: [exchange] }, index) => [exchange, index + 1])) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
