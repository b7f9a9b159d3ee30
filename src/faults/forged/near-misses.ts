/** Gateways that take what comes near the right thing: section 5 asks for the thing itself. */
import { operations } from '../../../contracts/operations.ts';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import { readPrivateKey, type SignatureMethod, type SigningKey, sign } from '../../protocol/index.ts';
import type { GatewayDefect } from '../defect.ts';
import { alsoTakes, baseStringOf } from '../taken-anyway.ts';

type Row = `${'missing' | 'altered' | 'wrong' | 'malformed' | 'unknown' | 'method' | 'other'}-${string}`;

export const nearMissDefects: readonly GatewayDefect[] = [
  emptyTaken('consumer-key'),
  emptyTaken('signature-method'),
  emptyTaken('timestamp'),
  emptyTaken('nonce'),
  emptyTaken('signature'),
  {
    ...taken('version-empty-taken', 'An empty oauth_version is taken', 'wrong-version-refused'),
    alteration: {
      takes: ({ oauth }, step) => step === 'has-oauth_version' && firstValue(oauth, 'oauth_version') === '',
    },
  },
  {
    ...taken('version-trimmed', 'Blanks around oauth_version are ignored', 'wrong-version-refused'),
    alteration: {
      takes: ({ oauth }, step) => step === 'version' && firstValue(oauth, 'oauth_version')?.trim() === '1.0',
    },
  },
  valueTaken('version-1-0a-taken', 'oauth_version 1.0a is taken', 'version', '1.0a', 'wrong-version-refused'),
  valueTaken('timestamp-zero-taken', 'The timestamp 0 is taken', 'timestamp', '0', 'malformed-timestamp-refused'),
  {
    ...taken(
      'consumer-key-case-ignored',
      'Consumer keys are compared without regard to case',
      'unknown-consumer-refused',
    ),
    alteration: {
      takes: ({ oauth }, step) =>
        step === 'consumer' &&
        firstValue(oauth, 'oauth_consumer_key')?.toLowerCase() === publishedIdentity.consumerKey.toLowerCase(),
    },
  },
  {
    ...taken('method-case-ignored', 'The name of the signature method may have any case', 'method-name-enforced'),
    alteration: {
      takes: (reading, step) =>
        step === 'signature-method' &&
        firstValue(reading.oauth, 'oauth_signature_method')?.toUpperCase() ===
          operations[reading.operation].signatureMethod &&
        firstValue(reading.oauth, 'oauth_signature') === rightSignature(reading),
    },
  },
  {
    ...taken('consumer-key-trimmed', 'Blanks around a consumer key are ignored', 'unknown-consumer-refused'),
    alteration: {
      takes: ({ oauth }, step) =>
        step === 'consumer' && firstValue(oauth, 'oauth_consumer_key')?.trim() === publishedIdentity.consumerKey,
    },
  },
  {
    ...taken(
      'consumer-key-compared-as-far-as-sent',
      'Whatever the issued consumer key begins with is taken for it',
      'unknown-consumer-refused',
    ),
    alteration: {
      takes: ({ oauth }, step) =>
        step === 'consumer' && publishedIdentity.consumerKey.startsWith(firstValue(oauth, 'oauth_consumer_key') ?? '?'),
    },
  },
  {
    ...taken(
      'method-of-either-operation-taken',
      "Either operation takes the name of the other's signature method for its own",
      'other-method-refused',
    ),
    alteration: {
      takes: ({ oauth }, step) =>
        step === 'signature-method' &&
        Object.values(operations).some((one) => one.signatureMethod === firstValue(oauth, 'oauth_signature_method')),
    },
  },
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
  {
    side: 'gateway',
    operation: 'close-day',
    id: 'authentication/secret-case-ignored',
    summary: 'The letters of a consumer secret may have any case',
    breaks: ['authentication/close-day-wrong-key-refused'],
    // The published secret has small letters alone.
    alteration: alsoTakes((material) =>
      material.key.method === 'HMAC-SHA1'
        ? { ...material, key: { ...material.key, consumerSecret: material.key.consumerSecret.toUpperCase() } }
        : material,
    ),
  },
  {
    side: 'gateway',
    operation: 'close-day',
    id: 'authentication/consumer-key-taken-as-secret',
    summary: 'A signature made with the consumer key as the secret is taken: whoever saw one request can sign others',
    breaks: ['authentication/close-day-wrong-key-refused'],
    alteration: alsoTakes((material) => ({
      ...material,
      key: { method: 'HMAC-SHA1', consumerSecret: publishedIdentity.consumerKey },
    })),
  },
  {
    ...taken(
      'signature-without-port-taken',
      'The signature of a request without its port is taken',
      'altered-uri-refused',
    ),
    alteration: alsoTakes(({ url, ...rest }) => ({ ...rest, url: { ...url, host: url.host.replace(/:\d+$/, '') } })),
  },
  {
    ...taken(
      'slash-behind-path-ignored',
      'The signature of a path with a slash behind it is taken',
      'altered-uri-refused',
    ),
    alteration: alsoTakes(({ url, ...rest }) => ({ ...rest, url: { ...url, target: `${url.target}/` } })),
  },
  signatureTaken('text-behind-signature-taken', 'A signature need only begin as the right one', (sent, right) =>
    sent.startsWith(right.replace(/=+$/, '')),
  ),
  signatureTaken('signature-with-more-taken', 'What follows a right signature is ignored', (sent, right) =>
    Buffer.from(sent, 'base64').subarray(0, Buffer.byteLength(right, 'base64')).equals(Buffer.from(right, 'base64')),
  ),
];

