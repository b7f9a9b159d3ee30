/** What a run leaves to be judged, whoever its subject is: the records of its scenarios, and what bears on all of them. */
import type { Operation } from '../../contracts/operations.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { AnyCase } from './case.ts';
import { groupBy } from './group-by.ts';

export type Side = 'client' | 'gateway';

export interface RecordedRun<C extends AnyCase = AnyCase> {
  readonly side: Side;
  readonly records: readonly RecordedScenario<C>[];
  /** Why the run has no conclusion. */
  readonly aborted?: string;
  /** Why a gateway refused the right requests, where that is the fault of credentials or address. */
  readonly misconfigured?: string;
  readonly skipped?: readonly Skipped[];
  /** Operations that the adapter offers; absent where not known. */
  readonly offered?: readonly Operation[];
  readonly language?: string;
}

/** Rows that could not be asked for, and why: a port that cannot be bound, a feature that the adapter does not offer. */
export interface Skipped {
  readonly ids: readonly RequirementId[];
  readonly reason: string;
}

/** The cases of a scenario, or of a part of one, and what the run says of those that it did not send. */
export interface RecordedScenario<C extends AnyCase = AnyCase> {
  readonly scenario: string;
  readonly cases: readonly C[];
  /** Why the target was given up before the scenario ended. */
  readonly givenUp?: string;
  /** The case after which the target was gone: what it died of. */
  readonly goneAfter?: CasePlace;
  readonly notSent?: readonly NotSent[];
  /** Set where a probe beside these cases failed: what they show may be due to that. */
  readonly unreachable?: string;
  /** Faults of the suite itself: disagreements of the two voices, requests that could not be built. */
  readonly suiteErrors: readonly string[];
}

export interface CasePlace {
  readonly scenario: string;
  readonly number: number;
}

/** Why a request is not sent: the one form in which ledger, guard, plan and record say so. */
export interface Unsent {
  /**
   * `allow`: the allowance has no room for it. `unreadable`: it would have, but for unreadable answers. `forbidden`: whatever is
   * allowed. `stopped`: requests were wrongly accepted. `given-up`: the target was, before this request, or its first right
   * request was not accepted.
   */
  readonly why: 'allow' | 'unreadable' | 'forbidden' | 'stopped' | 'given-up';
  /** End of a sentence that begins with "not sent:". */
  readonly reason: string;
}

export function isUnsent(result: object): result is Unsent {
  return 'why' in result;
}

export interface NotSent extends Unsent {
  readonly number: number;
  /** The requirement that it would have shown, or what it would have measured. */
  readonly about?: string;
}

export function casesOf<C extends AnyCase>({ records }: Pick<RecordedRun<C>, 'records'>): readonly C[] {
  return records.flatMap(({ cases }) => cases);
}

/** Scenarios of which nothing is known but their cases. */
export function perScenario<C extends AnyCase>(cases: readonly C[]): RecordedScenario<C>[] {
  const found = groupBy(cases, ({ scenario }) => scenario);
  return Array.from(found, ([scenario, some]) => ({ scenario, cases: some, suiteErrors: [] }));
}
