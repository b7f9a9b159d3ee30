/** Gateways that accept wrong or almost correct signatures, or missing parameters (section 5; RFC 5849 section 3.4). */
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { operations } from '../../../contracts/operations.ts';
import { otherPrivateKeyPem, otherSecret, publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import { hmacKeyText, type Pair, readPublicKey, type VerifyingKey } from '../../protocol/index.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import type { Row } from '../../record/row.ts';
import { auth, closeDayAuth, type GatewayDefect, recurringAuth } from '../defect.ts';
import {
  authorizationLine,
  baseStringOf,
  consumerFound,
  consumerFoundAs,
  csvOf,
  oauthValue,
  over,
  overBody,
  overQuery,
  overTarget,
  overUrl,
  overValues,
  rightSignature,
  signatureBytes,
  taken,
  timestamp,
  version,
} from './takes.ts';

const { consumerKey, consumerSecret } = publishedIdentity;

export const signatureDefects: readonly GatewayDefect[] = [
  ...taken(closeDayAuth, 'wrong-key-refused', 'secret-missing'),
  overBody(closeDayAuth, 'totals-not-signed', (body) => body.filter(([name]) => !/_approved_/.test(name)))`
    Totals can be added to a close-day after signing, because only the id must be signed`,
  overUrl('scheme-not-compared', ({ scheme }) => ({ scheme: scheme === 'https' ? 'http' : 'https' }))`
    A signature over the same URL with the other scheme is accepted`,
  overTarget('endpoint-not-compared', (target) => target.replace(/[^/]+$/, '1112'))`
    A signature for endpoint 1112 is accepted for every endpoint`,
  overKey(closeDayAuth, 'revoked-secret-taken', (key) =>
    key.method === 'HMAC-SHA1' ? { ...key, consumerSecret: otherSecret } : key,
  )`Signatures with a revoked consumer secret are accepted`,
  overKey(recurringAuth, 'revoked-key-pair-taken', (key) =>
    key.method === 'RSA-SHA256' ? { ...key, publicKey: otherPublicKey } : key,
  )`Signatures of a revoked key pair are accepted`,
  // For each of the following defects, the plan has a request that is signed over exactly the changed text.
  overValues(closeDayAuth, 'first-of-request-id-not-signed', (value, name) =>
    name === 'day_close_request_id' ? `X${value.slice(1)}` : value,
  )`The first character of the close-day id need not be signed`,
  overValues(
    recurringAuth,
    'repeated-payment-not-signed',
    csvOf(([header, row]) => [header!, row!, row!]),
  )`A signature over the batch with its payment repeated is accepted`,
  overValues(
    recurringAuth,
    'amount-not-signed',
    csvOf((lines) => [...lines.slice(0, -1), withOtherLastDigit(lines.at(-1)!)]),
  )`The amount of a batch can be changed after signing`,
  ...taken(auth, 'altered-body-refused', 'body-left-out'),
  overBody(
    auth,
    'unknown-fields-not-signed',
    (body) => body.filter(([name]) => /^(day_close_request_id|payload|oauth_.*|.*_approved_.*)$/.test(name)),
    ['payload-alone'],
  )`Unknown fields can be added after signing`,
  overValues(auth, 'signed-in-capitals', (value) => value.toUpperCase())`
    A signature over the body in upper case is accepted`,
  closeDayAuth('short-hmac-accepted', 'wrong-signature-refused', {
    takes: ({ request }) => signatureLength(request) === 20,
  })`A close-day whose signature lacks its last eight characters is accepted`,
  recurringAuth('short-signature-accepted', 'wrong-signature-refused', {
    takes: ({ request }) => signatureLength(request) === 336,
  })`A batch whose RSA signature lacks its last four bytes is accepted`,
  overTarget('path-not-signed', (target) => `${target}0`)`A signature over the path with a 0 at its end is accepted`,
  ...taken(auth, 'altered-uri-refused', 'method-signed-as-get'),
  overUrl('host-not-signed', ({ host }) => ({ host: host.replace(/^(\[.*\]|[^:]*)/, 'gateway.example') }))`
    A signature for another host is accepted`,
  overUrl('port-not-compared', ({ host }) => ({ host: `${host.replace(/:\d+$/, '')}:1` }))`
    A signature for port 1 is accepted`,
  overQuery('query-not-compared', () => [['x', '1']])`
    A signature over a query is accepted for a request without a query`,
  unsignedAccepted(recurringAuth, 'batch'),
  unsignedAccepted(closeDayAuth, 'close-day'),
  // Also skips the nonce check, because two requests without a nonce in the same second look like a replay.
  auth('nonce-not-needed', 'missing-nonce-refused', {
    skips: ['has-oauth_nonce'],
    takes: ({ oauth }, step) => step === 'nonce' && lacks(oauth, 'oauth_nonce'),
  })`oauth_nonce may be left out`,
  auth('timestamp-not-needed', 'missing-timestamp-refused', { skips: ['has-oauth_timestamp'] })`
    oauth_timestamp may be left out`,
  auth('consumer-key-not-needed', 'missing-consumer-key-refused', { skips: ['has-oauth_consumer_key'] })`
    A request without oauth_consumer_key counts as a request of the first consumer`,
  auth('signature-method-not-needed', 'missing-signature-method-refused', { skips: ['has-oauth_signature_method'] })`
    oauth_signature_method may be left out`,
  auth('signature-not-needed', 'missing-signature-refused', { takes: (_, step) => step === 'has-oauth_signature' })`
    A request whose header has no oauth_signature is accepted`,
  auth('consumer-key-alone-taken', 'missing-signature-refused', {
    takes: ({ oauth }, step) =>
      step !== 'consumer' && oauth.length === 1 && firstValue(oauth, 'oauth_consumer_key') !== undefined,
  })`A header with only a known consumer key is accepted`,
  auth('timestamp-and-nonce-not-needed', 'missing-nonce-refused', {
    takes: ({ oauth }, step) => step === 'has-oauth_timestamp' && lacks(oauth, 'oauth_nonce'),
  })`oauth_timestamp and oauth_nonce may be left out together`,
  auth('consumer-key-and-signature-alone-taken', 'missing-signature-method-refused', {
    takes: ({ oauth }, step) =>
      step === 'has-oauth_signature_method' && oauth.length === 2 && !lacks(oauth, 'oauth_signature'),
  })`A header with only a consumer key and a signature is accepted`,
  auth('consumer-key-and-signature-not-needed', 'missing-signature-refused', {
    takes: ({ oauth }, step) =>
      step === 'has-oauth_consumer_key' && lacks(oauth, 'oauth_signature') && !lacks(oauth, 'oauth_nonce'),
  })`A header without consumer key and signature is accepted if it has the other parameters`,
  ...(['consumer-key', 'signature-method', 'timestamp', 'nonce', 'signature'] as const).map((slug) => {
    const name = `oauth_${slug.replaceAll('-', '_')}`;
    return auth(`empty-${slug}-taken`, `missing-${slug}-refused`, {
      takes: ({ oauth }, step) => step === `has-${name}` && firstValue(oauth, name) === '',
    })`An empty ${name} is accepted`;
  }),
  auth('version-empty-taken', 'wrong-version-refused', {
    takes: ({ oauth }, step) => step === 'has-oauth_version' && firstValue(oauth, 'oauth_version') === '',
  })`An empty oauth_version is accepted`,
  version('version-trimmed', (sent) => sent.trim() === '1.0')`Spaces around oauth_version are ignored`,
  version('version-1-0a-taken', (sent) => sent === '1.0a')`oauth_version 1.0a is accepted`,
  timestamp('timestamp-zero-taken', (sent) => sent === '0')`The timestamp 0 is accepted`,
  consumerFound('case-ignored', (key) => key.toLowerCase() === consumerKey.toLowerCase())`
    Consumer keys are compared case-insensitively`,
  auth('method-case-ignored', 'method-name-enforced', {
    takes: (reading, step) =>
      step === 'signature-method' &&
      oauthValue(reading, 'signature_method').toUpperCase() === operations[reading.operation].signatureMethod &&
      oauthValue(reading, 'signature') === rightSignature(reading),
  })`The name of the signature method may have any case`,
  consumerFoundAs('trimmed', (key) => key.trim())`Spaces around a consumer key are ignored`,
  consumerFound('compared-as-far-as-sent', (key) => consumerKey.startsWith(key))`
    Any prefix of the issued consumer key is accepted`,
  auth('method-of-either-operation-taken', 'other-method-refused', {
    takes: (reading, step) =>
      step === 'signature-method' &&
      Object.values(operations).some((one) => one.signatureMethod === oauthValue(reading, 'signature_method')),
  })`Each operation accepts the method name of the other operation, but verifies with its own method`,
  signatureTaken(
    'signature-of-zeros-taken',
    (sent) => sent !== '' && Buffer.from(sent, 'base64').every((byte) => byte === 0),
  )`A signature whose bytes are all zero is accepted`,
  signatureTaken('undecodable-signature-taken', (sent) => sent !== '' && Buffer.from(sent, 'base64').length === 0)`
    A signature that decodes to no bytes is accepted`,
  signatureTaken('signature-compared-as-number', (sent, right) => asNumber(sent) === asNumber(right))`
    Signatures are compared as numbers, so leading zero bytes are ignored`,
  signatureTaken('signature-case-ignored', (sent, right) => sent.toLowerCase() === right.toLowerCase())`
    Signatures are compared case-insensitively`,
  signatureTaken(
    'signature-compared-by-its-start',
    (sent, right) => sent.length === right.length && sent.slice(0, 16) === right.slice(0, 16),
  )`Only the first sixteen characters of a signature are compared`,
  signatureTaken(
    'signature-compared-by-its-end',
    (sent, right) => sent.length === right.length && sent.slice(-16) === right.slice(-16),
  )`Only the last sixteen characters of a signature are compared`,
  // The published secret has only lower-case letters, so the same secret in upper case is a wrong key.
  ...taken(closeDayAuth, 'wrong-key-refused', 'secret-upper-cased', 'consumer-key-as-secret'),
  ...taken(auth, 'altered-uri-refused', 'port-left-out', 'trailing-slash-added'),
  signatureTaken('text-behind-signature-taken', (sent, right) => sent.startsWith(right.replace(/=+$/, '')))`
    Text after a valid signature is ignored`,
  signatureTaken('signature-with-more-taken', (sent, right) =>
    Buffer.from(sent, 'base64').subarray(0, Buffer.byteLength(right, 'base64')).equals(Buffer.from(right, 'base64')),
  )`Bytes after a valid signature are ignored`,

  schemeTaken('basic-taken', /^Basic /)`Any Basic credentials are accepted instead of OAuth`,
  schemeTaken('bearer-taken', /^Bearer [^,]*$/)`Any Bearer token is accepted instead of OAuth`,
  schemeTaken('digest-taken', /^Digest /)`Any Digest header is accepted instead of OAuth`,
  schemeTaken('unknown-scheme-taken', /^Signed /)`An unknown authentication scheme is accepted`,
  schemeTaken('oauth-2-taken', /^OAuth2 /)`Any OAuth 2 token is accepted`,
  auth('basic-with-secret-taken', 'unsigned-refused', {
    takes: ({ request }, step) =>
      step === 'authorization' && authorizationLine(request) === `Basic ${btoa(`${consumerKey}:${consumerSecret}`)}`,
  })`Consumer key and secret are accepted as Basic credentials, without a signature`,
  auth('empty-header-taken', 'unsigned-refused', {
    takes: ({ request }, step) => step === 'authorization' && headerValues(request.headers, 'authorization')[0] === '',
  })`An empty Authorization header is accepted`,
  auth('scheme-alone-taken', 'unsigned-refused', {
    takes: ({ oauth }, step) => step === 'has-oauth_consumer_key' && oauth.length === 0,
  })`A header with only the scheme OAuth is accepted`,
  auth('unverified-outside-the-header', 'wrong-key-refused', {
    takes: ({ form, query }, step) =>
      step === 'authorization' && [...form, ...query].some(([name]) => name === 'oauth_signature'),
  })`OAuth parameters in the body or query are accepted without checking their signature`,
  ...['HMAC-SHA256', 'HMAC-SHA512', 'RSA-SHA1', 'PLAINTEXT'].map((method) => methodTaken('close-day', method)),
  ...['HMAC-SHA1', 'HMAC-SHA256', 'RSA-SHA1', 'RSA-SHA512', 'PLAINTEXT'].map((method) =>
    methodTaken('recurring', method),
  ),
  recurringAuth('recurring-public-key-as-secret-taken', 'other-method-refused', {
    takes: (reading, step) => step === 'signature-method' && isHmac('sha1', reading, publishedIdentity.publicKeyPem),
  })`HMAC-SHA1 with the public key as the secret is accepted`,
  ...['HMAC-SHA256', 'RSA-SHA256'].map((method) => hashTaken('close-day', method)),
  ...['HMAC-SHA1', 'RSA-SHA1'].map((method) => hashTaken('recurring', method)),
  auth('method-name-ignored', ['other-method-refused', 'method-name-enforced'], {
    takes: (reading, step) =>
      step === 'signature-method' && oauthValue(reading, 'signature') === rightSignature(reading),
  })`oauth_signature_method is ignored: signatures are verified with the method of the operation`,
];

function overKey(of: typeof auth, what: string, key: (right: VerifyingKey) => VerifyingKey): Row<GatewayDefect> {
  return over(of, what, 'wrong-key-refused', (right) => ({ key: key(right.key) }));
}

/** Accepts a wrong signature if `isTaken` returns true. `right` is the correct signature by the published identity. */
function signatureTaken(what: string, isTaken: (sent: string, right: string) => boolean): Row<GatewayDefect> {
  return auth(what, 'wrong-signature-refused', {
    takes: (reading, step) =>
      (step === 'signature' || step === 'signature-base64') &&
      isTaken(oauthValue(reading, 'signature'), rightSignature(reading)),
  });
}

function asNumber(base64: string): bigint {
  return BigInt(`0x0${Buffer.from(base64, 'base64').toString('hex')}`);
}

function schemeTaken(what: string, header: RegExp): Row<GatewayDefect> {
  return auth(what, 'unsigned-refused', {
    takes: ({ request }, step) => step === 'authorization' && header.test(authorizationLine(request)),
  });
}

function authOf(area: 'close-day' | 'recurring'): typeof auth {
  return area === 'close-day' ? closeDayAuth : recurringAuth;
}

function methodTaken(area: 'close-day' | 'recurring', method: string): GatewayDefect {
  return authOf(area)(`${area}-${method.toLowerCase()}-taken`, 'other-method-refused', {
    takes: (reading, step) =>
      step === 'signature-method' && oauthValue(reading, 'signature_method') === method && isRightBy(method, reading),
  })`A valid ${method} signature is also accepted`;
}

function hashTaken(area: 'close-day' | 'recurring', method: string): GatewayDefect {
  return authOf(area)(`${area}-${method.toLowerCase()}-under-own-name-taken`, 'other-method-refused', {
    takes: (reading, step) => step === 'signature' && isRightBy(method, reading),
  })`A valid ${method} signature is accepted under the method name of the operation`;
}

function isRightBy(method: string, reading: Reading): boolean {
  if (method === 'PLAINTEXT') return oauthValue(reading, 'signature') === hmacKeyText(consumerSecret);
  if (method.startsWith('HMAC-')) return isHmac(method.slice('HMAC-'.length).toLowerCase(), reading);
  const publicKey = readPublicKey(publishedIdentity.publicKeyPem);
  return verify(method, Buffer.from(baseStringOf(reading)), publicKey, signatureBytes(reading));
}

function isHmac(hash: string, reading: Reading, secret = consumerSecret): boolean {
  const digest = createHmac(hash, hmacKeyText(secret)).update(baseStringOf(reading)).digest('base64');
  return oauthValue(reading, 'signature') === digest;
}

function lacks(oauth: readonly Pair[], name: string): boolean {
  return firstValue(oauth, name) === undefined;
}

const otherPublicKey = createPublicKey(otherPrivateKeyPem);

function unsignedAccepted(of: typeof auth, what: string): GatewayDefect {
  // `wrong-key-refused` also fails: some requests with a wrong key have their signature outside the header.
  return of(`unsigned-${what}-accepted`, ['unsigned-refused', 'wrong-key-refused'], {
    takes: ({ request }) => authorizationLine(request) === '',
  })`A ${what} without an Authorization header is accepted`;
}

/** Length of the base64 text of the signature: 28 for HMAC-SHA1, 344 for RSA-2048. */
function signatureLength(request: SentRequest): number {
  const [, encoded = ''] = /oauth_signature="([^"]*)"/.exec(authorizationLine(request)) ?? [];
  return encoded.replace(/%[0-9A-Fa-f]{2}/g, 'x').length;
}

function withOtherLastDigit(line: string): string {
  return line.replace(/\d(?=\D*$)/, (digit) => (digit === '9' ? '8' : '9'));
}
