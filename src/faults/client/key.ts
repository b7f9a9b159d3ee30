/** Clients that sign with another key than the one of RFC 5849 section 3.4.2. */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { hmacWith } from '../../peer/client/other-signatures.ts';
import { percentEncode } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';

const signs = {
  side: 'client',
  operation: 'close-day',
  breaks: ['authentication/signature-verifies'],
} as const satisfies Partial<ClientDefect>;

export const keyDefects: readonly ClientDefect[] = [
  {
    ...signs,
    id: 'authentication/key-without-ampersand',
    summary: 'The HMAC key is the secret alone, without the & for the empty token secret',
    alteration: hmacKey((secret) => percentEncode(secret)),
  },
  {
    ...signs,
    id: 'authentication/secret-not-encoded',
    summary: 'The consumer secret goes into the HMAC key without percent-encoding',
    alteration: hmacKey((secret) => `${secret}&`),
  },
  {
    ...signs,
    id: 'authentication/secret-encoded-as-form',
    summary: 'The consumer secret is encoded as a form value: a space is a plus',
    alteration: hmacKey((secret) => `${percentEncode(secret).replaceAll('%20', '+')}&`),
  },
  {
    ...signs,
    id: 'authentication/secret-sub-delimiters-bare',
    summary: "! * ' ( and ) of the consumer secret stay bare in the HMAC key",
    alteration: hmacKey((secret) => `${encodeURIComponent(secret)}&`),
  },
  {
    ...signs,
    id: 'authentication/token-secret-null',
    summary: 'The missing token secret is written as the text null',
    alteration: hmacKey((secret) => `${percentEncode(secret)}&null`),
  },
  {
    ...signs,
    id: 'authentication/secret-with-line-feed',
    summary: 'The consumer secret is read from a file with the line feed at its end',
    alteration: hmacKey((secret) => `${percentEncode(`${secret}\n`)}&`),
  },
  {
    ...signs,
    id: 'authentication/secret-with-escape-taken-for-encoded',
    summary: 'A consumer secret that holds an escape is taken for encoded, and used as it is',
    alteration: hmacKey((secret) => `${/%[0-9A-F]{2}/i.test(secret) ? secret : percentEncode(secret)}&`),
  },
  {
    ...signs,
    id: 'authentication/secret-in-small-letters',
    summary: 'The consumer secret is put into small letters before it is used',
    alteration: hmacKey((secret) => `${percentEncode(secret.toLowerCase())}&`),
  },
  {
    ...signs,
    id: 'authentication/secret-in-capitals',
    summary: 'The consumer secret is put into capitals before it is used',
    alteration: hmacKey((secret) => `${percentEncode(secret.toUpperCase())}&`),
  },
  {
    ...signs,
    id: 'authentication/hmac-key-cut-to-block',
    summary: 'An HMAC key of more than 64 bytes is cut to 64 and not hashed',
    alteration: hmacKey((secret) => `${percentEncode(secret)}&`.slice(0, 64)),
  },
  {
    ...signs,
    id: 'authentication/secret-cut',
    summary: 'Of a consumer secret the first 128 characters count',
    alteration: hmacKey((secret) => `${percentEncode(secret.slice(0, 128))}&`),
  },
  {
    ...signs,
    id: 'authentication/secret-trimmed',
    summary: 'Spaces at the ends of a consumer secret are cut off before it is used',
    alteration: hmacKey((secret) => `${percentEncode(secret.trim())}&`),
  },
  {
    ...signs,
    id: 'authentication/secret-as-number',
    summary: 'A consumer secret of digits is read as a number, as from YAML, and loses the zeros in front',
    alteration: hmacKey((secret) => `${percentEncode(/^\d+$/.test(secret) ? String(BigInt(secret)) : secret)}&`),
  },
  {
    ...signs,
    id: 'authentication/secret-of-hex-digits-decoded',
    summary: 'A consumer secret of hexadecimal digits is taken for bytes',
    alteration: hmacKey((secret) =>
      /^(?:[\da-f]{2})+$/.test(secret) ? `${Buffer.from(secret, 'hex')}&` : `${percentEncode(secret)}&`,
    ),
  },
  {
    ...signs,
    id: 'authentication/secret-without-dashes',
    summary: 'The dashes of a consumer secret that is a UUID are left out',
    alteration: hmacKey(
      (secret) => `${percentEncode(/^[\da-f]{8}-/.test(secret) ? secret.replaceAll('-', '') : secret)}&`,
    ),
  },
  {
    ...signs,
    id: 'authentication/secret-decoded-from-base64',
    summary: 'A consumer secret that ends as base64 does is decoded before it is used',
    alteration: hmacKey((secret) => `${percentEncode(secret.endsWith('=') ? atob(secret) : secret)}&`),
  },
  {
    ...signs,
    id: 'authentication/key-parts-swapped',
    summary: 'The consumer secret is in the place of the token secret',
    alteration: hmacKey((secret) => `&${percentEncode(secret)}`),
  },
];

/** Signs close-day with another key text. */
function hmacKey(keyText: (secret: string) => string): ClientAlteration {
  return {
    signature: (signature, context) => {
      const { key } = context.done.credentials;
      if (key.method !== 'HMAC-SHA1') return signature;
      return hmacWith(keyText(key.consumerSecret), context.done.baseString);
    },
  };
}
