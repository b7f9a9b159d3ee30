/** Deviations in the key of an HMAC (RFC 5849 section 3.4.2). */
import { inStep } from '../deviation.ts';

const otherKey = 'The client signs with something else than the secret it was given.';
const shape = 'The client puts the secret key together wrongly.';
const key = inStep('key', 'key');
const shaped = inStep('key', 'key', { summary: shape });
const other = inStep('key', 'key', { summary: otherKey });
const surrounded = inStep('key', 'key', { summary: otherKey, fix: 'Read the secret without what surrounds it.' });
const altered = inStep('key', 'key', { summary: otherKey, fix: 'Use the secret exactly as issued.' });
const token = inStep('key', 'key', { summary: shape, fix: 'Use an empty text in place of a missing token secret.' });

export const keys = [
  shaped('no-ampersand-in-key', { keyShape: 'no-ampersand' })`
    The key has no "&" between the two secrets.
    Put "&" behind the consumer secret, even without a token secret.
    key-without-ampersand: The HMAC key is the secret alone, without the & for the empty token secret`,
  shaped('ampersand-escaped-in-key', { keyShape: 'ampersand-escaped' })`
    The "&" of the key is escaped to %26.
    Encode the two secrets, then join them by a bare "&".`,
  shaped('secrets-swapped', { keyShape: 'swapped' })`
    The token secret comes before the consumer secret.
    Put the consumer secret first.
    key-parts-swapped: The consumer secret is in the place of the token secret`,
  other('consumer-key-as-secret', { keyShape: 'consumer-key' })`
    oauth_consumer_key is used where the consumer secret belongs.
    Use the secret; the key is only its name.`,
  key('secret-missing', { keyShape: 'empty' })`
    The client signs without a secret: its configuration is probably empty.
    The key is "&" alone.
    Check that the secret is loaded.`,
  shaped('secret-not-encoded', { secretEncoding: 'none' })`
    The secrets are not percent-encoded before they are joined.
    Percent-encode both secrets.
    secret-not-encoded: The consumer secret goes into the HMAC key without percent-encoding`,
  shaped('secret-encoded-twice', { secretEncoding: 'twice' })`
    The secrets are percent-encoded twice.
    Percent-encode both secrets once; some libraries do it themselves.`,
  surrounded('secret-with-newline', { secret: 'newline' })`
    The consumer secret ends with LF: it was read from a file with its line end.
    secret-with-line-feed: The consumer secret is read from a file with the line feed at its end`,
  surrounded('secret-with-crlf', { secret: 'crlf' })`
    The consumer secret ends with CRLF: it was read from a file with its line end.`,
  surrounded('secret-with-space', { secret: 'space' })`The consumer secret ends with a space.`,
  surrounded('secret-with-byte-order-mark', { secret: 'byte-order-mark' })`The consumer secret starts with U+FEFF.`,
  altered('secret-lower-cased', { secret: 'lower-case' })`
    The consumer secret is lower-cased.
    secret-in-small-letters: The consumer secret is put into small letters before it is used`,
  altered('secret-upper-cased', { secret: 'upper-case' })`
    The consumer secret is upper-cased.
    secret-in-capitals: The consumer secret is put into capitals before it is used`,
  altered('secret-base64-decoded', { secret: 'base64-decoded' })`The consumer secret is decoded as base64.`,
  altered('secret-base64-encoded', { secret: 'base64-encoded' })`The consumer secret is encoded in base64.`,
  altered('secret-hex-decoded', { secret: 'hex-decoded' })`The consumer secret is decoded as hex (dashes left out).`,
  token('null-token-secret', { token: 'null' })`
    The absent token secret became the text "null".
    token-secret-null: The missing token secret is written as the text null`,
  token('null-in-parentheses-token-secret', { token: '(null)' })`
    The absent token secret became the text "(null)", as Objective-C and C print it.`,
  token('undefined-token-secret', { token: 'undefined' })`The absent token secret became the text "undefined".`,
  token('none-token-secret', { token: 'None' })`The absent token secret became the text "None", as Python prints it.`,
  shaped('token-secret-left-out', { token: 'left-out' })`
    The token secret is missing from the key.
    Put the token secret behind "&".`,
  token('consumer-secret-as-token-secret', { token: 'consumer-secret' })`
    The consumer secret is used as the token secret too.`,
] as const;
