/** Form bodies (application/x-www-form-urlencoded): what we send is canonical, what we receive is read as any sender writes it. */
import { percentEncode } from './percent.ts';
import { textKeepingBytes, utf8Bytes } from './utf8.ts';

/** A decoded parameter. Lists of pairs keep order and repetition. */
export type Pair = readonly [name: string, value: string];

const ampersand = 0x26;
const equals = 0x3d;
const plus = 0x2b;
const percent = 0x25;
const space = 0x20;
/** Bytes; from here on a search that is native pays. */
const long = 256;
/** Characters; a longer text that is cut out of another one keeps that in memory. */
const short = 12;
/** Bytes that are decoded at once for the short texts in them. */
const windowSize = 16_384;
/** Short pieces that are looked for among those before; a form with more of them hardly has them twice. */
const mostShared = 65_536;

/** Encodes names and values in the given order: a space as `+`, everything but unreserved characters escaped. */
export function encodeForm(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`).join('&');
}

/**
 * Reads a form body, or the query of a target (text counts as its UTF-8 bytes). Order and duplicates are kept.
 *
 * It reads as the WHATWG parser does, since a receiver has to take what senders write: `+` is a space, a `%` without
 * two hex digits stands for itself, empty pieces between `&` vanish, a name without `=` has an empty value. In one
 * point it differs: bytes that are not UTF-8 are kept (see `textKeepingBytes`). Bytes never make it throw; a text that
 * holds half of a surrogate pair throws `not-text`.
 */
export function decodeForm(body: Uint8Array | string): Pair[] {
  if (body.length === 0) return [];
  return readPieces(typeof body === 'string' ? utf8Bytes(body) : body, (name, value): Pair => [name, value]);
}

/**
 * The one reading of a form, as `decodeForm` describes it: what is made of each piece from its decoded name and value.
 * `written` gives the piece as it is on the wire, a character for each byte, while it is being made. Short pieces that
 * are equal share what is made of them: a body may have one of them a million times.
 */
export function readPieces<Made>(
  body: Uint8Array,
  make: (name: string, value: string, written: () => string) => Made,
): Made[] {
  const bytes = bufferOf(body);
  const scratch = Buffer.allocUnsafe(bytes.length);
  const cut = shortTextsOf(bytes);
  const decode = (from: number, to: number) =>
    to - from <= short && isPlain(bytes, from, to) ? cut(from, to) : decodePart(bytes, from, to, scratch);
  let [start, end] = [0, 0];
  const written = () => (end - start <= short ? cut(start, end) : bytes.toString('latin1', start, end));
  const fresh = () => {
    const split = placeOf(bytes, equals, start, end);
    return make(decode(start, split), decode(Math.min(split + 1, end), end), written);
  };
  const shared = new Map<string, Made>();
  const made: Made[] = [];
  for (; start < bytes.length; start = end + 1) {
    end = placeOf(bytes, ampersand, start, bytes.length);
    if (end === start) continue;
    if (end - start > short || bytes.length < windowSize || shared.size === mostShared) {
      made.push(fresh());
      continue;
    }
    const piece = cut(start, end);
    let one = shared.get(piece);
    if (one === undefined) {
      one = fresh();
      shared.set(piece, one);
    }
    made.push(one);
  }
  return made;
}

/** Place of the byte from `from` on, or `to` where it is not before that. */
function placeOf(bytes: Buffer, byte: number, from: number, to: number): number {
  const near = Math.min(from + long, to);
  let at = from;
  while (at < near && bytes[at] !== byte) at++;
  if (at < near || near === to) return at;
  const found = bytes.subarray(near, to).indexOf(byte);
  return found === -1 ? to : near + found;
}

/** Texts of ASCII bytes: to call a decoder for each of a million names takes longer than the rest. */
function shortTextsOf(bytes: Buffer): (start: number, end: number) => string {
  let [window, first] = ['', 0];
  return (start, end) => {
    if (end - first > window.length) [window, first] = [bytes.toString('latin1', start, start + windowSize), start];
    return window.slice(start - first, end - first);
  };
}

function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte >= 0x80 || byte === plus || byte === percent) return false;
  }
  return true;
}

function decodePart(bytes: Buffer, start: number, end: number, scratch: Buffer): string {
  if (end - start > long) {
    const encoded = bytes.subarray(start, end);
    if (!encoded.includes(percent) && !encoded.includes(plus)) return textKeepingBytes(encoded);
  }
  let length = 0;
  let allBits = 0;
  for (let at = start; at < end; at++) {
    let byte = bytes[at]!;
    if (byte === plus) byte = space;
    else if (byte === percent) {
      const escaped = hexByte(bytes, at + 1);
      if (escaped >= 0) {
        byte = escaped;
        at += 2;
      }
    }
    allBits |= byte;
    scratch[length++] = byte;
  }
  // ASCII, the usual case, needs no decoder.
  return allBits < 0x80 ? scratch.toString('latin1', 0, length) : textKeepingBytes(scratch.subarray(0, length));
}

/** Value of the two hex digits at `at`, or -1; `&` and `=` are none, so it never reads beyond a name or value. */
function hexByte(bytes: Buffer, at: number): number {
  if (at + 1 >= bytes.length) return -1;
  const high = hexDigit(bytes[at]!);
  const low = hexDigit(bytes[at + 1]!);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function encodePart(text: string): string {
  const encoded = percentEncode(text);
  return encoded.includes('%20') ? encoded.replaceAll('%20', '+') : encoded;
}
