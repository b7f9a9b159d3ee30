/** Gateways that accept a signature over content of which a part was left out, changed or moved. */
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import { decodeForm, encodeForm, type Pair, verifySignature } from '../../protocol/index.ts';
import type { Row } from '../../record/row.ts';
import { auth, closeDayAuth, type GatewayDefect, recurringAuth } from '../defect.ts';
import {
  authorizationLine,
  baseStringOf,
  consumerFound,
  consumerFoundAs,
  methodName,
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

export const readOtherwiseDefects: readonly GatewayDefect[] = [
  overTarget('prefix-added-to-path', (target) => `/paynet${target}`)`
    A signature over the path with another prefix is accepted`,
  ...taken(auth, 'altered-uri-refused', 'first-path-segment-left-out'),
  overTarget('path-case-ignored', (target) =>
    target.toUpperCase(),
  )`A signature over the path in upper case is accepted`,
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
  ...taken(auth, 'altered-uri-refused', 'question-mark-kept'),
  overBody(closeDayAuth, 'oauth-fields-not-signed', without(/^oauth_/), ['parameters-in-header'])`
    Additional oauth_ fields in the body are accepted and need not be signed`,
  overTarget('zero-before-endpoint-taken', (target) => target.replace(/[^/]+$/, '0$&'))`
    A signature over the path with a zero before the endpoint is accepted`,
  overUri('point-behind-host-taken', (uri) => uri.replace(/^(http:\/\/(?:\[.*\]|[^:/]*))/, '$1.'))`
    A signature over the host with a trailing dot is accepted`,
  ...taken(
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
    (total) =>
      overBody(closeDayAuth, `${total.replaceAll('_', '-')}-not-signed`, without(new RegExp(`^${total}$`)))`
        ${total} can be added after signing`,
  ),
  overBody(closeDayAuth, 'empty-totals-not-signed', (body) =>
    body.filter(([name, value]) => value !== '' || !/_approved_/.test(name)),
  )`A total without a value can be added after signing`,
  ...(
    [
      ['realm-alone', 'only a realm', /^OAuth realm="[^"]+"$/],
      ['empty-realm-alone', 'only an empty realm', /^OAuth realm=""$/],
      ['name-alone', 'only the name of a parameter', /^OAuth oauth_signature$/],
    ] as const
  ).map(
    ([what, holds, header]) =>
      auth(`${what}-taken`, 'unsigned-refused', { takes: ({ request }) => header.test(authorizationLine(request)) })`
      A header with ${holds} is accepted`,
  ),
  auth('unknown-method-with-empty-signature-taken', 'missing-signature-refused', {
    takes: (reading) =>
      firstValue(reading.oauth, 'oauth_signature') === '' &&
      !/^((HMAC|RSA)-SHA(1|256|512)|PLAINTEXT|)$/.test(oauthValue(reading, 'signature_method')),
  })`An empty signature is accepted if the signature method is unknown`,
  closeDayAuth('unknown-consumer-has-empty-secret', 'unknown-consumer-refused', {
    takes: (reading, step) => step === 'consumer' && isSignedWithNothing(reading),
  })`A request of an unknown consumer is accepted if it is signed with an empty secret`,
  methodName('method-name-trimmed', (sent) => sent.endsWith(' '))`
    Spaces around the name of the signature method are ignored`,
  consumerFoundAs('behind-point-taken', (key) => key.replace(/^\.\//, ''))`"./" before a consumer key is ignored`,
  consumerFoundAs('before-question-mark-taken', (key) => key.replace(/\?.*/s, ''))`
    A consumer key is cut at its first question mark`,
  consumerFoundAs('decoded-again', (key) =>
    key.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  )`Escapes in a consumer key are decoded twice`,
  timestamp('timestamp-underscore-taken', (sent) => /^\d_\d+$/.test(sent))`Underscores in a timestamp are ignored`,
  consumerFound(
    'hyphens-ignored',
    (key) => key.replaceAll('-', '') === publishedIdentity.consumerKey.replaceAll('-', ''),
  )`Hyphens in a consumer key are ignored`,
  auth('bodies-above-64-kib-not-verified', ['wrong-key-refused', 'altered-body-refused'], {
    takes: ({ request }, step) => step === 'signature' && request.body.length > 65_536,
  })`The signature is not checked if the body has more than 64 KiB`,
  recurringAuth('batches-above-64-kib-not-verified', ['wrong-key-refused', 'altered-body-refused'], {
    takes: ({ request, form }, step) =>
      step === 'signature' && request.body.length > 65_536 && form.every(([name]) => name === 'payload'),
  })`The signature is not checked if a batch has more than 64 KiB and no field except payload`,

  ...taken(closeDayAuth, 'altered-body-refused', 'values-trimmed'),
  valuesRead('values-cut-at-255', (text) => text.slice(0, 255))`
    Only the first 255 characters of each value must be signed`,
  valuesRead('values-cut-at-4096', (text) => text.slice(0, 4_096))`
    Only the first 4,096 characters of each value must be signed`,
  valuesRead('values-cut-at-nul', (text) => text.split('\0')[0]!)`Values are verified only up to the first NUL`,
  ...taken(closeDayAuth, 'altered-body-refused', 'composed-before-signing'),
  valuesRead('values-in-latin-1', (text) => text.replace(/[^\0-\xff]/gu, '?'))`
    Characters outside Latin-1 are verified as question marks`,
  ...taken(closeDayAuth, 'altered-body-refused', 'names-lower-cased'),
  // The deviation `duplicates-collapsed-last` changes every parameter, but this defect changes only the body.
  bodyRead('last-of-equal-names', (body) => [...new Map(body)])`
    If a field occurs twice, only its last value must be signed`,
  ...taken(closeDayAuth, 'altered-body-refused', 'duplicates-collapsed-first'),
  bodyRead('first-field-not-signed', (body) => (body.length > 1 ? body.slice(1) : body))`
    If there are several fields, the first one need not be signed`,
  bodyRead('bracketed-names-not-signed', without(/\[/))`Fields with a bracket in the name need not be signed`,
  bodyRead('underscored-names-not-signed', without(/^_/))`
    Fields whose name begins with an underscore need not be signed`,
  bodyRead('format-not-signed', without(/^format$/))`The field format need not be signed`,
  bodyRead('hundred-fields-signed', (body) => body.slice(0, 100))`Only the first hundred fields must be signed`,
  bodyRead('thousand-fields-signed', (body) => body.slice(0, 1_000))`Only the first thousand fields must be signed`,

  placeTaken('double-slash-taken', 'A path with an additional leading slash', (target) => `/${target}`),
  placeTaken('point-segment-taken', 'A path with a "." segment', (target) => target.replace('/api/', '/api/./')),
  placeTaken('other-version-taken', 'The path of another version', (target) => target.replace(/\/v\d+\//, '/v1/')),
  placeTaken('other-operation-taken', 'The path of the other operation', (target) =>
    target.includes('/close-day/')
      ? target.replace('v2/close-day', 'v4/process-recurring-payments')
      : target.replace('v4/process-recurring-payments', 'v2/close-day'),
  ),
  ...taken(auth, 'altered-uri-refused', 'last-path-segment-left-out'),
  overUrl('port-8080-taken', ({ host }) => ({
    host: `${host.replace(/:\d+$/, '')}:${host.endsWith(':8080') ? 8081 : 8080}`,
  }))`Port 8080 in the base string is also accepted`,
  overUrl('localhost-taken', ({ host }) => ({
    host: host.replace(/^(\[.*\]|[^:]*)/, (name) => (name === 'localhost' ? '127.0.0.1' : 'localhost')),
  }))`localhost or 127.0.0.1 as the host in the base string is also accepted`,
  ...['PUT', 'PATCH', 'DELETE'].map(
    (method) =>
      over(auth, `signed-as-${method.toLowerCase()}-taken`, 'altered-uri-refused', () => ({ method }))`
        A signature for ${method} is accepted`,
  ),
  overQuery('one-query-parameter-signed', (query) => query.slice(0, 1))`
    Only the first parameter of the query must be signed`,
  overQuery('equal-query-parameters-signed-once', (query) => [...new Map(query)])`
    If a query parameter occurs twice, it must be signed only once`,

  named('method-unknown-taken', /^NONE$/)`NONE is accepted as the signature method`,
  named('method-384-taken', /-SHA384$/)`The method name with a longer hash (SHA384) is accepted`,
  named('method-underscore-taken', /_/)`The method name with an underscore is accepted`,
  named('method-prefix-taken', /\d-2$/)`The method name with a suffix is accepted`,
  named('method-alias-taken', /^(?:HmacSHA1|RS256)$/)`Other names of the method (HmacSHA1, RS256) are accepted`,
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
    ([what, says, pattern]) => consumerFound(what, (key) => pattern.test(key))`A consumer key that ${says} is accepted`,
  ),
  ...Object.entries({ 'with-letter': 'v1.0', 'with-two-zeros': '1.00', 'with-comma': '1,0' }).map(
    ([what, taken]) => version(`version-${what}-taken`, (sent) => sent === taken)`oauth_version ${taken} is accepted`,
  ),
  ...Object.entries({ word: 'now', blank: ' ' }).map(
    ([what, taken]) =>
      timestamp(`timestamp-${what}-taken`, (sent) => sent === taken)`"${taken}" is accepted as oauth_timestamp`,
  ),

  bytesTaken('signature-in-reverse-taken', (sent) => sent.toReversed())`
    A signature with its bytes reversed is accepted`,
  bytesTaken('signature-twice-taken', (sent) => sent.subarray(0, sent.length / 2))`
    A signature that is repeated twice is accepted`,
  bytesTaken('signature-inverted-taken', (sent) => sent.map((byte) => ~byte))`
    A signature with its bits inverted is accepted`,
  auth('blank-signature-taken', 'wrong-signature-refused', {
    takes: (reading) => oauthValue(reading, 'signature') === ' ',
  })`A single space is accepted as a signature`,
  closeDayAuth('signature-compared-to-zero-byte', 'wrong-signature-refused', {
    takes: (reading, step) => step === 'signature' && isEqualToZeroByte(reading),
  })`Signatures are compared only up to their first zero byte`,

  over(auth, 'body-hides-query', 'altered-uri-refused', ({ query, body }) => ({ query: hiddenBy(body, query) }))`
    A query parameter that is also in the body need not be signed`,
  auth('query-hides-body', 'altered-body-refused', {
    reads: (request) => {
      const [path = '', query = ''] = request.target.split('?');
      const fields = decodeForm(query);
      const rest = hiddenBy(fields, decodeForm(request.body));
      const isHidden = rest.length < decodeForm(request.body).length;
      return isHidden ? { ...request, target: path, body: Buffer.from(encodeForm([...fields, ...rest])) } : request;
    },
  })`A field that is also in the query is read from the query, and the field of the body need not be signed`,
  over(
    auth,
    'header-hides-body-and-query',
    ['altered-uri-refused', 'altered-body-refused'],
    ({ header, body, query }) => ({ body: hiddenBy(header, body), query: hiddenBy(header, query) }),
    ['payload-alone', 'parameters-in-header'],
  )`A parameter of the body or query that is also in the header need not be signed`,
];

/** A gateway that also accepts a signature over a changed base string URI (RFC 5849 section 3.4.1.2). */
function overUri(what: string, signed: (uri: string) => string): Row<GatewayDefect> {
  return over(auth, what, 'altered-uri-refused', ({ steps }) => ({
    steps: { ...steps, uri: (url) => signed(steps.uri(url)) },
  }));
}

type Pairs = readonly Pair[];

function hiddenBy(others: Pairs, pairs: Pairs): Pairs {
  return pairs.filter(([name]) => !others.some(([other]) => other === name));
}

function without(pattern: RegExp): (body: Pairs) => Pairs {
  return (body) => body.filter(([name]) => !pattern.test(name));
}

/** Only close-day has defects of single fields, because the mock refuses a batch with fields other than payload. */
function bodyRead(what: string, read: (body: Pairs) => Pairs): Row<GatewayDefect> {
  return overBody(closeDayAuth, what, read);
}

function valuesRead(what: string, read: (value: string) => string): Row<GatewayDefect> {
  return overValues(closeDayAuth, what, read);
}

function placeTaken(what: string, summary: string, target: (right: string) => string): GatewayDefect {
  return overTarget(what, target)`${summary} is also accepted in the base string`;
}

function named(what: string, name: RegExp): Row<GatewayDefect> {
  return methodName(what, (sent, reading) => name.test(sent) && isRight(reading, (bytes) => bytes));
}

function bytesTaken(what: string, right: (sent: Buffer) => Uint8Array): Row<GatewayDefect> {
  return auth(what, 'wrong-signature-refused', {
    takes: (reading, step) => step === 'signature' && isRight(reading, right),
  });
}

function isRight(reading: Reading, right: (sent: Buffer) => Uint8Array): boolean {
  return Buffer.from(right(signatureBytes(reading))).toString('base64') === rightSignature(reading);
}

function isEqualToZeroByte(reading: Reading): boolean {
  const [sent, right] = [signatureBytes(reading), Buffer.from(rightSignature(reading), 'base64')];
  const end = right.indexOf(0);
  const isCompared = end >= 2 && sent.length === right.length;
  return isCompared && sent.subarray(0, end + 1).equals(right.subarray(0, end + 1));
}

function isSignedWithNothing(reading: Reading): boolean {
  const key = { method: 'HMAC-SHA1', consumerSecret: '' } as const;
  return verifySignature(baseStringOf(reading), oauthValue(reading, 'signature'), key);
}
