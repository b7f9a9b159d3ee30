/** Gateways that skip or weaken a check of section 5 for all or some requests, or that refuse valid requests. */
import { constants, createHash, publicDecrypt, verify } from 'node:crypto';
import { oauthParameters } from '../../contracts/operations.ts';
import { firstValue, type Reading } from '../mock/decode-request.ts';
import type { Alteration } from '../mock/gateway.ts';
import { publishedIdentity } from '../mock/identity.ts';
import { withHeader } from '../mock/responses.ts';
import type { World } from '../mock/world.ts';
import { readPublicKey } from '../protocol/index.ts';
import { headerValues, type SentRequest } from '../record/exchange.ts';
import { memoize } from '../record/memoize.ts';
import type { Tag } from '../record/row.ts';
import {
  acceptDeviations,
  acceptsKeyAs,
  auth,
  authorizationLine,
  baseStringOf,
  editLines,
  type GatewayDefect,
  oauthValue,
  overBody,
  overQuery,
  overValues,
  recurringAuth,
  signatureBytes,
  signedOver,
} from './defect.ts';

const acceptedSignatures = acceptedTexts((reading) => oauthValue(reading, 'signature'));

export const authenticationDefects: readonly GatewayDefect[] = [
  auth(
    'signature-not-checked',
    [
      'wrong-key-refused',
      'altered-body-refused',
      'other-method-refused',
      'wrong-signature-refused',
      'altered-uri-refused',
    ],
    { skips: ['signature'] },
  )`Any signature is accepted, even a wrong one`,
  auth('nonce-not-remembered', 'reused-nonce-refused', { skips: ['nonce'] })`
    The same request is accepted again and again`,
  auth('only-exact-replay-refused', 'reused-nonce-refused', {
    refuses: acceptedSignatures.remember,
    acceptsAt: { nonce: (reading, world) => !acceptedSignatures.has(reading, world) },
  })`A used nonce is refused only if the signature is also the same`,
  auth('last-three-nonces-remembered', 'reused-nonce-refused', remembersLast(3))`
    Only the nonces of the last three accepted requests are remembered`,
  auth('last-nonce-remembered', 'reused-nonce-refused', remembersLast(1))`
    Only the nonce of the last accepted request is remembered`,
  auth('other-method-accepted', 'other-method-refused', { skips: ['signature-method'] })`
    Each operation also accepts the signature method of the other operation`,
  auth('unknown-consumer-accepted', 'unknown-consumer-refused', { skips: ['consumer'] })`
    Unknown consumer keys are attributed to the first consumer`,
  auth('version-not-checked', 'wrong-version-refused', { skips: ['version'] })`oauth_version may have any value`,
  auth('timestamp-not-checked', 'malformed-timestamp-refused', { skips: ['timestamp', 'timestamp-window'] })`
    oauth_timestamp may be any text`,

  // The next gateways build a wrong base string or misread the header. So they refuse valid requests.
  auth('body-left-out', ['valid-accepted', 'altered-body-refused'], {
    signs: (material) => ({ ...material, body: [] }),
  })`The base string lacks the form parameters, so valid signatures are refused`,
  auth('port-left-out', ['valid-accepted', 'altered-uri-refused'], {
    signs: (material) => ({ ...material, url: { ...material.url, host: material.url.host.split(':')[0]! } }),
  })`
    The base string lacks the port, so valid signatures over a URL with a port are refused`,
  auth('query-added', 'valid-accepted', { signs: (material) => ({ ...material, query: [['y', '2']] }) })`
    The base string has a query parameter that was not sent, so valid signatures are refused`,
  auth('nonce-in-lower-case', 'valid-accepted', {
    signs: ({ header, ...rest }) => ({
      ...rest,
      header: header.map(([name, value]) => [name, name === 'oauth_nonce' ? value.toLowerCase() : value]),
    }),
  })`The base string has the nonce in lower case, so nonces with upper-case letters are refused`,
  auth('scheme-behind-proxy', ['valid-accepted', 'altered-uri-refused'], {
    signs: ({ url, ...rest }) => ({ ...rest, url: { ...url, scheme: url.scheme === 'https' ? 'http' : 'https' } }),
  })`The base string has http instead of https, or the reverse, so valid signatures are refused`,
  auth('clock-wrong', 'valid-accepted', { settings: { timestampWindowSeconds: -1 } })`
    Fresh timestamps are treated as expired, so every request is refused`,
  auth('first-parameter-dropped', 'valid-accepted', {
    reads: ({ headers, ...request }) => ({
      ...request,
      headers: headers.map(([name, value]) => [name, value.replace(/^(OAuth )[^",]*"[^"]*",\s*/i, '$1')]),
    }),
  })`The first parameter of the header is treated as the realm and dropped`,
  // The base64 of an RSA-2048 signature ends with =. A form parser reads the base64 as a name with an empty value.
  recurringAuth('header-read-as-form', 'valid-accepted', {
    signs: (one) => (one.key.method === 'RSA-SHA256' && one.signature.endsWith('=') ? { ...one, signature: '' } : one),
  })`The header is also decoded as a form, so a signature that ends with = becomes a name without a value`,
];

function remembersLast(count: number): Alteration {
  return {
    refuses: (_, { nonces }) => {
      for (const nonce of [...nonces].slice(0, -count)) nonces.delete(nonce);
      return undefined;
    },
  };
}

export const partlyVerifiedDefects: readonly GatewayDefect[] = [
  acceptsPadding('digest-alone-compared', ({ message, digest }) => message.subarray(-32).equals(digest))`
    Only the digest in an RSA signature is compared, not its padding`,
  acceptsPadding('block-type-not-checked', ({ before, after }) => /^00..(?:ff)+00$/.test(before) && after === '')`
    Any block type in the padding of an RSA signature is accepted`,
  acceptsPadding('bytes-behind-digest-ignored', ({ before }) => /^0001(?:ff)+00$/.test(before))`
    Bytes after the digest in an RSA signature are ignored`,
  recurringAuth('pss-taken', 'other-method-refused', { acceptsAt: { signature: isPss } })`
    A valid RSASSA-PSS signature is accepted as RSA-SHA256`,
  auth(
    'known-consumer-not-verified',
    ['wrong-key-refused', 'wrong-signature-refused', 'altered-body-refused', 'altered-uri-refused'],
    { acceptsAt: { signature: isKnownConsumer } },
  )`After the first accepted request of a consumer, its signatures are not verified`,
  auth('accepted-signature-taken-again', 'wrong-signature-refused', {
    refuses: acceptedSignatures.remember,
    acceptsAt: { signature: acceptedSignatures.has },
  })`A signature that was accepted once is accepted for every other request`,
  auth('unsigned-after-acceptance-taken', 'unsigned-refused', {
    acceptsAt: { authorization: ({ request }, { nonces }) => authorizationLine(request) === '' && nonces.size > 0 },
  })`After the first accepted request, requests without an Authorization header are accepted`,
  auth(
    'nonces-by-operation',
    'reused-nonce-refused',
    noncesPer(({ operation }) => operation),
  )`
    A nonce can be used once for each operation`,
  {
    ...auth(
      'nonces-by-endpoint',
      [],
      noncesPer(({ endpointId }) => endpointId),
    )`
      A nonce can be used once for each endpoint`,
    breaks: ['authentication/close-day-reused-nonce-refused'],
  },
  acceptsKeyAs('normalised', (key) => key.normalize('NFKD').replace(/\p{M}/gu, ''))`
    Accents and full-width forms in a consumer key are ignored`,
  acceptsKeyAs('up-to-nul', (key) => key.replace(/\0.*/s, ''))`A consumer key is cut at its first NUL`,
  acceptsKeyAs('as-pattern', (key) => (key === '%' ? publishedIdentity.consumerKey : key))`
    The consumer key "%" matches every consumer`,
  ...acceptDeviations(auth, 'altered-uri-refused', 'query-left-out'),
  signedOver(auth, 'known-parameters-alone-signed', 'wrong-signature-refused', ({ header }) => ({
    header: header.filter(([name]) => oauthParameters.some((known) => known === name)),
  }))`Unknown header parameters can be added after signing`,
  auth('large-bodies-not-verified', ['wrong-key-refused', 'altered-body-refused'], {
    acceptsAt: { signature: ({ request }) => request.body.length > 1_500 },
  })`The signature is not checked if the body has more than 1,500 bytes`,
  overQuery('empty-query-values-not-signed', (query) => query.filter(([, value]) => value !== ''))`
    Query parameters without a value can be added after signing`,
  overBody(auth, 'empty-fields-not-signed', (body) => body.filter(([, value]) => value !== ''), ['payload-alone'])`
    A field without a value can be added after signing`,
  ...(
    [
      ['first-row', 'the first payment', editLines((lines) => lines.slice(0, 2))],
      ['last-row', 'the last payment', editLines((lines) => [...lines.slice(0, 1), ...lines.slice(1).slice(-1)])],
      ['header-row', 'the column names', editLines((lines) => lines.slice(0, 1))],
      ['without-header-row', 'the payments without the column names', editLines((lines) => lines.slice(1))],
      ['without-last-row', 'the payments before the last one', editLines((lines) => lines.slice(0, -1))],
      ['first-kilobyte', 'the first 1,024 characters of the payload', (payload: string) => payload.slice(0, 1_024)],
    ] as const
  ).map(
    ([what, part, covered]) => overValues(recurringAuth, `batch-signed-in-part-${what}`, covered)`
      A signature that covers only ${part} is accepted`,
  ),
  overValues(
    recurringAuth,
    'batch-signed-in-any-order',
    editLines((lines) => [...lines.slice(0, 1), ...lines.slice(1).reverse()]),
  )`The payments of a batch can be reordered after signing`,
  overBody(
    auth,
    'repeated-fields-signed-once',
    (body) => body.filter(([name], at) => body.findIndex(([other]) => other === name) === at),
    ['fields-once'],
  )`A field can be repeated after signing, because only its first value must be signed`,
];

function isKnownConsumer({ oauth }: Reading, world: World): boolean {
  const consumerKey = firstValue(oauth, 'oauth_consumer_key');
  return [...world.nonces].some((nonce) => JSON.parse(nonce)[0] === consumerKey);
}

const publicKey = readPublicKey(publishedIdentity.publicKeyPem);

interface DecryptedSignature {
  /** The padded message inside the signature (RFC 8017 section 9.2). */
  readonly message: Buffer;
  readonly digest: Buffer;
  /** The hex digits before and after the DigestInfo of the message. */
  readonly before: string;
  readonly after: string;
}

function acceptsPadding(what: string, isAccepted: (decrypted: DecryptedSignature) => boolean): Tag<GatewayDefect> {
  const signature = (reading: Reading): boolean => {
    const digest = createHash('sha256').update(baseStringOf(reading)).digest();
    let message: Buffer;
    try {
      message = publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, signatureBytes(reading));
    } catch {
      // `publicDecrypt` throws if the signature is larger than the modulus of the key.
      return false;
    }
    const [before = '', after = 'absent'] = message.toString('hex').split(`${sha256Prefix}${digest.toString('hex')}`);
    return isAccepted({ message, digest, before, after });
  };
  return recurringAuth(what, 'wrong-signature-refused', { acceptsAt: { signature } });
}

/** The DigestInfo prefix of SHA-256 in hexadecimal (RFC 8017 section 9.2, note 1). */
const sha256Prefix = '3031300d060960864801650304020105000420';

function isPss(reading: Reading): boolean {
  const key = {
    key: publicKey,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
  return verify('sha256', Buffer.from(baseStringOf(reading)), key, signatureBytes(reading));
}

type Predicate = (reading: Reading, world: World) => boolean;

/** Kinds of requests for which a faulty gateway does not check the signature, or does not require one. */
const requestKinds = {
  charset: ['the Content-Type has a charset', headerMatches('content-type', /charset/)],
  capitals: ['the Content-Type is in capitals', headerMatches('content-type', /^APP/)],
  accept: ['the Accept header asks for JSON', headerMatches('accept', /json/)],
  chunks: ['the body is chunked', headerMatches('transfer-encoding', /chunked/)],
  'absolute-form': ['the request line has the absolute URL', ({ original }) => original.arrival?.isAbsolute === true],
  'http-1-0': ['the request is HTTP/1.0', ({ original }) => original.arrival?.httpVersion === '1.0'],
  proxy: ['X-Forwarded-For is 127.0.0.1', headerMatches('x-forwarded-for', /^127\.0\.0\.1$/)],
  override: ['X-HTTP-Method-Override is set', headerMatches('x-http-method-override', /./)],
  scheme: ['the scheme is in lower case', headerMatches('authorization', /^oauth /)],
  realm: ['there is a realm', headerMatches('authorization', /realm="G/)],
  token: ['there is a token', ({ oauth }) => firstValue(oauth, 'oauth_token') !== undefined],
  query: ['there is a query', ({ request }) => /\?x=1$/.test(request.target)],
  undecodable: ['a field cannot be decoded', (reading) => bodyText(reading).endsWith('%')],
  ids: ['the body is that of an accepted request', (reading, world) => acceptedBodies.has(reading, world)],
} as const satisfies Readonly<Record<string, readonly [where: string, Predicate]>>;

type RequestKind = keyof typeof requestKinds;

/** The plan sends these kinds of requests also with an altered body. */
const kindsSentAltered: readonly RequestKind[] = ['charset', 'capitals', 'chunks'];

const acceptedBodies = acceptedTexts(bodyText);
const trustedConnections = new WeakSet<object>();
let connectionCount = 0;
const connectionId = memoize(() => String(++connectionCount));
const sessionCookie = 'JSESSIONID=5D0C3E1F';

export const notVerifiedDefects: readonly GatewayDefect[] = [
  ...(['charset', 'capitals', 'accept', 'realm', 'token'] as const).map(unverified),
  auth('not-verified-named-token', 'wrong-key-refused', { acceptsAt: { token: () => true } })`
    The signature is not checked if there is a token, even one that was never issued`,
  auth('not-verified-version', 'wrong-key-refused', {
    acceptsAt: { 'has-oauth_version': ({ oauth }) => firstValue(oauth, 'oauth_version') === undefined },
  })`The signature is not checked if there is no oauth_version`,
  auth('not-verified-method-name', ['wrong-key-refused', 'method-name-enforced'], {
    acceptsAt: {
      'signature-method': (reading) => /^(?:hmac|rsa)-sha\d+$/.test(oauthValue(reading, 'signature_method')),
    },
  })`The signature is not checked if the method name is in lower case`,
  ...(['chunks', 'absolute-form', 'http-1-0', 'proxy', 'override', 'scheme'] as const).map(unverified),
  ...(['charset', 'capitals', 'accept', 'query', 'chunks', 'absolute-form'] as const).map(unsigned),
  ...(['http-1-0', 'proxy', 'override', 'ids'] as const).map(unsigned),
  ...(['ids', 'undecodable'] as const).map(unverified),
  auth('signature-with-percent-taken', 'wrong-signature-refused', {
    accepts: headerMatches('authorization', /oauth_signature="%"/),
  })`A signature that cannot be decoded is accepted`,
  ...otherMethod('get', 'A GET with a body', ({ method, body }) => method === 'GET' && body.length > 0),
  ...otherMethod(
    'get-query',
    'A GET with its fields in the query',
    ({ method, target }) => method === 'GET' && target.includes('?'),
  ),
  ...otherMethod('other-method', 'A PUT, PATCH or DELETE', ({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method)),

  auth(
    'known-connection-trusted',
    ['unsigned-refused', 'wrong-key-refused', 'wrong-signature-refused', 'altered-body-refused', 'altered-uri-refused'],
    {
      // `refuses` runs after all other checks, so it gets only requests that will be accepted.
      refuses: ({ original: { arrival } }) => {
        if (arrival !== undefined) trustedConnections.add(arrival.connection);
        return undefined;
      },
      accepts: ({ original: { arrival }, request }, step) =>
        arrival !== undefined &&
        trustedConnections.has(arrival.connection) &&
        (step === 'signature' || authorizationLine(request) === ''),
    },
  )`After an accepted request, further requests on its connection need no signature`,
  auth('known-session-trusted', ['unsigned-refused', 'wrong-key-refused'], {
    writes: (reply, { decision }) =>
      decision === 'accepted' ? withHeader(reply, 'Set-Cookie', `${sessionCookie}; Path=/; HttpOnly`) : reply,
    accepts: ({ request }, step) =>
      headerValues(request.headers, 'cookie').includes(sessionCookie) &&
      (step === 'signature' || authorizationLine(request) === ''),
  })`After an accepted request, its session cookie is enough: no signature is required`,
  auth(
    'nonces-by-connection',
    'reused-nonce-refused',
    noncesPer(({ original: { arrival } }) => (arrival === undefined ? '' : connectionId(arrival.connection))),
  )`A nonce can be used once for each connection`,
];

function bodyText({ request }: Pick<Reading, 'request'>): string {
  return Buffer.from(request.body).toString('latin1');
}

function headerMatches(name: string, pattern: RegExp): (reading: Reading) => boolean {
  return ({ request }) => pattern.test(headerValues(request.headers, name)[0] ?? '');
}

function unverified(kind: RequestKind): GatewayDefect {
  const [condition, holds] = requestKinds[kind];
  const further = kindsSentAltered.includes(kind) ? (['altered-body-refused'] as const) : [];
  return auth(`not-verified-${kind}`, ['wrong-key-refused', ...further], {
    refuses: kind === 'ids' ? acceptedBodies.remember : undefined,
    acceptsAt: { signature: holds },
  })`The signature is not checked if ${condition}`;
}

function unsigned(kind: RequestKind): GatewayDefect {
  const [condition, holds] = requestKinds[kind];
  return auth(`unsigned-taken-${kind}`, 'unsigned-refused', {
    refuses: kind === 'ids' ? acceptedBodies.remember : undefined,
    accepts: (reading, _, world) => authorizationLine(reading.request) === '' && holds(reading, world),
  })`No signature is required if ${condition}`;
}

/** Section 4 defines only POST. If a gateway accepts other methods too, it must require a signature for them. */
function otherMethod(what: string, subject: string, matches: (request: SentRequest) => boolean): GatewayDefect[] {
  const reads: Alteration['reads'] = (request) => (matches(request) ? { ...request, method: 'POST' } : request);
  return [
    auth(`unsigned-taken-${what}`, 'unsigned-refused', {
      reads,
      accepts: ({ request, original }) => authorizationLine(request) === '' && matches(original),
    })`${subject} is processed without a signature`,
    auth(`not-verified-${what}`, 'wrong-key-refused', {
      reads,
      acceptsAt: { signature: ({ original }) => matches(original) },
    })`${subject} is processed without checking its signature`,
  ];
}

/** Remembers texts of accepted requests. Call `remember` in `refuses`, because it runs after all other checks. */
function acceptedTexts(textOf: (reading: Reading) => string) {
  const accepted = memoize((_: World) => new Set<string>());
  return {
    remember: (reading: Reading, world: World): undefined => {
      accepted(world).add(textOf(reading));
    },
    has: (reading: Reading, world: World): boolean => accepted(world).has(textOf(reading)),
  };
}

/** Stores used nonces separately for each `part`, such as an operation. So a reuse in another part is accepted. */
function noncesPer(part: (reading: Reading) => string): Alteration {
  const usedNonces = memoize((_: World) => new Set<string>());
  const names = ['consumer_key', 'timestamp', 'nonce'];
  return {
    skips: ['nonce'],
    refuses: (reading, world) => {
      const used = usedNonces(world);
      const nonce = JSON.stringify([part(reading), ...names.map((name) => oauthValue(reading, name))]);
      if (used.has(nonce)) return 'the nonce was used before';
      used.add(nonce);
      return undefined;
    },
  };
}
