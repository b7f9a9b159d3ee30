/** Generates consumers, addresses, nonces and timestamps (sections 0, 4, 5). Each key determines its secret. */
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { digits, letters, lettersAndDigits, textOf } from './labelled.ts';

export interface Consumer {
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

const unreserved = [...lettersAndDigits, ...'-._~'];
const printable = [...unreserved, ...' !"#$%&\'()*+,/:;<=>?@[\\]^`{|}'];
const hex = [...digits, ...'abcdef'];

/** Keys of digits that start with a zero. A program that reads such a key as a number loses the zero. */
const digitsBehindZero = textOf(digits, 3, 9).map((text) => `0${text}`);

const checkLength = 8;

type PickCharacters = (alphabet: readonly string[], length: number) => string;

interface SecretForm {
  readonly secret: string;
  /** True if key and secret have reserved characters (RFC 3986 section 2.2). A client may decline such credentials. */
  readonly isReserved: boolean;
  /** `more` grows with the length of the consumer key: when fast-check shrinks the key, the secret shrinks too. */
  readonly write: (pick: PickCharacters, more: number) => string;
}

/** The last digit before the checksum of a consumer key is the index of its secret in this list. */
const secretForms: readonly SecretForm[] = [
  form('letters of both cases', (pick, more) => pick(lettersAndDigits, 16 + 2 * more)),
  form('a tilde', (pick, more) => `${pick(unreserved, 16)}~${pick(unreserved, more)}`),
  form('hexadecimal digits', (pick) => pick(hex, 40)),
  form('the form of a UUID', (pick) => [8, 4, 4, 4, 12].map((length) => pick(hex, length)).join('-')),
  form('digits that begin with zeros', (pick) => `00${pick(digits, 20)}`),
  form('base64', (pick) => `${pick([...lettersAndDigits, '+', '/'], 30)}==`, true),
  form('reserved characters', (pick, more) => pick(printable, 16 + 2 * more), true),
  form('spaces at both ends', (pick) => ` ${pick(lettersAndDigits, 20)} `, true),
];

function form(secret: string, write: SecretForm['write'], isReserved = false): SecretForm {
  return { secret, isReserved, write };
}

export const consumers = secretForms.map(({ secret, isReserved }, at) => {
  const text = isReserved ? textOf(printable, 4, 50) : fc.oneof(textOf(unreserved, 4, 50), digitsBehindZero);
  const drawn = text.map((start): Consumer => {
    const consumerKey = `${start}${at}${checkOf(`${start}${at}`)}`;
    return { consumerKey, consumerSecret: issuedSecret(consumerKey)! };
  });
  return { secret, isReserved, drawn };
});

/** Computes the secret of a generated consumer key; undefined for any other key. */
export function issuedSecret(consumerKey: string): string | undefined {
  const named = consumerKey.slice(0, -checkLength);
  const known = secretForms[Number(named.at(-1))];
  if (known === undefined || checkOf(named) !== consumerKey.slice(-checkLength)) return undefined;
  let at = 0;
  const bytes = createHash('shake256', { outputLength: 256 }).update(consumerKey).digest();
  const pick: PickCharacters = (alphabet, length) =>
    Array.from({ length }, () => alphabet[bytes[at++]! % alphabet.length]).join('');
  return known.write(pick, named.length - 1);
}

/** A checksum that marks generated keys. It has only digits, so that a whole key can look like a number. */
function checkOf(named: string): string {
  const number = createHash('sha256').update(`countersign consumer ${named}`).digest().readUInt32BE();
  return String(number).slice(-checkLength).padStart(checkLength, '0');
}

/** Path prefixes of unreserved characters, with a tilde and letters of both cases. */
export const plausiblePrefix = prefixEndingIn('~Aa');

/** Like `plausiblePrefix`, with an escape or a character that a path may contain unescaped (RFC 3986 section 3.3). */
export const reservedPrefix = fc.constantFrom(..."!$&'()*+,;=:@", '%2F').chain((one) => prefixEndingIn(`${one}Aa`));

/** Each segment starts with a letter, so no segment is `.` or `..`. */
function prefixEndingIn(end: string): fc.Arbitrary<string> {
  const segment = fc.tuple(textOf(letters, 1, 1), textOf(unreserved, 0, 12)).map((parts) => `/${parts.join('')}`);
  return fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `${segments.join('')}${end}`);
}

export const plausibleEndpointId = fc.integer({ min: 1, max: 2 ** 31 - 1 }).map(String);

/** Endpoint ids with a leading zero, and endpoint ids of 18 digits, which a double cannot represent exactly. */
export const oddEndpointId = fc.oneof(
  textOf(digits, 0, 12).map((text) => `0${text}`),
  textOf(digits, 17, 17).map((text) => `1${text}`),
);

/** A nonce of more than the usual 32 characters, and a timestamp that does not fit into signed 32 bits. */
export const wideFreshness = fc
  .tuple(textOf(lettersAndDigits, 33, 64), fc.integer({ min: 2 ** 31, max: 4_102_444_800 }))
  .map(([nonce, timestamp]) => ({ nonce, timestamp: String(timestamp) }));
