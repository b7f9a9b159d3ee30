/** A right signature in a malformed request is not verified: what is malformed is named as a run with a client names it. */

import { autopsy } from '../../../src/autopsy/index.ts';
import { type Pair, percentEncode, type WireRequest } from '../../../src/protocol/index.ts';
import { expect, test } from '../../engine.ts';
import { type Drawn, plainRequest, signedWith, withHeader } from './drawn.ts';

const { consumerSecret, target: closeDay } = plainRequest;
const credentials: readonly Pair[] = [
  ['oauth_consumer_key', 'shop & co'],
  ['oauth_signature_method', 'HMAC-SHA1'],
  ['oauth_timestamp', '1700000000'],
  ['oauth_nonce', 'n/+ce'],
  ['oauth_version', '1.0'],
];

/** A request with a right signature of what it holds, and its header after `change`. */
const request = (change: (header: string) => string, drafted: Partial<Drawn> = {}) =>
  withHeader(signedWith({ ...plainRequest, credentials, ...drafted }, []), change);

const asPrinted = (header: string): string => header;

/** The credentials with one of them exchanged; without it where nothing is given for it. */
function but(name: string, ...instead: readonly Pair[]): readonly Pair[] {
  return credentials.flatMap((pair) => (pair[0] === name ? instead : [pair]));
}

/** Ids of what is malformed in a request of which the signature is right. */
function brokenBy(one: WireRequest, tokenSecret?: string): string[] {
  const keys = { consumerSecret, ...(tokenSecret === undefined ? {} : { tokenSecret }) };
  const { signature, verified, deviations, malformations } = autopsy(one, keys, { limits: { depth: 1 } });
  expect({ signature, deviations, verified }).toEqual({
    signature: 'right',
    deviations: [],
    verified: malformations.length === 0,
  });
  return malformations.map(({ id }) => id.replace('authentication/', ''));
}

const raw = (name: string) => (header: string) =>
  header.replace(new RegExp(`(${name}=")([^"]*)`), (_, before, value) => before + decodeURIComponent(value));

const unquoted = (header: string) => header.replaceAll('"', '');
const malformed: readonly (readonly [what: string, ids: readonly string[], change: (header: string) => string])[] = [
  ['a raw signature', ['header-values-encoded'], raw('oauth_signature')],
  ['values without quotes', ['header-values-encoded'], unquoted],
  ['semicolons', ['header-scheme'], (header) => header.replaceAll(', ', '; ')],
  ['a trailing comma', ['header-scheme'], (header) => `${header},`],
  ['another scheme', ['header-scheme'], (header) => header.replace('OAuth', 'Bearer')],
  ['no scheme', ['header-scheme'], (header) => header.replace('OAuth ', '')],
  ['both', ['header-scheme', 'header-values-encoded'], (header) => unquoted(header).replaceAll(', ', '; ')],
];

test('a right signature in a header of another form is malformed, whatever is asked for', () => {
  for (const [what, ids, change] of malformed) {
    expect(brokenBy(request(change)), what).toEqual(ids);
    expect(brokenBy(request(change, { target: '/other/path' })), what).toEqual(ids);
  }
});

const method: Pair = ['oauth_signature_method', 'HMAC-SHA1'];
const inMilliseconds: Pair = ['oauth_timestamp', '1700000000123'];
const ofOperations: readonly (readonly [id: string, drafted: Partial<Drawn>])[] = [
  ['header-parameters', { credentials: but('oauth_version') }],
  ['header-parameters', { credentials: [...credentials, ['oauth_token', 'not issued']] }],
  ['header-parameters', { credentials: [...credentials, method] }],
  ['version', { credentials: but('oauth_version', ['oauth_version', '1.0a']) }],
  ['timestamp-seconds', { credentials: but('oauth_timestamp', inMilliseconds) }],
  ['parameters-only-in-header', { body: 'oauth_nonce=n' }],
  ['parameters-only-in-header', { target: `${closeDay}?oauth_nonce=n` }],
  ['recurring-method', { target: '/api/v4/process-recurring-payments/1' }],
  ['close-day/content-type-sent', { contentType: 'text/plain' }],
  ['close-day/body-is-form', { body: '' }],
  ['close-day/body-is-form', { body: 'day_close_request_id=100%' }],
  ['close-day/method', { method: 'GET' }],
  ['close-day/path', { target: `${closeDay}?trace=1` }],
];

