/** Escapes of a character beyond ASCII, by the charset that a client takes (RFC 5849 section 3.6 demands UTF-8). */
import type { Recipe } from './recipe.ts';

/**
 * `character` is one code point, or half a surrogate pair that stands for a byte (see `textKeepingBytes`). `question` is how the
 * encoder writes "?", which some charsets put in the place of a character.
 */
export function escapesOf(character: string, charset: Recipe['charset'], lowerHex: boolean, question: string): string {
  const code = character.codePointAt(0)!;
  const inEscapes = (bytes: Uint8Array): string => bytesEscaped(bytes, lowerHex);
  if (code >= 0xdc80 && code <= 0xdcff) return inEscapes(Buffer.of(code - 0xdc00));
  switch (charset) {
    case 'utf-8':
      return inEscapes(Buffer.from(character));
    case 'latin-1':
      return code <= 0xff ? inEscapes(Buffer.of(code)) : question;
    case 'mojibake':
      return inEscapes(Buffer.from(Buffer.from(character).toString('latin1')));
    case 'question-marks':
      return question;
    case 'percent-u':
      return character
        .split('')
        .map((unit) => unitEscape(unit.charCodeAt(0)))
        .join('');
    case 'left-bare':
      return character;
    case 'cesu-8':
      return character
        .split('')
        .map((unit) => inEscapes(threeBytesAtMost(unit.charCodeAt(0))))
        .join('');
  }
}

function bytesEscaped(bytes: Uint8Array, lowerHex: boolean): string {
  const hex = Buffer.from(bytes).toString('hex');
  return (lowerHex ? hex : hex.toUpperCase()).replace(/../g, '%$&');
}

/** The global `escape` of JavaScript. */
function unitEscape(unit: number): string {
  const hex = unit.toString(16).toUpperCase();
  return unit <= 0xff ? `%${hex.padStart(2, '0')}` : `%u${hex.padStart(4, '0')}`;
}

/** UTF-8 of a single UTF-16 unit, also of half a pair. */
function threeBytesAtMost(unit: number): Uint8Array {
  if (unit < 0x800) return Buffer.of(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
  return Buffer.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
}
