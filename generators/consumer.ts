/** Generates consumers, addresses, nonces and timestamps (sections 0, 4, 5). Each key determines its secret. */
import * as fc from 'fast-check';
import { digits, letters, lettersAndDigits, printable, unreserved } from './alphabets.ts';
import { checksumOf, issuedSecret, secretForms } from './issued-secret.ts';
import { textOf } from './labelled.ts';

export interface Consumer {
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

/** Digits after a zero, such as `0123`. A program that reads the key as a number loses the zero. */
const digitsAfterZero = textOf(digits, 3, 9).map((text) => `0${text}`);

export const consumers = secretForms.map(({ feature, isReserved }, at) => {
  const text = isReserved ? textOf(printable, 4, 50) : fc.oneof(textOf(unreserved, 4, 50), digitsAfterZero);
  const arbitrary = text.map((prefix): Consumer => {
    const consumerKey = `${prefix}${at}${checksumOf(`${prefix}${at}`)}`;
    return { consumerKey, consumerSecret: issuedSecret(consumerKey)! };
  });
  return { feature, isReserved, arbitrary };
});

/** Path prefixes of unreserved characters, with a tilde and letters of both cases. */
export const plausiblePrefix = prefixEndingIn('~Aa');

/** Path prefixes with %2F, or with a reserved character that RFC 3986 allows in paths (section 3.3). */
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
export const longNonceAndTime = fc
  .tuple(textOf(lettersAndDigits, 33, 64), fc.integer({ min: 2 ** 31, max: 4_102_444_800 }))
  .map(([nonce, timestamp]) => ({ nonce, timestamp: String(timestamp) }));
