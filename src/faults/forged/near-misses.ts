/** Gateways that take what comes near the right thing: a value, a signature, a scheme or a method of section 5. */
import { createHmac, verify } from 'node:crypto';
import { operations } from '../../../contracts/operations.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import { hmacKeyText, readPublicKey } from '../../protocol/index.ts';
import { headerValues } from '../../record/exchange.ts';
import type { Row } from '../../record/row.ts';
import { auth, closeDayAuth, type GatewayDefect, recurringAuth } from '../defect.ts';
import {
  authorizationLine,
  baseStringOf,
  consumerFound,
  consumerFoundAs,
  oauthValue,
  rightSignature,
  taken,
  timestamp,
  version,
} from './takes.ts';

const { consumerKey, consumerSecret } = publishedIdentity;

const anyNameTaken = {
  'authentication/close-day-other-method-refused': 'the name of another method is a name',
  'authentication/close-day-method-name-enforced': 'so is the right one in other letters',
  'authentication/recurring-other-method-refused': 'the same for the other operation',
  'authentication/recurring-method-name-enforced': 'the same for the other operation',
} as const;

export const nearMissDefects: readonly GatewayDefect[] = [
  ...(['consumer-key', 'signature-method', 'timestamp', 'nonce', 'signature'] as const).map((slug) => {
    const name = `oauth_${slug.replaceAll('-', '_')}`;
    return auth(`empty-${slug}-taken`, `missing-${slug}-refused`, {
      takes: ({ oauth }, step) => step === `has-${name}` && firstValue(oauth, name) === '',
    })`An empty ${name} is taken`;
  }),
  auth('version-empty-taken', 'wrong-version-refused', {
    takes: ({ oauth }, step) => step === 'has-oauth_version' && firstValue(oauth, 'oauth_version') === '',
  })`An empty oauth_version is taken`,
  version('version-trimmed', (sent) => sent.trim() === '1.0')`Blanks around oauth_version are ignored`,
  version('version-1-0a-taken', (sent) => sent === '1.0a')`oauth_version 1.0a is taken`,
  timestamp('timestamp-zero-taken', (sent) => sent === '0')`The timestamp 0 is taken`,
  consumerFound('case-ignored', (key) => key.toLowerCase() === consumerKey.toLowerCase())`
    Consumer keys are compared without regard to case`,
  auth('method-case-ignored', 'method-name-enforced', {
    takes: (reading, step) =>
      step === 'signature-method' &&
      oauthValue(reading, 'signature_method').toUpperCase() === operations[reading.operation].signatureMethod &&
      oauthValue(reading, 'signature') === rightSignature(reading),
  })`The name of the signature method may have any case`,
  consumerFoundAs('trimmed', (key) => key.trim())`Blanks around a consumer key are ignored`,
  consumerFound('compared-as-far-as-sent', (key) => consumerKey.startsWith(key))`
    Whatever the issued consumer key begins with is taken for it`,
  auth('method-of-either-operation-taken', 'other-method-refused', {
    takes: (reading, step) =>
      step === 'signature-method' &&
      Object.values(operations).some((one) => one.signatureMethod === oauthValue(reading, 'signature_method')),
  })`Either operation takes the name of the other's signature method for its own`,
  signatureTaken(
    'signature-of-zeros-taken',
    (sent) => sent !== '' && Buffer.from(sent, 'base64').every((byte) => byte === 0),
  )`A signature of zeros is taken`,
  signatureTaken('undecodable-signature-taken', (sent) => sent !== '' && Buffer.from(sent, 'base64').length === 0)`
    A signature that decodes to nothing is taken, since nothing of it differs`,
  signatureTaken('signature-compared-as-number', (sent, right) => asNumber(sent) === asNumber(right))`
    Signatures are compared as numbers, which zeros before them do not change`,
  signatureTaken('signature-case-ignored', (sent, right) => sent.toLowerCase() === right.toLowerCase())`
    Signatures are compared without regard to case`,
  signatureTaken(
    'signature-compared-by-its-start',
    (sent, right) => sent.length === right.length && sent.slice(0, 16) === right.slice(0, 16),
  )`Only the first sixteen characters of a signature are compared`,
  signatureTaken(
    'signature-compared-by-its-end',
    (sent, right) => sent.length === right.length && sent.slice(-16) === right.slice(-16),
  )`Only the last sixteen characters of a signature are compared`,
  // The published secret has small letters alone.
  ...taken(closeDayAuth, 'wrong-key-refused', 'secret-upper-cased', 'consumer-key-as-secret'),
  ...taken(auth, 'altered-uri-refused', 'port-left-out', 'trailing-slash-added'),
  signatureTaken('text-behind-signature-taken', (sent, right) => sent.startsWith(right.replace(/=+$/, '')))`
    A signature need only begin as the right one`,
  signatureTaken('signature-with-more-taken', (sent, right) =>
    Buffer.from(sent, 'base64').subarray(0, Buffer.byteLength(right, 'base64')).equals(Buffer.from(right, 'base64')),
  )`What follows a right signature is ignored`,

  schemeTaken('basic-taken', /^Basic /)`A name and a password (Basic) are taken in place of OAuth, whatever they are`,
  schemeTaken('bearer-taken', /^Bearer [^,]*$/)`A token (Bearer) is taken in place of OAuth, whatever it is`,
  schemeTaken('digest-taken', /^Digest /)`Digest is taken in place of OAuth, whatever it holds`,
  schemeTaken('unknown-scheme-taken', /^Signed /)`A scheme that does not exist is taken`,
  schemeTaken('oauth-2-taken', /^OAuth2 /)`A token of OAuth 2 is taken, whatever it is`,
  auth('basic-with-secret-taken', 'unsigned-refused', {
    takes: ({ request }, step) =>
      step === 'authorization' && authorizationLine(request) === `Basic ${btoa(`${consumerKey}:${consumerSecret}`)}`,
  })`The consumer key and its secret are taken as a name and a password (Basic), and no signature is asked for`,
  auth('empty-header-taken', 'unsigned-refused', {
    takes: ({ request }, step) => step === 'authorization' && headerValues(request.headers, 'authorization')[0] === '',
  })`An empty Authorization header is taken`,
  auth('scheme-alone-taken', 'unsigned-refused', {
    takes: ({ oauth }, step) => step === 'has-oauth_consumer_key' && oauth.length === 0,
  })`A header that holds OAuth and no parameter is taken`,
  auth('unverified-outside-the-header', 'wrong-key-refused', {
    takes: ({ form, query }, step) =>
      step === 'authorization' && [...form, ...query].some(([name]) => name === 'oauth_signature'),
  })`OAuth parameters in the body or in the query are taken in place of the header, whatever their signature`,
  ...['HMAC-SHA256', 'HMAC-SHA512', 'RSA-SHA1', 'PLAINTEXT'].map((method) => methodTaken('close-day', method)),
  ...['HMAC-SHA1', 'HMAC-SHA256', 'RSA-SHA1', 'RSA-SHA512', 'PLAINTEXT'].map((method) =>
    methodTaken('recurring', method),
  ),
  recurringAuth('recurring-public-key-as-secret-taken', 'other-method-refused', {
    takes: (reading, step) => step === 'signature-method' && isHmac('sha1', reading, publishedIdentity.publicKeyPem),
  })`HMAC-SHA1 with the public key as its secret is taken`,
  ...['HMAC-SHA256', 'RSA-SHA256'].map((method) => hashTaken('close-day', method)),
  ...['HMAC-SHA1', 'RSA-SHA1'].map((method) => hashTaken('recurring', method)),
  {
    ...auth('method-name-ignored', [], {
      takes: (reading, step) =>
        step === 'signature-method' && oauthValue(reading, 'signature') === rightSignature(reading),
    })`Whatever oauth_signature_method names, the method of the operation is taken`,
    breaks: Object.keys(anyNameTaken) as (keyof typeof anyNameTaken)[],
    reasons: anyNameTaken,
  },
];

