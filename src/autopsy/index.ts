/** Exports for other folders of `src`, which may not import `src/deviations` directly. */

export { candidatesFor } from '../deviations/candidates.ts';
export type { Deviation } from '../deviations/deviation.ts';
export type { RequestEvidence } from '../deviations/evidence.ts';
export {
  type DeviationId,
  deviationOf,
  deviations,
  dialects,
  searchedDeviations,
} from '../deviations/index.ts';
export { hostSpellings } from '../deviations/rows/uri.ts';
export { type Language, languageNames, languages } from '../deviations/snippets.ts';
export { ProtocolError, readPublicKey } from '../protocol/index.ts';
