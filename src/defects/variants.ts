/** Harmless other answers of the mock: what a gateway may do where the document is silent. Never a defect. */
import type { OpenPointId } from '../../contracts/open-points.ts';
import type { Alteration } from '../mock/alteration.ts';

export interface Variant {
  readonly id: string;
  readonly summary: string;
  /** The open point that it answers in another way than the mock does. */
  readonly openPoint?: OpenPointId;
  readonly alteration: Alteration;
}

export const variants: readonly Variant[] = [
  {
    id: 'refusal-401',
    summary: 'A close-day request with a wrong signature is answered with HTTP 401',
    alteration: { settings: { refusalStatus: 401 } },
  },
  {
    id: 'refusal-403',
    summary: 'A close-day request with a wrong signature is answered with HTTP 403',
    alteration: { settings: { refusalStatus: 403 } },
  },
];
