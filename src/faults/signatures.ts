/** Gateways that accept wrong or almost correct signatures, or missing parameters (section 5; RFC 5849 section 3.4). */
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { operations } from '../../contracts/operations.ts';
import { firstValue, type Reading } from '../mock/decode-request.ts';
import { otherPrivateKeyPem, otherSecret, publishedIdentity } from '../mock/identity.ts';
import { decodeForm, encodeForm, hmacKeyText, type Pair, readPublicKey, type VerifyingKey } from '../protocol/index.ts';
import { headerValues } from '../record/exchange.ts';
import type { Tag } from '../record/row.ts';
import {
  acceptDeviations,
  acceptsKey,
  acceptsKeyAs,
  auth,
  authorizationLine,
  baseStringOf,
  closeDayAuth,
  editLines,
  type GatewayDefect,
  methodName,
  oauthValue,
  overBody,
  overQuery,
  overTarget,
  overUrl,
  overValues,
  recurringAuth,
  rightSignature,
  signatureBytes,
  signedOver,
  timestamp,
  version,
} from './defect.ts';

const { consumerKey, consumerSecret } = publishedIdentity;

export const signatureDefects: readonly GatewayDefect[] = [
  ...acceptDeviations(closeDayAuth, 'wrong-key-refused', 'secret-missing'),
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
  // The test plan contains requests with exactly these wrong signatures.
  overValues(closeDayAuth, 'first-of-request-id-not-signed', (value, name) =>
    name === 'day_close_request_id' ? `X${value.slice(1)}` : value,
  )`The first character of the close-day id need not be signed`,
  overValues(
    recurringAuth,
    'repeated-payment-not-signed',
    editLines(([header, row]) => [header!, row!, row!]),
  )`A signature over the batch with its payment repeated is accepted`,
  overValues(
    recurringAuth,
    'amount-not-signed',
    editLines((lines) => [...lines.slice(0, -1), withOtherLastDigit(lines.at(-1)!)]),
  )`The amount of a batch can be changed after signing`,
  ...acceptDeviations(auth, 'altered-body-refused', 'body-left-out'),
  overBody(
    auth,
    'unknown-fields-not-signed',
    (body) => body.filter(([name]) => /^(day_close_request_id|payload|oauth_.*|.*_approved_.*)$/.test(name)),
    ['payload-alone'],
  )`Unknown fields can be added after signing`,
  overValues(auth, 'signed-in-capitals', (value) => value.toUpperCase())`
    A signature over the body in upper case is accepted`,
  closeDayAuth('short-hmac-accepted', 'wrong-signature-refused', { accepts: hasSignatureLength(20) })`
    A close-day whose signature lacks its last eight characters is accepted`,
  recurringAuth('short-signature-accepted', 'wrong-signature-refused', { accepts: hasSignatureLength(336) })`
    A batch whose RSA signature lacks its last four bytes is accepted`,
  overTarget('path-not-signed', (target) => `${target}0`)`A signature over the path with a 0 at its end is accepted`,
  ...acceptDeviations(auth, 'altered-uri-refused', 'method-signed-as-get'),
  overUrl('host-not-signed', ({ host }) => ({ host: host.replace(/^(\[.*\]|[^:]*)/, 'gateway.example') }))`
    A signature for another host is accepted`,
  overUrl('port-not-compared', ({ host }) => ({ host: `${host.replace(/:\d+$/, '')}:1` }))`
    A signature for port 1 is accepted`,
  overQuery('query-not-compared', () => [['x', '1']])`
    A signature over a query is accepted for a request without a query`,
  acceptsUnsigned(recurringAuth, 'batch'),
  acceptsUnsigned(closeDayAuth, 'close-day'),
  // Without a nonce, two requests with the same timestamp look repeated. So also skip the check for used nonces.
  auth('nonce-not-needed', 'missing-nonce-refused', {
    skips: ['has-oauth_nonce'],
    acceptsAt: { nonce: lacks('nonce') },
  })`oauth_nonce may be left out`,
  auth('timestamp-not-needed', 'missing-timestamp-refused', { skips: ['has-oauth_timestamp'] })`
    oauth_timestamp may be left out`,
  auth('consumer-key-not-needed', 'missing-consumer-key-refused', { skips: ['has-oauth_consumer_key'] })`
    A request without oauth_consumer_key counts as a request of the first consumer`,
  auth('signature-method-not-needed', 'missing-signature-method-refused', { skips: ['has-oauth_signature_method'] })`
    oauth_signature_method may be left out`,
  auth('signature-not-needed', 'missing-signature-refused', { acceptsAt: { 'has-oauth_signature': () => true } })`
    A request whose header has no oauth_signature is accepted`,
  auth('consumer-key-alone-taken', 'missing-signature-refused', {
    accepts: (reading, step) => step !== 'consumer' && reading.oauth.length === 1 && !lacks('consumer_key')(reading),
  })`A header with only a known consumer key is accepted`,
  auth('timestamp-and-nonce-not-needed', 'missing-nonce-refused', {
    acceptsAt: { 'has-oauth_timestamp': lacks('nonce') },
  })`oauth_timestamp and oauth_nonce may be left out together`,
  auth('consumer-key-and-signature-alone-taken', 'missing-signature-method-refused', {
    acceptsAt: {
      'has-oauth_signature_method': (reading) => reading.oauth.length === 2 && !lacks('signature')(reading),
    },
  })`A header with only a consumer key and a signature is accepted`,
  auth('consumer-key-and-signature-not-needed', 'missing-signature-refused', {
    acceptsAt: { 'has-oauth_consumer_key': (reading) => lacks('signature')(reading) && !lacks('nonce')(reading) },
  })`A header without consumer key and signature is accepted if it has the other parameters`,
  ...(['consumer-key', 'signature-method', 'timestamp', 'nonce', 'signature'] as const).map((slug) => {
    const name = slug.replace('-', '_') as 'nonce';
    return auth(`empty-${slug}-taken`, `missing-${slug}-refused`, {
      acceptsAt: { [`has-oauth_${name}`]: isEmpty(name) },
    })`
      An empty oauth_${name} is accepted`;
  }),
  auth('version-empty-taken', 'wrong-version-refused', { acceptsAt: { 'has-oauth_version': isEmpty('version') } })`
    An empty oauth_version is accepted`,
  version('version-trimmed', (sent) => sent.trim() === '1.0')`Spaces around oauth_version are ignored`,
  version('version-1-0a-taken', (sent) => sent === '1.0a')`oauth_version 1.0a is accepted`,
  timestamp('timestamp-zero-taken', (sent) => sent === '0')`The timestamp 0 is accepted`,
  acceptsKey('case-ignored', (key) => key.toLowerCase() === consumerKey.toLowerCase())`
    Consumer keys are compared case-insensitively`,
  auth('method-case-ignored', 'method-name-enforced', {
    acceptsAt: {
      'signature-method': (reading) =>
        oauthValue(reading, 'signature_method').toUpperCase() === operations[reading.operation].signatureMethod &&
        isCorrectlySigned(reading),
    },
  })`The name of the signature method may have any case`,
  acceptsKeyAs('trimmed', (key) => key.trim())`Spaces around a consumer key are ignored`,
  acceptsKey('compared-as-far-as-sent', (key) => consumerKey.startsWith(key))`
    Any prefix of the issued consumer key is accepted`,
  methodName('method-of-either-operation-taken', (sent) =>
    Object.values(operations).some(({ signatureMethod }) => signatureMethod === sent),
  )`Each operation accepts the method name of the other operation, but verifies with its own method`,
  acceptsSignature(
    'signature-of-zeros-taken',
    (sent) => sent !== '' && Buffer.from(sent, 'base64').every((byte) => byte === 0),
  )`A signature whose bytes are all zero is accepted`,
  acceptsSignature('undecodable-signature-taken', (sent) => sent !== '' && Buffer.from(sent, 'base64').length === 0)`
    A signature that decodes to no bytes is accepted`,
  acceptsSignature('signature-compared-as-number', (sent, right) => asNumber(sent) === asNumber(right))`
    Signatures are compared as numbers, so leading zero bytes are ignored`,
  acceptsSignature('signature-case-ignored', (sent, right) => sent.toLowerCase() === right.toLowerCase())`
    Signatures are compared case-insensitively`,
  acceptsSignature(
    'signature-compared-by-its-start',
    (sent, right) => sent.length === right.length && sent.slice(0, 16) === right.slice(0, 16),
  )`Only the first sixteen characters of a signature are compared`,
  acceptsSignature(
    'signature-compared-by-its-end',
    (sent, right) => sent.length === right.length && sent.slice(-16) === right.slice(-16),
  )`Only the last sixteen characters of a signature are compared`,
  // The published secret has only lower-case letters, so the same secret in upper case is a wrong key.
  ...acceptDeviations(closeDayAuth, 'wrong-key-refused', 'secret-upper-cased', 'consumer-key-as-secret'),
  ...acceptDeviations(auth, 'altered-uri-refused', 'port-left-out', 'trailing-slash-added'),
  acceptsSignature('text-behind-signature-taken', (sent, right) => sent.startsWith(right.replace(/=+$/, '')))`
    Text after a valid signature is ignored`,
  acceptsSignature('signature-with-more-taken', (sent, right) =>
    Buffer.from(sent, 'base64').subarray(0, Buffer.byteLength(right, 'base64')).equals(Buffer.from(right, 'base64')),
  )`Bytes after a valid signature are ignored`,

  acceptsScheme('basic-taken', /^Basic /)`Any Basic credentials are accepted instead of OAuth`,
  acceptsScheme('bearer-taken', /^Bearer [^,]*$/)`Any Bearer token is accepted instead of OAuth`,
  acceptsScheme('digest-taken', /^Digest /)`Any Digest header is accepted instead of OAuth`,
  acceptsScheme('unknown-scheme-taken', /^Signed /)`An unknown authentication scheme is accepted`,
  acceptsScheme('oauth-2-taken', /^OAuth2 /)`Any OAuth 2 token is accepted`,
  auth('basic-with-secret-taken', 'unsigned-refused', {
    acceptsAt: {
      authorization: ({ request }) =>
        authorizationLine(request) === `Basic ${btoa(`${consumerKey}:${consumerSecret}`)}`,
    },
  })`Consumer key and secret are accepted as Basic credentials, without a signature`,
  auth('empty-header-taken', 'unsigned-refused', {
    acceptsAt: { authorization: ({ request }) => headerValues(request.headers, 'authorization')[0] === '' },
  })`An empty Authorization header is accepted`,
  auth('scheme-alone-taken', 'unsigned-refused', {
    acceptsAt: { 'has-oauth_consumer_key': ({ oauth }) => oauth.length === 0 },
  })`A header with only the scheme OAuth is accepted`,
  auth('unverified-outside-the-header', 'wrong-key-refused', {
    acceptsAt: { authorization: ({ form, query }) => [...form, ...query].some(([name]) => name === 'oauth_signature') },
  })`OAuth parameters in the body or query are accepted without checking their signature`,
  ...['HMAC-SHA256', 'HMAC-SHA512', 'RSA-SHA1', 'PLAINTEXT'].map((method) => acceptsMethod('close-day', method)),
  ...['HMAC-SHA1', 'HMAC-SHA256', 'RSA-SHA1', 'RSA-SHA512', 'PLAINTEXT'].map((method) =>
    acceptsMethod('recurring', method),
  ),
  recurringAuth('recurring-public-key-as-secret-taken', 'other-method-refused', {
    acceptsAt: { 'signature-method': (reading) => isHmac('sha1', reading, publishedIdentity.publicKeyPem) },
  })`HMAC-SHA1 with the public key as the secret is accepted`,
  ...['HMAC-SHA256', 'RSA-SHA256'].map((method) => acceptsHash('close-day', method)),
  ...['HMAC-SHA1', 'RSA-SHA1'].map((method) => acceptsHash('recurring', method)),
  auth('method-name-ignored', ['other-method-refused', 'method-name-enforced'], {
    acceptsAt: { 'signature-method': isCorrectlySigned },
  })`oauth_signature_method is ignored: signatures are verified with the method of the operation`,
];

