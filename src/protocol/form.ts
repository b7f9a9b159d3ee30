/** Form bodies (application/x-www-form-urlencoded): what we send is canonical, what we receive is read as any sender writes it. */
import { percentEncode } from './percent.ts';
import { textKeepingBytes, utf8Bytes } from './utf8.ts';

/** A decoded parameter. Lists of pairs keep order and repetition. */
export type Pair = readonly [name: string, value: string];

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
  return piecesOf(typeof body === 'string' ? utf8Bytes(body) : body).map(({ name, value }): Pair => [name, value]);
}

/** One piece of a form, decoded, and as it is on the wire: a character for each byte. */
export interface FormPiece {
  readonly name: string;
  readonly value: string;
  readonly writtenName: string;
  readonly writtenValue: string;
}

/** The one reading of a form, as `decodeForm` describes it. */
export function piecesOf(body: Uint8Array): FormPiece[] {
  const written = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1').split('&');
  return written.filter((piece) => piece !== '').map(pieceOf);
}

function pieceOf(written: string): FormPiece {
  const equals = written.indexOf('=');
  const writtenName = equals === -1 ? written : written.slice(0, equals);
  const writtenValue = equals === -1 ? '' : written.slice(equals + 1);
  return { name: decodePart(writtenName), value: decodePart(writtenValue), writtenName, writtenValue };
}

function decodePart(written: string): string {
  if (!/[+%\x80-\xff]/.test(written)) return written;
  const spaced = written.replaceAll('+', ' ');
  if (!/[\x80-\xff]/.test(spaced)) {
    try {
      return decodeURIComponent(spaced);
    } catch {
      // An escape that is none, or bytes that are not UTF-8: both are kept below.
    }
  }
  const bytes = spaced.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return textKeepingBytes(Buffer.from(bytes, 'latin1'));
}

function encodePart(text: string): string {
  const encoded = percentEncode(text);
  return encoded.includes('%20') ? encoded.replaceAll('%20', '+') : encoded;
}
