/** Gateways that take one kind of wrong signature: section 5 and RFC 5849 section 3.4. */
import { createPublicKey } from 'node:crypto';
import { otherPrivateKeyPem, otherSecret } from '../../mock/identity.ts';
import type { SentRequest } from '../../record/exchange.ts';
import { auth, closeDayAuth, type GatewayDefect, recurringAuth } from '../defect.ts';
import { authorizationLine, overBody, overKey, overQuery, overTarget, overUrl, overValues, taken } from './takes.ts';

const otherPublicKey = createPublicKey(otherPrivateKeyPem);

export const wrongSignatureDefects: readonly GatewayDefect[] = [
  ...taken(closeDayAuth, 'wrong-key-refused', 'secret-missing'),
  overBody(closeDayAuth, 'totals-not-signed', (body) => body.filter(([name]) => !/_approved_/.test(name)))`
    Totals may be added to a close-day on its way: the signature over the id alone is taken`,
  overUrl('scheme-not-compared', ({ scheme }) => ({
    scheme: scheme === 'https' ? 'http' : 'https',
  }))`The signature of the same URL with the other scheme is taken`,
  overTarget('endpoint-not-compared', (target) => target.replace(/[^/]+$/, '1112'))`
    The signature of a request to endpoint 1112 is taken for every endpoint`,
  overKey(closeDayAuth, 'revoked-secret-taken', (key) =>
    key.method === 'HMAC-SHA1' ? { ...key, consumerSecret: otherSecret } : key,
  )`A consumer secret that was revoked is still taken`,
  overKey(recurringAuth, 'revoked-key-pair-taken', (key) =>
    key.method === 'RSA-SHA256' ? { ...key, publicKey: otherPublicKey } : key,
  )`A public key that was revoked is still taken`,
  // Here and below the other text is the one that the suite signs for that case.
  overValues(closeDayAuth, 'first-of-request-id-not-signed', (value, name) =>
    name === 'day_close_request_id' ? `X${value.slice(1)}` : value,
  )`The signature of a close-day with another first character of its id is taken`,
  overValues(recurringAuth, 'repeated-payment-not-signed', (value, name) =>
    name === 'payload' ? withPaymentTwice(value) : value,
  )`The signature of a batch with its payment twice is taken`,
  overValues(recurringAuth, 'amount-not-signed', (value, name) =>
    name === 'payload' ? withOtherAmount(value) : value,
  )`The amount of a batch may be altered on its way: the signature over another one is taken`,
  ...taken(auth, 'altered-body-refused', 'body-left-out'),
  overBody(
    auth,
    'unknown-fields-not-signed',
    (body) => body.filter(([name]) => /^(day_close_request_id|payload|oauth_.*|.*_approved_.*)$/.test(name)),
    ['payload-alone'],
  )`Unknown fields may be added on the way: the signature over the known ones is taken`,
  overValues(auth, 'signed-in-capitals', (value) => value.toUpperCase())`
    The signature over the body in capitals is taken`,
  closeDayAuth('short-hmac-accepted', 'wrong-signature-refused', {
    takes: ({ request }) => signatureLength(request) === 20,
  })`A close-day whose signature lacks its last eight characters is accepted`,
  recurringAuth('short-signature-accepted', 'wrong-signature-refused', {
    takes: ({ request }) => signatureLength(request) === 336,
  })`A batch whose RSA signature lacks its last four bytes is accepted`,
  overTarget('path-not-signed', (target) => `${target}0`)`The signature of a path with one character more is taken`,
  ...taken(auth, 'altered-uri-refused', 'method-signed-as-get'),
  overUrl('host-not-signed', ({ host }) => ({
    host: host.replace(/^(\[.*\]|[^:]*)/, 'gateway.example'),
  }))`The signature of a request to another host is taken`,
  overUrl('port-not-compared', ({ host }) => ({
    host: `${host.replace(/:\d+$/, '')}:1`,
  }))`The signature of a request to port 1 is taken`,
  overQuery('query-not-compared', () => [['x', '1']])`The signature of a request with a query is taken for one without`,
  unsignedAccepted(recurringAuth, 'recurring', 'batch'),
  unsignedAccepted(closeDayAuth, 'close-day', 'close-day'),
];

function unsignedAccepted(of: typeof auth, area: 'close-day' | 'recurring', what: string): GatewayDefect {
  return {
    ...of(`unsigned-${what}-accepted`, ['unsigned-refused', 'wrong-key-refused'], {
      takes: ({ request }) => authorizationLine(request) === '',
    })`A ${what} without an Authorization header is accepted`,
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
