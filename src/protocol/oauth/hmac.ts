/** HMAC-SHA1 over bytes (RFC 2104), and its comparison in constant time. */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The 20 bytes of the HMAC; text counts as its UTF-8 bytes. */
export function hmacSha1(key: KeyObject, message: Uint8Array | string): Uint8Array {
  return createHmac('sha1', key).update(message).digest();
}

/** Whether `tag` is the whole HMAC of the message; a shortened one is not. */
export function isHmacSha1(tag: Uint8Array, key: KeyObject, message: Uint8Array | string): boolean {
  const expected = hmacSha1(key, message);
  return tag.length === expected.length && timingSafeEqual(tag, expected);
}
