/** What a run has to show for itself, whoever the subject is: findings by row, observations, and the numbers of its exchanges. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import type { ManyAutopsies } from '../autopsy/index.ts';
import type { Case } from '../record/case.ts';
import type { Cause, Hazard, Measured, Observation, Result, ResultRow } from '../record/result/result.ts';
import type { Finding } from '../rules/finding.ts';

export interface NumberedFinding {
  readonly finding: Finding;
  readonly exchanges: readonly number[];
}

export type NoVerdict = Pick<ResultRow, 'outcome' | 'blame' | 'reason' | 'actual' | 'hint'> & Pick<Finding, 'because'>;

export interface WrongSignatures {
  readonly found: ManyAutopsies;
  /** The same evidence with the right signature in place of those that have these deviations and no other. */
  without(ids: readonly string[]): {
    readonly evidence: Evidence;
    /** Numbers of the exchanges that were signed again, and how many could not be, for want of the private key. */
    readonly mended: readonly number[];
    readonly unmended: number;
  };
}

export interface Evidence {
  /** Throws only for a fault of the judge itself. */
  judge(id: RequirementId): readonly NumberedFinding[];
  /** Why no case said anything of the row; otherwise it is undetermined. What the cases of an aborted run lack is no reason. */
  noVerdictReason?(row: Requirement, aborted?: string): NoVerdict | undefined;
  /** Why the row fails in these exchanges, or what it takes to determine it, beyond what the finding says; for rows that something is known of. */
  explain?(
    row: Requirement,
    exchanges: readonly number[],
    outcome: 'fail' | 'inconclusive',
  ): Pick<ResultRow, 'explanations' | 'firstStage'>;
  signatures?(exchanges: readonly number[]): WrongSignatures;
  mistakes?(failing: readonly ResultRow[]): readonly Cause[];
  observations(): readonly Observation[];
  /** What endangers money; `known` is set later, from the baseline. */
  hazards?(): readonly Hazard[];
  edges?(): NonNullable<Result['edges']>;
  measured?(): Measured | undefined;
  latency?(): NonNullable<Result['latency']>;
  /** One for each exchange, in the order of their numbers. */
  readonly cases: readonly Case[];
}
