/** HMAC-SHA1 over bytes (RFC 2104), and its comparison in constant time. */
import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The 20 bytes of the HMAC; text counts as its UTF-8 bytes. */
export function hmacSha1(key: KeyObject, message: Uint8Array | string): Uint8Array {
  return createHmac('sha1', key).update(message).digest();
}

/** Whether `tag` is the whole HMAC of the message; a shortened one is not. */
export function isHmacSha1(tag: Uint8Array, key: KeyObject, message: Uint8Array | string): boolean {
  const expected = hmacSha1(key, message);
  return tag.length === expected.length && timingSafeEqual(tag, expected);
}

const block = 64;

/**
 * The same for a fixed key, of texts in ASCII, in base64: two hashes over blocks that are laid out beforehand (RFC 2104 section 2),
 * since setting up an HMAC object costs more than hashing a base string. Not in parallel: a key has one buffer.
 */
export function newHmacSha1(secret: string): (message: string) => string {
  const bytes = Buffer.from(secret, 'utf8');
  const key = bytes.length > block ? Buffer.from(hash('sha1', bytes, 'hex'), 'hex') : bytes;
  let inner = Buffer.alloc(block + 2048, 0x36);
  const outer = Buffer.alloc(block + 20, 0x5c);
  for (const [at, byte] of key.entries()) {
    inner[at]! ^= byte;
    outer[at]! ^= byte;
  }
  return (message) => {
    const free = inner.length - block;
    if (message.length > free) inner = Buffer.concat([inner.subarray(0, block), Buffer.alloc(message.length)]);
    const length = inner.write(message, block, 'latin1');
    outer.write(hash('sha1', inner.subarray(0, block + length), 'binary'), block, 'latin1');
    return hash('sha1', outer, 'base64');
  };
}
