/** Clients that sign with another method than that of the operation, or name it wrongly (section 5). */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { signedWithOtherHash } from '../../peer/client/other-signatures.ts';
import type { Pair } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const otherHash: ClientAlteration = {
  signature: (_, { done }) => signedWithOtherHash(done.baseString, done.credentials.key),
};

export const methodDefects: readonly ClientDefect[] = [
  {
    side: 'client',
    operation: 'close-day',
    id: 'authentication/hmac-sha-256-signed-as-sha-1',
    summary: 'close-day is signed with SHA-256, and says HMAC-SHA1',
    breaks: ['authentication/signature-verifies', 'authentication/close-day-method'],
    alteration: only('close-day', otherHash),
  },
  {
    side: 'client',
    operation: 'process-recurring-payments',
    id: 'authentication/rsa-sha-1-signed-as-sha-256',
    summary: 'A batch is signed with SHA-1, and says RSA-SHA256',
    breaks: ['authentication/signature-verifies', 'authentication/recurring-method'],
    alteration: only('process-recurring-payments', otherHash),
  },
  {
    side: 'client',
    operation: 'close-day',
    id: 'authentication/hmac-sha-256-announced',
    summary: 'close-day is signed with HMAC-SHA256, and says so',
    breaks: ['authentication/close-day-method'],
    alteration: only('close-day', { ...otherHash, ...announces(() => 'HMAC-SHA256') }),
  },
  {
    side: 'client',
    operation: 'process-recurring-payments',
    id: 'authentication/rsa-sha-1-announced',
    summary: 'A batch is signed with RSA-SHA1, and says so',
    breaks: ['authentication/recurring-method'],
    alteration: only('process-recurring-payments', { ...otherHash, ...announces(() => 'RSA-SHA1') }),
  },
  {
    side: 'client',
    operation: 'both',
    id: 'authentication/method-in-lower-case',
    summary: 'The signature method is announced in lower case',
    breaks: ['authentication/close-day-method', 'authentication/recurring-method'],
    alteration: announces((right) => right.toLowerCase()),
  },
];

/** The name is signed as sent. */
function announces(name: (right: string) => string): ClientAlteration {
  return {
    unsigned: (pairs) =>
      pairs.map((pair): Pair => (pair[0] === 'oauth_signature_method' ? [pair[0], name(pair[1])] : pair)),
  };
}
