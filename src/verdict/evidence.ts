/** What a run has to show for itself, whoever the subject is: findings by row, observations, and the numbers of its exchanges. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import type { ManyAutopsies } from '../autopsy/index.ts';
import type { Case } from '../record/case.ts';
import type { Cause, Hazard, Measured, Observation, Result, ResultRow } from '../record/result/result.ts';
import type { Finding } from '../rules/finding.ts';

/** A finding with the numbers of the exchanges that show it. */
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
  /**
   * Why no case said anything of the row, where that has a reason of its own; otherwise the row is undetermined. `aborted`: of
   * a run that did not reach its end, what its cases lack is no reason.
   */
  noVerdictReason?(row: Requirement, aborted?: string): NoVerdict | undefined;
  /** Why the row fails in these exchanges, or what it takes to determine it, beyond what the finding says; for rows that something is known of. */
  explain?(
    row: Requirement,
    exchanges: readonly number[],
    outcome: 'fail' | 'inconclusive',
  ): Pick<ResultRow, 'explanations' | 'firstStage'>;
  /** Of a client: what explains the wrong signatures among these exchanges. */
  signatures?(exchanges: readonly number[]): WrongSignatures;
  /** Of a gateway: the known mistakes that give these failures. */
  mistakes?(failing: readonly ResultRow[]): readonly Cause[];
  observations(): readonly Observation[];
  /** What endangers money; `known` is set later, from the baseline. */
  hazards?(): readonly Hazard[];
  /** Which named edges of the generators were sent; of a gateway only. */
  edges?(): NonNullable<Result['edges']>;
  /** What was measured; of a gateway only, where that was asked for. */
  measured?(): Measured | undefined;
  /** How long the answers took; of a gateway only. */
  latency?(): NonNullable<Result['latency']>;
  /** One for each exchange, in the order of their numbers. */
  readonly cases: readonly Case[];
}