function overKey(build: typeof auth, what: string, key: (right: VerifyingKey) => VerifyingKey): Tag<GatewayDefect> {
  return signedOver(build, what, 'wrong-key-refused', (right) => ({ key: key(right.key) }));
}

function acceptsSignature(what: string, isAccepted: (sent: string, right: string) => boolean): Tag<GatewayDefect> {
  const holds = (reading: Reading) => isAccepted(oauthValue(reading, 'signature'), rightSignature(reading));
  return auth(what, 'wrong-signature-refused', { acceptsAt: { signature: holds, 'signature-base64': holds } });
}

function asNumber(base64: string): bigint {
  return BigInt(`0x0${Buffer.from(base64, 'base64').toString('hex')}`);
}

function acceptsScheme(what: string, header: RegExp): Tag<GatewayDefect> {
  return auth(what, 'unsigned-refused', {
    acceptsAt: { authorization: ({ request }) => header.test(authorizationLine(request)) },
  });
}

function authOf(area: 'close-day' | 'recurring'): typeof auth {
  return area === 'close-day' ? closeDayAuth : recurringAuth;
}

function acceptsMethod(area: 'close-day' | 'recurring', method: string): GatewayDefect {
  const holds = (reading: Reading) => oauthValue(reading, 'signature_method') === method && isSignedBy(method, reading);
  return authOf(area)(`${area}-${method.toLowerCase()}-taken`, 'other-method-refused', {
    acceptsAt: { 'signature-method': holds },
  })`A valid ${method} signature is also accepted`;
}

