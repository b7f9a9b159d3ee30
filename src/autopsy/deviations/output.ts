/** Deviations in how the signature is written (RFC 5849 sections 3.4.2 and 3.5.1: base64, then percent-encoded in the header). */
import type { Deviation } from '../deviation.ts';

function output<Id extends string>(id: Id, developer: string, fix: string): Deviation & { readonly id: Id } {
  const summary = 'The signature itself is right, but written in another form than the standard demands.';
  return { id, stage: 'output', snippet: 'header', change: {}, summary, developer, fix };
}

const base64 = 'Encode the bytes of the signature in base64 with the standard alphabet, with padding, in one line.';

export const writing = [
  output('signature-unpadded', 'The "=" at the end of the base64 text is missing.', base64),
  output('signature-url-safe', 'The base64 text has "-" and "_" instead of "+" and "/".', base64),
  output(
    'signature-url-safe-unpadded',
    'The base64 text has "-" and "_" instead of "+" and "/", and no padding.',
    base64,
  ),
  output('signature-with-newline', 'A line end follows the base64 text.', base64),
  output('signature-wrapped', 'The base64 text is broken into lines, as many encoders do by default.', base64),
  output(
    'signature-plus-lost',
    'Every "+" of the signature arrived as a space: it was sent raw through something that reads forms.',
    'Percent-encode the signature in the header: %2B, %2F, %3D.',
  ),
  output('signature-in-hex', 'The bytes are written in hex.', base64),
  output('signature-in-upper-case-hex', 'The bytes are written in hex, in upper case.', base64),
  output(
    'hex-digest-in-base64',
    'The hex text of the bytes is encoded in base64.',
    'Ask the hash function for bytes, not for hex.',
  ),
  output(
    'double-base64',
    'The base64 text is encoded in base64 again.',
    'Encode once; the function may have done it already.',
  ),
  output(
    'signature-escaped-before-header',
    'Only the signature is percent-encoded twice: before the header is written, and then with it.',
    'Encode values once, when the header is written.',
  ),
  output(
    'signature-bytes-reversed',
    'The bytes are in reverse order, as the Windows CryptoAPI gives them.',
    'Reverse them before you encode.',
  ),
] as const satisfies readonly Deviation[];
