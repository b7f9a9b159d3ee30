/** The evidence of a run for either side: findings by row, observations, and the numbers of exchanges. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import type { ManyAutopsies } from '../autopsy/autopsy.ts';
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
  /** The same evidence, but signatures with only these deviations are replaced by valid ones. */
  without(ids: readonly string[]): {
    readonly evidence: Evidence;
    /** Exchanges that were signed again, and how many could not be, because the private key is missing. */
    readonly mended: readonly number[];
    readonly unmended: number;
  };
}

export interface Evidence {
  /** Throws only if the judge itself fails. */
  judge(id: RequirementId): readonly NumberedFinding[];
  /** Why no case showed the row; without a reason it is undetermined. Cases that an aborted run did not send are no reason. */
  noVerdictReason?(row: Requirement, aborted?: string): NoVerdict | undefined;
  /** Explains a row beyond its finding: why it fails in these exchanges, or what would determine it. */
  explain?(
    row: Requirement,
    exchanges: readonly number[],
    outcome: 'fail' | 'inconclusive',
  ): Pick<ResultRow, 'explanations' | 'firstStage'>;
  signatures?(exchanges: readonly number[]): WrongSignatures;
  mistakes?(failing: readonly ResultRow[]): readonly Cause[];
  observations(): readonly Observation[];
  /** Dangers to money. The baseline sets `known` later. */
  hazards?(): readonly Hazard[];
  edges?(): NonNullable<Result['edges']>;
  measured?(): Measured | undefined;
  latency?(): NonNullable<Result['latency']>;
  /** One case for each exchange, in the order of their numbers. */
  readonly cases: readonly Case[];
}
