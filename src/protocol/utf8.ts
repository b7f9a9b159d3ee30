/** Text and UTF-8 bytes (RFC 3629). Invalid bytes can be kept, so that different bodies give different texts. */
import { ProtocolError } from './protocol-error.ts';

const halfPair = 'the text holds half of a surrogate pair';
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Keeps a byte-order mark as U+FEFF. Throws `invalid-utf8`. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch (cause) {
    throw new ProtocolError('invalid-utf8', 'the bytes are not UTF-8', { cause });
  }
}

/**
 * Decodes any bytes. A byte 0xNN outside valid UTF-8 becomes the lone surrogate U+DCNN, as in Python's PEP 383.
 * `percentEncode` restores the byte. With U+FFFD, different bodies would share one base string and one signature.
 */
export function textKeepingBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return byteForByte(bytes);
  }
}

function byteForByte(bytes: Uint8Array): string {
  // There is at most one UTF-16 unit per byte.
  const units = Buffer.alloc(2 * bytes.length);
  let length = 0;
  const put = (unit: number): void => {
    units[length] = unit & 0xff;
    units[length + 1] = unit >> 8;
    length += 2;
  };
  let at = 0;
  while (at < bytes.length) {
    const size = sequenceLength(bytes, at);
    if (size <= 1) put(size === 1 ? bytes[at]! : 0xdc00 + bytes[at]!);
    else for (const unit of unitsOf(bytes.subarray(at, at + size))) put(unit);
    at += size || 1;
  }
  return units.subarray(0, length).toString('utf16le');
}

/** UTF-16 units of one valid sequence of two to four bytes. */
function unitsOf(sequence: Uint8Array): number[] {
  const lead = sequence[0]! & (0xff >> (sequence.length + 1));
  const code = sequence.subarray(1).reduce((sum, byte) => (sum << 6) | (byte & 0x3f), lead);
  return code < 0x10000 ? [code] : [0xd7c0 + (code >> 10), 0xdc00 | (code & 0x3ff)];
}

/** Length of the valid sequence at `at`, or 0 (RFC 3629 section 4). */
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

/** Reverses `textKeepingBytes`. Throws `not-text` for any other half of a surrogate pair. */
export function bytesKeptIn(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const bytes = Buffer.alloc(3 * text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at)!;
    if (code < 0x80) bytes[length++] = code;
    else if (code >= 0xdc80 && code <= 0xdcff) bytes[length++] = code - 0xdc00;
    else if (code >= 0xd800 && code <= 0xdfff) throw new ProtocolError('not-text', halfPair);
    else length += bytes.write(String.fromCodePoint(code), length);
    if (code > 0xffff) at += 1;
  }
  return bytes.subarray(0, length);
}

/** Encodes UTF-8. Throws `not-text` for half of a surrogate pair. */
export function utf8Bytes(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new ProtocolError('not-text', halfPair);
  return Buffer.from(text, 'utf8');
}
