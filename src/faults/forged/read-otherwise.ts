/** Gateways that omit, change or misplace a part of the signed content. */
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import { decodeForm, encodeForm, verifySignature } from '../../protocol/index.ts';
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
  overUri,
  overUrl,
  overValues,
  type Pairs,
  rightSignature,
  taken,
  timestamp,
  version,
} from './takes.ts';

export const readOtherwiseDefects: readonly GatewayDefect[] = [
  overTarget('prefix-added-to-path', (target) => `/paynet${target}`)`
    The signature of the path behind another prefix is taken`,
  ...taken(auth, 'altered-uri-refused', 'first-path-segment-left-out'),
  overTarget('path-case-ignored', (target) => target.toUpperCase())`The path is compared without regard to case`,
  overTarget('point-before-endpoint-taken', (target) => target.replace(/[^/]+$/, './$&'))`
    The path with a segment of one point before the endpoint is taken`,
  overTarget('version-3-taken', (target) => target.replace(/\/v\d+\//, '/v3/'))`The path of version 3 is taken`,
  overTarget('version-of-the-other-taken', (target) =>
    target.replace(/\/v[24]\//, (own) => (own === '/v2/' ? '/v4/' : '/v2/')),
  )`The path with the version of the other operation is taken`,
  overUri('port-80-written', (uri) => uri.replace(/(:\d+)?(?=\/api\/)/, ':80'))`
    The port 80 is taken where it is written out`,
  overUri('port-443-written', (uri) => uri.replace(/(:\d+)?(?=\/api\/)/, ':443'))`
    The port 443 is taken where it is written out`,
  ...taken(auth, 'altered-uri-refused', 'question-mark-kept'),
  overBody(closeDayAuth, 'oauth-fields-not-signed', without(/^oauth_/), ['parameters-in-header'])`
    Further fields whose names begin with oauth_ are taken, and not signed`,
  overTarget('zero-before-endpoint-taken', (target) => target.replace(/[^/]+$/, '0$&'))`
    The path with a zero before the endpoint is taken`,
  overUri('point-behind-host-taken', (uri) => uri.replace(/^(http:\/\/(?:\[.*\]|[^:/]*))/, '$1.'))`
    The host with a point behind it is taken`,
  ...taken(
    auth,
    'wrong-signature-refused',
    'consumer-key-left-out',
    'signature-method-left-out',
    'timestamp-left-out',
    'nonce-left-out',
    'version-left-out-of-base-string',
  ),
  overValues(auth, 'body-values-need-not-be-signed', () => '')`Of the body the names alone have to be signed`,
  overQuery('query-values-need-not-be-signed', (query) => query.map(([name]) => [name, '']))`
    Of the query the names alone have to be signed`,
  ...['sale_approved_count', 'reversal_approved_count', 'reversal_approved_sum'].map(
    (total) =>
      overBody(closeDayAuth, `${slugOf(total)}-not-signed`, (body) =>
        body.filter(([name]) => name !== total),
      )`${total} may be added on the way: the signature over the other fields is taken`,
  ),
  overBody(closeDayAuth, 'empty-totals-not-signed', (body) =>
    body.filter(([name, value]) => value !== '' || !/_approved_/.test(name)),
  )`Totals without a value may be added on the way, and nothing else`,
  ...(
    [
      ['realm-alone', 'a realm and no parameter besides', /^OAuth realm="[^"]+"$/],
      ['empty-realm-alone', 'an empty realm and no parameter besides', /^OAuth realm=""$/],
      ['name-alone', 'the name of a parameter alone', /^OAuth oauth_signature$/],
    ] as const
  ).map(
    ([what, holds, header]) =>
      auth(`${what}-taken`, 'unsigned-refused', { takes: ({ request }) => header.test(authorizationLine(request)) })`
      A header that holds ${holds} is taken`,
  ),
  auth('unknown-method-with-empty-signature-taken', 'missing-signature-refused', {
    takes: (reading) =>
      firstValue(reading.oauth, 'oauth_signature') === '' &&
      !/^((HMAC|RSA)-SHA(1|256|512)|PLAINTEXT|)$/.test(oauthValue(reading, 'signature_method')),
  })`A signature method that does not exist gives an empty signature, which is taken`,
  closeDayAuth('unknown-consumer-has-empty-secret', 'unknown-consumer-refused', {
    takes: (reading, step) => step === 'consumer' && isSignedWithNothing(reading),
  })`The secret of a consumer that is not known is empty`,
  methodName('method-name-trimmed', (sent) => sent.endsWith(' '))`
    Blanks around the name of the signature method are ignored`,
  consumerFoundAs('behind-point-taken', (key) => key.replace(/^\.\//, ''))`
    A segment of one point before a consumer key is ignored`,
  consumerFoundAs('before-question-mark-taken', (key) => key.replace(/\?.*/s, ''))`
    A consumer key ends at its first question mark`,
  consumerFoundAs('decoded-again', (key) =>
    key.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  )`Escapes of a consumer key are decoded once more`,
  timestamp('timestamp-underscore-taken', (sent) => /^\d_\d+$/.test(sent))`Underscores of a timestamp are ignored`,
  consumerFound(
    'hyphens-ignored',
    (key) => key.replaceAll('-', '') === publishedIdentity.consumerKey.replaceAll('-', ''),
  )`Hyphens of a consumer key are ignored`,
  auth('bodies-above-64-kib-not-verified', ['wrong-key-refused', 'altered-body-refused'], {
    takes: ({ request }, step) => step === 'signature' && request.body.length > 65_536,
  })`Where the body has more than 64 KiB, the signature is not checked`,
  recurringAuth('batches-above-64-kib-not-verified', ['wrong-key-refused', 'altered-body-refused'], {
    takes: ({ request, form }, step) =>
      step === 'signature' && request.body.length > 65_536 && form.every(([name]) => name === 'payload'),
  })`Where a batch has more than 64 KiB and no field beside its payload, the signature is not checked`,

  ...taken(closeDayAuth, 'altered-body-refused', 'values-trimmed'),
  valuesRead('values-cut-at-255', (text) => text.slice(0, 255))`Of each value 255 characters are signed`,
  valuesRead('values-cut-at-4096', (text) => text.slice(0, 4_096))`Of each value 4,096 characters are signed`,
  valuesRead('values-cut-at-nul', (text) => text.split('\0')[0]!)`Values end at a NUL`,
  ...taken(closeDayAuth, 'altered-body-refused', 'composed-before-signing'),
  valuesRead('values-in-latin-1', (text) => text.replace(/[^\0-\xff]/gu, '?'))`
    Letters beyond Latin-1 are signed as question marks`,
  ...taken(closeDayAuth, 'altered-body-refused', 'names-lower-cased'),
  // Only for the body; the deviation of this name covers every source.
  bodyRead('last-of-equal-names', (body) => [...new Map(body)])`Of equal names only the last value is signed`,
  ...taken(closeDayAuth, 'altered-body-refused', 'duplicates-collapsed-first'),
  bodyRead('first-field-not-signed', (body) => (body.length > 1 ? body.slice(1) : body))`
    Of several fields the first one is not signed`,
  bodyRead('bracketed-names-not-signed', without(/\[/))`Names with a bracket are not signed`,
  bodyRead('underscored-names-not-signed', without(/^_/))`Names that begin with an underscore are not signed`,
  bodyRead('format-not-signed', without(/^format$/))`A field that is called format is not signed`,
  bodyRead('hundred-fields-signed', (body) => body.slice(0, 100))`The first hundred fields are signed`,
  bodyRead('thousand-fields-signed', (body) => body.slice(0, 1_000))`The first thousand fields are signed`,

  placeTaken('double-slash-taken', 'A path with one slash more in front', (target) => `/${target}`),
  placeTaken('point-segment-taken', 'A path with a segment of one point', (target) =>
    target.replace('/api/', '/api/./'),
  ),
  placeTaken('other-version-taken', 'The path of another version', (target) => target.replace(/\/v\d+\//, '/v1/')),
  placeTaken('other-operation-taken', 'The path of the other operation', (target) =>
    target.includes('/close-day/')
      ? target.replace('v2/close-day', 'v4/process-recurring-payments')
      : target.replace('v4/process-recurring-payments', 'v2/close-day'),
  ),
  ...taken(auth, 'altered-uri-refused', 'last-path-segment-left-out'),
  overUrl('port-8080-taken', ({ host }) => ({
    host: `${host.replace(/:\d+$/, '')}:${host.endsWith(':8080') ? 8081 : 8080}`,
  }))`The port 8080 is taken too in the base string`,
  overUrl('localhost-taken', ({ host }) => ({
    host: host.replace(/^(\[.*\]|[^:]*)/, (name) => (name === 'localhost' ? '127.0.0.1' : 'localhost')),
  }))`Another name of the machine is taken too in the base string`,
  ...['PUT', 'PATCH', 'DELETE'].map(
    (method) =>
      over(auth, `signed-as-${method.toLowerCase()}-taken`, 'altered-uri-refused', () => ({ method }))`
        A signature for ${method} is taken`,
  ),
  overQuery('one-query-parameter-signed', (query) => query.slice(0, 1))`The first parameter of the query is signed`,
  overQuery('equal-query-parameters-signed-once', (query) => [...new Map(query)])`
    Equal names of the query are signed once`,

  named('method-unknown-taken', /^NONE$/)`A name of no method stands for the right one`,
  named('method-384-taken', /-SHA384$/)`The name of a longer hash stands for the right method`,
  named('method-underscore-taken', /_/)`The method may have an underscore in its name`,
  named('method-prefix-taken', /\d-2$/)`The name of the method may go on`,
  named('method-alias-taken', /^(?:HmacSHA1|RS256)$/)`The method may have the name that others give it`,
  ...(
    [
      ['with-placeholder', 'holds a placeholder', /^_/],
      ['as-expression', 'is a regular expression', /^\.\*$/],
      ['as-asterisk', 'is an asterisk', /^\*$/],
      ['as-nothing', 'is a word for nothing', /^null$/],
      ['as-blank', 'is a blank', /^ $/],
      ['as-member', 'is a member of every object', /^constructor$/],
      ['in-quotes', 'is in quotes', /^"/],
      ['in-list', 'is a list', /,/],
      ['as-condition', 'ends a condition', /' OR '/],
    ] as const
  ).map(
    ([what, says, pattern]) =>
      consumerFound(what, (key) => pattern.test(key))`A consumer key that ${says} finds a consumer`,
  ),
  ...Object.entries({ 'with-letter': 'v1.0', 'with-two-zeros': '1.00', 'with-comma': '1,0' }).map(
    ([what, taken]) => version(`version-${what}-taken`, (sent) => sent === taken)`The version ${taken} is taken`,
  ),
  ...Object.entries({ word: 'now', blank: ' ' }).map(
    ([what, taken]) => timestamp(`timestamp-${what}-taken`, (sent) => sent === taken)`A ${what} is taken for the time`,
  ),

  bytesTaken('signature-in-reverse-taken', (sent) => sent.toReversed())`The bytes of a signature may come in reverse`,
  bytesTaken('signature-twice-taken', (sent) => sent.subarray(0, sent.length / 2))`A signature may come twice`,
  bytesTaken('signature-inverted-taken', (sent) => sent.map((byte) => ~byte))`The bits of a signature may be inverted`,
  auth('blank-signature-taken', 'wrong-signature-refused', {
    takes: (reading) => oauthValue(reading, 'signature') === ' ',
  })`A blank is taken for a signature`,
  closeDayAuth('signature-compared-to-zero-byte', 'wrong-signature-refused', {
    takes: (reading, step) => step === 'signature' && isEqualToZeroByte(reading),
  })`Signatures are compared up to the first zero byte`,

  over(auth, 'body-hides-query', 'altered-uri-refused', ({ query, body }) => ({ query: hiddenBy(body, query) }))`
    A parameter of the query that the body has too is not signed`,
  auth('query-hides-body', 'altered-body-refused', {
    reads: (request) => {
      const [path = '', query = ''] = request.target.split('?');
      const fields = decodeForm(query);
      const rest = hiddenBy(fields, decodeForm(request.body));
      const isHidden = rest.length < decodeForm(request.body).length;
      return isHidden ? { ...request, target: path, body: Buffer.from(encodeForm([...fields, ...rest])) } : request;
    },
  })`A field that the query has too is read from there, and signed once`,
  over(
    auth,
    'header-hides-body-and-query',
    ['altered-uri-refused', 'altered-body-refused'],
    ({ header, body, query }) => ({ body: hiddenBy(header, body), query: hiddenBy(header, query) }),
    ['payload-alone', 'parameters-in-header'],
  )`A parameter of body or query that the header has too is not signed`,
];

function slugOf(name: string): string {
  return name.replace('oauth_', '').replaceAll('_', '-');
}

function hiddenBy(others: Pairs, pairs: Pairs): Pairs {
  return pairs.filter(([name]) => !others.some(([other]) => other === name));
}

function without(pattern: RegExp): (body: Pairs) => Pairs {
  return (body) => body.filter(([name]) => !pattern.test(name));
}

/** Only close-day: with a payload the mock refuses further fields. */
function bodyRead(what: string, read: (body: Pairs) => Pairs): Row<GatewayDefect> {
  return overBody(closeDayAuth, what, read);
}

function valuesRead(what: string, read: (value: string) => string): Row<GatewayDefect> {
  return overValues(closeDayAuth, what, read);
}

function placeTaken(what: string, summary: string, target: (right: string) => string): GatewayDefect {
  return overTarget(what, target)`${summary} is taken too in the base string`;
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
  return Buffer.from(right(signatureIn(reading))).toString('base64') === rightSignature(reading);
}

function isEqualToZeroByte(reading: Reading): boolean {
  const [sent, right] = [signatureIn(reading), Buffer.from(rightSignature(reading), 'base64')];
  const end = right.indexOf(0);
  const isCompared = end >= 2 && sent.length === right.length;
  return isCompared && sent.subarray(0, end + 1).equals(right.subarray(0, end + 1));
}

function signatureIn(reading: Reading): Buffer {
  return Buffer.from(oauthValue(reading, 'signature'), 'base64');
}

function isSignedWithNothing(reading: Reading): boolean {
  const key = { method: 'HMAC-SHA1', consumerSecret: '' } as const;
  return verifySignature(baseStringOf(reading), oauthValue(reading, 'signature'), key);
}
