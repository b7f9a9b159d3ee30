/** Gateways that verify only a part of section 5: until the first acceptance, or within one operation or connection. */
import { constants, createHash, publicDecrypt, verify } from 'node:crypto';
import { oauthParameters } from '../../../contracts/oauth-parameters.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import type { World } from '../../mock/world.ts';
import { readPublicKey } from '../../protocol/index.ts';
import { auth, because, type GatewayDefect, recurringAuth } from '../defect.ts';
import {
  acceptedTexts,
  authorizationLine,
  baseStringOf,
  consumerFoundAs,
  oauthValue,
  over,
  overBody,
  overQuery,
  overValues,
  taken,
  usedWithin,
} from './takes.ts';

const acceptedSignatures = acceptedTexts((reading) => oauthValue(reading, 'signature'));

export const partlyVerifiedDefects: readonly GatewayDefect[] = [
  recurringAuth('digest-alone-compared', 'wrong-signature-refused', {
    takes: (reading, step) =>
      step === 'signature' && messageOf(reading)?.subarray(-32).equals(digestOf(reading)) === true,
  })`Only the digest in an RSA signature is compared (the last 32 bytes)`,
  recurringAuth('block-type-not-checked', 'wrong-signature-refused', { takes: paddedAs(/^00..(?:ff)+00$/, /^$/) })`
    Any block type in the padding of an RSA signature is accepted`,
  recurringAuth('bytes-behind-digest-ignored', 'wrong-signature-refused', { takes: paddedAs(/^0001(?:ff)+00$/, /^/) })`
    Bytes after the digest in an RSA signature are ignored`,
  recurringAuth('pss-taken', 'other-method-refused', {
    takes: (reading, step) => step === 'signature' && isPss(reading),
  })`A valid RSASSA-PSS signature is accepted as RSA-SHA256`,
  because(
    'the signature is not checked at all',
    auth(
      'known-consumer-not-verified',
      ['wrong-key-refused', 'wrong-signature-refused', 'altered-body-refused', 'altered-uri-refused'],
      { takes: (reading, step, world) => step === 'signature' && wasAccepted(reading, world) },
    )`After the first accepted request of a consumer, its signatures are not verified`,
  ),
  auth('accepted-signature-taken-again', 'wrong-signature-refused', {
    refuses: acceptedSignatures.remember,
    takes: (reading, step, world) => step === 'signature' && acceptedSignatures.has(reading, world),
  })`A signature that was accepted once is accepted for any other request`,
  auth('unsigned-after-acceptance-taken', 'unsigned-refused', {
    takes: ({ request }, step, world) =>
      step === 'authorization' && authorizationLine(request) === '' && world.nonces.size > 0,
  })`After the first accepted request, requests without an Authorization header are accepted`,
  auth('nonces-by-operation', 'reused-nonce-refused', {
    skips: ['nonce'],
    refuses: usedWithin(({ operation }) => operation),
  })`A nonce can be used once per operation`,
  {
    ...auth('nonces-by-endpoint', [], { skips: ['nonce'], refuses: usedWithin(({ endpointId }) => endpointId) })`
      A nonce can be used once per endpoint`,
    breaks: ['authentication/close-day-reused-nonce-refused'],
  },
  consumerFoundAs('normalised', (key) => key.normalize('NFKD').replace(/\p{M}/gu, ''))`
    Consumer keys are compared without accents and character width`,
  consumerFoundAs('up-to-nul', (key) => key.replace(/\0.*/s, ''))`Consumer keys are compared only up to the first NUL`,
  consumerFoundAs('as-pattern', (key) => (key === '%' ? publishedIdentity.consumerKey : key))`
    The consumer key "%" matches every consumer`,
  ...taken(auth, 'altered-uri-refused', 'query-left-out'),
  over(auth, 'known-parameters-alone-signed', 'wrong-signature-refused', ({ header }) => ({
    header: header.filter(([name]) => oauthParameters.some((known) => known === name)),
  }))`Unknown header parameters can be added after signing`,
  auth('large-bodies-not-verified', ['wrong-key-refused', 'altered-body-refused'], {
    takes: ({ request }, step) => step === 'signature' && request.body.length > 1_500,
  })`The signature is not checked if the body has more than 1,500 bytes`,
  overQuery('empty-query-values-not-signed', (query) => query.filter(([, value]) => value !== ''))`
    Query parameters without a value can be added after signing`,
  overBody(auth, 'empty-fields-not-signed', (body) => body.filter(([, value]) => value !== ''), ['payload-alone'])`
    A field without a value can be added after signing`,
  ...(
    [
      ['first-row', 'the first payment', csvOf((lines) => lines.slice(0, 2))],
      ['last-row', 'the last payment', csvOf((lines) => [...lines.slice(0, 1), ...lines.slice(1).slice(-1)])],
      ['header-row', 'the column names', csvOf((lines) => lines.slice(0, 1))],
      ['without-header-row', 'the payments without the column names', csvOf((lines) => lines.slice(1))],
      ['without-last-row', 'all but the last payment', csvOf((lines) => lines.slice(0, -1))],
      ['first-kilobyte', 'the first 1,024 characters of the payload', (payload: string) => payload.slice(0, 1_024)],
    ] as const
  ).map(
    ([what, part, covered]) =>
      overValues(
        recurringAuth,
        `batch-signed-in-part-${what}`,

        covered,
      )`A signature that covers only ${part} is accepted`,
  ),
  overValues(
    recurringAuth,
    'batch-signed-in-any-order',
    csvOf((lines) => [...lines.slice(0, 1), ...lines.slice(1).reverse()]),
  )`The payments of a batch can be reordered after signing`,
  overBody(
    auth,
    'repeated-fields-signed-once',
    (body) => body.filter(([name], at) => body.findIndex(([other]) => other === name) === at),
    ['fields-once'],
  )`A field can be repeated after signing: it must be signed only once`,
];

