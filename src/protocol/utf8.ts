/** Text and UTF-8 bytes (RFC 3629); bytes that are not UTF-8 can be kept, so that two bodies never become one text. */
import { ProtocolError } from './protocol-error.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Text of UTF-8 bytes. A byte-order mark is kept as U+FEFF.
 * Throws `invalid-utf8`.
 */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch (cause) {
    throw new ProtocolError('invalid-utf8', 'the bytes are not UTF-8', { cause });
  }
}

/**
 * Text of any bytes. A byte 0xNN that is not part of valid UTF-8 becomes the lone surrogate U+DCNN, as in Python's
 * PEP 383; `percentEncode` turns it back into the same byte. The usual U+FFFD would give different bodies one
 * base string, and so one signature.
 */
export function textKeepingBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return byteForByte(bytes);
  }
}

function byteForByte(bytes: Uint8Array): string {
  const parts: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) parts.push(String.fromCharCode(0xdc00 + bytes[at]!));
    else parts.push(strict.decode(bytes.subarray(at, at + length)));
    at += length || 1;
  }
  return parts.join('');
}

/** Number of bytes of the valid sequence that starts at `at`, or 0 (RFC 3629 section 4). */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  for (let next = at + 1; next < at + length; next++) {
    if ((bytes[next]! & 0xc0) !== 0x80) return 0;
  }
  const second = bytes[at + 1]!;
  const overlong = (lead === 0xe0 && second < 0xa0) || (lead === 0xf0 && second < 0x90);
  const surrogate = lead === 0xed && second > 0x9f;
  const beyondUnicode = lead === 0xf4 && second > 0x8f;
  return overlong || surrogate || beyondUnicode ? 0 : length;
}

/** UTF-8 bytes of a text. Throws `not-text` where it holds half of a surrogate pair. */
export function utf8Bytes(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new ProtocolError('not-text', 'the text holds half of a surrogate pair');
  return Buffer.from(text, 'utf8');
}
