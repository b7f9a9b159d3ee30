/** The key, and the last step as clients do it: a base string to its digest (RFC 5849 sections 3.4.2 and 3.4.3). */
import { createHash, createHmac, type Hash, type Hmac, hash as hashOf } from 'node:crypto';
import type { Encoder } from './encoder.ts';
import type { Recipe } from './recipe.ts';

export type HashName = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

const macs: Readonly<
  Record<Recipe['mac'], (hash: HashName, key: Uint8Array, message: string | Uint8Array) => Hash | Hmac>
> = {
  hmac: (hash, key, message) => createHmac(hash, key).update(message),
  swapped: (hash, key, message) => createHmac(hash, message).update(key),
  'key-first': (hash, key, message) => createHash(hash).update(key).update(message),
  'key-last': (hash, key, message) => createHash(hash).update(message).update(key),
  'no-key': (hash, _, message) => createHash(hash).update(message),
};

/** The HMAC, or what a client takes for it, in hex. */
export function macOf(base: string, key: Uint8Array, hash: HashName, recipe: Recipe): string {
  return macs[recipe.mac](hash, key, messageOf(base, hash, recipe)).digest('hex');
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

export interface Secrets {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly tokenSecret: string;
}

/** Bytes of the key. */
export function keyBytes(secrets: Secrets, recipe: Recipe, encoder: Encoder): Buffer {
  const consumer = encoded(secretForms[recipe.secret](secrets.consumerSecret), recipe, encoder);
  const token = encoded(tokenSecret(secrets, recipe.token), recipe, encoder);
  const join = (...parts: (Buffer | string)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));
  const shapes: Readonly<Record<Recipe['keyShape'], () => Buffer>> = {
    both: () => join(consumer, '&', token),
    'no-ampersand': () => join(consumer, token),
    swapped: () => join(token, '&', consumer),
    'ampersand-escaped': () => join(consumer, '%26', token),
    empty: () => join('&'),
    'consumer-key': () => join(encoder.encodeSecret(secrets.consumerKey), '&', token),
  };
  return shapes[recipe.keyShape]();
}

/** A secret that was decoded to bytes is used unchanged: there is no text to encode. */
function encoded(secret: Buffer | string, recipe: Recipe, encoder: Encoder): Buffer {
  const binary = recipe.secret === 'base64-decoded' || recipe.secret === 'hex-decoded';
  if (typeof secret !== 'string' || binary || recipe.secretEncoding === 'none') return Buffer.from(secret);
  const once = encoder.encodeSecret(secret);
  return Buffer.from(recipe.secretEncoding === 'twice' ? encoder.encodeSecret(once) : once);
}

const secretForms: Readonly<Record<Recipe['secret'], (secret: string) => Buffer | string>> = {
  'as-issued': (secret) => secret,
  newline: (secret) => `${secret}\n`,
  crlf: (secret) => `${secret}\r\n`,
  space: (secret) => `${secret} `,
  'byte-order-mark': (secret) => `\ufeff${secret}`,
  'lower-case': (secret) => secret.toLowerCase(),
  'upper-case': (secret) => secret.toUpperCase(),
  'base64-encoded': (secret) => Buffer.from(secret).toString('base64'),
  'base64-decoded': (secret) => Buffer.from(secret, 'base64'),
  'hex-decoded': (secret) => Buffer.from(secret.replaceAll('-', ''), 'hex'),
};

/** Only where no token secret was issued is there nothing to print. */
function tokenSecret({ consumerSecret, tokenSecret: issued }: Secrets, form: Recipe['token']): string {
  if (form === 'consumer-secret') return consumerSecret;
  return form === 'left-out' ? '' : form === 'as-issued' || issued !== '' ? issued : form;
}
