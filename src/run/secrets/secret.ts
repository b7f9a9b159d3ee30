/** A secret and its forms to search for: raw, percent-encoded, form-encoded, JSON, base64 and hex. */
import type { KeyObject } from 'node:crypto';
import { publishedIdentities, publishedIdentity } from '../../mock/identity.ts';
import {
  type CredentialSources,
  type Credentials,
  type Environment,
  reopenCredentials,
} from '../target/live-config.ts';

/** A form of a secret, and its replacement of the same length. */
export interface SecretForm {
  readonly bytes: Buffer;
  readonly standIn: Buffer;
}

export interface Secret {
  /** What it is, never its text: `the consumer secret`. */
  readonly name: string;
  /** The plain text comes first. Each iteration may create the forms again. */
  readonly forms: Iterable<SecretForm>;
  /** For the values of a record, up to a million: each counts only as a whole word. */
  readonly areMany?: true;
}

type Encoding = (bytes: Buffer) => readonly Buffer[];

const shortestForm = 6;

const letterCases = ['upper', 'lower'] as const;

/** Unescaped bytes of RFC 5849 section 3.6, and of `encodeURIComponent`. */
const percentTables = [/[A-Za-z0-9\-._~]/, /[A-Za-z0-9\-._~!'()*]/].flatMap((bare) =>
  letterCases.map((letters) => tableOf((byte) => (bare.test(byte) ? byte : escaped(byte, letters)))),
);

const formTables = letterCases.map((letters) =>
  tableOf((byte) => (byte === ' ' ? '+' : /[A-Za-z0-9\-._*]/.test(byte) ? byte : escaped(byte, letters))),
);

/** As JSON.stringify writes it, with escaped `/` (PHP), in ASCII (Python), and HTML-safe (Go, .NET). */
const json: Encoding = (bytes) => {
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes)) return [];
  const plain = JSON.stringify(text).slice(1, -1);
  const slashed = plain.replaceAll('/', '\\/');
  const ascii = [plain, slashed].map((one) => one.replace(/[\x80-\uffff]/g, unicodeEscape));
  const ofDotNet = text.replace(/["&'+<>`\x80-\uffff]/g, (one) => unicodeEscape(one).toUpperCase().replace('U', 'u'));
  const safe = [plain.replace(/[&<>]/g, unicodeEscape), ofDotNet];
  return [plain, slashed, ...ascii, ...safe].map((one) => Buffer.from(one));
};

/** Base64 depends on the preceding bytes: three alignments, without characters shared with neighbours. */
const base64: Encoding = (bytes) =>
  [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const text = padded.toString('base64').replace(/=+$/, '');
    const own = text.slice([0, 2, 3][before]!, padded.length % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')].map((form) => Buffer.from(form, 'latin1'));
  });

const hex: Encoding = (bytes) => [bytes.toString('hex'), bytes.toString('hex').toUpperCase()].map(latin1);

const encodings: readonly Encoding[] = [byTables(percentTables), byTables(formTables), json, base64, hex];

/** A secret text in each encoding and each pair of encodings: clients may escape base64. */
export function secretText(name: string, text: string, standIn = standInFor(text)): Secret {
  return { name, forms: distinct(charsets(text, standIn).flatMap((plain) => nested([plain], 2))) };
}

/** Values such as record ids, only in raw form. Each iteration creates the forms again, to save memory. */
export function manyTexts(name: string, values: Iterable<readonly [text: string, standIn?: string]>): Secret {
  const forms = {
    *[Symbol.iterator]() {
      for (const [text, standIn = standInFor(text)] of values) {
        if (!/^[\0-\x7f]*$/.test(text)) yield* distinct(charsets(text, standIn));
        else if (text.length >= shortestForm) {
          yield sameLength({ bytes: latin1(text), standIn: Buffer.from(standIn) });
        }
      }
    },
  };
  return { name, forms, areMany: true };
}

/** Bytes of a private number per search: 96 bits do not occur by chance. */
const piece = 12;

/** Any piece of a private number, in PEM, DER, hex and JWK. They overlap: base64 lines start anywhere. */
export function secretKey(name: string, key: KeyObject): Secret {
  const { d, p, q, dp, dq, qi } = key.export({ format: 'jwk' });
  const forms = [d, p, q, dp, dq, qi].flatMap((encodedNumber) => {
    const number = Buffer.from(encodedNumber ?? '', 'base64url');
    return Array.from({ length: Math.max(number.length - piece + 1, 0) }, (_, start) => {
      const bytes = number.subarray(start, start + piece);
      const base64Text = bytes.toString('base64');
      // Keep punctuation, so that an escape before it stays valid.
      const text = { bytes: latin1(base64Text), standIn: latin1(base64Text.replace(/[A-Za-z0-9]/g, 'A')) };
      // An answer may contain JSON inside JSON.
      const inJson = distinct(encoded(text, [json])).flatMap((one) => encoded(one, [json]));
      const all = [text, ...encoded(text, encodings), ...inJson];
      if (start % piece !== 0) return all;
      const raw = { bytes, standIn: Buffer.alloc(piece) };
      return [...all, raw, ...encoded(raw, [hex])];
    }).flat();
  });
  return { name, forms: distinct(forms) };
}

/** Keeps length and class: letters, digits, punctuation, and the number of UTF-8 bytes of other characters. */
export function standInFor(text: string): string {
  return Array.from(text, likeCharacter).join('');
}

function likeCharacter(character: string): string {
  if (/[a-z]/.test(character)) return 'x';
  if (/[A-Z]/.test(character)) return 'X';
  if (/[0-9]/.test(character)) return '0';
  if (/[-._]/.test(character)) return '-';
  if (/[!()]/.test(character)) return '!';
  if (/[#$%+,/:;=?@[\]^`{|}]/.test(character)) return '/';
  const code = character.codePointAt(0)!;
  if (code < 0x80) return character;
  if (code < 0x100) return '\u00e9';
  if (code < 0x800) return '\u0436';
  // A lone surrogate becomes three bytes too.
  return code < 0x10000 ? '\u4e2d' : '\u{20000}';
}

/** UTF-8, and Latin-1 if possible. */
function charsets(text: string, standIn: string): SecretForm[] {
  const narrow = /^[\0-\xff]*$/.test(text) ? (['latin1'] as const) : [];
  return (['utf8', ...narrow] as const).map((charset) => ({
    bytes: Buffer.from(text, charset),
    standIn: Buffer.from(standIn, charset),
  }));
}

function nested(forms: readonly SecretForm[], levels: number): readonly SecretForm[] {
  if (levels === 0) return forms;
  const inner = distinct(forms.flatMap((form) => encoded(form, encodings)));
  return [...forms, ...nested(inner, levels - 1)];
}

/** Encodes the pseudonym like the secret, because both have the same character class. */
function encoded({ bytes, standIn }: SecretForm, by: readonly Encoding[]): SecretForm[] {
  return by.flatMap((encode) => encode(bytes).map(withStandIn(encode(standIn))));
}

function withStandIn(standIns: readonly Buffer[]): (bytes: Buffer, index: number) => SecretForm {
  return (bytes, index) => ({ bytes, standIn: standIns[index] ?? Buffer.alloc(0) });
}

function distinct(forms: readonly SecretForm[]): SecretForm[] {
  const known = new Map<string, SecretForm>();
  for (const form of forms) {
    const key = form.bytes.toString('latin1');
    if (form.bytes.length >= shortestForm && !known.has(key)) known.set(key, sameLength(form));
  }
  return [...known.values()];
}

function sameLength(form: SecretForm): SecretForm {
  if (form.standIn.length === form.bytes.length) return form;
  return { bytes: form.bytes, standIn: Buffer.alloc(form.bytes.length, 'x') };
}

function tableOf(encode: (byte: string) => string): readonly string[] {
  return Array.from({ length: 256 }, (_, byte) => encode(String.fromCharCode(byte)));
}

function byTables(tables: readonly (readonly string[])[]): Encoding {
  return (bytes) => tables.map((table) => latin1(Array.from(bytes, (byte) => table[byte]).join('')));
}

function escaped(byte: string, letters: 'upper' | 'lower'): string {
  const digits = byte.charCodeAt(0).toString(16).padStart(2, '0');
  return `%${letters === 'upper' ? digits.toUpperCase() : digits}`;
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Empty for published credentials. Throws Error if a credential changed since the run began. */
export async function secretsAt(sources: CredentialSources | undefined, env: Environment): Promise<readonly Secret[]> {
  return sources === undefined ? [] : secretsIn(await reopenCredentials(sources, env));
}

/** Cached: a key has twenty thousand forms, and each part of a run needs them. */
export function secretsIn({ consumerSecret, privateKey }: Partial<Credentials>): readonly Secret[] {
  const pem = privateKey?.export({ type: 'pkcs8', format: 'pem' });
  const key = `${consumerSecret}\n${pem}`;
  if (last.key === key) return last.secrets;
  const isPublished = publishedIdentities.some((one) => one.consumerSecret === consumerSecret);
  const secrets = [
    ...(consumerSecret === undefined || isPublished ? [] : [secretText('the consumer secret', consumerSecret)]),
    ...(privateKey === undefined || pem === publishedIdentity.privateKeyPem
      ? []
      : [secretKey('the private key', privateKey)]),
  ];
  last = { key, secrets };
  return secrets;
}

let last: { readonly key: string; readonly secrets: readonly Secret[] } = { key: '', secrets: [] };
