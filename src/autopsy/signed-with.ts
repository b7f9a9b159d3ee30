/** The signature of a client with given deviations, for a request that is signed rightly. */
import { type KeyObject, sign } from 'node:crypto';
import type { WireRequest } from '../protocol/index.ts';
import { candidatesFor } from './candidates.ts';
import type { Deviation } from './deviation.ts';
import { readEvidence } from './evidence.ts';

export interface Signer {
  /** HMAC-SHA1, base64. */
  sign(deviations: readonly Deviation[]): string;
  /** RSA-SHA256, base64. */
  signRsa(deviations: readonly Deviation[], privateKey: KeyObject): string;
}

export function signerOf(
  request: WireRequest,
  { consumerKey, consumerSecret }: { readonly consumerKey: string; readonly consumerSecret: string },
): Signer {
  const candidates = candidatesFor(readEvidence(request), { consumerKey, consumerSecret, tokenSecret: '' });
  return {
    sign: (set) => Buffer.from(candidates.mac(set, 'sha1'), 'hex').toString('base64'),
    signRsa: (set, privateKey) =>
      sign('sha256', Buffer.from(candidates.baseString(set)), privateKey).toString('base64'),
  };
}
