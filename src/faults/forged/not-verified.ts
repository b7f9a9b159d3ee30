/** Gateways that skip verification if the request has a certain form, or the origin of an accepted one. */

import type { Alteration } from '../../mock/alteration.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import { withHeader } from '../../mock/responses.ts';
import type { World } from '../../mock/world.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import { auth, because, type GatewayDefect } from '../defect.ts';
import { acceptedTexts, authorizationLine, oauthValue, usedWithin } from './takes.ts';

type Has = (reading: Reading, world: World) => boolean;

/** Optional forms of a request. Each gives a defect without signature check, and one without any signature. */
const forms = {
  charset: ['the Content-Type has a charset', (reading) => /charset/.test(headerOf(reading, 'content-type'))],
  capitals: ['the Content-Type is in capitals', (reading) => /^APP/.test(headerOf(reading, 'content-type'))],
  accept: ['the Accept header asks for JSON', (reading) => /json/.test(headerOf(reading, 'accept'))],
  chunks: ['the body is chunked', (reading) => /chunked/.test(headerOf(reading, 'transfer-encoding'))],
  'absolute-form': ['the request line has the absolute URL', ({ original }) => original.arrival?.isAbsolute === true],
  'http-1-0': ['the request is HTTP/1.0', ({ original }) => original.arrival?.httpVersion === '1.0'],
  proxy: ['X-Forwarded-For is 127.0.0.1', (reading) => headerOf(reading, 'x-forwarded-for') === '127.0.0.1'],
  override: ['X-HTTP-Method-Override is set', (reading) => headerOf(reading, 'x-http-method-override') !== ''],
} as const satisfies Readonly<Record<string, readonly [where: string, Has]>>;

const acceptedBodies = acceptedTexts(textOf);

