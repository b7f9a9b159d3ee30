/** The key and the digest of a base string, as clients compute them (RFC 5849 sections 3.4.2 and 3.4.3). */
import { createHash, createHmac, type Hash, type Hmac, hash as hashOf } from 'node:crypto';
import { decodedLeniently } from '../evidence.ts';
import type { Encoder } from './encoder.ts';
import type { Recipe, SecretForm, TextCharset } from './recipe.ts';

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

/** The HMAC, or the client's substitute, in hex. */
export function macOf(base: string, key: Uint8Array, hash: HashName, recipe: Recipe): string {
  return macs[recipe.mac](hash, key, messageOf(base, hash, recipe)).digest('hex');
}

/** The digest inside an RSA signature, in hex. */
export function digestOf(base: string, hash: HashName, recipe: Recipe): string {
  return hashOf(hash, messageOf(base, hash, recipe), 'hex');
}

function messageOf(base: string, hash: HashName, recipe: Recipe): string | Uint8Array {
  const text = recipe.message === '{}' ? base : recipe.message.replace('{}', () => base);
  const message = recipe.messageCharset === 'utf-8' ? text : inCharset[recipe.messageCharset](text);
  if (recipe.prehash === 'none') return message;
  const digest = createHash(hash).update(message).digest();
  return recipe.prehash === 'bytes' ? digest : digest.toString(recipe.prehash);
}

const inCharset: Readonly<Record<TextCharset, (text: string) => Buffer>> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-16': (text) => Buffer.from(text, 'utf16le'),
  'utf-16-be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'utf-16-with-mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'utf-16-be-with-mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
};

export interface Secrets {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly tokenSecret: string;
}

export function keyBytes(secrets: Secrets, recipe: Recipe, encoder: Encoder): Buffer {
  const parts: Readonly<Record<string, Buffer>> = {
    secret: encoded(madeOf(secrets.consumerSecret, recipe.secret), recipe, encoder),
    token: encoded(tokenSecret(secrets, recipe.token), recipe, encoder),
    key: Buffer.from(encoder.encodeSecret(secrets.consumerKey)),
  };
  const pieces = recipe.keyForm.split(/\{(secret|token|key)\}/);
  const key = Buffer.concat(pieces.map((piece, at) => (at % 2 === 0 ? Buffer.from(piece) : parts[piece]!)));
  return recipe.keyCharset === 'utf-8' ? key : inCharset[recipe.keyCharset](key.toString());
}

/** Bytes from a decoded secret stay as they are: there is no text to encode. */
function encoded(secret: Buffer | string, recipe: Recipe, encoder: Encoder): Buffer {
  const binary = recipe.secret === 'base64-decoded' || recipe.secret === 'hex-decoded';
  if (typeof secret !== 'string' || binary || recipe.secretEncoding === 'none') return Buffer.from(secret);
  const once = encoder.encodeSecret(secret);
  return Buffer.from(recipe.secretEncoding === 'twice' ? encoder.encodeSecret(once) : once);
}

function madeOf(secret: string, form: SecretForm): Buffer | string {
  switch (form) {
    case 'lower-case':
      return secret.toLowerCase();
    case 'upper-case':
      return secret.toUpperCase();
    case 'trimmed':
      return secret.trim();
    case 'percent-decoded':
      return decodedLeniently(secret);
    case 'html-escaped':
      return secret.replace(/[&<>"']/g, (one) => `&${entities[one]!};`);
    case 'without-hyphens':
      return secret.replaceAll('-', '');
    case 'base64-decoded':
      return Buffer.from(secret, 'base64');
    case 'base64-encoded':
      return Buffer.from(secret).toString('base64');
    case 'base64-of-line':
      return Buffer.from(`${secret}\n`).toString('base64');
    case 'hex-decoded':
      return Buffer.from(secret.replaceAll('-', ''), 'hex');
    case 'hex-encoded':
      return Buffer.from(secret).toString('hex');
    case 'md5':
    case 'sha1':
    case 'sha256':
      return hashOf(form, secret, 'hex');
    default:
      return form.replace('{}', () => secret);
  }
}

const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };

/** `form` is a placeholder that clients print if no token secret was issued. */
function tokenSecret({ consumerSecret, tokenSecret: issued }: Secrets, form: Recipe['token']): string {
  if (form === 'consumer-secret') return consumerSecret;
  return form === 'left-out' ? '' : form === 'as-issued' || issued !== '' ? issued : form;
}
