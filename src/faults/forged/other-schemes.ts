/** Gateways that take another authentication than OAuth, or another signature method than the operation's own: section 5. */
import { createHmac, verify } from 'node:crypto';
import { type Area, operationNames, operations } from '../../../contracts/operations.ts';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import { hmacKeyText, readPublicKey } from '../../protocol/index.ts';
import { headerValues } from '../../record/exchange.ts';
import type { GatewayDefect } from '../defect.ts';
import { authorizationLine, baseStringOf } from '../taken-anyway.ts';
import { rightSignature } from './near-misses.ts';

const both = { side: 'gateway', operation: 'both' } as const;
const unsigned = ['authentication/close-day-unsigned-refused', 'authentication/recurring-unsigned-refused'] as const;

export const otherSchemeDefects: readonly GatewayDefect[] = [
  schemeTaken('basic-taken', 'A name and a password (Basic) are taken in place of OAuth, whatever they are', /^Basic /),
  schemeTaken('bearer-taken', 'A token (Bearer) is taken in place of OAuth, whatever it is', /^Bearer [^,]*$/),
  schemeTaken('digest-taken', 'Digest is taken in place of OAuth, whatever it holds', /^Digest /),
  schemeTaken('unknown-scheme-taken', 'A scheme that does not exist is taken', /^Signed /),
  schemeTaken('oauth-2-taken', 'A token of OAuth 2 is taken, whatever it is', /^OAuth2 /),
  {
    ...both,
    id: 'authentication/basic-with-secret-taken',
    summary:
      'The consumer key and its secret are taken as a name and a password (Basic), and no signature is asked for',
    breaks: unsigned,
    alteration: {
      takes: ({ request }, step) => step === 'authorization' && authorizationLine(request) === ownBasic,
    },
  },
  {
    ...both,
    id: 'authentication/empty-header-taken',
    summary: 'An empty Authorization header is taken',
    breaks: unsigned,
    alteration: {
      takes: ({ request }, step) =>
        step === 'authorization' && headerValues(request.headers, 'authorization')[0] === '',
    },
  },
  {
    ...both,
    id: 'authentication/scheme-alone-taken',
    summary: 'A header that holds OAuth and no parameter is taken',
    breaks: unsigned,
    alteration: { takes: ({ oauth }, step) => step === 'has-oauth_consumer_key' && oauth.length === 0 },
  },
  {
    ...both,
    id: 'authentication/unverified-outside-the-header',
    summary: 'OAuth parameters in the body or in the query are taken in place of the header, whatever their signature',
    breaks: ['authentication/close-day-wrong-key-refused', 'authentication/recurring-wrong-key-refused'],
    alteration: {
      takes: ({ form, query }, step) =>
        step === 'authorization' && [...form, ...query].some(([name]) => name === 'oauth_signature'),
    },
  },
  methodTaken('close-day', 'HMAC-SHA256', isHmac('sha256')),
  methodTaken('close-day', 'HMAC-SHA512', isHmac('sha512')),
  methodTaken('close-day', 'RSA-SHA1', isRsa('RSA-SHA1')),
  methodTaken('close-day', 'PLAINTEXT', isPlaintext),
  methodTaken('recurring', 'HMAC-SHA1', isHmac('sha1')),
  methodTaken('recurring', 'HMAC-SHA256', isHmac('sha256')),
  methodTaken('recurring', 'RSA-SHA1', isRsa('RSA-SHA1')),
  methodTaken('recurring', 'RSA-SHA512', isRsa('RSA-SHA512')),
  methodTaken('recurring', 'PLAINTEXT', isPlaintext),
  {
    ...ofArea('recurring', 'public-key-as-secret-taken', 'HMAC-SHA1 with the public key as its secret is taken'),
    alteration: {
      takes: (reading, step) =>
        step === 'signature-method' &&
        reading.operation === 'process-recurring-payments' &&
        isHmac('sha1', publishedIdentity.publicKeyPem)(reading),
    },
  },
  hashTaken('close-day', 'HMAC-SHA256', isHmac('sha256')),
  hashTaken('close-day', 'RSA-SHA256', isRsa('RSA-SHA256')),
  hashTaken('recurring', 'HMAC-SHA1', isHmac('sha1')),
  hashTaken('recurring', 'RSA-SHA1', isRsa('RSA-SHA1')),
  {
    ...both,
    id: 'authentication/method-name-ignored',
    summary: 'Whatever oauth_signature_method names, the method of the operation is taken',
    breaks: [
      'authentication/close-day-other-method-refused',
      'authentication/close-day-method-name-enforced',
      'authentication/recurring-other-method-refused',
      'authentication/recurring-method-name-enforced',
    ],
    reasons: {
      'authentication/close-day-other-method-refused': 'the name of another method is a name',
      'authentication/close-day-method-name-enforced': 'so is the right one in other letters',
      'authentication/recurring-other-method-refused': 'the same for the other operation',
      'authentication/recurring-method-name-enforced': 'the same for the other operation',
    },
    alteration: {
      takes: (reading, step) => step === 'signature-method' && signatureOf(reading) === rightSignature(reading),
    },
  },
];

