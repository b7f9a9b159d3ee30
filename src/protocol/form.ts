/** Form bodies (application/x-www-form-urlencoded): a canonical writer and a lenient reader. */
import { percentEncode } from './percent.ts';
import { textKeepingBytes, utf8Bytes } from './utf8.ts';

/** A decoded parameter. Lists of pairs keep their order and duplicates. */
export type Pair = readonly [name: string, value: string];

/** Encodes pairs in order. A space becomes `+`, unreserved characters stay, and all other characters become escapes. */
export function encodeForm(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`).join('&');
}

/** Reads a form or query like the WHATWG parser, but keeps invalid UTF-8. Throws `not-text` for a lone surrogate. */
export function decodeForm(body: Uint8Array | string): Pair[] {
  if (body.length === 0) return [];
  return piecesOf(typeof body === 'string' ? utf8Bytes(body) : body).map(({ name, value }): Pair => [name, value]);
}

/** A parameter, decoded and as written. The written texts have one character (U+0000 to U+00FF) for each byte. */
export interface FormPiece {
  readonly name: string;
  readonly value: string;
  readonly writtenName: string;
  readonly writtenValue: string;
}

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
      // Invalid escapes or UTF-8: the code below keeps them.
    }
  }
  const bytes = spaced.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return textKeepingBytes(Buffer.from(bytes, 'latin1'));
}

function encodePart(text: string): string {
  const encoded = percentEncode(text);
  return encoded.includes('%20') ? encoded.replaceAll('%20', '+') : encoded;
}
