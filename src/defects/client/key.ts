/** Clients that sign with another key than the one of RFC 5849 section 3.4.2. */
import type { Alteration } from '../../client/index.ts';
import { hmacWith } from '../../client/other-signatures.ts';
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
];

/** Signs close-day with another key text. */
function hmacKey(keyText: (secret: string) => string): Alteration {
  return {
    signature: (signature, context) => {
      const { key } = context.done.credentials;
      if (key.method !== 'HMAC-SHA1') return signature;
      return hmacWith(keyText(key.consumerSecret), context.done.baseString);
    },
  };
}
