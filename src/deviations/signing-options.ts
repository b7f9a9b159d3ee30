/** Tables of functions for the choices of a signer. Each table is for one choice, such as how to sort. */
import { createHash, createHmac, type Hash, type Hmac, hash as hashOf } from 'node:crypto';
import { percentEncode } from '../protocol/index.ts';
import { decodeLeniently, type Source } from './evidence.ts';

export type HashName = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';
type Mac = (hash: HashName, key: Uint8Array, message: string | Uint8Array) => Hash | Hmac;

export const macs = {
  hmac: (hash, key, message) => createHmac(hash, key).update(message),
  swapped: (hash, key, message) => createHmac(hash, message).update(key),
  'key-first': (hash, key, message) => createHash(hash).update(key).update(message),
  'key-last': (hash, key, message) => createHash(hash).update(message).update(key),
  'no-key': (hash, _, message) => createHash(hash).update(message),
} satisfies Record<string, Mac>;

/** Character encodings other than UTF-8 in which a client hashes text. */
export const textCharsets = {
  'utf-16': (text) => Buffer.from(text, 'utf16le'),
  'utf-16-be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'utf-16-with-mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'utf-16-be-with-mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
} satisfies Record<string, (text: string) => Buffer>;

/** How a client changes its consumer secret. Any other form is a text in which `{}` stands for the secret. */
export const secretForms = {
  'lower-case': (secret) => secret.toLowerCase(),
  'upper-case': (secret) => secret.toUpperCase(),
  trimmed: (secret) => secret.trim(),
  'percent-decoded': decodeLeniently,
  'html-escaped': (secret) => secret.replace(/[&<>"']/g, (one) => `&${entities[one]!};`),
  'without-hyphens': (secret) => secret.replaceAll('-', ''),
  'base64-decoded': (secret) => Buffer.from(secret, 'base64'),
  'base64-encoded': (secret) => Buffer.from(secret).toString('base64'),
  'base64-of-line': (secret) => Buffer.from(`${secret}\n`).toString('base64'),
  'hex-decoded': (secret) => Buffer.from(secret.replaceAll('-', ''), 'hex'),
  'hex-encoded': (secret) => Buffer.from(secret).toString('hex'),
  md5: (secret) => hashOf('md5', secret, 'hex'),
  sha1: (secret) => hashOf('sha1', secret, 'hex'),
  sha256: (secret) => hashOf('sha256', secret, 'hex'),
} satisfies Record<string, (secret: string) => Buffer | string>;

const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };

export const paths = {
  'as-sent': (path) => path,
  'lower-case': (path) => path.toLowerCase(),
  decoded: decodeLeniently,
  'encoded-again': (path) => path.replaceAll('%', '%25'),
  'tilde-escaped': (path) => path.replaceAll('~', '%7E'),
  'delimiters-escaped': (path) => path.replace(/[!$&'()*+,;=:@]/g, percentEncode),
  escaped: (path) => path.replace(/[^\w./%-]/gu, escapeCharacter),
  'slash-escaped': (path) => path.replace(/(?<=.)\/([^/]*)$/, '%2F$1'),
  'hyphens-escaped': (path) => path.replace(/[^A-Za-z0-9/%]/gu, escapeCharacter),
  'slashes-merged': (path) => path.replace(/\/{2,}/g, '/'),
} satisfies Record<string, (path: string) => string>;

function escapeCharacter(character: string): string {
  return charsets[character <= '\xff' ? 'latin-1' : 'utf-8'](character, (bytes) => percentEscapes(bytes, false), '');
}

type Escape = (character: string, toEscapes: (bytes: Uint8Array) => string, question: string) => string;

/** How a client escapes a non-ASCII character. A `charset` outside this table is a code page, such as windows-1252. */
export const charsets = {
  'utf-8': (character, toEscapes) => toEscapes(Buffer.from(character)),
  'latin-1': (character, toEscapes, question) =>
    character <= '\xff' ? toEscapes(Buffer.of(character.codePointAt(0)!)) : question,
  mojibake: (character, toEscapes) => toEscapes(Buffer.from(Buffer.from(character).toString('latin1'))),
  'question-marks': (_, __, question) => question,
  'left-bare': (character) => character,
  'cesu-8': (character, toEscapes) => mapUnits(character, (unit) => toEscapes(cesu8Bytes(unit))),
  'percent-u': (character) =>
    mapUnits(character, (unit) => (unit <= 0xff ? `%${hexOf(unit, 2)}` : `%u${hexOf(unit, 4)}`)),
  'unit-escapes': (character) => mapUnits(character, (unit) => `%${hexOf(unit, 2)}`),
  'unit-escapes-of-four': (character) => mapUnits(character, (unit) => `%${hexOf(unit, 4)}`),
  'percent-u-of-four': (character) => mapUnits(character, (unit) => `%u${hexOf(unit, 4)}`),
  'decimal-escapes': (character) => mapUnits(character, (unit) => `%${unit}`),
  entities: (character) => `&#${character.codePointAt(0)};`,
  'hex-entities': (character) => `&#x${hexOf(character.codePointAt(0)!, 1)};`,
  'escaped-entities': (character) => percentEncode(`&#${character.codePointAt(0)};`),
} satisfies Record<string, Escape>;

function mapUnits(character: string, write: (unit: number) => string): string {
  return Array.from({ length: character.length }, (_, at) => write(character.charCodeAt(at))).join('');
}

export function hexOf(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0');
}

export function percentEscapes(bytes: Uint8Array, lowerHex: boolean): string {
  const hex = Buffer.from(bytes).toString('hex');
  return (lowerHex ? hex : hex.toUpperCase()).replace(/../g, '%$&');
}

function cesu8Bytes(unit: number): Uint8Array {
  if (unit < 0x800) return Buffer.of(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
  return Buffer.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
}

/** A text, percent-encoded once (for sorting) and twice (for the base string). */
export interface Encoded {
  readonly once: string;
  readonly twice: string;
}

export interface CollectedParameter {
  readonly source: Source;
  readonly name: string;
  readonly value: string;
}

export interface Sortable {
  readonly parameter: CollectedParameter;
  readonly name: Encoded;
  readonly value: Encoded;
}

type Compare = (a: Sortable, b: Sortable) => number;

const byEncoded: Compare = (a, b) => compare(a.name.once, b.name.once) || compare(a.value.once, b.value.once);
export const orders = {
  encoded: byEncoded,
  'header-first': () => 0,
  'query-first': bySource(['query', 'header', 'body']),
  'body-first': bySource(['body', 'query', 'header']),
  'each-source': (a, b) => bySource(['header', 'query', 'body'])(a, b) || byEncoded(a, b),
  'each-source-body-first': (a, b) => bySource(['body', 'query', 'header'])(a, b) || byEncoded(a, b),
  'before-encoding': (a, b) =>
    compare(a.parameter.name, b.parameter.name) || compare(a.parameter.value, b.parameter.value),
  'as-joined': (a, b) => compare(`${a.name.once}=${a.value.once}`, `${b.name.once}=${b.value.once}`),
  'name-only': (a, b) => compare(a.name.once, b.name.once),
  'case-insensitive': (a, b) =>
    compare(a.name.once.toLowerCase(), b.name.once.toLowerCase()) ||
    compare(a.value.once.toLowerCase(), b.value.once.toLowerCase()),
  natural: byCollation({ numeric: true }),
  locale: byCollation({}),
  descending: (a, b) => byEncoded(b, a),
} satisfies Record<string, Compare>;

function bySource(sources: readonly Source[]): Compare {
  return (a, b) => sources.indexOf(a.parameter.source) - sources.indexOf(b.parameter.source);
}

/** Makes the collator on first use, because that takes 10 ms. */
function byCollation(options: Intl.CollatorOptions): Compare {
  let collator: Intl.Collator | undefined;
  return (a, b) => {
    collator ??= new Intl.Collator('en', options);
    return collator.compare(a.name.once, b.name.once) || collator.compare(a.value.once, b.value.once);
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
