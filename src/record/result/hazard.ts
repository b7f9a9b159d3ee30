/** A finding about money on which the interface document is silent. */
import type { HazardId } from '../../../contracts/hazards.ts';
import type { Operation } from '../../../contracts/operations.ts';
import type { EffectBudget } from './effects.ts';
import type { KnownFailure } from './outcome.ts';

/** A finding about money on which the interface document is silent. It never changes a verdict; see docs/reading-a-report.md. */
export interface Hazard {
  /** Id in the table of contracts/hazards.ts. */
  readonly id: HazardId;
  readonly operation: Operation;
  /** What the subject does, in one sentence with figures. It may quote the subject. */
  readonly sentence: string;
  /** What may happen although nobody wants it. */
  readonly atRisk: EffectBudget;
  /** Numbers of the exchanges that show it. */
  readonly exchanges: readonly number[];
  /** What to do about it. */
  readonly hint: string;
  /** Set where the baseline lists it. */
  readonly known?: KnownFailure;
}
