/** Gateways that look at signatures, nonces and values less closely than section 5 and RFC 5849 ask for. */
import { firstValue } from '../mock/received.ts';
import type { GatewayDefect } from './defect.ts';

const both = { side: 'gateway', operation: 'both' } as const;

/** What a signature is made of differs from mock to mock: one set serves all of a process. */
const signaturesSeen = new Set<string>();

export const authenticationDefects: readonly GatewayDefect[] = [
  {
    ...both,
    id: 'authentication/signature-not-checked',
    summary: 'Any signature is taken, as long as there is one',
    breaks: [
      'authentication/close-day-wrong-key-refused',
      'authentication/close-day-altered-body-refused',
      'authentication/close-day-other-method-refused',
      'authentication/close-day-wrong-signature-refused',
      'authentication/close-day-altered-uri-refused',
      'authentication/recurring-wrong-key-refused',
      'authentication/recurring-altered-body-refused',
      'authentication/recurring-other-method-refused',
      'authentication/recurring-wrong-signature-refused',
      'authentication/recurring-altered-uri-refused',
    ],
    reasons: {
      'authentication/close-day-wrong-key-refused': 'a signature of another key is a signature',
      'authentication/close-day-altered-body-refused': 'so is one made over another body',
      'authentication/close-day-other-method-refused': 'so is one by another method under the right name',
      'authentication/close-day-wrong-signature-refused': 'so is one that was cut, changed or taken from elsewhere',
      'authentication/close-day-altered-uri-refused': 'so is one made over another URI',
      'authentication/recurring-wrong-key-refused': 'the same for the other operation',
      'authentication/recurring-altered-body-refused': 'the same for the other operation',
      'authentication/recurring-other-method-refused': 'the same for the other operation',
      'authentication/recurring-wrong-signature-refused': 'the same for the other operation',
      'authentication/recurring-altered-uri-refused': 'the same for the other operation',
    },
    alteration: { skips: ['signature'] },
  },
  {
    ...both,
    id: 'authentication/nonce-not-remembered',
    summary: 'The same request is taken again and again',
    breaks: ['authentication/close-day-reused-nonce-refused', 'authentication/recurring-reused-nonce-refused'],
    alteration: { skips: ['nonce'] },
  },
  {
    ...both,
    id: 'authentication/only-exact-replay-refused',
    summary: 'A used nonce is refused only where the whole request comes again, signature and all',
    breaks: ['authentication/close-day-reused-nonce-refused', 'authentication/recurring-reused-nonce-refused'],
    alteration: {
      // Called for every request that is about to be accepted.
      refuses: ({ oauth }) => {
        signaturesSeen.add(firstValue(oauth, 'oauth_signature') ?? '');
        return undefined;
      },
      takes: ({ oauth }, step) => step === 'nonce' && !signaturesSeen.has(firstValue(oauth, 'oauth_signature') ?? ''),
    },
  },
  {
    ...both,
    id: 'authentication/last-three-nonces-remembered',
    summary: 'Only the nonces of the last three accepted requests are remembered',
    breaks: ['authentication/close-day-reused-nonce-refused', 'authentication/recurring-reused-nonce-refused'],
    alteration: {
      refuses: (_, { nonces }) => {
        for (const nonce of [...nonces].slice(0, -3)) nonces.delete(nonce);
        return undefined;
      },
    },
  },
  {
    ...both,
    id: 'authentication/last-nonce-remembered',
    summary: 'Only the nonce of the last accepted request is remembered',
    breaks: ['authentication/close-day-reused-nonce-refused', 'authentication/recurring-reused-nonce-refused'],
    alteration: {
      refuses: (_, { nonces }) => {
        for (const nonce of [...nonces].slice(0, -1)) nonces.delete(nonce);
        return undefined;
      },
    },
  },
  {
    ...both,
    id: 'authentication/other-method-accepted',
    summary: 'Each operation takes the signature method of the other one too',
    breaks: ['authentication/close-day-other-method-refused', 'authentication/recurring-other-method-refused'],
    alteration: { skips: ['signature-method'] },
  },
  {
    ...both,
    id: 'authentication/unknown-consumer-accepted',
    summary: 'A consumer key that was never issued is taken for the first consumer',
    breaks: ['authentication/close-day-unknown-consumer-refused', 'authentication/recurring-unknown-consumer-refused'],
    alteration: { skips: ['consumer'] },
  },
  {
    ...both,
    id: 'authentication/version-not-checked',
    summary: 'oauth_version may have any value',
    breaks: ['authentication/close-day-wrong-version-refused', 'authentication/recurring-wrong-version-refused'],
    alteration: { skips: ['version'] },
  },
  {
    ...both,
    id: 'authentication/timestamp-not-checked',
    summary: 'oauth_timestamp may be any text',
    breaks: [
      'authentication/close-day-malformed-timestamp-refused',
      'authentication/recurring-malformed-timestamp-refused',
    ],
    alteration: { skips: ['timestamp', 'timestamp-window'] },
  },
];
