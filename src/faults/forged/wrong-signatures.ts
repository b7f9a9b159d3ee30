/** Gateways that take one kind of wrong signature: section 5 and RFC 5849 section 3.4. */
import { createPublicKey } from 'node:crypto';
import { otherPrivateKeyPem, otherSecret } from '../../mock/other-keys.ts';
import type { SentRequest } from '../../record/exchange.ts';
import { auth, closeDayAuth, type GatewayDefect, recurringAuth } from '../defect.ts';
import { alsoTakes, authorizationLine, overBody, overQuery, overTarget, overUrl, overValues } from './takes.ts';

const otherPublicKey = createPublicKey(otherPrivateKeyPem);

export const wrongSignatureDefects: readonly GatewayDefect[] = [
  closeDayAuth(
    'empty-secret-taken',
    'A signature made with an empty consumer secret is taken',
    'wrong-key-refused',
    alsoTakes(() => ({ key: { method: 'HMAC-SHA1', consumerSecret: '' } })),
  ),
  overBody(
    closeDayAuth,
    'totals-not-signed',
    'Totals may be added to a close-day on its way: the signature over the id alone is taken',
    (body) => body.filter(([name]) => !/_approved_/.test(name)),
  ),
  overUrl('scheme-not-compared', 'The signature of the same URL with the other scheme is taken', ({ scheme }) => ({
    scheme: scheme === 'https' ? 'http' : 'https',
  })),
  overTarget(
    'endpoint-not-compared',
    'The signature of a request to endpoint 1112 is taken for every endpoint',
    (target) => target.replace(/[^/]+$/, '1112'),
  ),
  closeDayAuth(
    'revoked-secret-taken',
    'A consumer secret that was revoked is still taken',
    'wrong-key-refused',
    alsoTakes(({ key }) => (key.method === 'HMAC-SHA1' ? { key: { ...key, consumerSecret: otherSecret } } : {})),
  ),
  recurringAuth(
    'revoked-key-pair-taken',
    'A public key that was revoked is still taken',
    'wrong-key-refused',
    alsoTakes(({ key }) =>
      key.method === 'RSA-SHA256' ? { key: { method: key.method, publicKey: otherPublicKey } } : {},
    ),
  ),
  // Here and below the other text is the one that the suite signs for that case.
  overValues(
    closeDayAuth,
    'first-of-request-id-not-signed',
    'The signature of a close-day with another first character of its id is taken',
    (value, name) => (name === 'day_close_request_id' ? `X${value.slice(1)}` : value),
  ),
  overValues(
    recurringAuth,
    'repeated-payment-not-signed',
    'The signature of a batch with its payment twice is taken',
    (value, name) => (name === 'payload' ? withPaymentTwice(value) : value),
  ),
  overValues(
    recurringAuth,
    'amount-not-signed',
    'The amount of a batch may be altered on its way: the signature over another one is taken',
    (value, name) => (name === 'payload' ? withOtherAmount(value) : value),
  ),
  overBody(auth, 'signature-over-no-body-taken', 'The signature over no body is taken', () => []),
  overBody(
    auth,
    'unknown-fields-not-signed',
    'Unknown fields may be added on the way: the signature over the known ones is taken',
    (body) => body.filter(([name]) => /^(day_close_request_id|payload|oauth_.*|.*_approved_.*)$/.test(name)),
    ['payload-alone'],
  ),
  overValues(auth, 'signed-in-capitals', 'The signature over the body in capitals is taken', (value) =>
    value.toUpperCase(),
  ),
  closeDayAuth(
    'short-hmac-accepted',
    'A close-day whose signature lacks its last eight characters is accepted',
    'wrong-signature-refused',
    { takes: ({ request }) => signatureLength(request) === 20 },
  ),
  recurringAuth(
    'short-signature-accepted',
    'A batch whose RSA signature lacks its last four bytes is accepted',
    'wrong-signature-refused',
    { takes: ({ request }) => signatureLength(request) === 336 },
  ),
  overTarget('path-not-signed', 'The signature of a path with one character more is taken', (target) => `${target}0`),
  auth(
    'method-not-signed',
    'The signature of a GET is taken for a POST',
    'altered-uri-refused',
    alsoTakes(() => ({ method: 'GET' })),
  ),
  overUrl('host-not-signed', 'The signature of a request to another host is taken', ({ host }) => ({
    host: host.replace(/^(\[.*\]|[^:]*)/, 'gateway.example'),
  })),
  overUrl('port-not-compared', 'The signature of a request to port 1 is taken', ({ host }) => ({
    host: `${host.replace(/:\d+$/, '')}:1`,
  })),
  overQuery('query-not-compared', 'The signature of a request with a query is taken for one without', () => [
    ['x', '1'],
  ]),
  unsignedAccepted(recurringAuth, 'recurring', 'batch'),
  unsignedAccepted(closeDayAuth, 'close-day', 'close-day'),
];

function unsignedAccepted(of: typeof auth, area: 'close-day' | 'recurring', what: string): GatewayDefect {
  return {
    ...of(
      `unsigned-${what}-accepted`,
      `A ${what} without an Authorization header is accepted`,
      ['unsigned-refused', 'wrong-key-refused'],
      { takes: ({ request }) => authorizationLine(request) === '' },
    ),
    reasons: {
      [`authentication/${area}-wrong-key-refused`]: 'a signature beside the header is none for it, whatever made it',
    },
  };
}

/** Characters of the base64 text; a whole HMAC-SHA1 has 28, a signature of RSA-2048 344. */
function signatureLength(request: SentRequest): number {
  const [, encoded = ''] = /oauth_signature="([^"]*)"/.exec(authorizationLine(request)) ?? [];
  return encoded.replace(/%[0-9A-Fa-f]{2}/g, 'x').length;
}

function withPaymentTwice(payload: string): string {
  const [header, row] = Buffer.from(payload, 'base64').toString('utf8').split('\n');
  return Buffer.from(`${header}\n${row}\n${row}\n`, 'utf8').toString('base64');
}

/** The same CSV with the last digit of its last amount changed. */
function withOtherAmount(payload: string): string {
  const csv = Buffer.from(payload, 'base64').toString('utf8');
  return Buffer.from(csv.replace(/\d(?=\D*$)/, (digit) => (digit === '9' ? '8' : '9'))).toString('base64');
}
