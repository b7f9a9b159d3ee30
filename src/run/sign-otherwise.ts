/** Right signatures by methods that no operation has: RFC 5849 section 3.4 with other hashes, and PLAINTEXT. Pure. */
import { createHmac, sign } from 'node:crypto';
import { hmacKeyText, type SignatureMethod } from '../protocol/oauth/signature.ts';
import type { SigningMethod } from '../scenarios/scenario.ts';
import type { Credentials } from './target.ts';

/** The signature of the base string, base64; PLAINTEXT is the text of the key (RFC 5849 section 3.4.4). */
export function signOtherwise(
  base: string,
  method: Exclude<SigningMethod, SignatureMethod>,
  { consumerSecret, privateKey }: Pick<Credentials, 'consumerSecret' | 'privateKey'>,
): string {
  const keyText = hmacKeyText(consumerSecret);
  if (method === 'PLAINTEXT') return keyText;
  const [family, hash = ''] = method.split('-');
  if (family === 'HMAC') return createHmac(hash, keyText).update(base).digest('base64');
  return sign(`RSA-${hash}`, Buffer.from(base), privateKey).toString('base64');
}
