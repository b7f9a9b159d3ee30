/** Finds and replaces secrets. A secret may be raw, or encoded: percent, form, JSON, base64 or hex. */
import type { KeyObject } from 'node:crypto';
import { identities, publishedIdentity } from '../../mock/identity.ts';
import { CodedError } from '../../record/errors.ts';
import type { Exchange } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import { type Credentials, type LiveConfig, reopenCredentials } from '../target/live-config.ts';

/** The bytes of a secret in one encoding, and the pseudonym of the same length that replaces them. */
type SecretForm = { readonly bytes: Buffer; readonly pseudonym: Buffer };

export interface Secret {
  /** A name such as `the consumer secret`, never the text of the secret. */
  readonly name: string;
  /** Each text or byte sequence that reveals the secret, such as its encodings. */
  readonly forms: Iterable<SecretForm>;
  /** Set if `forms` may contain up to a million texts. Then the search finds only whole words. */
  readonly areMany?: true;
}

type Encoding = (bytes: Buffer) => readonly Buffer[];

const minFormLength = 6;

function percent(escaped: RegExp): Encoding {
  const inHex = (byte: string) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return (bytes) => {
    const text = bytes.toString('latin1');
    return [(byte: string) => inHex(byte).toUpperCase(), inHex].map((by) => latin1(text.replace(escaped, by)));
  };
}

