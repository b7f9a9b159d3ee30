/** Gateways that verify a part of what section 5 asks for: in one form, up to the first acceptance, or within one operation. */
import { constants, createHash, publicDecrypt, verify } from 'node:crypto';
import { oauthParameters } from '../../../contracts/oauth-parameters.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import type { World } from '../../mock/state.ts';
import { type Pair, readPublicKey } from '../../protocol/index.ts';
import { type GatewayDefect, ofBoth } from '../defect.ts';
import { alsoTakes, authorizationLine, baseStringOf } from '../taken-anyway.ts';

const both = { side: 'gateway', operation: 'both' } as const;
const recurring = { side: 'gateway', operation: 'process-recurring-payments' } as const;

export const partlyVerifiedDefects: readonly GatewayDefect[] = [
  {
    ...recurring,
    id: 'authentication/digest-alone-compared',
    summary: 'Only the last 32 bytes of the message under an RSA signature are compared, whatever is before them',
    breaks: ['authentication/recurring-wrong-signature-refused'],
    alteration: {
      takes: (reading, step) =>
        step === 'signature' && messageOf(reading)?.subarray(-32).equals(digestOf(reading)) === true,
    },
  },
  {
    ...recurring,
    id: 'authentication/block-type-not-checked',
    summary: 'The block type in the message under an RSA signature may be any',
    breaks: ['authentication/recurring-wrong-signature-refused'],
    alteration: { takes: paddedAs(/^00..(?:ff)+00$/, /^$/) },
  },
  {
    ...recurring,
    id: 'authentication/bytes-behind-digest-ignored',
    summary: 'Bytes behind the digest in the message under an RSA signature are ignored',
    breaks: ['authentication/recurring-wrong-signature-refused'],
    alteration: { takes: paddedAs(/^0001(?:ff)+00$/, /^/) },
  },
  {
    ...recurring,
    id: 'authentication/pss-taken',
    summary: 'A right signature by RSASSA-PSS is taken under the name RSA-SHA256',
    breaks: ['authentication/recurring-other-method-refused'],
    alteration: { takes: (reading, step) => step === 'signature' && isPss(reading) },
  },
  {
    ...both,
    id: 'authentication/known-consumer-not-verified',
    summary: 'Once a consumer was accepted, its signatures are not verified any more',
    breaks: ofBoth('wrong-key-refused', 'wrong-signature-refused', 'altered-body-refused', 'altered-uri-refused'),
    reasons: Object.fromEntries(
      ofBoth('wrong-key-refused', 'wrong-signature-refused', 'altered-body-refused', 'altered-uri-refused').map(
        (id) => [id, 'whatever the signature is made with and over, it is not checked'],
      ),
    ),
    alteration: { takes: ({ oauth }, step, world) => step === 'signature' && wasAccepted(oauth, world) },
  },
  {
    ...both,
    id: 'authentication/accepted-signature-taken-again',
    summary: 'A signature that was accepted is taken again, whatever it is sent with',
    breaks: ofBoth('wrong-signature-refused'),
    alteration: {
      refuses: rememberSignature,
      takes: ({ oauth }, step, world) =>
        step === 'signature' && acceptedSignatures.get(world)?.has(firstValue(oauth, 'oauth_signature') ?? '') === true,
    },
  },
  {
    ...both,
    id: 'authentication/unsigned-after-acceptance-taken',
    summary: 'Once a request was accepted, requests without an Authorization header are',
    breaks: ofBoth('unsigned-refused'),
    alteration: {
      takes: ({ request }, step, world) =>
        step === 'authorization' && authorizationLine(request) === '' && world.nonces.size > 0,
    },
  },
  {
    ...both,
    id: 'authentication/nonces-by-operation',
    summary: 'Each operation remembers the nonces of its own requests only',
    breaks: ofBoth('reused-nonce-refused'),
    alteration: { skips: ['nonce'], refuses: usedWithin(({ operation }) => operation) },
  },
  {
    ...both,
    id: 'authentication/nonces-by-endpoint',
    summary: 'Each endpoint remembers the nonces of its own requests only',
    breaks: ['authentication/close-day-reused-nonce-refused'],
    alteration: { skips: ['nonce'], refuses: usedWithin(({ endpointId }) => endpointId) },
  },
  consumerTaken('consumer-key-normalised', 'Consumer keys are compared without accents and width', (key) =>
    key.normalize('NFKD').replace(/\p{M}/gu, ''),
  ),
  consumerTaken('consumer-key-up-to-nul', 'Consumer keys are compared up to their first NUL', (key) =>
    key.replace(/\0.*/s, ''),
  ),
  consumerTaken('consumer-key-as-pattern', 'A consumer key of a percent sign matches every other', (key) =>
    key === '%' ? publishedIdentity.consumerKey : key,
  ),
  {
    ...both,
    id: 'authentication/added-query-not-signed',
    summary: 'A query may be added on the way: the signature over none is taken',
    breaks: ofBoth('altered-uri-refused'),
    alteration: alsoTakes((material) => ({ ...material, query: [] })),
  },
  {
    ...both,
    id: 'authentication/known-parameters-alone-signed',
    summary: 'Parameters of the header that the gateway does not know may be added on the way',
    breaks: ofBoth('wrong-signature-refused'),
    alteration: alsoTakes((material) => ({ ...material, header: material.header.filter(([name]) => isKnown(name)) })),
  },
  {
    ...both,
    id: 'authentication/large-bodies-not-verified',
    summary: 'Where the body has more than 1,500 bytes, the signature is not checked',
    breaks: ofBoth('wrong-key-refused', 'altered-body-refused'),
    alteration: { takes: ({ request }, step) => step === 'signature' && request.body.length > 1_500 },
  },
  {
    ...both,
    id: 'authentication/empty-query-values-not-signed',
    summary: 'Parameters of the query without a value may be added on the way',
    breaks: ofBoth('altered-uri-refused'),
    alteration: alsoTakes((material) => ({ ...material, query: material.query.filter(([, value]) => value !== '') })),
  },
  {
    ...both,
    id: 'authentication/empty-fields-not-signed',
    summary: 'A field without a value may be added on the way',
    breaks: ofBoth('altered-body-refused'),
    alteration: {
      skips: ['payload-alone'],
      ...alsoTakes((material) => ({ ...material, body: material.body.filter(([, value]) => value !== '') })),
    },
  },
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
    ([what, part, covered]): GatewayDefect => ({
      ...recurring,
      id: `authentication/batch-signed-in-part-${what}`,
      summary: `A signature that covers ${part} alone is taken`,
      breaks: ['authentication/recurring-altered-body-refused'],
      alteration: alsoTakes((material) => ({
        ...material,
        body: material.body.map(([name, value]): Pair => [name, covered(value)]),
      })),
    }),
  ),
  {
    ...recurring,
    id: 'authentication/batch-signed-in-any-order',
    summary: 'The payments of a batch may be put into another order on the way',
    breaks: ['authentication/recurring-altered-body-refused'],
    alteration: alsoTakes((material) => ({
      ...material,
      body: material.body.map(
        ([name, value]): Pair => [name, csvOf((lines) => [...lines.slice(0, 1), ...lines.slice(1).reverse()])(value)],
      ),
    })),
  },
  {
    ...both,
    id: 'authentication/repeated-fields-signed-once',
    summary: 'A field may be repeated on the way: the signature over the one is taken',
    breaks: ofBoth('altered-body-refused'),
    alteration: {
      skips: ['fields-once'],
      ...alsoTakes((material) => ({ ...material, body: withoutRepeats(material.body) })),
    },
  },
];

