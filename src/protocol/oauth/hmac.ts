/** HMAC-SHA1 over bytes (RFC 2104), and its comparison in constant time. */
import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

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
  const key = Buffer.from(secret, 'utf8');
  // Rare: a longer key is hashed first, and what is no ASCII has other bytes as text.
  if (key.length > block || key.some((byte) => byte >= 0x80)) {
    const secretKey = createSecretKey(key);
    return (message) => createHmac('sha1', secretKey).update(message).digest('base64');
  }
  const inner = Buffer.alloc(block, 0x36);
  const outer = Buffer.alloc(block + 20, 0x5c);
  for (const [at, byte] of key.entries()) {
    inner[at]! ^= byte;
    outer[at]! ^= byte;
  }
  const start = inner.toString('latin1');
  return (message) => {
    outer.write(hash('sha1', start + message, 'binary'), block, 'latin1');
    return hash('sha1', outer, 'base64');
  };
}
