/** Percent-encoding of RFC 5849 section 3.6: UTF-8, escapes in upper case for all but A-Z a-z 0-9 - . _ ~. */
import { ProtocolError } from './protocol-error.ts';
import { bytesKeptIn } from './utf8.ts';

const reserved = /[^A-Za-z0-9\-._~]/;
const everyReserved = new RegExp(reserved, 'g');

/** Encodes a text (RFC 5849 3.6), also bytes that `decodeForm` kept. Throws `not-text` for half a surrogate pair. */
export function percentEncode(text: string): string {
  if (!reserved.test(text)) return text;
  if (!text.isWellFormed()) return escapeBytes(bytesKeptIn(text), written);
  // Few characters of a long payload need escapes: replacing only these is faster.
  if (text.length > 16_384 && !/[^\0-\x7f]/.test(text)) return text.replace(everyReserved, escapeByte);
  return encodeURIComponent(text).replace(/[!'()*]/g, escapeByte);
}

/** Decodes escapes. Other characters stay, also `+`. Throws `malformed-escape` or `invalid-utf8`. */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    const broken = /%(?![0-9A-Fa-f]{2})/.exec(text);
    if (broken === null) throw new ProtocolError('invalid-utf8', 'the escapes are not UTF-8', { cause });
    throw new ProtocolError('malformed-escape', `"%" at position ${broken.index} is not followed by two hex digits`);
  }
}

/** Replaces each byte except ASCII letters and digits with `texts[byte]`. `texts` has 256 entries. */
function escapeBytes(bytes: Uint8Array, texts: readonly string[]): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[^A-Za-z0-9]/g, (byte) => texts[byte.charCodeAt(0)]!);
}

const escapeByte = (character: string) => written[character.charCodeAt(0)]!;

const written = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return reserved.test(character) ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}` : character;
});