const { consumerKey, consumerSecret } = publishedIdentity;
const ownBasic = `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;

type IsRight = (reading: Reading) => boolean;

function schemeTaken(what: string, summary: string, header: RegExp): GatewayDefect {
  return {
    ...both,
    id: `authentication/${what}`,
    summary,
    breaks: unsigned,
    alteration: { takes: ({ request }, step) => step === 'authorization' && header.test(authorizationLine(request)) },
  };
}

function ofArea(area: Area, what: string, summary: string): Omit<GatewayDefect, 'alteration'> {
  const operation = operationNames.find((name) => operations[name].area === area)!;
  const row: TestableId<'gateway'> = `authentication/${area}-other-method-refused`;
  return { id: `authentication/${area}-${what}`, side: 'gateway', operation, summary, breaks: [row] };
}

/** A right signature by the method that the header names. */
function methodTaken(area: Area, method: string, isRight: IsRight): GatewayDefect {
  const defect = ofArea(area, `${method.toLowerCase()}-taken`, `A right signature by ${method} is taken too`);
  return {
    ...defect,
    alteration: {
      takes: (reading, step) =>
        step === 'signature-method' &&
        reading.operation === defect.operation &&
        firstValue(reading.oauth, 'oauth_signature_method') === method &&
        isRight(reading),
    },
  };
}

/** A right signature by another method than the header names, which is that of the operation. */
function hashTaken(area: Area, method: string, isRight: IsRight): GatewayDefect {
  const summary = `A right signature by ${method} is taken under the name of the operation's own method`;
  const defect = ofArea(area, `${method.toLowerCase()}-under-own-name-taken`, summary);
  return {
    ...defect,
    alteration: {
      takes: (reading, step) => step === 'signature' && reading.operation === defect.operation && isRight(reading),
    },
  };
}

function isPlaintext(reading: Reading): boolean {
  return signatureOf(reading) === hmacKeyText(publishedIdentity.consumerSecret);
}

function isHmac(hash: string, secret = publishedIdentity.consumerSecret): IsRight {
  return (reading) =>
    signatureOf(reading) === createHmac(hash, hmacKeyText(secret)).update(baseStringOf(reading)).digest('base64');
}

function isRsa(algorithm: string): IsRight {
  return (reading) =>
    verify(
      algorithm,
      Buffer.from(baseStringOf(reading)),
      readPublicKey(publishedIdentity.publicKeyPem),
      Buffer.from(signatureOf(reading), 'base64'),
    );
}

function signatureOf({ oauth }: Reading): string {
  return firstValue(oauth, 'oauth_signature') ?? '';
}
