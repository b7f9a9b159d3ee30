/** Gateways that do not miss a parameter of the Authorization header (section 5). */
import { firstValue } from '../mock/received.ts';
import type { GatewayDefect } from './defect.ts';

const both = { side: 'gateway', operation: 'both' } as const;

export const missingParameterDefects: readonly GatewayDefect[] = [
  {
    ...both,
    id: 'authentication/nonce-not-needed',
    summary: 'oauth_nonce may be left out',
    breaks: ['authentication/close-day-missing-nonce-refused', 'authentication/recurring-missing-nonce-refused'],
    alteration: { skips: ['has-oauth_nonce'] },
  },
  {
    ...both,
    id: 'authentication/timestamp-not-needed',
    summary: 'oauth_timestamp may be left out',
    breaks: [
      'authentication/close-day-missing-timestamp-refused',
      'authentication/recurring-missing-timestamp-refused',
    ],
    alteration: { skips: ['has-oauth_timestamp'] },
  },
  {
    ...both,
    id: 'authentication/consumer-key-not-needed',
    summary: 'A request without oauth_consumer_key is taken for one of the first consumer',
    breaks: [
      'authentication/close-day-missing-consumer-key-refused',
      'authentication/recurring-missing-consumer-key-refused',
    ],
    alteration: { skips: ['has-oauth_consumer_key'] },
  },
  {
    ...both,
    id: 'authentication/signature-method-not-needed',
    summary: 'Without oauth_signature_method the method of the operation is taken',
    breaks: [
      'authentication/close-day-missing-signature-method-refused',
      'authentication/recurring-missing-signature-method-refused',
    ],
    alteration: { skips: ['has-oauth_signature_method'] },
  },
  {
    ...both,
    id: 'authentication/signature-not-needed',
    summary: 'A request whose header has no oauth_signature is accepted',
    breaks: [
      'authentication/close-day-missing-signature-refused',
      'authentication/recurring-missing-signature-refused',
    ],
    alteration: { takes: (_, step) => step === 'has-oauth_signature' },
  },
  {
    ...both,
    id: 'authentication/consumer-key-alone-taken',
    summary: 'A header that holds nothing but a known consumer key is taken',
    breaks: [
      'authentication/close-day-missing-signature-refused',
      'authentication/recurring-missing-signature-refused',
    ],
    alteration: {
      takes: ({ oauth }, step) =>
        step !== 'consumer' && oauth.length === 1 && firstValue(oauth, 'oauth_consumer_key') !== undefined,
    },
  },
];