/** Percent-encoding by RFC 5849 section 3.6, and by `encodeURIComponent`. */
const percents = [percent(/[^A-Za-z0-9\-._~]/g), percent(/[^A-Za-z0-9\-._~!'()*]/g)];

const formEncoding: Encoding = (bytes) => {
  const spaced = percent(/[^A-Za-z0-9\-._* ]/g)(bytes);
  return spaced.map((one) => latin1(one.toString('latin1').replaceAll(' ', '+')));
};

/** JSON libraries escape different characters: PHP `/`, Python all beyond ASCII, Go and .NET those of HTML. */
const json: Encoding = (bytes) => {
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes)) return [];
  const plain = JSON.stringify(text).slice(1, -1);
  const slashed = plain.replaceAll('/', '\\/');
  const ascii = [plain, slashed].map((one) => one.replace(/[\x80-\uffff]/g, unicodeEscape));
  const dotNet = text.replace(/["&'+<>`\x80-\uffff]/g, (one) => unicodeEscape(one).toUpperCase().replace('U', 'u'));
  const htmlSafe = [plain.replace(/[&<>]/g, unicodeEscape), dotNet];
  return [plain, slashed, ...ascii, ...htmlSafe].map((one) => Buffer.from(one));
};

// Base64 encodes groups of three bytes, so the text of a secret depends on its position in a group.
// Returns a text for each of the three positions, without characters that also encode other bytes.
const base64: Encoding = (bytes) =>
  [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const text = padded.toString('base64').replace(/=+$/, '');
    const own = text.slice([0, 2, 3][offset]!, padded.length % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')].map((form) => Buffer.from(form, 'latin1'));
  });

const hex: Encoding = (bytes) => [bytes.toString('hex'), bytes.toString('hex').toUpperCase()].map(latin1);

const encodings: readonly Encoding[] = [...percents, formEncoding, json, base64, hex];

/** Returns a secret in each encoding and in each pair of encodings: a client may percent-encode base64. */
export function secretText(name: string, text: string, pseudonym = pseudonymFor(text)): Secret {
  return { name, forms: distinct(charsetForms(text, pseudonym).flatMap((plain) => encodeNested([plain], 2))) };
}

/** Makes one secret of many unencoded texts, such as record ids. To save memory, it does not store their forms. */
export function manyTexts(name: string, values: Iterable<readonly [text: string, pseudonym?: string]>): Secret {
  const forms = {
    *[Symbol.iterator]() {
      for (const [text, pseudonym = pseudonymFor(text)] of values) {
        if (!/^[\0-\x7f]*$/.test(text)) yield* distinct(charsetForms(text, pseudonym));
        else if (text.length >= minFormLength) {
          yield withSameLength({ bytes: latin1(text), pseudonym: Buffer.from(pseudonym) });
        }
      }
    },
  };
  return { name, forms, areMany: true };
}

/** In bytes. Other data does not contain twelve bytes of a key by chance. */
const pieceLength = 12;

/** Cuts a key into pieces, to find it in PEM, DER, hex and JWK. They overlap: a PEM line may start at any byte. */
function secretKey(name: string, key: KeyObject): Secret {
  const { d, p, q, dp, dq, qi } = key.export({ format: 'jwk' });
  const forms = [d, p, q, dp, dq, qi].flatMap((encodedNumber) => {
    const number = Buffer.from(encodedNumber ?? '', 'base64url');
    return Array.from({ length: Math.max(number.length - pieceLength + 1, 0) }, (_, start) => {
      const bytes = number.subarray(start, start + pieceLength);
      const base64Text = bytes.toString('base64');
      // Keep each `/` in the pseudonym: in JSON, `\/` is valid, but `\A` is not.
      const text = { bytes: latin1(base64Text), pseudonym: latin1(base64Text.replace(/[A-Za-z0-9]/g, 'A')) };
      // Also escape the text twice as JSON, because an answer may contain JSON inside JSON.
      const inJson = distinct(encodeForm(text, [json])).flatMap((one) => encodeForm(one, [json]));
      const all = [text, ...encodeForm(text, encodings), ...inJson];
      if (start % pieceLength !== 0) return all;
      const raw = { bytes, pseudonym: Buffer.alloc(pieceLength) };
      return [...all, raw, ...encodeForm(raw, [hex])];
    }).flat();
  });
  return { name, forms: distinct(forms) };
}

/** Replaces each character by a character of the same class with the same number of UTF-8 bytes. */
export function pseudonymFor(text: string): string {
  return Array.from(text, similarCharacter).join('');
}

function similarCharacter(character: string): string {
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
  // All other characters below 0x10000 take three bytes in UTF-8, even lone surrogates.
  return code < 0x10000 ? '\u4e2d' : '\u{20000}';
}

function charsetForms(text: string, pseudonym: string): SecretForm[] {
  const utf8 = { bytes: Buffer.from(text), pseudonym: Buffer.from(pseudonym) };
  return /^[\0-\xff]*$/.test(text) ? [utf8, { bytes: latin1(text), pseudonym: latin1(pseudonym) }] : [utf8];
}

function encodeNested(forms: readonly SecretForm[], levels: number): readonly SecretForm[] {
  if (levels === 0) return forms;
  const inner = distinct(forms.flatMap((form) => encodeForm(form, encodings)));
  return [...forms, ...encodeNested(inner, levels - 1)];
}

function encodeForm({ bytes, pseudonym }: SecretForm, by: readonly Encoding[]): SecretForm[] {
  return by.flatMap((encode) => {
    const pseudonyms = encode(pseudonym);
    return encode(bytes).map((form, at) => ({ bytes: form, pseudonym: pseudonyms[at] ?? Buffer.alloc(0) }));
  });
}

function distinct(forms: readonly SecretForm[]): SecretForm[] {
  const known = new Map<string, SecretForm>();
  for (const form of forms) {
    const key = form.bytes.toString('latin1');
    if (form.bytes.length >= minFormLength && !known.has(key)) known.set(key, withSameLength(form));
  }
  return [...known.values()];
}

function withSameLength(form: SecretForm): SecretForm {
  if (form.pseudonym.length === form.bytes.length) return form;
  return { bytes: form.bytes, pseudonym: Buffer.alloc(form.bytes.length, 'x') };
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** The secrets of a target. Published credentials are no secrets. Throws Error if a credential is no longer usable. */
export async function secretsAt(sources: LiveConfig['credentials'], env: NodeJS.ProcessEnv) {
  return sources === undefined ? [] : secretsIn(await reopenCredentials(sources, env));
}

/** Leaves out published credentials. Caches the last result, because a key has twenty thousand forms. */
export function secretsIn({ consumerSecret, privateKey }: Partial<Credentials>): readonly Secret[] {
  const pem = privateKey?.export({ type: 'pkcs8', format: 'pem' });
  const key = `${consumerSecret}\n${pem}`;
  if (cached.key === key) return cached.secrets;
  const secrets: Secret[] = [];
  const isPublished = Object.values(identities).some((one) => one.consumerSecret === consumerSecret);
  if (consumerSecret !== undefined && !isPublished) secrets.push(secretText('the consumer secret', consumerSecret));
  if (privateKey !== undefined && pem !== publishedIdentity.privateKeyPem) {
    secrets.push(secretKey('the private key', privateKey));
  }
  cached = { key, secrets };
  return secrets;
}

let cached: { readonly key: string; readonly secrets: readonly Secret[] } = { key: '', secrets: [] };

type ScannedFile = { readonly name: string; readonly bytes: Uint8Array };

/** Thrown if the output would contain a secret. The message never quotes the secret. */
export class LeakError extends CodedError<'secret-in-file' | 'secret-on-terminal'> {}

export const terminalName = 'the report on the terminal';

/** Finds at most one secret in a file. `secret` is the name of the secret, never its text. */
export function scannerFor(secrets: readonly Secret[]): (file: ScannedFile) => { file: string; secret: string }[] {
  if (secrets.length === 0) return () => [];
  const { any } = formFinder(secrets);
  // The texts of `manyTexts` are not encoded. So also search a decoded copy of the file.
  const decodes = secrets.some(({ areMany }) => areMany);
  return ({ name, bytes }) => {
    let found = any(bytes);
    for (const decoded of decodes ? decodings(bytes) : []) found ??= any(decoded);
    return found === undefined ? [] : [{ file: name, secret: found.name }];
  };
}

/** Returns a function that throws LeakError if a file, or a part of a file, contains a secret. */
export function leakRefusal(secrets: readonly Secret[]): (file: ScannedFile) => void {
  const leaksIn = scannerFor(secrets);
  return (file) => {
    const [leak] = leaksIn(file);
    if (leak === undefined) return;
    throw new LeakError(
      file.name === terminalName ? 'secret-on-terminal' : 'secret-in-file',
      `${file.name} would contain ${leak.secret}, so the run was not saved`,
      'Replace the secret, because others may have seen it. Then find out why the target or the client sends it.',
    );
  };
}

function* decodings(bytes: Uint8Array): Generator<Buffer> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const inner = withoutEscapes(text);
  const form = withoutPercent(inner.replaceAll('+', ' '));
  for (const one of [inner, withoutEscapes(inner), withoutPercent(inner), form, withoutPercent(form)]) {
    yield Buffer.from(one, 'latin1');
  }
  yield* decodedRuns(text);
}

function withoutPercent(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

const shortEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Decodes JSON escapes (RFC 8259 section 7). Input and result have one character for each byte. */
function withoutEscapes(text: string): string {
  return text.replace(/((?:\\u[0-9A-Fa-f]{4})+)|\\([^u])/g, (_, units: string | undefined, letter: string) => {
    if (units === undefined) return shortEscapes[letter] ?? letter;
    const codes = units.split('\\u').slice(1);
    const decoded = String.fromCharCode(...codes.map((digits) => Number.parseInt(digits, 16)));
    return Buffer.from(decoded).toString('latin1');
  });
}

/** Decodes all text that looks like base64 or hex. Tries several offsets, because a secret may start at any of them. */
function* decodedRuns(text: string): Generator<Buffer> {
  for (const [runs, separator, encoding, alignments] of [
    [text.match(/[A-Za-z0-9+/_-]{11,}/g), '////////', 'base64', 4],
    [text.match(/[0-9A-Fa-f]{16,}/g), 'ffff', 'hex', 2],
  ] as const) {
    const joined = (runs ?? []).join(separator);
    for (let start = 0; start < alignments && start < joined.length; start += 1) {
      const whole = joined.length - start;
      yield Buffer.from(joined.slice(start, joined.length - (encoding === 'hex' ? whole % 2 : 0)), encoding);
    }
  }
}

interface FoundForm {
  readonly at: number;
  readonly length: number;
  readonly pseudonym: Uint8Array;
  readonly name: string;
}

/** Forms are indexed by their last six bytes, because many ids start the same. No form has fewer than six bytes. */
const endLength = 6;
const formFinder = memoize(newFinder);

function newFinder(secrets: readonly Secret[]) {
  const byEnd = new Map<number, (SecretForm & Pick<Secret, 'name' | 'areMany'>)[]>();
  // Mark the last three bytes of every form, so that the search can skip most positions quickly.
  const knownEnds = new Uint8Array(1 << 24);
  for (const { name, areMany, forms } of secrets) {
    for (const { bytes, pseudonym } of forms) {
      knownEnds[bytes.readUIntLE(bytes.length - 3, 3)] = 1;
      const end = bytes.readUIntLE(bytes.length - endLength, endLength);
      const sameEnd = byEnd.get(end) ?? [];
      if (sameEnd.push({ bytes, pseudonym, name, ...(areMany && { areMany }) }) === 1) byEnd.set(end, sameEnd);
    }
  }
  function* search(bytesToSearch: Uint8Array): Generator<FoundForm> {
    const text = Buffer.from(bytesToSearch.buffer, bytesToSearch.byteOffset, bytesToSearch.byteLength);
    for (let at = 0; at <= text.length - endLength; at += 1) {
      if (knownEnds[text[at + 3]! | (text[at + 4]! << 8) | (text[at + 5]! << 16)] === 0) continue;
      for (const { bytes, pseudonym, name, areMany } of byEnd.get(text.readUIntLE(at, endLength)) ?? []) {
        const end = at + endLength;
        const start = end - bytes.length;
        if (start < 0 || bytes.compare(text, start, end) !== 0 || (areMany && !isWord(text, start, end))) continue;
        yield { at: start, length: bytes.length, pseudonym, name };
      }
    }
  }
  return {
    any: (bytes: Uint8Array): FoundForm | undefined => search(bytes).next().value,
    all: (bytes: Uint8Array) => withoutOverlap([...search(bytes)]),
  };
}

function isWord(bytes: Uint8Array, start: number, end: number): boolean {
  return !isAlphanumeric(bytes[start - 1]) && !isAlphanumeric(bytes[end]);
}

function isAlphanumeric(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}

function withoutOverlap(found: FoundForm[]): readonly FoundForm[] {
  let end = 0;
  return found
    .sort((a, b) => a.at - b.at || b.length - a.length)
    .filter(({ at, length }) => {
      if (at < end) return false;
      end = at + length;
      return true;
    });
}

interface Redactor {
  bytes(bytes: Uint8Array): Uint8Array;
  /** Also finds secrets in UTF-8 text that an HTTP library has read as Latin-1. */
  text(text: string): string;
  exchange(exchange: Exchange): Exchange;
  value<T>(value: T): T;
}

export function redactorFor(secrets: readonly Secret[]): Redactor {
  const identity = <T>(value: T) => value;
  if (secrets.length === 0) return { bytes: identity, text: identity, exchange: identity, value: identity };
  const finder = formFinder(secrets);
  const bytes = (original: Uint8Array): Uint8Array => {
    const found = finder.all(original);
    if (found.length === 0) return original;
    const redacted = Buffer.from(original);
    for (const { at, pseudonym } of found) redacted.set(pseudonym, at);
    return redacted;
  };
  const redactIn = (original: string, charset: 'latin1' | 'utf8'): string => {
    const whole = Buffer.from(original, charset);
    const clean = bytes(whole);
    return clean === whole ? original : Buffer.from(clean).toString(charset);
  };
  const text = (original: string): string => {
    const redacted = redactIn(original, 'utf8');
    return /[\x80-\xff]/.test(redacted) && !/[^\0-\xff]/.test(redacted) ? redactIn(redacted, 'latin1') : redacted;
  };
  const anything = <T>(value: T) => editTexts(value, { bytes, text });
  const exchange = (original: Exchange): Exchange => {
    const clean = anything(original);
    const { failure } = original;
    // Do not edit `kind`: its text comes from the suite, even if it equals a secret.
    return failure === undefined ? clean : { ...clean, failure: { ...clean.failure!, kind: failure.kind } };
  };
  return { bytes, text, exchange, value: anything };
}

/** Edits each text and byte array inside a value. Copies only the changed parts. */
export function editTexts<T>(value: T, edit: Pick<Redactor, 'bytes' | 'text'>): T {
  const editValue = (one: unknown): unknown => {
    if (typeof one === 'string') return edit.text(one);
    if (one instanceof Uint8Array) return edit.bytes(one);
    if (typeof one !== 'object' || one === null) return one;
    const members = Object.entries(one).map(([name, member]) => [name, editValue(member)] as const);
    if (members.every(([name, member]) => member === (one as Record<string, unknown>)[name])) return one;
    return Array.isArray(one) ? members.map(([, member]) => member) : Object.fromEntries(members);
  };
  return editValue(value) as T;
}
