/** The key of an HMAC as clients make it (RFC 5849 section 3.4.2). */
import type { Encoder } from './encoder.ts';
import type { Recipe } from './recipe.ts';

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
