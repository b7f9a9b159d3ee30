/** Percent-encoding of RFC 5849 section 3.6: UTF-8, everything but A-Z a-z 0-9 - . _ ~ escaped, upper-case hex. */
import { ProtocolError } from './protocol-error.ts';
import { bytesKeptIn } from './utf8.ts';

const reserved = /[^A-Za-z0-9\-._~]/;
const everyReserved = /[^A-Za-z0-9\-._~]/g;

/** In characters. From here on `encodeURIComponent` costs more than a search for what is escaped. */
const longText = 16_384;

/**
 * Encodes a text (RFC 5849 3.6). A lone surrogate U+DC80 to U+DCFF stands for the byte that `decodeForm` kept, and
 * becomes that byte's escape; any other lone surrogate throws `not-text`.
 */
export function percentEncode(text: string): string {
  if (!reserved.test(text)) return text;
  if (text.length <= longText && text.isWellFormed()) return encodeText(text);
  if (Buffer.byteLength(text) > text.length) return escapeBytes(bytesKeptIn(text));
  return text.replace(everyReserved, escapeByte);
}

/**
 * Decodes every escape; all other characters, `+` among them, stand for themselves.
 * Throws `malformed-escape` where `%` is not followed by two hex digits, `invalid-utf8` where the bytes are not UTF-8.
 */
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

/** `encodeURIComponent` leaves five characters that RFC 5849 reserves. */
function encodeText(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, escapeByte);
}

/** Bytes by a table of 256 ASCII texts of at most three characters. */
export function byteEscaper(texts: readonly string[]): (bytes: Uint8Array) => string {
  const lengths = Uint8Array.from(texts, (one) => one.length);
  const [first, second, third] = [0, 1, 2].map((at) => Uint8Array.from(texts, (one) => one.charCodeAt(at)));
  return (bytes) => {
    let length = 0;
    for (const byte of bytes) length += lengths[byte]!;
    const escaped = Buffer.alloc(length);
    let at = 0;
    for (const byte of bytes) {
      escaped[at] = first![byte]!;
      if (lengths[byte]! > 1) escaped[at + 1] = second![byte]!;
      if (lengths[byte]! > 2) escaped[at + 2] = third![byte]!;
      at += lengths[byte]!;
    }
    return escaped.toString('latin1');
  };
}

function escapeByte(character: string): string {
  return written[character.charCodeAt(0)]!;
}

/** What each byte becomes. */
const written = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return reserved.test(character) ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}` : character;
});

const escapeBytes = byteEscaper(written);