export const notVerifiedDefects: readonly GatewayDefect[] = [
  unverified('charset', ...forms.charset, ['altered-body-refused']),
  unverified('capitals', ...forms.capitals, ['altered-body-refused']),
  unverified('accept', ...forms.accept),
  unverified('realm', 'there is a realm', ({ request }) => /realm="G/.test(authorizationLine(request))),
  unverified('token', 'there is a token', ({ oauth }) => firstValue(oauth, 'oauth_token') !== undefined),
  auth('not-verified-named-token', 'wrong-key-refused', { takes: (_, step) => step === 'token' })`
    The signature is not checked if there is a token, even one that was never issued`,
  auth('not-verified-version', 'wrong-key-refused', {
    takes: ({ oauth }, step) => step === 'has-oauth_version' && firstValue(oauth, 'oauth_version') === undefined,
  })`The signature is not checked if there is no oauth_version`,
  auth('not-verified-method-name', ['wrong-key-refused', 'method-name-enforced'], {
    takes: (reading, step) =>
      step === 'signature-method' && /^(?:hmac|rsa)-sha\d+$/.test(oauthValue(reading, 'signature_method')),
  })`The signature is not checked if the method name is in lower case`,
  unverified('chunks', ...forms.chunks, ['altered-body-refused']),
  unverified('absolute-form', ...forms['absolute-form']),
  unverified('http-1-0', ...forms['http-1-0']),
  unverified('proxy', ...forms.proxy),
  unverified('override', ...forms.override),
  unverified('scheme', 'the scheme is in lower case', ({ request }) => /^oauth /.test(authorizationLine(request))),
  unsigned('charset', ...forms.charset),
  unsigned('capitals', ...forms.capitals),
  unsigned('accept', ...forms.accept),
  unsigned('query', 'there is a query', ({ request }) => /\?x=1$/.test(request.target)),
  unsigned('chunks', ...forms.chunks),
  unsigned('absolute-form', ...forms['absolute-form']),
  unsigned('http-1-0', ...forms['http-1-0']),
  unsigned('proxy', ...forms.proxy),
  unsigned('override', ...forms.override),
  unsigned('ids', 'the ids are those of an accepted request', acceptedBodies.has, acceptedBodies.remember),
  unverified('ids', 'the ids are those of an accepted request', acceptedBodies.has, [], acceptedBodies.remember),
  unverified('undecodable', 'a field cannot be decoded', (reading) => textOf(reading).endsWith('%')),
  auth('signature-with-percent-taken', 'wrong-signature-refused', {
    takes: ({ request }) => /oauth_signature="%"/.test(authorizationLine(request)),
  })`A signature that cannot be decoded is accepted: the gateway ignores the decoding error`,
  ...otherMethod('get', 'A GET with a body is', ({ method, body }) => method === 'GET' && body.length > 0),
  ...otherMethod(
    'get-query',
    'A GET with its fields in the query is',
    ({ method, target }) => method === 'GET' && target.includes('?'),
  ),
  ...otherMethod('other-method', 'A PUT, PATCH or DELETE is', ({ method }) =>
    ['PUT', 'PATCH', 'DELETE'].includes(method),
  ),

  because(
    'the gateway accepts any signature over any content',
    auth(
      'known-connection-trusted',
      [
        'unsigned-refused',
        'wrong-key-refused',
        'wrong-signature-refused',
        'altered-body-refused',
        'altered-uri-refused',
      ],
      {
        refuses: trust,
        takes: (reading, step) =>
          isTrusted(reading) && (step === 'signature' || authorizationLine(reading.request) === ''),
      },
    )`After an accepted request, its connection needs no signature and no Authorization header`,
  ),
  auth('known-session-trusted', ['unsigned-refused', 'wrong-key-refused'], {
    writes: (reply, { decision }) =>
      decision === 'accepted' ? withHeader(reply, 'Set-Cookie', `${session}; Path=/; HttpOnly`) : reply,
    takes: ({ request }, step) =>
      headerValues(request.headers, 'cookie').includes(session) &&
      (step === 'signature' || authorizationLine(request) === ''),
  })`After an accepted request, its session cookie replaces signature and Authorization header`,
  auth('nonces-by-connection', 'reused-nonce-refused', {
    skips: ['nonce'],
    refuses: usedWithin(({ original }) => numberOf(original.arrival?.connection)),
  })`A nonce can be used once per connection`,
];

function textOf({ request }: Pick<Reading, 'request'>): string {
  return Buffer.from(request.body).toString('latin1');
}

function headerOf({ request }: Reading, name: string): string {
  return headerValues(request.headers, name)[0] ?? '';
}

function unverified(
  what: string,
  where: string,
  has: Has,
  further: readonly 'altered-body-refused'[] = [],
  refuses?: Alteration['refuses'],
): GatewayDefect {
  return auth(`not-verified-${what}`, ['wrong-key-refused', ...further], {
    refuses,
    takes: (reading, step, world) => step === 'signature' && has(reading, world),
  })`The signature is not checked if ${where}`;
}

function unsigned(what: string, where: string, has: Has, refuses?: Alteration['refuses']): GatewayDefect {
  return auth(`unsigned-taken-${what}`, 'unsigned-refused', {
    refuses,
    takes: (reading, _, world) => authorizationLine(reading.request) === '' && has(reading, world),
  })`No signature is required if ${where}`;
}

/** Section 4 defines only POST. A gateway that acts on another method must still require a signature. */
function otherMethod(what: string, summary: string, isOne: (request: SentRequest) => boolean): GatewayDefect[] {
  const reads: Alteration['reads'] = (request) => (isOne(request) ? { ...request, method: 'POST' } : request);
  return [
    auth(`unsigned-taken-${what}`, 'unsigned-refused', {
      reads,
      takes: ({ request, original }) => authorizationLine(request) === '' && isOne(original),
    })`${summary} processed without a signature`,
    auth(`not-verified-${what}`, 'wrong-key-refused', {
      reads,
      takes: ({ original }, step) => step === 'signature' && isOne(original),
    })`${summary} processed without checking its signature`,
  ];
}

const session = 'JSESSIONID=5D0C3E1F';

const accepted = new WeakSet<object>();

/** Runs last, so only for accepted requests. */
function trust({ original }: Reading): undefined {
  if (original.arrival !== undefined) accepted.add(original.arrival.connection);
}

function isTrusted({ original }: Reading): boolean {
  return original.arrival !== undefined && accepted.has(original.arrival.connection);
}

const numbers = new WeakMap<object, string>();
let count = 0;

function numberOf(connection: object | undefined): string {
  if (connection === undefined) return '';
  const number = numbers.get(connection) ?? String(++count);
  numbers.set(connection, number);
  return number;
}