type Pairs = readonly Pair[];

/** Changes the lines of the CSV in a payload. */
function csvOf(change: (lines: readonly string[]) => readonly string[]): (payload: string) => string {
  return (payload) => {
    const lines = Buffer.from(payload, 'base64').toString().replace(/\n$/, '').split('\n');
    return Buffer.from(`${change(lines).join('\n')}\n`).toString('base64');
  };
}

function consumerTaken(what: string, summary: string, asCompared: (key: string) => string): GatewayDefect {
  return {
    ...both,
    id: `authentication/${what}`,
    summary,
    breaks: ofBoth('unknown-consumer-refused'),
    alteration: {
      takes: ({ oauth }, step) =>
        step === 'consumer' &&
        asCompared(firstValue(oauth, 'oauth_consumer_key') ?? '') === publishedIdentity.consumerKey,
    },
  };
}

function wasAccepted(oauth: Pairs, world: World): boolean {
  const consumerKey = firstValue(oauth, 'oauth_consumer_key');
  return [...world.nonces].some((nonce) => JSON.parse(nonce)[0] === consumerKey);
}

/** Refuses a nonce that was used before within the same part of the gateway. */
export function usedWithin(part: (reading: Reading) => string) {
  const usedNonces = new WeakMap<World, Set<string>>();
  return (reading: Reading, world: World): string | undefined => {
    const used = usedNonces.get(world) ?? new Set();
    usedNonces.set(world, used);
    const names = ['oauth_consumer_key', 'oauth_timestamp', 'oauth_nonce'];
    const nonce = JSON.stringify([part(reading), ...names.map((name) => firstValue(reading.oauth, name))]);
    if (used.has(nonce)) return 'the nonce was used before';
    used.add(nonce);
    return undefined;
  };
}

const acceptedSignatures = new WeakMap<World, Set<string>>();

/** Asked last, and so of accepted requests alone. */
function rememberSignature({ oauth }: Reading, world: World): undefined {
  const accepted = acceptedSignatures.get(world) ?? new Set();
  acceptedSignatures.set(world, accepted.add(firstValue(oauth, 'oauth_signature') ?? ''));
}

const publicKey = readPublicKey(publishedIdentity.publicKeyPem);

function signatureOf({ oauth }: Reading): Buffer {
  return Buffer.from(firstValue(oauth, 'oauth_signature') ?? '', 'base64');
}

function digestOf(reading: Reading): Buffer {
  return createHash('sha256').update(baseStringOf(reading)).digest();
}

/** What was padded and signed (RFC 8017 section 9.2). */
function messageOf(reading: Reading): Buffer | undefined {
  if (reading.operation !== 'process-recurring-payments') return undefined;
  try {
    return publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, signatureOf(reading));
  } catch {
    // A signature of another length.
    return undefined;
  }
}

/** Takes a message that has, in hexadecimal, this before and this behind the digest with the name of its hash. */
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

/** In DER, hexadecimal (RFC 8017 section 9.2, note 1). */
const nameOfSha256 = '3031300d060960864801650304020105000420';

function isPss(reading: Reading): boolean {
  const [padding, saltLength] = [constants.RSA_PKCS1_PSS_PADDING, constants.RSA_PSS_SALTLEN_DIGEST];
  const key = { key: publicKey, padding, saltLength };
  const isRecurring = reading.operation === 'process-recurring-payments';
  return isRecurring && verify('sha256', Buffer.from(baseStringOf(reading)), key, signatureOf(reading));
}

function isKnown(name: string): boolean {
  return (oauthParameters as readonly string[]).includes(name);
}

function withoutRepeats(pairs: Pairs): Pairs {
  return pairs.filter(([name], at) => pairs.findIndex(([other]) => other === name) === at);
}