function csvOf(change: (lines: readonly string[]) => readonly string[]): (payload: string) => string {
  return (payload) => {
    const lines = Buffer.from(payload, 'base64').toString().replace(/\n$/, '').split('\n');
    return Buffer.from(`${change(lines).join('\n')}\n`).toString('base64');
  };
}

function wasAccepted({ oauth }: Reading, world: World): boolean {
  const consumerKey = firstValue(oauth, 'oauth_consumer_key');
  return [...world.nonces].some((nonce) => JSON.parse(nonce)[0] === consumerKey);
}

const publicKey = readPublicKey(publishedIdentity.publicKeyPem);

function signatureOf(reading: Reading): Buffer {
  return Buffer.from(oauthValue(reading, 'signature'), 'base64');
}

function digestOf(reading: Reading): Buffer {
  return createHash('sha256').update(baseStringOf(reading)).digest();
}

/** The padded message inside the signature (RFC 8017 section 9.2). */
function messageOf(reading: Reading): Buffer | undefined {
  try {
    return publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, signatureOf(reading));
  } catch {
    // The signature has another length.
    return undefined;
  }
}

/** Accepts a message if the hex digits before and after DigestInfo match `before` and `behind`. */
function paddedAs(before: RegExp, behind: RegExp) {
  return (reading: Reading, step: string): boolean => {
    if (step !== 'signature') return false;
    const [head, tail] =
      messageOf(reading)
        ?.toString('hex')
        .split(`${nameOfSha256}${digestOf(reading).toString('hex')}`) ?? [];
    return head !== undefined && tail !== undefined && before.test(head) && behind.test(tail);
  };
}

/** DigestInfo prefix in hex (RFC 8017 section 9.2, note 1). */
const nameOfSha256 = '3031300d060960864801650304020105000420';

function isPss(reading: Reading): boolean {
  const [padding, saltLength] = [constants.RSA_PKCS1_PSS_PADDING, constants.RSA_PSS_SALTLEN_DIGEST];
  const key = { key: publicKey, padding, saltLength };
  return verify('sha256', Buffer.from(baseStringOf(reading)), key, signatureOf(reading));
}
