/** Gateways that take what comes near the right thing: a value, a signature, a scheme or a method of section 5. */
import { createHmac, verify } from 'node:crypto';
import { operations } from '../../../contracts/operations.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import { hmacKeyText, readPublicKey } from '../../protocol/index.ts';
import { headerValues } from '../../record/exchange.ts';
import { auth, closeDayAuth, type GatewayDefect, recurringAuth } from '../defect.ts';
import {
  alsoTakes,
  authorizationLine,
  baseStringOf,
  consumerFound,
  consumerFoundAs,
  oauthValue,
  overTarget,
  overUrl,
  rightSignature,
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
    return auth(`empty-${slug}-taken`, `An empty ${name} is taken`, `missing-${slug}-refused`, {
      takes: ({ oauth }, step) => step === `has-${name}` && firstValue(oauth, name) === '',
    });
  }),
  auth('version-empty-taken', 'An empty oauth_version is taken', 'wrong-version-refused', {
    takes: ({ oauth }, step) => step === 'has-oauth_version' && firstValue(oauth, 'oauth_version') === '',
  }),
  auth('version-trimmed', 'Blanks around oauth_version are ignored', 'wrong-version-refused', {
    takes: (reading, step) => step === 'version' && oauthValue(reading, 'version').trim() === '1.0',
  }),
  auth('version-1-0a-taken', 'oauth_version 1.0a is taken', 'wrong-version-refused', {
    takes: (reading, step) => step === 'version' && oauthValue(reading, 'version') === '1.0a',
  }),
  auth('timestamp-zero-taken', 'The timestamp 0 is taken', 'malformed-timestamp-refused', {
    takes: (reading, step) => step === 'timestamp' && oauthValue(reading, 'timestamp') === '0',
  }),
  consumerFound(
    'case-ignored',
    'Consumer keys are compared without regard to case',
    (key) => key.toLowerCase() === consumerKey.toLowerCase(),
  ),
  auth('method-case-ignored', 'The name of the signature method may have any case', 'method-name-enforced', {
    takes: (reading, step) =>
      step === 'signature-method' &&
      oauthValue(reading, 'signature_method').toUpperCase() === operations[reading.operation].signatureMethod &&
      oauthValue(reading, 'signature') === rightSignature(reading),
  }),
  consumerFoundAs('trimmed', 'Blanks around a consumer key are ignored', (key) => key.trim()),
  consumerFound('compared-as-far-as-sent', 'Whatever the issued consumer key begins with is taken for it', (key) =>
    consumerKey.startsWith(key),
  ),
  auth(
    'method-of-either-operation-taken',
    "Either operation takes the name of the other's signature method for its own",
    'other-method-refused',
    {
      takes: (reading, step) =>
        step === 'signature-method' &&
        Object.values(operations).some((one) => one.signatureMethod === oauthValue(reading, 'signature_method')),
    },
  ),
  signatureTaken(
    'signature-of-zeros-taken',
    'A signature of zeros is taken',
    (sent) => sent !== '' && Buffer.from(sent, 'base64').every((byte) => byte === 0),
  ),
  signatureTaken(
    'undecodable-signature-taken',
    'A signature that decodes to nothing is taken, since nothing of it differs',
    (sent) => sent !== '' && Buffer.from(sent, 'base64').length === 0,
  ),
  signatureTaken(
    'signature-compared-as-number',
    'Signatures are compared as numbers, which zeros before them do not change',
    (sent, right) => asNumber(sent) === asNumber(right),
  ),
  signatureTaken(
    'signature-case-ignored',
    'Signatures are compared without regard to case',
    (sent, right) => sent.toLowerCase() === right.toLowerCase(),
  ),
  signatureTaken(
    'signature-compared-by-its-start',
    'Only the first sixteen characters of a signature are compared',
    (sent, right) => sent.length === right.length && sent.slice(0, 16) === right.slice(0, 16),
  ),
  signatureTaken(
    'signature-compared-by-its-end',
    'Only the last sixteen characters of a signature are compared',
    (sent, right) => sent.length === right.length && sent.slice(-16) === right.slice(-16),
  ),
  closeDayAuth(
    'secret-case-ignored',
    'The letters of a consumer secret may have any case',
    'wrong-key-refused',
    // The published secret has small letters alone.
    alsoTakes(({ key }) =>
      key.method === 'HMAC-SHA1' ? { key: { ...key, consumerSecret: key.consumerSecret.toUpperCase() } } : {},
    ),
  ),
  closeDayAuth(
    'consumer-key-taken-as-secret',
    'A signature made with the consumer key as the secret is taken: whoever saw one request can sign others',
    'wrong-key-refused',
    alsoTakes(() => ({ key: { method: 'HMAC-SHA1', consumerSecret: consumerKey } })),
  ),
  overUrl('signature-without-port-taken', 'The signature of a request without its port is taken', ({ host }) => ({
    host: host.replace(/:\d+$/, ''),
  })),
  overTarget(
    'slash-behind-path-ignored',
    'The signature of a path with a slash behind it is taken',
    (target) => `${target}/`,
  ),
  signatureTaken('text-behind-signature-taken', 'A signature need only begin as the right one', (sent, right) =>
    sent.startsWith(right.replace(/=+$/, '')),
  ),
  signatureTaken('signature-with-more-taken', 'What follows a right signature is ignored', (sent, right) =>
    Buffer.from(sent, 'base64').subarray(0, Buffer.byteLength(right, 'base64')).equals(Buffer.from(right, 'base64')),
  ),

  schemeTaken('basic-taken', 'A name and a password (Basic) are taken in place of OAuth, whatever they are', /^Basic /),
  schemeTaken('bearer-taken', 'A token (Bearer) is taken in place of OAuth, whatever it is', /^Bearer [^,]*$/),
  schemeTaken('digest-taken', 'Digest is taken in place of OAuth, whatever it holds', /^Digest /),
  schemeTaken('unknown-scheme-taken', 'A scheme that does not exist is taken', /^Signed /),
  schemeTaken('oauth-2-taken', 'A token of OAuth 2 is taken, whatever it is', /^OAuth2 /),
  auth(
    'basic-with-secret-taken',
    'The consumer key and its secret are taken as a name and a password (Basic), and no signature is asked for',
    'unsigned-refused',
    {
      takes: ({ request }, step) =>
        step === 'authorization' && authorizationLine(request) === `Basic ${btoa(`${consumerKey}:${consumerSecret}`)}`,
    },
  ),
  auth('empty-header-taken', 'An empty Authorization header is taken', 'unsigned-refused', {
    takes: ({ request }, step) => step === 'authorization' && headerValues(request.headers, 'authorization')[0] === '',
  }),
  auth('scheme-alone-taken', 'A header that holds OAuth and no parameter is taken', 'unsigned-refused', {
    takes: ({ oauth }, step) => step === 'has-oauth_consumer_key' && oauth.length === 0,
  }),
  auth(
    'unverified-outside-the-header',
    'OAuth parameters in the body or in the query are taken in place of the header, whatever their signature',
    'wrong-key-refused',
    {
      takes: ({ form, query }, step) =>
        step === 'authorization' && [...form, ...query].some(([name]) => name === 'oauth_signature'),
    },
  ),
  ...['HMAC-SHA256', 'HMAC-SHA512', 'RSA-SHA1', 'PLAINTEXT'].map((method) => methodTaken('close-day', method)),
  ...['HMAC-SHA1', 'HMAC-SHA256', 'RSA-SHA1', 'RSA-SHA512', 'PLAINTEXT'].map((method) =>
    methodTaken('recurring', method),
  ),
  recurringAuth(
    'recurring-public-key-as-secret-taken',
    'HMAC-SHA1 with the public key as its secret is taken',
    'other-method-refused',
    {
      takes: (reading, step) => step === 'signature-method' && isHmac('sha1', reading, publishedIdentity.publicKeyPem),
    },
  ),
  ...['HMAC-SHA256', 'RSA-SHA256'].map((method) => hashTaken('close-day', method)),
  ...['HMAC-SHA1', 'RSA-SHA1'].map((method) => hashTaken('recurring', method)),
  {
    ...auth('method-name-ignored', 'Whatever oauth_signature_method names, the method of the operation is taken', [], {
      takes: (reading, step) =>
        step === 'signature-method' && oauthValue(reading, 'signature') === rightSignature(reading),
    }),
    breaks: Object.keys(anyNameTaken) as (keyof typeof anyNameTaken)[],
    reasons: anyNameTaken,
  },
];

