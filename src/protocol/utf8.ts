/** Text and UTF-8 bytes (RFC 3629). Invalid bytes can be kept, so that different bodies give different texts. */
import { ProtocolError } from './protocol-error.ts';

const halfPairMessage = 'the text holds half of a surrogate pair';
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Keeps a byte-order mark as U+FEFF. Throws `invalid-utf8`. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch (cause) {
    throw new ProtocolError('invalid-utf8', 'the bytes are not UTF-8', { cause });
  }
}

/** One non-ASCII character (RFC 3629 section 4) or one invalid byte, in a text with one character per byte. */
const sequence =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;

/** Decodes UTF-8. An invalid byte 0xNN becomes U+DCNN (PEP 383), so that different bodies give different texts. */
export function textKeepingBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    const latin1 = Buffer.from(bytes).toString('latin1');
    return latin1.replace(sequence, (found) =>
      found.length === 1
        ? String.fromCharCode(0xdc00 + found.charCodeAt(0))
        : Buffer.from(found, 'latin1').toString('utf8'),
    );
  }
}

/** Reverses `textKeepingBytes`. Reads U+DC80 to U+DCFF as bytes. Throws `not-text` for any other lone surrogate. */
export function restoreBytes(text: string): Uint8Array {
  const bytes = Buffer.alloc(3 * text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at)!;
    if (code < 0x80) bytes[length++] = code;
    else if (code >= 0xdc80 && code <= 0xdcff) bytes[length++] = code - 0xdc00;
    else if (code >= 0xd800 && code <= 0xdfff) throw new ProtocolError('not-text', halfPairMessage);
    else length += bytes.write(String.fromCodePoint(code), length);
    if (code > 0xffff) at += 1;
  }
  return bytes.subarray(0, length);
}

/** Encodes UTF-8. Throws `not-text` for half of a surrogate pair. */
export function utf8Bytes(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new ProtocolError('not-text', halfPairMessage);
  return Buffer.from(text, 'utf8');
}
