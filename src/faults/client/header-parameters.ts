/** Clients whose Authorization header has other parameters than those of section 5, or other values in them. */

import { bodyHash } from '../../peer/client/other-signatures.ts';
import { type Pair, percentEncode, printAuthorization } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';

const both = { side: 'client', operation: 'both' } as const;

export const headerParameterDefects: readonly ClientDefect[] = [
  {
    ...both,
    id: 'authentication/version-left-out',
    summary: 'oauth_version is neither sent nor signed',
    breaks: ['authentication/header-parameters'],
    alteration: { unsigned: (pairs) => pairs.filter(([name]) => name !== 'oauth_version') },
  },
  {
    ...both,
    id: 'authentication/version-sent-twice',
    summary: 'oauth_version is twice in the header, and once in the base string',
    breaks: ['authentication/header-parameters'],
    alteration: { authorization: (_, { done }) => printAuthorization([...done.signed, ['oauth_version', '1.0']]) },
  },
  {
    ...both,
    id: 'authentication/body-hash-sent',
    summary: 'oauth_body_hash is sent and signed although the body is a form',
    breaks: ['authentication/header-parameters'],
    alteration: { unsigned: (pairs, { done }) => [...pairs, ['oauth_body_hash', bodyHash(done.body)]] },
  },
  {
    ...both,
    id: 'authentication/token-null-sent',
    summary: 'oauth_token is sent and signed as the text null',
    breaks: ['authentication/header-parameters'],
    alteration: { unsigned: (pairs) => [...pairs, ['oauth_token', 'null']] },
  },
  {
    ...both,
    id: 'authentication/body-copied-into-header',
    summary: 'The parameters of the body are in the header too, and once in the base string',
    breaks: ['authentication/header-parameters'],
    alteration: { authorization: (_, { done }) => printAuthorization([...done.signed, ...done.fields]) },
  },
  {
    ...both,
    id: 'authentication/version-1-0a',
    summary: 'oauth_version is 1.0a',
    breaks: ['authentication/version'],
    alteration: { unsigned: withValue('oauth_version', () => '1.0a') },
  },
  {
    ...both,
    id: 'authentication/consumer-key-in-capitals',
    summary: 'oauth_consumer_key is sent in capitals',
    breaks: ['authentication/consumer-key'],
    alteration: { unsigned: withValue('oauth_consumer_key', (key) => key.toUpperCase()) },
  },
  {
    ...both,
    id: 'authentication/consumer-key-in-small-letters',
    summary: 'oauth_consumer_key is sent in small letters',
    breaks: ['authentication/consumer-key'],
    alteration: { unsigned: withValue('oauth_consumer_key', (key) => key.toLowerCase()) },
  },
  {
    ...both,
    id: 'authentication/consumer-key-encoded-before',
    summary:
      'A consumer key with reserved characters is encoded before it is used, both in the header and in the base string',
    // On the wire it is the right key, encoded once too often.
    breaks: ['authentication/header-values-encoded'],
    alteration: { unsigned: withValue('oauth_consumer_key', percentEncode) },
  },
  {
    ...both,
    id: 'authentication/consumer-key-decoded-before',
    summary:
      'What looks like an escape in a consumer key is decoded before it is used, as in a key that was read from a URL',
    breaks: ['authentication/consumer-key'],
    alteration: { unsigned: withValue('oauth_consumer_key', decodedEscapes) },
  },
  {
    ...both,
    id: 'authentication/consumer-key-as-number',
    summary: 'A consumer key of digits is read as a number, and loses the zeros in front',
    breaks: ['authentication/consumer-key'],
    alteration: {
      unsigned: withValue('oauth_consumer_key', (key) => (/^\d+$/.test(key) ? String(BigInt(key)) : key)),
    },
  },
];

function decodedEscapes(text: string): string {
  return text.replace(/%[0-7][0-9A-F]/gi, decodeURIComponent);
}

/** The value is signed as sent. */
function withValue(name: string, change: (value: string) => string): (pairs: readonly Pair[]) => readonly Pair[] {
  return (pairs) => pairs.map((pair): Pair => (pair[0] === name ? [name, change(pair[1])] : pair));
}
