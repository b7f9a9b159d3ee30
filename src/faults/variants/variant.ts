/** A harmless other answer of the mock: what a gateway may do where the document is silent. Never a defect. */
import type { OpenPointId } from '../../../contracts/open-points.ts';
import type { Alteration } from '../../mock/alteration.ts';

export interface Variant {
  /** Never changes and is never reused. */
  readonly id: string;
  readonly summary: string;
  /** The open point that it answers in another way than the mock does. */
  readonly openPoint?: OpenPointId;
  /** Set where a report shows nothing of it: the rule that gives the difference no meaning. */
  readonly meaningless?: string;
  readonly alteration: Alteration;
}
