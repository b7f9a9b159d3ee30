/** Ways in which a secret reaches a file, each written without the code that looks for it. */
import { inspect } from 'node:util';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

const hexOf = (text: string | Buffer) =>
  [...Buffer.from(text as string)].map((byte) => byte.toString(16).padStart(2, '0'));
const base64After = (before: number) => (text: string) =>
  Buffer.from(`${'~'.repeat(before)}${text}~`).toString('base64');
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'percent-encoded by encodeURIComponent': encodeURIComponent,
  'percent-encoded in lower case': (text) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase()),
  'percent-encoded byte by byte': (text) =>
    hexOf(text)
      .map((byte) => `%${byte.toUpperCase()}`)
      .join(''),
  'in a form': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'in HTML': (text) => text.replace(/[&<>"']/g, (one) => entities[one]!),
  'in base64': base64After(0),
  'in base64 behind one byte': base64After(1),
  'in base64 behind two bytes': base64After(2),
  'in base64 for URLs': (text) => Buffer.from(`>${text}`).toString('base64url'),
  'in base64 in a form': (text) => encodeURIComponent(base64After(1)(text)),
  'in hex': (text) => hexOf(text).join(''),
  'in hex of capitals': (text) => hexOf(text).join('').toUpperCase(),
  'in JSON with every character escaped': (text) =>
    Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  'in JSON with / and = escaped': (text) =>
    JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/').replaceAll('=', '\\u003D').replaceAll('&', '\\u0026'),
  'in HTML by numbers': (text) => Array.from(text, (one) => `&#${one.codePointAt(0)};`).join(''),
  'in \\x of JavaScript': (text) =>
    hexOf(text)
      .map((byte) => `\\x${byte}`)
      .join(''),
  'in \\u{} of JavaScript': (text) => Array.from(text, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`).join(''),
  'in octal digits': (text) => [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  'in a word of a shell': (text) => text.replace(/[^\w\r\n\u0080-\uffff]/g, '\\$&'),
  'in HTML by numbers without semicolons': (text) =>
    Array.from(text, (one) => `&#${one.codePointAt(0)!.toString().padStart(7, '0')}`).join(''),
  'in hex with colons': (text) => hexOf(text).join(':').toUpperCase(),
  'in hex with 0x': (text) =>
    hexOf(text)
      .map((byte) => `0x${byte}`)
      .join(', '),
  'as a Buffer that is inspected': (text) => inspect(Buffer.from(text)),
  'as a Buffer in JSON': (text) => JSON.stringify(Buffer.from(text)),
  'as numbers in lines': (text) => JSON.stringify([...Buffer.from(text)], undefined, 2),
  'in base32': base32,
  'quoted-printable': (text) => quotedPrintable(text),
  'quoted-printable in lines': (text) => quotedPrintable(text).replace(/((?:=..|[^=]){9})/g, '$1=\r\n'),
};

/** What a text is packed with, whole; in a text these bytes come in one of `byteEncodings`. */
export const packings: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  zlib: (bytes) => deflateSync(bytes),
  deflate: (bytes) => deflateRawSync(bytes),
};

export const byteEncodings: Readonly<Record<string, (bytes: Buffer) => string>> = {
  'in base64': (bytes) => bytes.toString('base64'),
  'in base64 for URLs': (bytes) => bytes.toString('base64url'),
  'in hex': (bytes) => bytes.toString('hex'),
  'in hex with colons': (bytes) => hexOf(bytes).join(':'),
  'as a Buffer in JSON': (bytes) => JSON.stringify(bytes),
  'in base32': base32,
};

/** Bit by bit. */
function base32(given: string | Buffer): string {
  const bits = [...Buffer.from(given as string)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = (bits.match(/.{1,5}/g) ?? []).map(
    (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)],
  );
  return letters.join('').padEnd(Math.ceil(letters.length / 8) * 8, '=');
}

function quotedPrintable(text: string): string {
  return hexOf(text)
    .map((byte) =>
      /[2-7]./.test(byte) && byte !== '3d' && byte !== '7f' ? Buffer.from(byte, 'hex') : `=${byte.toUpperCase()}`,
    )
    .join('');
}
