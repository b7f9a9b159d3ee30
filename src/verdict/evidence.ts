/** The evidence of a run, for both sides: findings by requirement, observations, and numbered exchanges. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import type { ManyAutopsies } from '../autopsy/autopsy.ts';
import type { Case } from '../record/case.ts';
import type { Cause, Hazard, Measured, Observation, Result, ResultRow } from '../record/result/result.ts';
import type { Finding } from '../rules/judge.ts';

export interface NumberedFinding {
  readonly finding: Finding;
  readonly exchanges: readonly number[];
}

export type NoVerdict = Pick<ResultRow, 'outcome' | 'blame' | 'reason' | 'actual' | 'hint'> & Pick<Finding, 'because'>;

export interface WrongSignatures {
  readonly autopsies: ManyAutopsies;
  /** The evidence with corrected signatures, which no longer have the deviations `ids`. */
  undo(ids: readonly string[]): {
    readonly evidence: Evidence;
    /** Numbers of the exchanges that were signed again. */
    readonly signedAgain: readonly number[];
    /** Number of exchanges that were not signed again, because the private key is missing. */
    readonly notSignedAgain: number;
  };
}

export interface Evidence {
  /** Throws only if the judge has a fault. */
  judge(id: RequirementId): readonly NumberedFinding[];
  /** The verdict on a requirement that no case tested. If the run was aborted, ignores cases that were not sent. */
  noVerdictOn?(row: Requirement, aborted?: string): NoVerdict | undefined;
  /** Details for the report: the first wrong signing step of a client, or the base string of a refused request. */
  explain?(
    row: Requirement,
    exchanges: readonly number[],
    outcome: 'fail' | 'inconclusive',
  ): Pick<ResultRow, 'explanations' | 'firstStage'>;
  signatures?(exchanges: readonly number[]): WrongSignatures;
  mistakes?(failing: readonly ResultRow[]): readonly Cause[];
  observations(): readonly Observation[];
  /** Dangers to money. `known` is not set yet, because it comes from the baseline. */
  hazards?(): readonly Hazard[];
  edges?(): NonNullable<Result['edges']>;
  measured?(): Measured | undefined;
  latency?(): NonNullable<Result['latency']>;
  /** One case for each exchange, in the order of their numbers. */
  readonly cases: readonly Case[];
}
