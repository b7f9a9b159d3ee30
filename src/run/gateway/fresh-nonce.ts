/** Nonces of right requests. */
import { randomBytes } from 'node:crypto';

/**
 * One that never comes twice: 32 letters of both cases and digits, as clients have them. A gateway that changes the case of a
 * nonce, or takes hexadecimal ones alone, would never meet another.
 */
export function freshNonce(): string {
  return nonceFrom(randomBytes(72));
}

/** Of that many bytes at least 32 characters are left but once in the age of the world. */
export function nonceFrom(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll(/[+/=]/g, '').slice(0, 32);
}
