/** Ways of writing signature bytes into a header, apart from base64 with padding in one line (RFC 5849 section 3.4). */
import type { DeviationId } from './deviations/index.ts';

export interface Output {
  /** The deviation that this form is; undefined for the right one. */
  readonly id: DeviationId | undefined;
  readonly write: (bytes: Buffer) => string;
  /** Bytes that may have been written; `write` of them decides. */
  readonly read: (text: string) => Buffer;
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const unbase64 = (text: string): Buffer => Buffer.from(text, 'base64');
const reversed = (bytes: Buffer): Buffer => Buffer.from(bytes).reverse();

/** The right form first. */
export const outputs: readonly Output[] = [
  { id: undefined, write: base64, read: unbase64 },
  { id: 'signature-unpadded', write: (bytes) => base64(bytes).replace(/=+$/, ''), read: unbase64 },
  { id: 'signature-url-safe', write: (bytes) => urlSafe(base64(bytes)), read: unbase64 },
  { id: 'signature-url-safe-unpadded', write: (bytes) => bytes.toString('base64url'), read: unbase64 },
  { id: 'signature-with-newline', write: (bytes) => `${base64(bytes)}\n`, read: unbase64 },
  { id: 'signature-wrapped', write: (bytes) => wrapped(bytes, 76, '\r\n'), read: unbase64 },
  ...wrappings(),
  { id: 'signature-plus-lost', write: (bytes) => base64(bytes).replaceAll('+', ' '), read: withPlus },
  { id: 'signature-in-hex', write: (bytes) => bytes.toString('hex'), read: unhex },
  { id: 'signature-in-upper-case-hex', write: (bytes) => bytes.toString('hex').toUpperCase(), read: unhex },
  {
    id: 'hex-digest-in-base64',
    write: (bytes) => base64(Buffer.from(bytes.toString('hex'))),
    read: (text) => unhex(unbase64(text).toString('latin1')),
  },
  {
    id: 'double-base64',
    write: (bytes) => base64(Buffer.from(base64(bytes))),
    read: (text) => unbase64(unbase64(text).toString('latin1')),
  },
  {
    id: 'signature-bytes-reversed',
    write: (bytes) => base64(reversed(bytes)),
    read: (text) => reversed(unbase64(text)),
  },
];

/**
 * The text that was escaped once more before the header was written, which escapes it anyway; undefined if it was not.
 */
export function escapedBefore(text: string): string | undefined {
  if (!/^[A-Za-z0-9\-._~!*'()%]+$/.test(text)) return undefined;
  const plain = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain !== text && encodeURIComponent(plain) === text ? plain : undefined;
}

/** Lines of 60, 64 or 76 characters, ended by LF or CRLF, with or without one at the end. */
function wrappings(): Output[] {
  return [60, 64, 76].flatMap((columns) =>
    ['\n', '\r\n'].flatMap((lineEnd) =>
      ['', lineEnd].map((end) => ({
        id: 'signature-wrapped',
        write: (bytes: Buffer) => `${wrapped(bytes, columns, lineEnd)}${end}`,
        read: unbase64,
      })),
    ),
  );
}

function wrapped(bytes: Buffer, columns: number, lineEnd: string): string {
  return (base64(bytes).match(new RegExp(`.{1,${columns}}`, 'g')) ?? []).join(lineEnd);
}

function urlSafe(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_');
}

function withPlus(text: string): Buffer {
  return unbase64(text.replaceAll(' ', '+'));
}

function unhex(text: string): Buffer {
  return /^(?:[0-9A-Fa-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0);
}
