/** Gateways that look at signatures, nonces and parameters less closely, or differently, than section 5 and RFC 5849 ask for. */
import { headerValues } from '../exchange/exchange.ts';
import { recurringAccepted } from '../mock/responses.ts';
import type { GatewayDefect } from './defect.ts';

const both = { side: 'gateway', operation: 'both' } as const;

export const authenticationDefects: readonly GatewayDefect[] = [
  {
    ...both,
    id: 'authentication/signature-not-checked',
    summary: 'Any signature is taken, as long as there is one',
    breaks: [
      'authentication/close-day-wrong-key-refused',
      'authentication/close-day-altered-body-refused',
      'authentication/recurring-wrong-key-refused',
      'authentication/recurring-altered-body-refused',
    ],
    alteration: { skips: ['signature'] },
  },
  {
    ...both,
    id: 'authentication/body-left-out',
    summary: 'The form parameters are left out of the base string, so that right signatures are refused',
    breaks: ['authentication/close-day-valid-accepted', 'authentication/recurring-valid-accepted'],
    alteration: { signs: (material) => ({ ...material, body: [] }) },
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
    id: 'authentication/other-method-accepted',
    summary: 'Each operation takes the signature method of the other one too',
    breaks: ['authentication/close-day-other-method-refused', 'authentication/recurring-other-method-refused'],
    alteration: { skips: ['signature-method'] },
  },
  {
    ...both,
    id: 'authentication/version-not-needed',
    summary: 'oauth_version may be left out',
    breaks: ['authentication/close-day-missing-version-refused', 'authentication/recurring-missing-version-refused'],
    alteration: { skips: ['has-oauth_version'] },
  },
  {
    ...both,
    id: 'authentication/nonce-not-needed',
    summary: 'oauth_nonce may be left out',
    breaks: ['authentication/close-day-missing-nonce-refused', 'authentication/recurring-missing-nonce-refused'],
    alteration: { skips: ['has-oauth_nonce'] },
  },
  {
    ...both,
    id: 'authentication/port-left-out',
    summary: 'The base string has the URL without its port, so that right signatures for another port are refused',
    breaks: ['authentication/close-day-valid-accepted', 'authentication/recurring-valid-accepted'],
    alteration: {
      signs: (material) => ({ ...material, url: { ...material.url, host: material.url.host.split(':')[0]! } }),
    },
  },
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'authentication/unsigned-batch-accepted',
    summary: 'A batch without an Authorization header is accepted',
    breaks: ['authentication/recurring-unsigned-refused'],
    alteration: {
      writes: (reply, { operation, request }) =>
        operation === 'process-recurring-payments' && headerValues(request.headers, 'authorization').length === 0
          ? recurringAccepted()
          : reply,
    },
  },
];