/** The request of the published consumer is taken where its signature is as near to the right one as that. */
function signatureTaken(what: string, isNear: (sent: string, right: string) => boolean): Row<GatewayDefect> {
  return auth(what, 'wrong-signature-refused', {
    takes: (reading, step) =>
      (step === 'signature' || step === 'signature-base64') &&
      isNear(oauthValue(reading, 'signature'), rightSignature(reading)),
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

/** A right signature by the method that the header names. */
function methodTaken(area: 'close-day' | 'recurring', method: string): GatewayDefect {
  return authOf(area)(`${area}-${method.toLowerCase()}-taken`, 'other-method-refused', {
    takes: (reading, step) =>
      step === 'signature-method' && oauthValue(reading, 'signature_method') === method && isRightBy(method, reading),
  })`A right signature by ${method} is taken too`;
}

/** A right signature by another method than the header names, which is that of the operation. */
function hashTaken(area: 'close-day' | 'recurring', method: string): GatewayDefect {
  return authOf(area)(`${area}-${method.toLowerCase()}-under-own-name-taken`, 'other-method-refused', {
    takes: (reading, step) => step === 'signature' && isRightBy(method, reading),
  })`A right signature by ${method} is taken under the name of the operation's own method`;
}

function isRightBy(method: string, reading: Reading): boolean {
  if (method === 'PLAINTEXT') return oauthValue(reading, 'signature') === hmacKeyText(consumerSecret);
  if (method.startsWith('HMAC-')) return isHmac(method.slice('HMAC-'.length).toLowerCase(), reading);
  const publicKey = readPublicKey(publishedIdentity.publicKeyPem);
  const signature = Buffer.from(oauthValue(reading, 'signature'), 'base64');
  return verify(method, Buffer.from(baseStringOf(reading)), publicKey, signature);
}

function isHmac(hash: string, reading: Reading, secret = consumerSecret): boolean {
  const digest = createHmac(hash, hmacKeyText(secret)).update(baseStringOf(reading)).digest('base64');
  return oauthValue(reading, 'signature') === digest;
}
