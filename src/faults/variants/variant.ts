/** A harmless other answer of the mock: what a gateway may do where the document is silent. Never a defect. */
import type { OpenPointId } from '../../../contracts/open-points.ts';
import type { Alteration } from '../../mock/alteration.ts';
import { type Row, row } from '../../record/row.ts';
import { alterationOf, type GatewayEdit } from '../edit.ts';

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

/** A variant that answers an open point in another way than the mock does; undefined: what no open point asks about. */
export function variant(id: string, openPoint: OpenPointId | undefined, edit: GatewayEdit): Row<Variant> {
  return row((summary) => ({ id, summary, ...(openPoint && { openPoint }), alteration: alterationOf(edit, summary) }));
}

/** A variant of which a report shows nothing, and the rule that gives the difference no meaning. */
export function meaningless(id: string, rule: string, edit: GatewayEdit): Row<Variant> {
  return row((summary) => ({ id, summary, meaningless: rule, alteration: alterationOf(edit, summary) }));
}
