/** Gateways that look at signatures, nonces and parameters less closely, or differently, than section 5 and RFC 5849 ask for. */
import { headerValues, type SentRequest } from '../exchange/exchange.ts';
import { recurringAccepted } from '../mock/responses.ts';
import { verifies } from '../mock/signature.ts';
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
      'authentication/close-day-wrong-signature-refused',
      'authentication/close-day-altered-uri-refused',
      'authentication/recurring-wrong-key-refused',
      'authentication/recurring-altered-body-refused',
      'authentication/recurring-wrong-signature-refused',
      'authentication/recurring-altered-uri-refused',
    ],
    reasons: {
      'authentication/close-day-wrong-key-refused': 'a signature of another key is a signature',
      'authentication/close-day-altered-body-refused': 'so is one made over another body',
      'authentication/close-day-wrong-signature-refused': 'so is one that was cut, changed or taken from elsewhere',
      'authentication/close-day-altered-uri-refused': 'so is one made over another URI',
      'authentication/recurring-wrong-key-refused': 'the same for the other operation',
      'authentication/recurring-altered-body-refused': 'the same for the other operation',
      'authentication/recurring-wrong-signature-refused': 'the same for the other operation',
      'authentication/recurring-altered-uri-refused': 'the same for the other operation',
    },
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
  {
    ...both,
    id: 'authentication/query-added',
    summary: 'The base string has a query parameter that was not sent, so that right signatures are refused',
    breaks: ['authentication/close-day-valid-accepted', 'authentication/recurring-valid-accepted'],
    alteration: { signs: (material) => ({ ...material, query: [['y', '2']] }) },
  },
  {
    ...both,
    id: 'authentication/path-not-signed',
    summary: 'The signature of a path with one character more is taken',
    breaks: ['authentication/close-day-altered-uri-refused', 'authentication/recurring-altered-uri-refused'],
    // What the suite signs for that case is the path with one character more.
    alteration: {
      signs: (material) =>
        verifies(material) ? material : { ...material, url: { ...material.url, target: `${material.url.target}0` } },
    },
  },
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'authentication/short-signature-accepted',
    summary: 'A batch whose RSA signature lacks its last four bytes is accepted',
    breaks: ['authentication/recurring-wrong-signature-refused'],
    alteration: {
      writes: (reply, { operation, request }) =>
        operation === 'process-recurring-payments' && signatureLength(request) === 336 ? recurringAccepted() : reply,
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
        operation === 'process-recurring-payments' && authorizationOf(request) === '' ? recurringAccepted() : reply,
    },
  },
];

/** Characters of the base64 text; a whole RSA-2048 signature has 344. */
function signatureLength(request: SentRequest): number {
  const [, encoded = ''] = /oauth_signature="([^"]*)"/.exec(authorizationOf(request)) ?? [];
  return encoded.replace(/%[0-9A-Fa-f]{2}/g, 'x').length;
}

function authorizationOf(request: SentRequest): string {
  return headerValues(request.headers, 'authorization')[0] ?? '';
}
