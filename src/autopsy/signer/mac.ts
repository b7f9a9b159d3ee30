/** The key, and the last step as clients do it: a base string to its digest (RFC 5849 sections 3.4.2 and 3.4.3). */
import { createHash, createHmac, hash as hashOf } from 'node:crypto';
import type { Encoder } from './encoder.ts';
import type { Recipe } from './recipe.ts';

export type HashName = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** The HMAC, or what a client takes for it, in hex. */
export function macOf(base: string, key: Uint8Array, hash: HashName, recipe: Recipe): string {
  const message = messageOf(base, hash, recipe);
  switch (recipe.mac) {
    case 'hmac':
      return hmac(hash, key, message);
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

/** The plain HMAC or, without a key, the plain digest of a long base string, which is never put together. */
export function hashedInPieces(
  pieces: readonly (string | Uint8Array)[],
  hash: HashName,
  key: Uint8Array | undefined,
): string {
  const hashing = key === undefined ? createHash(hash) : createHmac(hash, key);
  for (const piece of pieces) hashing.update(piece);
  return hashing.digest('hex');
}

const largestScratch = 64 * 1024;
const scratch = Buffer.alloc(largestScratch);

/** RFC 2104 from two hashes of small buffers: tens of thousands of Hmac objects would cost as much again to clear away. */
function hmac(hash: HashName, key: Uint8Array, message: string | Uint8Array): string {
  const block = hash === 'sha384' || hash === 'sha512' ? 128 : 64;
  // UTF-8 has at most three bytes for each UTF-16 unit.
  if (key.length > block || block + 3 * message.length > largestScratch) {
    return createHmac(hash, key).update(message).digest('hex');
  }
  scratch.fill(0x36, 0, block);
  for (let index = 0; index < key.length; index += 1) scratch[index] = key[index]! ^ 0x36;
  const length = typeof message === 'string' ? scratch.write(message, block) : message.length;
  if (typeof message !== 'string') scratch.set(message, block);
  const inner = hashOf(hash, scratch.subarray(0, block + length), 'hex');
  scratch.fill(0x5c, 0, block);
  for (let index = 0; index < key.length; index += 1) scratch[index] = key[index]! ^ 0x5c;
  scratch.write(inner, block, 'hex');
  return hashOf(hash, scratch.subarray(0, block + inner.length / 2), 'hex');
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

export interface Secrets {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly tokenSecret: string;
}

/** Bytes of the key. */
export function keyBytes(secrets: Secrets, recipe: Recipe, encoder: Encoder): Buffer {
  const consumer = encoded(consumerSecret(secrets, recipe.secret), recipe, encoder);
  const token = encoded(Buffer.from(tokenSecret(secrets, recipe.token)), recipe, encoder);
  const join = (...parts: (Buffer | string)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));
  switch (recipe.keyShape) {
    case 'both':
      return join(consumer, '&', token);
    case 'no-ampersand':
      return join(consumer, token);
    case 'swapped':
      return join(token, '&', consumer);
    case 'ampersand-escaped':
      return join(consumer, '%26', token);
    case 'empty':
      return join('&');
    case 'consumer-key':
      return join(encoder.encodeSecret(secrets.consumerKey), '&', token);
  }
}

/** A secret that was decoded to bytes is used unchanged: there is no text to encode. */
function encoded(secret: Buffer, recipe: Recipe, encoder: Encoder): Buffer {
  const binary = recipe.secret === 'base64-decoded' || recipe.secret === 'hex-decoded';
  if (binary || recipe.secretEncoding === 'none') return secret;
  const once = encoder.encodeSecret(secret.toString());
  return Buffer.from(recipe.secretEncoding === 'twice' ? encoder.encodeSecret(once) : once);
}

function consumerSecret({ consumerSecret: secret }: Secrets, form: Recipe['secret']): Buffer {
  switch (form) {
    case 'as-issued':
      return Buffer.from(secret);
    case 'newline':
      return Buffer.from(`${secret}\n`);
    case 'crlf':
      return Buffer.from(`${secret}\r\n`);
    case 'space':
      return Buffer.from(`${secret} `);
    case 'byte-order-mark':
      return Buffer.from(`\ufeff${secret}`);
    case 'lower-case':
      return Buffer.from(secret.toLowerCase());
    case 'upper-case':
      return Buffer.from(secret.toUpperCase());
    case 'base64-encoded':
      return Buffer.from(Buffer.from(secret).toString('base64'));
    case 'base64-decoded':
      return Buffer.from(secret, 'base64');
    case 'hex-decoded':
      return Buffer.from(secret.replaceAll('-', ''), 'hex');
  }
}

function tokenSecret(secrets: Secrets, form: Recipe['token']): string {
  switch (form) {
    case 'as-issued':
      return secrets.tokenSecret;
    case 'left-out':
      return '';
    case 'consumer-secret':
      return secrets.consumerSecret;
    default:
      // Only where no token secret was issued is there nothing to print.
      return secrets.tokenSecret === '' ? form : secrets.tokenSecret;
  }
}
