/** Signatures that the protocol layer never makes, for clients that sign wrongly. */
import { createHash, createHmac, sign } from 'node:crypto';
import { encodeBase64, hmacKeyText, type SigningKey } from '../../protocol/index.ts';

/** HMAC-SHA1 of a base string with a key text that was put together elsewhere (RFC 5849 section 3.4.2), in base64. */
export function hmacWith(keyText: string, base: string): string {
  return encodeBase64(createHmac('sha1', keyText).update(base).digest());
}

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