function acceptsHash(area: 'close-day' | 'recurring', method: string): GatewayDefect {
  return authOf(area)(`${area}-${method.toLowerCase()}-under-own-name-taken`, 'other-method-refused', {
    acceptsAt: { signature: (reading) => isSignedBy(method, reading) },
  })`A valid ${method} signature is accepted under the method name of the operation`;
}

function isSignedBy(method: string, reading: Reading): boolean {
  if (method === 'PLAINTEXT') return oauthValue(reading, 'signature') === hmacKeyText(consumerSecret);
  if (method.startsWith('HMAC-')) return isHmac(method.slice('HMAC-'.length).toLowerCase(), reading);
  const publicKey = readPublicKey(publishedIdentity.publicKeyPem);
  return verify(method, Buffer.from(baseStringOf(reading)), publicKey, signatureBytes(reading));
}

function isHmac(hash: string, reading: Reading, secret = consumerSecret): boolean {
  const digest = createHmac(hash, hmacKeyText(secret)).update(baseStringOf(reading)).digest('base64');
  return oauthValue(reading, 'signature') === digest;
}

function lacks(name: string): (reading: Reading) => boolean {
  return ({ oauth }) => firstValue(oauth, `oauth_${name}`) === undefined;
}

function isEmpty(name: string): (reading: Reading) => boolean {
  return ({ oauth }) => firstValue(oauth, `oauth_${name}`) === '';
}

