/** Clients that encode names and values for the base string in another way than RFC 5849 section 3.6. */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { percentDecode, percentEncode } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { normalizedWith } from './normalizing.ts';
import { ofSignature } from './signature-row.ts';

export const signedEncodingDefects: readonly ClientDefect[] = [
  {
    ...ofSignature,
    id: 'authentication/lower-case-escapes-signed',
    summary: 'Escapes in the base string have lower-case hex digits',
    alteration: encodesWith((text) => percentEncode(text).replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())),
  },
  {
    ...ofSignature,
    id: 'authentication/sub-delimiters-signed-bare',
    summary: "! * ' ( and ) are not encoded in the base string, as encodeURIComponent leaves them",
    alteration: encodesWith(encodeURIComponent),
  },
  {
    ...ofSignature,
    id: 'authentication/tilde-signed-as-escape',
    summary: 'A tilde is %7E in the base string',
    alteration: encodesWith((text) => percentEncode(text).replaceAll('~', '%7E')),
  },
  {
    ...ofSignature,
    id: 'authentication/reserved-characters-signed-bare',
    summary: 'Characters such as / : , and @ of a value are encoded once in all, as a path encoder leaves them bare',
    alteration: encodesValues((text) => percentEncode(text).replace(/%(?:2C|2F|3A|3B|40|5B|5D)/g, percentDecode)),
  },
  {
    ...ofSignature,
    id: 'authentication/braces-and-quotes-signed-bare',
    summary: 'Characters such as { " < and ` of a value are encoded once in all',
    alteration: encodesValues((text) => percentEncode(text).replace(/%(?:22|3C|3E|5C|5E|60|7B|7C|7D)/g, percentDecode)),
  },
  {
    ...ofSignature,
    id: 'authentication/several-spaces-signed-as-one',
    summary: 'Several spaces in a value are signed as one',
    alteration: encodesValues((text) => percentEncode(text.replace(/(?<=\S) {2,}(?=\S)/g, ' '))),
  },
  {
    ...ofSignature,
    id: 'authentication/space-signed-as-plus',
    summary: 'A space of a value is a plus in the base string, as in the body',
    alteration: encodesValues((text) => percentEncode(text).replaceAll('%20', '+')),
  },
  {
    ...ofSignature,
    id: 'authentication/plus-signed-as-space',
    summary: 'A plus of a value is taken for a space before it is signed',
    alteration: encodesValues((text) => percentEncode(text.replaceAll('+', ' '))),
  },
  {
    ...ofSignature,
    id: 'authentication/values-encoded-once-too-often',
    summary: 'Names and values are encoded three times in all',
    alteration: encodesValues((text) => percentEncode(percentEncode(text))),
  },
  {
    ...ofSignature,
    id: 'authentication/values-joined-unencoded',
    summary: 'Names and values are joined without being encoded, and encoded once in all',
    alteration: encodesValues((text) => text),
  },
  {
    ...ofSignature,
    id: 'authentication/values-decoded-before-signing',
    summary: 'A value with a percent escape is decoded before it is encoded',
    alteration: encodesValues((text) => percentEncode(text.replace(/(?:%[0-9A-Fa-f]{2})+/g, decodedOrSame))),
  },
  {
    ...ofSignature,
    id: 'authentication/text-signed-as-latin-1',
    summary: 'Text beyond ASCII is signed in ISO 8859-1, what that lacks as a question mark',
    alteration: encodesValues((text) => escapedBytes(latin1Bytes(text))),
  },
  {
    ...ofSignature,
    id: 'authentication/text-signed-twice-encoded',
    summary: 'The UTF-8 bytes of a text are taken for characters, and encoded as UTF-8 again',
    alteration: encodesValues((text) => percentEncode(Buffer.from(text, 'utf8').toString('latin1'))),
  },
  {
    ...ofSignature,
    id: 'authentication/text-signed-by-utf-16-unit',
    summary: 'Each half of a surrogate pair is encoded by itself',
    alteration: encodesValues((text) => text.split('').map(encodedUnit).join('')),
  },
];

/** Another encoding of names and values alone. */
function encodesValues(encode: (text: string) => string): ClientAlteration {
  return { normalized: (_, { done }) => normalizedWith(done.parameters, { encode }) };
}

/** Another encoding everywhere in the base string. */
function encodesWith(encode: (text: string) => string): ClientAlteration {
  return {
    ...encodesValues(encode),
    baseString: (_, { done }) => ['POST', done.baseStringUri, done.normalized].map((part) => encode(part)).join('&'),
  };
}

function decodedOrSame(escapes: string): string {
  try {
    return percentDecode(escapes);
  } catch {
    return escapes;
  }
}

function latin1Bytes(text: string): Uint8Array {
  return Buffer.from([...text].map((character) => (character > '\u00ff' ? '?' : character)).join(''), 'latin1');
}

function escapedBytes(bytes: Uint8Array): string {
  return [...bytes].map((byte) => percentEncodedByte(byte)).join('');
}

function percentEncodedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return byte < 0x80 ? percentEncode(character) : `%${byte.toString(16).toUpperCase()}`;
}

/** A surrogate as three bytes, which is not UTF-8 (RFC 3629 section 3). */
function encodedUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  if (code < 0xd800 || code > 0xdfff) return percentEncode(unit);
  return escapedBytes(Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)));
}
