/** A set of deviations that gives the signed bytes, with what the signature itself shows. */
import type { Deviation } from './deviation.ts';
import { deviationOf, inTableOrder } from './deviations/index.ts';
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
