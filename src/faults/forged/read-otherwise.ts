/** Gateways that leave out a part of what is signed, change it first, or take it for another place. */
import { oauthParameters } from '../../../contracts/oauth-parameters.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import { decodeForm, encodeForm, verifySignature } from '../../protocol/index.ts';
import { auth, closeDayAuth, type GatewayDefect, recurringAuth } from '../defect.ts';
import {
  alsoTakes,
  authorizationLine,
  baseStringOf,
  consumerFound,
  consumerFoundAs,
  oauthValue,
  overBody,
  overQuery,
  overTarget,
  overUri,
  overUrl,
  overValues,
  type Pairs,
  rightSignature,
} from './takes.ts';

export const readOtherwiseDefects: readonly GatewayDefect[] = [
  overTarget(
    'prefix-added-to-path',
    'The signature of the path behind another prefix is taken',
    (target) => `/paynet${target}`,
  ),
  overTarget('path-without-prefix-taken', 'The signature of the path without its first segment is taken', (target) =>
    target.replace(/^\/[^/]+/, ''),
  ),
  overTarget('path-case-ignored', 'The path is compared without regard to case', (target) => target.toUpperCase()),
  overTarget(
    'point-before-endpoint-taken',
    'The path with a segment of one point before the endpoint is taken',
    (target) => target.replace(/[^/]+$/, './$&'),
  ),
  overTarget('version-3-taken', 'The path of version 3 is taken', (target) => target.replace(/\/v\d+\//, '/v3/')),
  overTarget('version-of-the-other-taken', 'The path with the version of the other operation is taken', (target) =>
    target.replace(/\/v[24]\//, (own) => (own === '/v2/' ? '/v4/' : '/v2/')),
  ),
  overUri('port-80-written', 'The port 80 is taken where it is written out', (uri) =>
    uri.replace(/(:\d+)?(?=\/api\/)/, ':80'),
  ),
  overUri('port-443-written', 'The port 443 is taken where it is written out', (uri) =>
    uri.replace(/(:\d+)?(?=\/api\/)/, ':443'),
  ),
  overUri('question-mark-taken', 'A question mark behind the path is taken', (uri) => `${uri}?`),
  overBody(
    closeDayAuth,
    'oauth-fields-not-signed',
    'Further fields whose names begin with oauth_ are taken, and not signed',
    without(/^oauth_/),
    ['parameters-in-header'],
  ),
  overTarget('zero-before-endpoint-taken', 'The path with a zero before the endpoint is taken', (target) =>
    target.replace(/[^/]+$/, '0$&'),
  ),
  overUri('point-behind-host-taken', 'The host with a point behind it is taken', (uri) =>
    uri.replace(/^(http:\/\/(?:\[.*\]|[^:/]*))/, '$1.'),
  ),
  ...oauthParameters
    .filter((name) => name !== 'oauth_signature')
    .map((name) =>
      auth(
        `${name.replace('oauth_', '').replaceAll('_', '-')}-need-not-be-signed`,
        `A signature that leaves out ${name} is taken`,
        'wrong-signature-refused',
        alsoTakes(({ header }) => ({ header: header.filter(([one]) => one !== name) })),
      ),
    ),
  overValues(auth, 'body-values-need-not-be-signed', 'Of the body the names alone have to be signed', () => ''),
  overQuery('query-values-need-not-be-signed', 'Of the query the names alone have to be signed', (query) =>
    query.map(([name]) => [name, '']),
  ),
  ...['sale_approved_count', 'reversal_approved_count', 'reversal_approved_sum'].map((total) =>
    overBody(
      closeDayAuth,
      `${total.replaceAll('_', '-')}-not-signed`,
      `${total} may be added on the way: the signature over the other fields is taken`,
      (body) => body.filter(([name]) => name !== total),
    ),
  ),
  overBody(
    closeDayAuth,
    'empty-totals-not-signed',
    'Totals without a value may be added on the way, and nothing else',
    (body) => body.filter(([name, value]) => value !== '' || !/_approved_/.test(name)),
  ),
  ...(
    [
      ['realm-alone', 'a realm and no parameter besides', /^OAuth realm="[^"]+"$/],
      ['empty-realm-alone', 'an empty realm and no parameter besides', /^OAuth realm=""$/],
      ['name-alone', 'the name of a parameter alone', /^OAuth oauth_signature$/],
    ] as const
  ).map(([what, holds, header]) =>
    auth(`${what}-taken`, `A header that holds ${holds} is taken`, 'unsigned-refused', {
      takes: ({ request }) => header.test(authorizationLine(request)),
    }),
  ),
  auth(
    'unknown-method-with-empty-signature-taken',
    'A signature method that does not exist gives an empty signature, which is taken',
    'missing-signature-refused',
    {
      takes: (reading) =>
        firstValue(reading.oauth, 'oauth_signature') === '' &&
        !/^((HMAC|RSA)-SHA(1|256|512)|PLAINTEXT|)$/.test(oauthValue(reading, 'signature_method')),
    },
  ),
  closeDayAuth(
    'unknown-consumer-has-empty-secret',
    'The secret of a consumer that is not known is empty',
    'unknown-consumer-refused',
    { takes: (reading, step) => step === 'consumer' && isSignedWithNothing(reading) },
  ),
  auth('method-name-trimmed', 'Blanks around the name of the signature method are ignored', 'other-method-refused', {
    takes: (reading, step) => step === 'signature-method' && / $/.test(oauthValue(reading, 'signature_method')),
  }),
  consumerFoundAs('behind-point-taken', 'A segment of one point before a consumer key is ignored', (key) =>
    key.replace(/^\.\//, ''),
  ),
  consumerFoundAs('before-question-mark-taken', 'A consumer key ends at its first question mark', (key) =>
    key.replace(/\?.*/s, ''),
  ),
  consumerFoundAs('decoded-again', 'Escapes of a consumer key are decoded once more', (key) =>
    key.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ),
  auth('timestamp-underscore-taken', 'Underscores of a timestamp are ignored', 'malformed-timestamp-refused', {
    takes: (reading) => /^\d_\d+$/.test(oauthValue(reading, 'timestamp')),
  }),
  consumerFound(
    'hyphens-ignored',
    'Hyphens of a consumer key are ignored',
    (key) => key.replaceAll('-', '') === publishedIdentity.consumerKey.replaceAll('-', ''),
  ),
  auth(
    'bodies-above-64-kib-not-verified',
    'Where the body has more than 64 KiB, the signature is not checked',
    ['wrong-key-refused', 'altered-body-refused'],
    { takes: ({ request }, step) => step === 'signature' && request.body.length > 65_536 },
  ),
  recurringAuth(
    'batches-above-64-kib-not-verified',
    'Where a batch has more than 64 KiB and no field beside its payload, the signature is not checked',
    ['wrong-key-refused', 'altered-body-refused'],
    {
      takes: ({ request, form }, step) =>
        step === 'signature' && request.body.length > 65_536 && form.every(([name]) => name === 'payload'),
    },
  ),

  valuesRead('values-trimmed', 'Values are trimmed before they are signed', (text) => text.trim()),
  valuesRead('values-cut-at-255', 'Of each value 255 characters are signed', (text) => text.slice(0, 255)),
  valuesRead('values-cut-at-4096', 'Of each value 4,096 characters are signed', (text) => text.slice(0, 4_096)),
  valuesRead('values-cut-at-nul', 'Values end at a NUL', (text) => text.split('\0')[0]!),
  valuesRead('values-composed', 'Letters of two code points are signed as one', (text) => text.normalize('NFC')),
  valuesRead('values-in-latin-1', 'Letters beyond Latin-1 are signed as question marks', (text) =>
    text.replace(/[^\0-\xff]/gu, '?'),
  ),
  bodyRead('names-in-lower-case', 'Names are signed in lower case', (body) =>
    body.map(([name, text]) => [name.toLowerCase(), text]),
  ),
  bodyRead('last-of-equal-names', 'Of equal names only the last value is signed', (body) => [...new Map(body)]),
  bodyRead('first-of-equal-names', 'Of equal names only the first value is signed', (body) => [
    ...new Map(body.toReversed()),
  ]),
  bodyRead('first-field-not-signed', 'Of several fields the first one is not signed', (body) =>
    body.length > 1 ? body.slice(1) : body,
  ),
  bodyRead('bracketed-names-not-signed', 'Names with a bracket are not signed', without(/\[/)),
  bodyRead('underscored-names-not-signed', 'Names that begin with an underscore are not signed', without(/^_/)),
  bodyRead('format-not-signed', 'A field that is called format is not signed', without(/^format$/)),
  bodyRead('hundred-fields-signed', 'The first hundred fields are signed', (body) => body.slice(0, 100)),
  bodyRead('thousand-fields-signed', 'The first thousand fields are signed', (body) => body.slice(0, 1_000)),

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
  placeTaken('path-without-endpoint-taken', 'The path without the endpoint', (target) =>
    target.replace(/\/[^/]+$/, ''),
  ),
  overUrl('port-8080-taken', 'The port 8080 is taken too in the base string', ({ host }) => ({
    host: `${host.replace(/:\d+$/, '')}:${host.endsWith(':8080') ? 8081 : 8080}`,
  })),
  overUrl('localhost-taken', 'Another name of the machine is taken too in the base string', ({ host }) => ({
    host: host.replace(/^(\[.*\]|[^:]*)/, (name) => (name === 'localhost' ? '127.0.0.1' : 'localhost')),
  })),
  ...['PUT', 'PATCH', 'DELETE'].map((method) =>
    auth(
      `signed-as-${method.toLowerCase()}-taken`,
      `A signature for ${method} is taken`,
      'altered-uri-refused',
      alsoTakes(() => ({ method })),
    ),
  ),
  overQuery('one-query-parameter-signed', 'The first parameter of the query is signed', (query) => query.slice(0, 1)),
  overQuery('equal-query-parameters-signed-once', 'Equal names of the query are signed once', (query) => [
    ...new Map(query),
  ]),

  named('method-unknown-taken', 'A name of no method stands for the right one', /^NONE$/),
  named('method-384-taken', 'The name of a longer hash stands for the right method', /-SHA384$/),
  named('method-underscore-taken', 'The method may have an underscore in its name', /_/),
  named('method-prefix-taken', 'The name of the method may go on', /\d-2$/),
  named('method-alias-taken', 'The method may have the name that others give it', /^(?:HmacSHA1|RS256)$/),
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
  ).map(([what, says, pattern]) =>
    auth(`consumer-key-${what}`, `A consumer key that ${says} finds a consumer`, 'unknown-consumer-refused', {
      takes: (reading) => pattern.test(oauthValue(reading, 'consumer_key')),
    }),
  ),
  ...Object.entries({ 'with-letter': 'v1.0', 'with-two-zeros': '1.00', 'with-comma': '1,0' }).map(([what, version]) =>
    auth(`version-${what}-taken`, `The version ${version} is taken`, 'wrong-version-refused', {
      takes: (reading) => oauthValue(reading, 'version') === version,
    }),
  ),
  ...Object.entries({ word: 'now', blank: ' ' }).map(([what, timestamp]) =>
    auth(`timestamp-${what}-taken`, `A ${what} is taken for the time`, 'malformed-timestamp-refused', {
      takes: (reading) => oauthValue(reading, 'timestamp') === timestamp,
    }),
  ),

  bytesTaken('signature-in-reverse-taken', 'The bytes of a signature may come in reverse', (sent) => sent.toReversed()),
  bytesTaken('signature-twice-taken', 'A signature may come twice', (sent) => sent.subarray(0, sent.length / 2)),
  bytesTaken('signature-inverted-taken', 'The bits of a signature may be inverted', (sent) =>
    sent.map((byte) => ~byte),
  ),
  auth('blank-signature-taken', 'A blank is taken for a signature', 'wrong-signature-refused', {
    takes: (reading) => oauthValue(reading, 'signature') === ' ',
  }),
  closeDayAuth(
    'signature-compared-to-zero-byte',
    'Signatures are compared up to the first zero byte',
    'wrong-signature-refused',
    { takes: (reading, step) => step === 'signature' && isEqualToZeroByte(reading) },
  ),

  auth(
    'body-hides-query',
    'A parameter of the query that the body has too is not signed',
    'altered-uri-refused',
    alsoTakes(({ query, body }) => ({ query: hiddenBy(body, query) })),
  ),
  auth(
    'query-hides-body',
    'A field that the query has too is read from there, and signed once',
    'altered-body-refused',
    {
      reads: (request) => {
        const [path = '', query = ''] = request.target.split('?');
        const fields = decodeForm(query);
        const rest = hiddenBy(fields, decodeForm(request.body));
        const isHidden = rest.length < decodeForm(request.body).length;
        return isHidden ? { ...request, target: path, body: Buffer.from(encodeForm([...fields, ...rest])) } : request;
      },
    },
  ),
  auth(
    'header-hides-body-and-query',
    'A parameter of body or query that the header has too is not signed',
    ['altered-uri-refused', 'altered-body-refused'],
    {
      skips: ['payload-alone', 'parameters-in-header'],
      ...alsoTakes(({ header, body, query }) => ({ body: hiddenBy(header, body), query: hiddenBy(header, query) })),
    },
  ),
];

/** What is left of these pairs beside others whose names count first. */
function hiddenBy(others: Pairs, pairs: Pairs): Pairs {
  return pairs.filter(([name]) => !others.some(([other]) => other === name));
}

function without(pattern: RegExp): (body: Pairs) => Pairs {
  return (body) => body.filter(([name]) => !pattern.test(name));
}

/** Of close-day alone: beside a payload the mock takes no further field. */
function bodyRead(what: string, summary: string, read: (body: Pairs) => Pairs): GatewayDefect {
  return overBody(closeDayAuth, what, summary, read);
}

function valuesRead(what: string, summary: string, read: (value: string) => string): GatewayDefect {
  return overValues(closeDayAuth, what, summary, read);
}

function placeTaken(what: string, summary: string, target: (right: string) => string): GatewayDefect {
  return overTarget(what, `${summary} is taken too in the base string`, target);
}

/** Announced under such a name, and signed as the operation asks. */
function named(what: string, summary: string, name: RegExp): GatewayDefect {
  return auth(what, summary, 'other-method-refused', {
    takes: (reading) => name.test(oauthValue(reading, 'signature_method')) && isRight(reading, (sent) => sent),
  });
}

function bytesTaken(what: string, summary: string, right: (sent: Buffer) => Uint8Array): GatewayDefect {
  return auth(what, summary, 'wrong-signature-refused', {
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
