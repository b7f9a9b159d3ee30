/** The record of a run: the data that the suite judges. */
import type { Operation } from '../../contracts/operations.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { AnyCase } from './case.ts';
import { groupBy } from './group-by.ts';

/** The name of the file that stores a shard. It is in the folder of the report. */
export const shardFile = 'shard.json';

export type Side = 'client' | 'gateway';

export interface RecordedRun<C extends AnyCase = AnyCase> {
  readonly side: Side;
  readonly records: readonly RecordedScenario<C>[];
  /** Why the run was aborted. */
  readonly aborted?: string;
  /** Set if a gateway refused valid requests because credentials or address are wrong. */
  readonly misconfigured?: string;
  /** Requirements that could not be tested, each with a reason, such as a port that cannot be bound. */
  readonly skipped?: readonly { readonly ids: readonly RequirementId[]; readonly reason: string }[];
  /** Scenarios that --bail left out. */
  readonly leftOut?: readonly string[];
  /** Operations that the adapter offers; absent if unknown. */
  readonly offered?: readonly Operation[];
  readonly language?: string;
}

/** The cases of a scenario or of a part of it, and the requests that were not sent. */
export interface RecordedScenario<C extends AnyCase = AnyCase> {
  readonly scenario: string;
  readonly cases: readonly C[];
  /** Why the run stopped sending requests before the scenario ended. */
  readonly givenUp?: string;
  /** The last case before the target stopped answering. */
  readonly goneAfter?: Pick<AnyCase, 'scenario' | 'number'>;
  readonly notSent?: readonly NotSent[];
  /** Why the target could not be reached during these cases. Their results prove nothing. */
  readonly unreachable?: string;
  /** Faults of the suite itself, such as a request that could not be built, or a judge that contradicts the schema. */
  readonly suiteErrors: readonly string[];
}

/** Why a request is not sent. */
export interface Unsent {
  /**
   * `allow`: the allowance does not permit the request. `unreadable`: unreadable answers used up the allowance.
   * `stopped`: wrongly accepted requests used up the allowance. `forbidden`: the suite must not send it to this target.
   * `given-up`: the run gave up, or the first valid request was not accepted.
   */
  readonly why: 'allow' | 'unreadable' | 'forbidden' | 'stopped' | 'given-up';
  /** Completes the sentence "not sent: …". */
  readonly reason: string;
}

export function isUnsent(result: object): result is Unsent {
  return 'why' in result;
}

export interface NotSent extends Unsent {
  readonly number: number;
  /** The requirement or the limit that the request was meant to test. */
  readonly about?: string;
}

export function casesOf<C extends AnyCase>(run: {
  readonly records: readonly { readonly cases: readonly C[] }[];
}): readonly C[] {
  return run.records.flatMap(({ cases }) => cases);
}

/** Groups cases by scenario. All other fields of the records are empty. */
export function groupByScenario<C extends AnyCase>(cases: readonly C[]): RecordedScenario<C>[] {
  const found = groupBy(cases, ({ scenario }) => scenario);
  return Array.from(found, ([scenario, group]) => ({ scenario, cases: group, suiteErrors: [] }));
}
