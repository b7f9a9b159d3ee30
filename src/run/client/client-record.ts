/** What became of one client scenario: the calls, and what went wrong around them. */
import type { Introduction } from '../../peer/adapter/client-session.ts';
import type { Noted } from '../../peer/adapter/notes.ts';
import type { Counterexample } from '../../plan/scenario.ts';
import type { ClientCase, Skipped } from '../../record/client-case.ts';

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
