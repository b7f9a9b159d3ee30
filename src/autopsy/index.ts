/** Signature autopsy: which known deviations of a client explain one refused request. */

export type { Secrets } from '../deviations/candidates.ts';
export { candidatesFor } from '../deviations/candidates.ts';
export { combine, type Deviation } from '../deviations/deviation.ts';
export type { RequestEvidence } from '../deviations/evidence.ts';
export {
  type DeviationId,
  type Dialect,
  deviationOf,
  deviations,
  dialects,
  searchedDeviations,
} from '../deviations/index.ts';
export { hostSpellings } from '../deviations/rows/uri.ts';
export { type Language, languageNames, languages, snippetOf } from '../deviations/snippets.ts';
export { ProtocolError, readPublicKey } from '../protocol/index.ts';
export {
  type Autopsy,
  type AutopsyKeys,
  autopsy,
  autopsyKeys,
  autopsyOfText,
  explainMany,
  isTooLong,
  type ManyAutopsies,
  malformationsOf,
  type WrongSignature,
} from './autopsy.ts';
export type { Malformation } from './facts.ts';
export {
  type AddressedOperation,
  addressedOperation,
  credentialOf,
  type Fact,
  lineEndLeftOut,
  readEvidence,
} from './facts.ts';
export {
  type RequestText,
  RequestTextError,
  readRequestText,
  readSeenUrl,
  type SeenUrl,
  withPrefix,
} from './request-text.ts';
export type { SearchLimits } from './search.ts';
