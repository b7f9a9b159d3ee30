/** Searches output for secrets before it is written, and refuses it if it finds one. */
import { CodedError } from '../../record/errors.ts';
import type { Exchange } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import type { Secret, SecretForm } from './secret.ts';

interface ScannedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Leak {
  readonly file: string;
  /** What the secret is, never its text. */
  readonly secret: string;
}

/** The output would contain a secret. The message names the place, never the secret. */
export class LeakError extends CodedError<'secret-in-file' | 'secret-on-terminal'> {}

export const terminalName = 'the report on the terminal';

export function scannerFor(secrets: readonly Secret[]): (file: ScannedFile) => Leak[] {
  if (secrets.length === 0) return () => [];
  const { any } = formFinder(secrets);
  // Values of a record have only raw forms.
  const decodes = secrets.some(({ areMany }) => areMany);
  return ({ name, bytes }) => {
    let found = any(bytes);
    for (const decoded of decodes ? readings(bytes) : []) found ??= any(decoded);
    return found === undefined ? [] : [{ file: name, secret: found.name }];
  };
}

/** Throws LeakError if a file contains a secret. Files may come in pieces. */
export function leakRefusal(secrets: readonly Secret[]): (file: ScannedFile) => void {
  const leaksIn = scannerFor(secrets);
  return (file) => {
    const [leak] = leaksIn(file);
    if (leak !== undefined) throw leakError(leak);
  };
}

function leakError({ file, secret }: Leak): LeakError {
  return new LeakError(
    file === terminalName ? 'secret-on-terminal' : 'secret-in-file',
    `${file} would hold ${secret}, so nothing of the run is kept`,
    'Remove the secret from what the target or the client sends, and replace it: others may have seen it.',
  );
}

/** Decodes JSON, nested JSON, forms, double percent-encoding, base64 and hex. */
function* readings(bytes: Uint8Array): Generator<Buffer> {
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

/** JSON escapes (RFC 8259 section 7). Input and result are bytes as Latin-1. */
function withoutEscapes(text: string): string {
  return text.replace(/((?:\\u[0-9A-Fa-f]{4})+)|\\([^u])/g, (_, units: string | undefined, letter: string) => {
    if (units === undefined) return shortEscapes[letter] ?? letter;
    const codes = units.split('\\u').slice(1);
    const decoded = String.fromCharCode(...codes.map((digits) => Number.parseInt(digits, 16)));
    return Buffer.from(decoded).toString('latin1');
  });
}

/** Decodes all base64 and hex runs at each alignment. Separators decode to bytes that are not text. */
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
  readonly standIn: Uint8Array;
  readonly name: string;
}

interface FormFinder {
  any(bytes: Uint8Array): FoundForm | undefined;
  /** In order and without overlap. The longest form wins at the same start. */
  all(bytes: Uint8Array): readonly FoundForm[];
}

/** Bytes at the end of a form used for look-up, because ids often share their beginning. Each form has that many. */
const width = 6;

export const formFinder = memoize(newFinder);

function newFinder(secrets: readonly Secret[]): FormFinder {
  const byEnd = new Map<number, (SecretForm & Pick<Secret, 'name' | 'areMany'>)[]>();
  // Excludes nearly every position: a key has twenty thousand forms, and a record may have a million ids.
  const mayEnd = new Uint8Array(1 << slotBits);
  for (const { name, areMany, forms } of secrets) {
    for (const { bytes, standIn } of forms) {
      const at = bytes.length - width;
      mayEnd[slotOf(viewOf(bytes), at)] = 1;
      const end = bytes.readUIntLE(at, width);
      const sameEnd = byEnd.get(end) ?? [];
      if (sameEnd.push({ bytes, standIn, name, ...(areMany && { areMany }) }) === 1) byEnd.set(end, sameEnd);
    }
  }
  function* search(bytesToSearch: Uint8Array): Generator<FoundForm> {
    const view = viewOf(bytesToSearch);
    const text = Buffer.from(bytesToSearch.buffer, bytesToSearch.byteOffset, bytesToSearch.byteLength);
    for (let at = 0; at <= text.length - width; at += 1) {
      if (mayEnd[slotOf(view, at)] === 0) continue;
      for (const { bytes, standIn, name, areMany } of byEnd.get(text.readUIntLE(at, width)) ?? []) {
        const end = at + width;
        const start = end - bytes.length;
        if (start < 0 || bytes.compare(text, start, end) !== 0 || (areMany && !isWord(text, start, end))) continue;
        yield { at: start, length: bytes.length, standIn, name };
      }
    }
  }
  return { any: (bytes) => search(bytes).next().value, all: (bytes) => withoutOverlap([...search(bytes)]) };
}

const slotBits = 22;

/** Multiplicative hashing spreads similar texts over the whole table. */
function slotOf(view: DataView, at: number): number {
  const [first, last] = [view.getInt32(at, true), view.getInt32(at + width - 4, true)];
  return Math.imul(first ^ Math.imul(last, 0x85ebca6b), 0x9e3779b1) >>> (32 - slotBits);
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

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

export interface Redactor {
  bytes(bytes: Uint8Array): Uint8Array;
  /** A text, or header bytes that HTTP libraries return as Latin-1. */
  text(text: string): string;
  exchange(exchange: Exchange): Exchange;
  /** Any value of texts and bytes, such as a whole record. */
  anything<T>(value: T): T;
}

export function redactorFor(secrets: readonly Secret[]): Redactor {
  if (secrets.length === 0) return nothingToRedact;
  const finder = formFinder(secrets);
  const bytes = (original: Uint8Array): Uint8Array => replaceForms(original, finder);
  const inCharset = (original: string, charset: 'latin1' | 'utf8'): string => {
    const whole = Buffer.from(original, charset);
    const clean = bytes(whole);
    return clean === whole ? original : Buffer.from(clean).toString(charset);
  };
  const text = (original: string): string => {
    const once = inCharset(original, 'utf8');
    return /[\x80-\xff]/.test(once) && !/[^\0-\xff]/.test(once) ? inCharset(once, 'latin1') : once;
  };
  const anything = <T>(value: T) => editTexts(value, { bytes, text });
  const exchange = (original: Exchange): Exchange => {
    const clean = anything(original);
    const { failure } = original;
    // `kind` is our own word, even if it equals a secret.
    return failure === undefined ? clean : { ...clean, failure: { ...clean.failure!, kind: failure.kind } };
  };
  return { bytes, text, exchange, anything };
}

function replaceForms(bytes: Uint8Array, finder: FormFinder): Uint8Array {
  const found = finder.all(bytes);
  if (found.length === 0) return bytes;
  const out = Buffer.from(bytes);
  for (const { at, standIn } of found) out.set(standIn, at);
  return out;
}

const nothingToRedact: Redactor = {
  bytes: (bytes) => bytes,
  text: (text) => text,
  exchange: (exchange) => exchange,
  anything: (value) => value,
};

/** Edits each text and byte array. Unchanged parts stay the same object. */
export function editTexts<T>(value: T, edit: Pick<Redactor, 'bytes' | 'text'>): T {
  const edited = (one: unknown): unknown => {
    if (typeof one === 'string') return edit.text(one);
    if (one instanceof Uint8Array) return edit.bytes(one);
    if (typeof one !== 'object' || one === null) return one;
    const members = Object.entries(one).map(([name, member]) => [name, edited(member)] as const);
    if (members.every(([name, member]) => member === (one as Record<string, unknown>)[name])) return one;
    return Array.isArray(one) ? members.map(([, member]) => member) : Object.fromEntries(members);
  };
  return edited(value) as T;
}
