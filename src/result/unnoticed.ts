/** What a run does not rule out, as part of its result. */
import type { Operation } from '../../contracts/operations.ts';
import type { Dimension } from '../../contracts/requirements/requirement.ts';

/** What a run does not rule out: had the subject one of these defects, the run would not have been non-conformant. */
export interface Unnoticed {
  /** Whose defects they are; of a gateway where it is absent. */
  readonly side?: 'client';
  /** How many defects are known. */
  readonly of: number;
  /** How many of them the run lets through. */
  readonly count: number;
  readonly groups: readonly {
    readonly operation: Operation | 'both';
    readonly dimension: Dimension;
    /** Ids of defects, as `countersign list defects` has them. */
    readonly defects: readonly string[];
  }[];
  /** Ids of defects of which it cannot be said: a run of this kind shows them at times. */
  readonly notKnown: readonly string[];
  /** What to allow for a run that notices more, the cheapest first. */
  readonly allowances: readonly {
    /**
     * `more`: the least further allowance of one effect with which anything more is noticed. `whole`: the least with which
     * nothing is left out for lack of allowance. `plenty`: from there on further faults are sent.
     */
    readonly kind: 'more' | 'whole' | 'plenty';
    /** Values of --allow. */
    readonly allow: readonly string[];
    /** How many of the unnoticed defects it notices. */
    readonly more: number;
    /** How long such a run takes, about, by its pace. */
    readonly aboutSeconds: number;
  }[];
}