function taken(what: string, summary: string, row: Row): Omit<GatewayDefect, 'alteration'> {
  const breaks = ['close-day', 'recurring'].map((area) => `authentication/${area}-${row}` as TestableId<'gateway'>);
  return { id: `authentication/${what}`, side: 'gateway', operation: 'both', summary, breaks };
}

function emptyTaken(slug: string): GatewayDefect {
  const name = `oauth_${slug.replaceAll('-', '_')}`;
  return {
    ...taken(`empty-${slug}-taken`, `An empty ${name} is taken`, `missing-${slug}-refused`),
    alteration: { takes: ({ oauth }, step) => step === `has-${name}` && firstValue(oauth, name) === '' },
  };
}

function valueTaken(what: string, summary: string, parameter: string, value: string, row: Row): GatewayDefect {
  return {
    ...taken(what, summary, row),
    alteration: {
      takes: ({ oauth }, step) => step === parameter && firstValue(oauth, `oauth_${parameter}`) === value,
    },
  };
}

/** The request of the published consumer is taken where its signature is as near to the right one as that. */
function signatureTaken(
  what: string,
  summary: string,
  isNear: (sent: string, right: string) => boolean,
): GatewayDefect {
  return {
    ...taken(what, summary, 'wrong-signature-refused'),
    alteration: {
      takes: (reading, step) =>
        (step === 'signature' || step === 'signature-base64') &&
        isNear(firstValue(reading.oauth, 'oauth_signature') ?? '', rightSignature(reading)),
    },
  };
}

function asNumber(base64: string): bigint {
  return BigInt(`0x0${Buffer.from(base64, 'base64').toString('hex')}`);
}

const { consumerSecret, privateKeyPem } = publishedIdentity;
const keys: Readonly<Record<SignatureMethod, SigningKey>> = {
  'HMAC-SHA1': { method: 'HMAC-SHA1', consumerSecret },
  'RSA-SHA256': { method: 'RSA-SHA256', privateKey: readPrivateKey(privateKeyPem) },
};

/** RFC 5849 section 3.4, over the request as received. */
export function rightSignature(reading: Reading): string {
  return sign(baseStringOf(reading), keys[operations[reading.operation].signatureMethod]);
}
