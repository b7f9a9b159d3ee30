/** Hashes that the protocol layer has no use for, in base64, for clients that sign with the wrong one. */
import { createHash, createHmac, sign } from 'node:crypto';
import { encodeBase64, hmacKeyText, type SigningKey } from '../../protocol/index.ts';

/** The signature of the base string with SHA-256 where the method asks for SHA-1, and the other way round. */
export function signedWithOtherHash(base: string, key: SigningKey): string {
  const bytes =
    key.method === 'HMAC-SHA1'
      ? createHmac('sha256', hmacKeyText(key.consumerSecret, key.tokenSecret)).update(base).digest()
      : sign('RSA-SHA1', Buffer.from(base), key.privateKey);
  return encodeBase64(bytes);
}

/** What the extension for request bodies puts into oauth_body_hash. */
export function bodyHash(body: Uint8Array): string {
  return encodeBase64(createHash('sha1').update(body).digest());
}
