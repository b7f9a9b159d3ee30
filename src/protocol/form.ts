/** Form bodies (application/x-www-form-urlencoded): what we send is canonical, what we receive is read as any sender writes it. */
import { percentEncode } from './percent.ts';
import { textKeepingBytes } from './utf8.ts';

export type Pair = readonly [name: string, value: string];

const ampersand = 0x26;
const equals = 0x3d;
const plus = 0x2b;
const percent = 0x25;

/** Encodes names and values in the given order: a space as `+`, everything but unreserved characters escaped. */
export function encodeForm(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`).join('&');
}

/**
 * Reads a form body, or the query of a target (text counts as its UTF-8 bytes). Order and duplicates are kept.
 *
 * It reads as the WHATWG parser does, since a receiver has to take what senders write: `+` is a space, a `%` without
 * two hex digits stands for itself, empty pieces between `&` vanish, a name without `=` has an empty value. In one
 * point it differs: bytes that are not UTF-8 are kept (see `textKeepingBytes`). It never throws.
 */
export function decodeForm(body: Uint8Array | string): Pair[] {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const pairs: Pair[] = [];
  let start = 0;
  while (start < bytes.length) {
    const found = bytes.indexOf(ampersand, start);
    const end = found === -1 ? bytes.length : found;
    if (end > start) pairs.push(decodePair(bytes.subarray(start, end)));
    start = end + 1;
  }
  return pairs;
}

function decodePair(piece: Uint8Array): Pair {
  const split = piece.indexOf(equals);
  if (split === -1) return [decodePart(piece), ''];
  return [decodePart(piece.subarray(0, split)), decodePart(piece.subarray(split + 1))];
}

function decodePart(encoded: Uint8Array): string {
  if (encoded.includes(percent) || encoded.includes(plus)) return textKeepingBytes(unescapeBytes(encoded));
  return textKeepingBytes(encoded);
}

function unescapeBytes(encoded: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(encoded.length);
  let length = 0;
  for (let at = 0; at < encoded.length; at++) {
    const byte = encoded[at]!;
    const escaped = byte === percent ? hexByte(encoded, at + 1) : -1;
    if (escaped >= 0) at += 2;
    decoded[length++] = escaped >= 0 ? escaped : byte === plus ? 0x20 : byte;
  }
  return decoded.subarray(0, length);
}

/** Value of the two hex digits at `at`, or -1. */
function hexByte(bytes: Uint8Array, at: number): number {
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

function encodePart(text: string): string {
  const encoded = percentEncode(text);
  return encoded.includes('%20') ? encoded.replaceAll('%20', '+') : encoded;
}
