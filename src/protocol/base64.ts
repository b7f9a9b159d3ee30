/** Base64 with the standard alphabet and padding (RFC 4648 section 4). */
import { ProtocolError } from './protocol-error.ts';

/** Encodes bytes, with padding and without line breaks. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Decodes only canonical base64 (RFC 4648 3.5). Throws `malformed-base64` with a hint on the likely mistake. */
export function decodeBase64(text: string): Uint8Array {
  const bytes = base64Bytes(text);
  if (bytes !== undefined) return bytes;
  throw new ProtocolError('malformed-base64', 'the text is not canonical base64', { hint: likelyMistake(text) });
}

/** Like `decodeBase64`, but returns undefined if the text is not canonical base64. */
export function base64Bytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Node also decodes texts that are not canonical. So compare the text with the encoding of its bytes.
  return bytes.toString('base64') === text ? bytes : undefined;
}

function likelyMistake(text: string): string {
  if (text.includes(' ')) return 'A "+" arrived as a space, because it was sent without the escape %2B.';
  if (/[\r\n]/.test(text)) return 'The text has line breaks. Send it in one line.';
  if (/[-_]/.test(text)) return 'The text uses the URL-safe alphabet; write "+" and "/" instead of "-" and "_".';
  if (/[^A-Za-z0-9+/=]/.test(text)) return 'The text has a character outside the base64 alphabet.';
  if (text.replace(/(?<!=)=+$/, '').length % 4 !== 0 && text.length % 4 !== 0)
    return 'The padding with "=" is missing.';
  return 'The padding is wrong, or the last character has unused bits that are not zero.';
}
