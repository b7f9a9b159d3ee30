/** Base64 of RFC 4648 section 4, strict: standard alphabet, padded, canonical, no white space. */
import { ProtocolError } from './protocol-error.ts';

/** The base64 text of the bytes, padded, on one line. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The bytes of a base64 text. Throws ProtocolError `malformed-base64` for any text that encodeBase64 would not write. */
export function decodeBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  // Node skips what it does not know; encoding again shows whether anything was skipped, missing or not canonical.
  if (bytes.toString('base64') !== text) throw new ProtocolError('malformed-base64', 'the text is not canonical base64');
  return bytes;
}
