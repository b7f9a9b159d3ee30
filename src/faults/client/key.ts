/** Clients that sign with another key or method than section 5 and RFC 5849 section 3.4.2 ask for, or name it wrongly. */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { hmacWith, signedWithOtherHash } from '../../peer/client/other-signatures.ts';
import { type Pair, percentEncode } from '../../protocol/index.ts';
import { auth, type ClientDefect, closeDayAuth, recurringAuth } from './defect.ts';

const otherHash: ClientAlteration = {
  signature: (_, { done }) => signedWithOtherHash(done.baseString, done.credentials.key),
};

export const keyDefects: readonly ClientDefect[] = [
  key(
    'secret-encoded-as-form',
    'The consumer secret is encoded as a form value: a space is a plus',
    (secret) => `${percentEncode(secret).replaceAll('%20', '+')}&`,
  ),
  key(
    'secret-sub-delimiters-bare',
    "! * ' ( and ) of the consumer secret stay bare in the HMAC key",
    (secret) => `${encodeURIComponent(secret)}&`,
  ),
  key(
    'secret-with-escape-taken-for-encoded',
    'A consumer secret that holds an escape is taken for encoded, and used as it is',
    (secret) => `${/%[0-9A-F]{2}/i.test(secret) ? secret : percentEncode(secret)}&`,
  ),
  key('hmac-key-cut-to-block', 'An HMAC key of more than 64 bytes is cut to 64 and not hashed', (secret) =>
    `${percentEncode(secret)}&`.slice(0, 64),
  ),
  key(
    'secret-cut',
    'Of a consumer secret the first 128 characters count',
    (secret) => `${percentEncode(secret.slice(0, 128))}&`,
  ),
  key(
    'secret-trimmed',
    'Spaces at the ends of a consumer secret are cut off before it is used',
    (secret) => `${percentEncode(secret.trim())}&`,
  ),
  key(
    'secret-as-number',
    'A consumer secret of digits is read as a number, as from YAML, and loses the zeros in front',
    (secret) => `${percentEncode(/^\d+$/.test(secret) ? String(BigInt(secret)) : secret)}&`,
  ),
  key('secret-of-hex-digits-decoded', 'A consumer secret of hexadecimal digits is taken for bytes', (secret) =>
    /^(?:[\da-f]{2})+$/.test(secret) ? `${Buffer.from(secret, 'hex')}&` : `${percentEncode(secret)}&`,
  ),
  key(
    'secret-without-dashes',
    'The dashes of a consumer secret that is a UUID are left out',
    (secret) => `${percentEncode(/^[\da-f]{8}-/.test(secret) ? secret.replaceAll('-', '') : secret)}&`,
  ),
  key(
    'secret-decoded-from-base64',
    'A consumer secret that ends as base64 does is decoded before it is used',
    (secret) => `${percentEncode(secret.endsWith('=') ? atob(secret) : secret)}&`,
  ),

  closeDayAuth(
    'hmac-sha-256-signed-as-sha-1',
    'close-day is signed with SHA-256, and says HMAC-SHA1',
    ['signature-verifies', 'close-day-method'],
    otherHash,
  ),
  recurringAuth(
    'rsa-sha-1-signed-as-sha-256',
    'A batch is signed with SHA-1, and says RSA-SHA256',
    ['signature-verifies', 'recurring-method'],
    otherHash,
  ),
  closeDayAuth('hmac-sha-256-announced', 'close-day is signed with HMAC-SHA256, and says so', 'close-day-method', {
    ...otherHash,
    ...announces(() => 'HMAC-SHA256'),
  }),
  recurringAuth('rsa-sha-1-announced', 'A batch is signed with RSA-SHA1, and says so', 'recurring-method', {
    ...otherHash,
    ...announces(() => 'RSA-SHA1'),
  }),
  auth(
    'method-in-lower-case',
    'The signature method is announced in lower case',
    ['close-day-method', 'recurring-method'],
    announces((right) => right.toLowerCase()),
  ),
];

/** Signs close-day with another key text. */
function key(what: string, summary: string, keyText: (secret: string) => string): ClientDefect {
  return closeDayAuth(what, summary, 'signature-verifies', {
    signature: (signature, { done }) => {
      const { key } = done.credentials;
      return key.method === 'HMAC-SHA1' ? hmacWith(keyText(key.consumerSecret), done.baseString) : signature;
    },
  });
}

/** The name is signed as sent. */
function announces(name: (right: string) => string): ClientAlteration {
  return {
    unsigned: (pairs) =>
      pairs.map((pair): Pair => (pair[0] === 'oauth_signature_method' ? [pair[0], name(pair[1])] : pair)),
  };
}