function isCorrectlySigned(reading: Reading): boolean {
  return oauthValue(reading, 'signature') === rightSignature(reading);
}

const otherPublicKey = createPublicKey(otherPrivateKeyPem);

function acceptsUnsigned(build: typeof auth, what: string): GatewayDefect {
  // Some requests with a wrong key have no Authorization header, so `wrong-key-refused` also fails.
  return build(`unsigned-${what}-accepted`, ['unsigned-refused', 'wrong-key-refused'], {
    accepts: ({ request }) => authorizationLine(request) === '',
  })`A ${what} without an Authorization header is accepted`;
}

/** `length` is the length of the signature in base64: 28 for HMAC-SHA1, 344 for RSA-2048. */
function hasSignatureLength(length: number): (reading: Reading) => boolean {
  return ({ request }) => {
    const [, encoded = ''] = /oauth_signature="([^"]*)"/.exec(authorizationLine(request)) ?? [];
    return encoded.replace(/%[0-9A-Fa-f]{2}/g, 'x').length === length;
  };
}

function withOtherLastDigit(line: string): string {
  return line.replace(/\d(?=\D*$)/, (digit) => (digit === '9' ? '8' : '9'));
}

export const misreadDefects: readonly GatewayDefect[] = [
  overTarget('prefix-added-to-path', (target) => `/paynet${target}`)`
    A signature over the path with another prefix is accepted`,
  ...acceptDeviations(auth, 'altered-uri-refused', 'first-path-segment-left-out'),
  overTarget('path-case-ignored', (target) => target.toUpperCase())`
    A signature over the path in upper case is accepted`,
  overTarget('point-before-endpoint-taken', (target) => target.replace(/[^/]+$/, './$&'))`
    A signature over the path with a "." segment before the endpoint is accepted`,
  overTarget('version-3-taken', (target) => target.replace(/\/v\d+\//, '/v3/'))`
    A signature over the path of version 3 is accepted`,
  overTarget('version-of-the-other-taken', (target) =>
    target.replace(/\/v[24]\//, (own) => (own === '/v2/' ? '/v4/' : '/v2/')),
  )`A signature over the path with the version of the other operation is accepted`,
  overUri('port-80-written', (uri) => uri.replace(/(:\d+)?(?=\/api\/)/, ':80'))`
    A signature over a URL with an explicit port 80 is accepted`,
  overUri('port-443-written', (uri) => uri.replace(/(:\d+)?(?=\/api\/)/, ':443'))`
    A signature over a URL with an explicit port 443 is accepted`,
  ...acceptDeviations(auth, 'altered-uri-refused', 'question-mark-kept'),
  overBody(closeDayAuth, 'oauth-fields-not-signed', without(/^oauth_/), ['parameters-in-header'])`
    Additional oauth_ fields in the body are accepted and need not be signed`,
  overTarget('zero-before-endpoint-taken', (target) => target.replace(/[^/]+$/, '0$&'))`
    A signature over the path with a zero before the endpoint is accepted`,
  overUri('point-behind-host-taken', (uri) => uri.replace(/^(http:\/\/(?:\[.*\]|[^:/]*))/, '$1.'))`
    A signature over the host with a trailing dot is accepted`,
  ...acceptDeviations(
    auth,
    'wrong-signature-refused',
    'consumer-key-left-out',
    'signature-method-left-out',
    'timestamp-left-out',
    'nonce-left-out',
    'version-left-out-of-base-string',
  ),
  overValues(auth, 'body-values-need-not-be-signed', () => '')`
    Only the names of body fields must be signed, not their values`,
  overQuery('query-values-need-not-be-signed', (query) => query.map(([name]) => [name, '']))`
    Only the names of query parameters must be signed, not their values`,
  ...['sale_approved_count', 'reversal_approved_count', 'reversal_approved_sum'].map(
    (total) => bodyRead(`${total.replaceAll('_', '-')}-not-signed`, without(new RegExp(`^${total}$`)))`
    ${total} can be added after signing`,
  ),
  bodyRead('empty-totals-not-signed', (body) =>
    body.filter(([name, value]) => value !== '' || !/_approved_/.test(name)),
  )`
    A total without a value can be added after signing`,
  ...(
    [
      ['realm-alone', 'only a realm', /^OAuth realm="[^"]+"$/],
      ['empty-realm-alone', 'only an empty realm', /^OAuth realm=""$/],
      ['name-alone', 'only the name of a parameter', /^OAuth oauth_signature$/],
    ] as const
  ).map(
    ([what, content, header]) =>
      auth(`${what}-taken`, 'unsigned-refused', { accepts: ({ request }) => header.test(authorizationLine(request)) })`
      A header with ${content} is accepted`,
  ),
  auth('unknown-method-with-empty-signature-taken', 'missing-signature-refused', {
    accepts: (reading) =>
      firstValue(reading.oauth, 'oauth_signature') === '' &&
      !/^((HMAC|RSA)-SHA(1|256|512)|PLAINTEXT|)$/.test(oauthValue(reading, 'signature_method')),
  })`An empty signature is accepted if the signature method is unknown`,
  closeDayAuth('unknown-consumer-has-empty-secret', 'unknown-consumer-refused', {
    acceptsAt: { consumer: (reading) => isHmac('sha1', reading, '') },
  })`A request of an unknown consumer is accepted if it is signed with an empty secret`,
  methodName('method-name-trimmed', (sent) => sent.endsWith(' '))`
    Spaces around the name of the signature method are ignored`,
  acceptsKeyAs('behind-point-taken', (key) => key.replace(/^\.\//, ''))`"./" before a consumer key is ignored`,
  acceptsKeyAs('before-question-mark-taken', (key) => key.replace(/\?.*/s, ''))`
    A consumer key is cut at its first question mark`,
  acceptsKeyAs('decoded-again', (key) =>
    key.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  )`Escapes in a consumer key are decoded twice`,
  timestamp('timestamp-underscore-taken', (sent) => /^\d_\d+$/.test(sent))`Underscores in a timestamp are ignored`,
  acceptsKey(
    'hyphens-ignored',
    (key) => key.replaceAll('-', '') === publishedIdentity.consumerKey.replaceAll('-', ''),
  )`Hyphens in a consumer key are ignored`,
  auth('bodies-above-64-kib-not-verified', ['wrong-key-refused', 'altered-body-refused'], {
    acceptsAt: { signature: ({ request }) => request.body.length > 65_536 },
  })`The signature is not checked if the body has more than 64 KiB`,
  recurringAuth('batches-above-64-kib-not-verified', ['wrong-key-refused', 'altered-body-refused'], {
    acceptsAt: {
      signature: ({ request, form }) => request.body.length > 65_536 && form.every(([name]) => name === 'payload'),
    },
  })`The signature is not checked if a batch has more than 64 KiB and no field except payload`,

  ...acceptDeviations(closeDayAuth, 'altered-body-refused', 'values-trimmed'),
  valuesRead('values-cut-at-255', (text) => text.slice(0, 255))`
    Only the first 255 characters of each value must be signed`,
  valuesRead('values-cut-at-4096', (text) => text.slice(0, 4_096))`
    Only the first 4,096 characters of each value must be signed`,
  valuesRead('values-cut-at-nul', (text) => text.split('\0')[0]!)`Values are verified only up to the first NUL`,
  ...acceptDeviations(closeDayAuth, 'altered-body-refused', 'composed-before-signing'),
  valuesRead('values-in-latin-1', (text) => text.replace(/[^\0-\xff]/gu, '?'))`
    Characters outside Latin-1 are verified as question marks`,
  ...acceptDeviations(closeDayAuth, 'altered-body-refused', 'names-lower-cased'),
  bodyRead('last-of-equal-names', (body) => [...new Map(body)])`
    If a field occurs twice, only its last value must be signed`,
  ...acceptDeviations(closeDayAuth, 'altered-body-refused', 'duplicates-collapsed-first'),
  bodyRead('first-field-not-signed', (body) => (body.length > 1 ? body.slice(1) : body))`
    If there are several fields, the first one need not be signed`,
  bodyRead('bracketed-names-not-signed', without(/\[/))`Fields with a bracket in the name need not be signed`,
  bodyRead('underscored-names-not-signed', without(/^_/))`
    Fields whose name begins with an underscore need not be signed`,
  bodyRead('format-not-signed', without(/^format$/))`The field format need not be signed`,
  bodyRead('hundred-fields-signed', (body) => body.slice(0, 100))`Only the first hundred fields must be signed`,
  bodyRead('thousand-fields-signed', (body) => body.slice(0, 1_000))`Only the first thousand fields must be signed`,

  acceptsTarget('double-slash-taken', 'A path with an additional leading slash', (target) => `/${target}`),
  acceptsTarget('point-segment-taken', 'A path with a "." segment', (target) => target.replace('/api/', '/api/./')),
  acceptsTarget('other-version-taken', 'The path of another version', (target) => target.replace(/\/v\d+\//, '/v1/')),
  acceptsTarget('other-operation-taken', 'The path of the other operation', (target) =>
    target.includes('/close-day/')
      ? target.replace('v2/close-day', 'v4/process-recurring-payments')
      : target.replace('v4/process-recurring-payments', 'v2/close-day'),
  ),
  ...acceptDeviations(auth, 'altered-uri-refused', 'last-path-segment-left-out'),
  overUrl('port-8080-taken', ({ host }) => ({
    host: `${host.replace(/:\d+$/, '')}:${host.endsWith(':8080') ? 8081 : 8080}`,
  }))`Port 8080 in the base string is also accepted`,
  overUrl('localhost-taken', ({ host }) => ({
    host: host.replace(/^(\[.*\]|[^:]*)/, (name) => (name === 'localhost' ? '127.0.0.1' : 'localhost')),
  }))`localhost or 127.0.0.1 as the host in the base string is also accepted`,
  ...['PUT', 'PATCH', 'DELETE'].map(
    (method) => signedOver(auth, `signed-as-${method.toLowerCase()}-taken`, 'altered-uri-refused', () => ({ method }))`
    A signature for ${method} is accepted`,
  ),
  overQuery('one-query-parameter-signed', (query) => query.slice(0, 1))`
    Only the first parameter of the query must be signed`,
  overQuery('equal-query-parameters-signed-once', (query) => [...new Map(query)])`
    If a query parameter occurs twice, it must be signed only once`,

  acceptsName('method-unknown-taken', /^NONE$/)`NONE is accepted as the signature method`,
  acceptsName('method-384-taken', /-SHA384$/)`The method name with a longer hash (SHA384) is accepted`,
  acceptsName('method-underscore-taken', /_/)`The method name with an underscore is accepted`,
  acceptsName('method-prefix-taken', /\d-2$/)`The method name with a suffix is accepted`,
  acceptsName('method-alias-taken', /^(?:HmacSHA1|RS256)$/)`Other names of the method (HmacSHA1, RS256) are accepted`,
  ...(
    [
      ['with-placeholder', 'has _, a wildcard in SQL,', /^_/],
      ['as-expression', 'is a regular expression', /^\.\*$/],
      ['as-asterisk', 'is an asterisk', /^\*$/],
      ['as-nothing', 'is the word null', /^null$/],
      ['as-blank', 'is a space', /^ $/],
      ['as-member', 'is "constructor", a member of every object,', /^constructor$/],
      ['in-quotes', 'is in quotes', /^"/],
      ['in-list', 'is a comma-separated list', /,/],
      ['as-condition', 'contains an SQL condition', /' OR '/],
    ] as const
  ).map(
    ([what, says, pattern]) => acceptsKey(what, (key) => pattern.test(key))`A consumer key that ${says} is accepted`,
  ),
  ...Object.entries({ 'with-letter': 'v1.0', 'with-two-zeros': '1.00', 'with-comma': '1,0' }).map(
    ([what, value]) => version(`version-${what}-taken`, (sent) => sent === value)`oauth_version ${value} is accepted`,
  ),
  ...Object.entries({ word: 'now', blank: ' ' }).map(
    ([what, value]) =>
      timestamp(`timestamp-${what}-taken`, (sent) => sent === value)`"${value}" is accepted as oauth_timestamp`,
  ),

  acceptsBytes('signature-in-reverse-taken', (sent) => sent.toReversed())`
    A signature with its bytes reversed is accepted`,
  acceptsBytes('signature-twice-taken', (sent) => sent.subarray(0, sent.length / 2))`
    A signature that is repeated twice is accepted`,
  acceptsBytes('signature-inverted-taken', (sent) => sent.map((byte) => ~byte))`
    A signature with its bits inverted is accepted`,
  auth('blank-signature-taken', 'wrong-signature-refused', {
    accepts: (reading) => oauthValue(reading, 'signature') === ' ',
  })`A single space is accepted as a signature`,
  closeDayAuth('signature-compared-to-zero-byte', 'wrong-signature-refused', {
    acceptsAt: { signature: isEqualUpToZero },
  })`Signatures are compared only up to their first zero byte`,

  signedOver(auth, 'body-hides-query', 'altered-uri-refused', ({ query, body }) => ({ query: unhidden(body, query) }))`
    A query parameter that is also in the body need not be signed`,
  auth('query-hides-body', 'altered-body-refused', {
    reads: (request) => {
      const [path = '', query = ''] = request.target.split('?');
      const fields = decodeForm(query);
      const rest = unhidden(fields, decodeForm(request.body));
      const isHidden = rest.length < decodeForm(request.body).length;
      return isHidden ? { ...request, target: path, body: Buffer.from(encodeForm([...fields, ...rest])) } : request;
    },
  })`A field that is also in the query is read from the query, and the field of the body need not be signed`,
  signedOver(
    auth,
    'header-hides-body-and-query',
    ['altered-uri-refused', 'altered-body-refused'],
    ({ header, body, query }) => ({ body: unhidden(header, body), query: unhidden(header, query) }),
    ['payload-alone', 'parameters-in-header'],
  )`A parameter of the body or query that is also in the header need not be signed`,
];

/** A gateway that also accepts a signature over a changed base string URI (RFC 5849 section 3.4.1.2). */
function overUri(what: string, signed: (uri: string) => string): Tag<GatewayDefect> {
  return signedOver(auth, what, 'altered-uri-refused', ({ steps }) => ({
    steps: { ...steps, uri: (url) => signed(steps.uri(url)) },
  }));
}

type Pairs = readonly Pair[];

function unhidden(others: Pairs, pairs: Pairs): Pairs {
  return pairs.filter(([name]) => !others.some(([other]) => other === name));
}

function without(pattern: RegExp): (body: Pairs) => Pairs {
  return (body) => body.filter(([name]) => !pattern.test(name));
}

/** Only for close-day: a batch has only one field, and the mock refuses all other fields. */
function bodyRead(what: string, read: (body: Pairs) => Pairs): Tag<GatewayDefect> {
  return overBody(closeDayAuth, what, read);
}

function valuesRead(what: string, read: (value: string) => string): Tag<GatewayDefect> {
  return overValues(closeDayAuth, what, read);
}

function acceptsTarget(what: string, summary: string, target: (right: string) => string): GatewayDefect {
  return overTarget(what, target)`${summary} is also accepted in the base string`;
}

function acceptsName(what: string, name: RegExp): Tag<GatewayDefect> {
  return methodName(what, (sent, reading) => name.test(sent) && isRight(reading, (bytes) => bytes));
}

function acceptsBytes(what: string, change: (sent: Buffer) => Uint8Array): Tag<GatewayDefect> {
  return auth(what, 'wrong-signature-refused', { acceptsAt: { signature: (reading) => isRight(reading, change) } });
}

function isRight(reading: Reading, change: (sent: Buffer) => Uint8Array): boolean {
  return Buffer.from(change(signatureBytes(reading))).toString('base64') === rightSignature(reading);
}

function isEqualUpToZero(reading: Reading): boolean {
  const sent = signatureBytes(reading);
  const right = Buffer.from(rightSignature(reading), 'base64');
  const end = right.indexOf(0);
  const isCompared = end >= 2 && sent.length === right.length;
  return isCompared && sent.subarray(0, end + 1).equals(right.subarray(0, end + 1));
}
