/** Deviations in the key of an HMAC (RFC 5849 section 3.4.2). */
import type { Deviation } from '../deviation.ts';
import type { Recipe } from '../signer/recipe.ts';

const otherKey = 'The client signs with something else than the secret it was given.';
const shape = 'The client puts the secret key together wrongly.';

function key<Id extends string>(
  id: Id,
  change: Partial<Recipe>,
  summary: string,
  developer: string,
  fix: string,
): Deviation & { readonly id: Id } {
  return { id, stage: 'key', snippet: 'key', change, summary, developer, fix };
}

const read = 'Read the secret without what surrounds it.';
const asIssued = 'Use the secret exactly as issued.';
const noToken = 'Use an empty text in place of a missing token secret.';

export const keys = [
  key(
    'no-ampersand-in-key',
    { keyShape: 'no-ampersand' },
    shape,
    'The key has no "&" between the two secrets.',
    'Put "&" behind the consumer secret, even without a token secret.',
  ),
  key(
    'ampersand-escaped-in-key',
    { keyShape: 'ampersand-escaped' },
    shape,
    'The "&" of the key is escaped to %26.',
    'Encode the two secrets, then join them by a bare "&".',
  ),
  key(
    'secrets-swapped',
    { keyShape: 'swapped' },
    shape,
    'The token secret comes before the consumer secret.',
    'Put the consumer secret first.',
  ),
  key(
    'consumer-key-as-secret',
    { keyShape: 'consumer-key' },
    otherKey,
    'oauth_consumer_key is used where the consumer secret belongs.',
    'Use the secret; the key is only its name.',
  ),
  key(
    'secret-missing',
    { keyShape: 'empty' },
    'The client signs without a secret: its configuration is probably empty.',
    'The key is "&" alone.',
    'Check that the secret is loaded.',
  ),
  key(
    'secret-not-encoded',
    { secretEncoding: 'none' },
    shape,
    'The secrets are not percent-encoded before they are joined.',
    'Percent-encode both secrets.',
  ),
  key(
    'secret-encoded-twice',
    { secretEncoding: 'twice' },
    shape,
    'The secrets are percent-encoded twice.',
    'Percent-encode both secrets once; some libraries do it themselves.',
  ),
  key(
    'secret-with-newline',
    { secret: 'newline' },
    otherKey,
    'The consumer secret ends with LF: it was read from a file with its line end.',
    read,
  ),
  key(
    'secret-with-crlf',
    { secret: 'crlf' },
    otherKey,
    'The consumer secret ends with CRLF: it was read from a file with its line end.',
    read,
  ),
  key('secret-with-space', { secret: 'space' }, otherKey, 'The consumer secret ends with a space.', read),
  key(
    'secret-with-byte-order-mark',
    { secret: 'byte-order-mark' },
    otherKey,
    'The consumer secret starts with U+FEFF.',
    read,
  ),
  key('secret-lower-cased', { secret: 'lower-case' }, otherKey, 'The consumer secret is lower-cased.', asIssued),
  key('secret-upper-cased', { secret: 'upper-case' }, otherKey, 'The consumer secret is upper-cased.', asIssued),
  key(
    'secret-base64-decoded',
    { secret: 'base64-decoded' },
    otherKey,
    'The consumer secret is decoded as base64.',
    asIssued,
  ),
  key(
    'secret-base64-encoded',
    { secret: 'base64-encoded' },
    otherKey,
    'The consumer secret is encoded in base64.',
    asIssued,
  ),
  key(
    'secret-hex-decoded',
    { secret: 'hex-decoded' },
    otherKey,
    'The consumer secret is decoded as hex (dashes left out).',
    asIssued,
  ),
  key('null-token-secret', { token: 'null' }, shape, 'The absent token secret became the text "null".', noToken),
  key(
    'null-in-parentheses-token-secret',
    { token: '(null)' },
    shape,
    'The absent token secret became the text "(null)", as Objective-C and C print it.',
    noToken,
  ),
  key(
    'undefined-token-secret',
    { token: 'undefined' },
    shape,
    'The absent token secret became the text "undefined".',
    noToken,
  ),
  key(
    'none-token-secret',
    { token: 'None' },
    shape,
    'The absent token secret became the text "None", as Python prints it.',
    noToken,
  ),
  key(
    'token-secret-left-out',
    { token: 'left-out' },
    shape,
    'The token secret is missing from the key.',
    'Put the token secret behind "&".',
  ),
  key(
    'consumer-secret-as-token-secret',
    { token: 'consumer-secret' },
    shape,
    'The consumer secret is used as the token secret too.',
    noToken,
  ),
] as const satisfies readonly Deviation[];
