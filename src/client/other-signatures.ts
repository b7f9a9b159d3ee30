/** Signatures that the protocol layer never makes, for clients that sign wrongly. */
import { createHmac } from 'node:crypto';
import { encodeBase64 } from '../protocol/index.ts';

/** HMAC-SHA1 of a base string with a key text that was put together elsewhere (RFC 5849 section 3.4.2), in base64. */
export function hmacWith(keyText: string, base: string): string {
  return encodeBase64(createHmac('sha1', keyText).update(base).digest());
}
