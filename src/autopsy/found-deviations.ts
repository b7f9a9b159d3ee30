/** A set of deviations that gives the signed bytes, with what the signature itself shows. */

import type { Deviation } from '../deviations/deviation.ts';
import type { RequestEvidence } from '../deviations/evidence.ts';
import { deviationOf, inTableOrder } from '../deviations/index.ts';
import { percentEncode } from '../protocol/index.ts';
import { readForm } from '../rules/client/reading.ts';
import { addressedOperation } from './facts.ts';
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
 * characters that have to be encoded, was encoded once: so were the values beside it. Likelier sets come first.
 */
export function unlessDisproved<T extends FoundDeviations>(
  all: readonly T[],
  { body, credential }: RequestEvidence,
  issuedKey: string | undefined,
): readonly T[] {
  // No encoder leaves these in a value: what was signed as it is written was not encoded at all.
  const isRaw = body.some(({ writtenValue }) => /[^A-Za-z0-9%._~!*'()+-]|\+.*=/.test(writtenValue));
  const asWritten = (one: T): boolean => isRaw && one.deviations.some(({ id }) => id === 'body-signed-as-written');
  const found = [...all.filter((one) => !asWritten(one)), ...all.filter(asWritten)];
  if (issuedKey === undefined || credential('oauth_consumer_key') !== issuedKey) return found;
  if (percentEncode(issuedKey) === issuedKey) return found;
  const left = found.filter((one) => allDeviationsOf(one).every(({ id }) => id !== 'header-values-encoded-twice'));
  return left.length === 0 ? found : left;
}

const onTheWay =
  'Did a proxy add it on the way? Then give the request as the client sent it. If the client sends it, leave it out.';

/** Where the request shows more than the deviation knows: words for this one. */
const inContext: readonly {
  readonly ids: readonly string[];
  readonly is: (evidence: RequestEvidence) => boolean;
  readonly summary?: string;
  readonly fix: string;
}[] = [
  {
    ids: ['query-left-out'],
    is: ({ request }) => addressedOperation(request.target) !== 'other',
    summary: 'The request has a query, which the operation has not (section 4) and the signature does not count.',
    fix: onTheWay,
  },
  {
    ids: ['trailing-slash-cut'],
    is: ({ request }) => addressedOperation(request.target) !== 'other' && /\/(?:\?|$)/.test(request.target),
    summary: 'The path ends with a slash, which the operation has not (section 4) and the signature does not count.',
    fix: onTheWay,
  },
  {
    ids: ['body-left-out', 'empty-values-left-out'],
    is: ({ request }) => !['form', 'empty'].includes(readForm(request.body).kind),
    summary: 'The body is no form, and the signature counts nothing of it.',
    fix: 'Send the fields as a form first (sections 4.1 and 4.2), and sign them.',
  },
];

/** The deviation in words that fit this request. */
export function fittingWords<T extends Pick<Deviation, 'id' | 'summary' | 'fix'>>(
  told: T,
  evidence: RequestEvidence,
): T {
  const context = inContext.find(({ ids, is }) => ids.includes(told.id) && is(evidence));
  return context === undefined ? told : { ...told, summary: context.summary ?? told.summary, fix: context.fix };
}
