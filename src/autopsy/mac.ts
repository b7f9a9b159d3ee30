/** The last step as clients do it: a base string to its digest (RFC 5849 sections 3.4.2 and 3.4.3). */
import { createHash, createHmac, hash as hashOf } from 'node:crypto';
import type { Recipe } from './recipe.ts';

export type HashName = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** The HMAC, or what a client takes for it, in hex. */
export function macOf(base: string, key: Uint8Array, hash: HashName, recipe: Recipe): string {
  const message = messageOf(base, hash, recipe);
  switch (recipe.mac) {
    case 'hmac':
      return createHmac(hash, key).update(message).digest('hex');
    case 'swapped':
      return createHmac(hash, message).update(key).digest('hex');
    case 'key-first':
      return createHash(hash).update(key).update(message).digest('hex');
    case 'key-last':
      return createHash(hash).update(message).update(key).digest('hex');
    case 'no-key':
      return createHash(hash).update(message).digest('hex');
  }
}

/** The digest that an RSA signature holds, in hex. */
export function digestOf(base: string, hash: HashName, recipe: Recipe): string {
  return hashOf(hash, messageOf(base, hash, recipe), 'hex');
}

function messageOf(base: string, hash: HashName, recipe: Recipe): string | Uint8Array {
  const message = bytesOf(base, recipe.message);
  if (recipe.prehash === 'none') return message;
  const digest = createHash(hash).update(message).digest();
  return recipe.prehash === 'bytes' ? digest : digest.toString(recipe.prehash);
}

function bytesOf(base: string, mode: Recipe['message']): string | Uint8Array {
  if (mode === 'utf-16') return Buffer.from(base, 'utf16le');
  return mode === 'with-newline' ? `${base}\n` : base;
}
