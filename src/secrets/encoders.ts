/** The encodings in which a text reaches a wire or a file: from bytes to the bytes of each form. */

/** Forms that one encoding has; all of them are found in one place or another. */
export type Encoding = (bytes: Buffer) => readonly Buffer[];

/** What stays bare in RFC 5849 section 3.6, in `encodeURIComponent`, in HTML forms, and where every byte is escaped. */
const bare = [/[A-Za-z0-9\-._~]/, /[A-Za-z0-9\-._~!'()*]/, /[A-Za-z0-9\-._* ]/, /(?!)/];

const percentTables = bare.flatMap((some) =>
  ['upper', 'lower'].map((letters) => tableOf((byte) => (some.test(byte) ? plus(byte) : escaped(byte, letters)))),
);

/** Percent-encoding of each kind, with upper and lower hex. */
export const percent: Encoding = (bytes) => percentTables.map((table) => byTable(bytes, table));

const jsonTable = tableOf((byte) => (/["\\]/.test(byte) ? `\\${byte}` : byte));

/** RFC 8259 section 7, as JSON.stringify writes it. */
const json: Encoding = (bytes) => [byTable(bytes, jsonTable)];

const names: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const htmlTables = [
  tableOf((byte) => names[byte] ?? byte),
  tableOf((byte) => (byte === "'" ? '&#x27;' : (names[byte] ?? byte))),
];

/** The five characters that HTML and XML escape, by name and by number. */
const html: Encoding = (bytes) => htmlTables.map((table) => byTable(bytes, table));

/** RFC 4648 section 5 too. Base64 depends on what precedes the text: three forms, without the characters that neighbours share. */
export const base64: Encoding = (bytes) =>
  [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const text = padded.toString('base64').replace(/=+$/, '');
    const own = text.slice([0, 2, 3][before]!, padded.length % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')].map((form) => Buffer.from(form, 'latin1'));
  });

export const hexadecimal: Encoding = (bytes) => {
  const text = bytes.toString('hex');
  return [Buffer.from(text, 'latin1'), Buffer.from(text.toUpperCase(), 'latin1')];
};

export const encoders = { percent, json, html, base64, hexadecimal } as const satisfies Readonly<
  Record<string, Encoding>
>;

function tableOf(encode: (byte: string) => string): readonly string[] {
  return Array.from({ length: 256 }, (_, byte) => encode(String.fromCharCode(byte)));
}

function byTable(bytes: Buffer, table: readonly string[]): Buffer {
  let text = '';
  for (const byte of bytes) text += table[byte]!;
  return Buffer.from(text, 'latin1');
}

/** Only the encoding of forms has the space among what stays bare. */
function plus(byte: string): string {
  return byte === ' ' ? '+' : byte;
}

function escaped(byte: string, letters: string): string {
  const hex = byte.charCodeAt(0).toString(16).padStart(2, '0');
  return `%${letters === 'upper' ? hex.toUpperCase() : hex}`;
}