test('a right signature in a request that breaks a rule of the operations is malformed', () => {
  for (const [id, drafted] of ofOperations) {
    expect(brokenBy(request(asPrinted, drafted)), JSON.stringify(drafted)).toEqual([id]);
  }
});

test('what the interface document asks beyond RFC 5849 is not asked of requests of neither operation', () => {
  const target = '/other/path';
  const extra: readonly Pair[] = [
    ['oauth_token', 'x'],
    ['oauth_callback', 'oob'],
  ];
  expect(brokenBy(request(asPrinted, { target, credentials: [...but('oauth_version'), ...extra] }))).toEqual([]);
  expect(brokenBy(request(asPrinted, { target, contentType: 'application/json' }))).toEqual([]);
  expect(brokenBy(request(asPrinted, { target, credentials: but('oauth_nonce') }))).toEqual(['missing-parameter']);
  expect(brokenBy(request(asPrinted, { target, credentials: [...credentials, method] }))).toEqual([
    'repeated-parameter',
  ]);
});

test('what is tolerated is not malformed: realm, an empty token, any order, white space after commas, an issued token', () => {
  expect(brokenBy(request(asPrinted, { realm: 'shop' }))).toEqual([]);
  expect(brokenBy(request(asPrinted, { credentials: [...credentials, ['oauth_token', '']] }))).toEqual([]);
  expect(brokenBy(request(asPrinted, { credentials: credentials.toReversed() }))).toEqual([]);
  expect(brokenBy(request((header) => header.replaceAll(', ', ',')))).toEqual([]);
  expect(brokenBy(request((header) => header.replaceAll(', ', '  ,\t ')))).toEqual([]);
  expect(brokenBy(request(asPrinted, { credentials: [...credentials, ['oauth_token', 'x']] }), '')).toEqual([]);
  expect(brokenBy(request(asPrinted, { contentType: 'application/x-www-form-urlencoded; charset=utf-8' }))).toEqual([]);
});

test('a second Authorization header is malformed', () => {
  const one = request(asPrinted);
  expect(brokenBy({ ...one, headers: [...one.headers, ['authorization', 'OAuth a="b"']] })).toEqual(['header-scheme']);
});

test('credentials that moved into the body are malformed for the operations, and in order elsewhere', () => {
  const moved = (one: WireRequest): WireRequest => {
    const pairs = one.headers[2]![1].slice('OAuth '.length).replaceAll('"', '').replaceAll(', ', '&');
    return { ...one, headers: one.headers.slice(0, 2), body: Buffer.from(`${Buffer.from(one.body)}&${pairs}`) };
  };
  expect(brokenBy(moved(request(asPrinted)))).toEqual(['close-day/authorization-sent']);
  expect(brokenBy(moved(request(asPrinted, { target: '/other/path' })))).toEqual([]);
  const wrongVersion = { target: '/other/path', credentials: but('oauth_version', ['oauth_version', '2.0']) };
  expect(brokenBy(moved(request(asPrinted, wrongVersion)))).toEqual(['version']);
});

test('all faults of one kind are reported, with what to do', () => {
  const change = (header: string): string => raw('oauth_nonce')(raw('oauth_consumer_key')(header));
  const [found, ...more] = autopsy(request(change), { consumerSecret }).malformations;
  expect(more).toEqual([]);
  expect(found).toEqual({
    id: 'authentication/header-values-encoded',
    statement: expect.stringContaining('percent-encoded exactly once'),
    expected: expect.any(String),
    actual: 'oauth_consumer_key holds   & without an escape; oauth_nonce holds / + without an escape',
    fix: expect.stringContaining('%2B'),
  });
});

test('credentials of another scheme are neither read nor shown', () => {
  const found = autopsy(
    request(() => `Basic ${percentEncode('user')}=secret`),
    { consumerSecret },
  );
  expect(found.malformations.map(({ id }) => id)).toContain('authentication/header-scheme');
  expect(JSON.stringify(found)).not.toContain('secret');
});
