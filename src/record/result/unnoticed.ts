/** What a run does not rule out, as part of its result. */
import type { Operation } from '../../../contracts/operations.ts';
import type { Dimension } from '../../../contracts/requirements/requirement.ts';

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
  /** What to allow or to configure for a run that notices more, those first that bring most for each effect. */
  readonly allowances: readonly {
    /**
     * `more`: the least further allowance of one effect with which anything more is noticed. `whole`: the least with which
     * nothing is left out for lack of allowance. `plenty`: from there on further faults are sent. `setting`: a key of the configuration.
     */
    readonly kind: 'more' | 'whole' | 'plenty' | 'setting';
    /** Values of --allow; none of a setting. */
    readonly allow: readonly string[];
    /** What to write into the configuration. */
    readonly set?: string;
    /** Further effects at worst: if the refusals of the gateway are not true. Absent in reports of earlier versions. */
    readonly effects?: number;
    /** How many of the unnoticed defects it notices. */
    readonly more: number;
    /** How long such a run takes, about, by its pace. */
    readonly aboutSeconds: number;
  }[];
}
