/** What became of one client scenario: the calls, and what went wrong around them. */
import type { Introduction } from '../adapter/client-session.ts';
import type { ClientCase, Skipped } from '../exchange/client-case.ts';

export interface ClientRecord {
  readonly scenario: string;
  readonly cases: readonly ClientCase[];
  readonly skipped: readonly Skipped[];
  /** Who the client is, as its adapter says; absent where it did not come to that. */
  readonly introduction?: Introduction;
  /** What the session noticed besides results; one sentence each. */
  readonly notes: readonly string[];
  /** Why the client was given up before the scenario ended. */
  readonly givenUp?: string;
  /** Faults of the suite itself. */
  readonly suiteErrors: readonly string[];
}
