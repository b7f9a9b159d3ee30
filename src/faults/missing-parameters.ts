/** Gateways that do not miss a parameter of the Authorization header (section 5). */
import { firstValue } from '../mock/received.ts';
import type { Pair } from '../protocol/form.ts';
import type { GatewayDefect } from './defect.ts';

const both = { side: 'gateway', operation: 'both' } as const;

export const missingParameterDefects: readonly GatewayDefect[] = [
  {
    ...both,
    id: 'authentication/nonce-not-needed',
    summary: 'oauth_nonce may be left out',
    breaks: ['authentication/close-day-missing-nonce-refused', 'authentication/recurring-missing-nonce-refused'],
    // None is no nonce that was used before, also where two requests come within a second.
    alteration: {
      skips: ['has-oauth_nonce'],
      takes: ({ oauth }, step) => step === 'nonce' && lacks(oauth, 'oauth_nonce'),
    },
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
  {
    ...both,
    id: 'authentication/timestamp-and-nonce-not-needed',
    summary: 'oauth_timestamp and oauth_nonce may be left out together, though neither may be alone',
    breaks: ['authentication/close-day-missing-nonce-refused', 'authentication/recurring-missing-nonce-refused'],
    alteration: {
      takes: ({ oauth }, step) => step === 'has-oauth_timestamp' && lacks(oauth, 'oauth_nonce'),
    },
  },
  {
    ...both,
    id: 'authentication/consumer-key-and-signature-alone-taken',
    summary: 'A header that holds nothing but a consumer key and a signature is taken',
    breaks: [
      'authentication/close-day-missing-signature-method-refused',
      'authentication/recurring-missing-signature-method-refused',
    ],
    alteration: {
      takes: ({ oauth }, step) =>
        step === 'has-oauth_signature_method' && oauth.length === 2 && !lacks(oauth, 'oauth_signature'),
    },
  },
  {
    ...both,
    id: 'authentication/consumer-key-and-signature-not-needed',
    summary: 'A header without a consumer key and without a signature is taken where it holds the other parameters',
    breaks: [
      'authentication/close-day-missing-signature-refused',
      'authentication/recurring-missing-signature-refused',
    ],
    alteration: {
      takes: ({ oauth }, step) =>
        step === 'has-oauth_consumer_key' && lacks(oauth, 'oauth_signature') && !lacks(oauth, 'oauth_nonce'),
    },
  },
];

function lacks(oauth: readonly Pair[], name: string): boolean {
  return firstValue(oauth, name) === undefined;
}
