/** A set of deviations that gives the signed bytes, with what the signature itself shows. */

import { percentEncode } from '../protocol/index.ts';
import type { Deviation } from './deviation.ts';
import { deviationOf, inTableOrder } from './deviations/index.ts';
import type { RequestEvidence } from './evidence.ts';
import type { SignatureReading } from './readings.ts';

export interface FoundDeviations {
  readonly deviations: readonly Deviation[];
  readonly reading: SignatureReading;
}

/** Both kinds in the order of signing. */
export function allDeviationsOf({ deviations, reading }: FoundDeviations): Deviation[] {
  const all = [...new Set([...deviations, ...reading.ids.map(deviationOf)])];
  // Whoever encodes all header values twice encodes the signature twice, too: that is one deviation.
  const twice = all.some(({ id }) => id === 'header-values-encoded-twice');
  return inTableOrder(twice ? all.filter(({ id }) => id !== 'signature-escaped-before-header') : all);
}

/**
 * Without those that the request itself disproves, where others are left. A consumer key that arrives as it was issued, with
 * characters that have to be encoded, was encoded once: so were the values beside it.
 */
export function unlessDisproved<T extends FoundDeviations>(
  found: readonly T[],
  { credential }: RequestEvidence,
  issuedKey: string | undefined,
): readonly T[] {
  if (issuedKey === undefined || credential('oauth_consumer_key') !== issuedKey) return found;
  if (percentEncode(issuedKey) === issuedKey) return found;
  const left = found.filter((one) => allDeviationsOf(one).every(({ id }) => id !== 'header-values-encoded-twice'));
  return left.length === 0 ? found : left;
}