/** The request of the published consumer is taken where its signature is as near to the right one as that. */
function signatureTaken(
  what: string,
  summary: string,
  isNear: (sent: string, right: string) => boolean,
): GatewayDefect {
  return auth(what, summary, 'wrong-signature-refused', {
    takes: (reading, step) =>
      (step === 'signature' || step === 'signature-base64') &&
      isNear(oauthValue(reading, 'signature'), rightSignature(reading)),
  });
}

function asNumber(base64: string): bigint {
  return BigInt(`0x0${Buffer.from(base64, 'base64').toString('hex')}`);
}

function schemeTaken(what: string, summary: string, header: RegExp): GatewayDefect {
  return auth(what, summary, 'unsigned-refused', {
    takes: ({ request }, step) => step === 'authorization' && header.test(authorizationLine(request)),
  });
}

/** A right signature by the method that the header names. */
function methodTaken(area: 'close-day' | 'recurring', method: string): GatewayDefect {
  return (area === 'close-day' ? closeDayAuth : recurringAuth)(
    `${area}-${method.toLowerCase()}-taken`,
    `A right signature by ${method} is taken too`,
    'other-method-refused',
    {
      takes: (reading, step) =>
        step === 'signature-method' && oauthValue(reading, 'signature_method') === method && isRightBy(method, reading),
    },
  );
}

/** A right signature by another method than the header names, which is that of the operation. */
function hashTaken(area: 'close-day' | 'recurring', method: string): GatewayDefect {
  return (area === 'close-day' ? closeDayAuth : recurringAuth)(
    `${area}-${method.toLowerCase()}-under-own-name-taken`,
    `A right signature by ${method} is taken under the name of the operation's own method`,
    'other-method-refused',
    { takes: (reading, step) => step === 'signature' && isRightBy(method, reading) },
  );
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
