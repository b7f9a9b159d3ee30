/** What the generators print is read back as what was meant, drawn consumers fit, and each telling input changes what a wrong signer signs. */
import * as fc from 'fast-check';
import {
  type Consumer,
  consumers,
  issuedSecret,
  oddEndpointId,
  plausibleEndpointId,
  plausiblePrefix,
  reservedPrefix,
  wideFreshness,
} from '../../../generators/consumer.ts';
import { type DiscriminatingInput, discriminatingInputs } from '../../../generators/index.ts';
import { readEvidence } from '../../../src/autopsy/facts.ts';
import { deviationOf } from '../../../src/autopsy/index.ts';
import { candidatesFor } from '../../../src/deviations/candidates.ts';
import type { DeviationId } from '../../../src/deviations/index.ts';
import { publishedIdentities } from '../../../src/mock/identity.ts';
import { encodeForm } from '../../../src/protocol/index.ts';
import { publishedConsumer } from '../../../src/run/target/published.ts';
import { expect, test } from '../../engine.ts';
import { headerOf, plainRequest } from '../../unit/autopsy/drawn.ts';

const drawn = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { seed: 7, numRuns: 500 });
const unreserved = /^[\w.~-]+$/;

const secrets: readonly (readonly [form: string, secret: RegExp])[] = [
  ['letters of both cases', /^[A-Za-z0-9]{24,}$/],
  ['a tilde', /^[\w.~-]*~[\w.~-]*$/],
  ['hexadecimal digits', /^[\da-f]{40}$/],
  ['the form of a UUID', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/],
  ['digits that begin with zeros', /^00\d{20}$/],
  ['base64', /^[\w+/]{30}==$/],
  ['reserved characters', /^[ -~]{24,}$/],
  ['spaces at both ends', /^ \S+ $/],
];

test('every form of a secret has a row here', () => {
  expect(consumers.map(({ secret }) => secret)).toEqual(secrets.map(([form]) => form));
});

for (const [at, [form, secret]] of secrets.entries()) {
  test(`a secret with ${form} has that form, and follows from its consumer key`, () => {
    const { isReserved, drawn: arbitrary } = consumers[at]!;
    const all = drawn<Consumer>(arbitrary);
    for (const { consumerKey, consumerSecret } of all) {
      expect(consumerSecret).toMatch(secret);
      expect(consumerSecret.length).toBeGreaterThanOrEqual(16);
      expect(issuedSecret(consumerKey)).toBe(consumerSecret);
      expect(publishedConsumer(consumerKey)).toMatchObject({ consumerKey, consumerSecret });
      if (!isReserved) expect(consumerKey + consumerSecret).toMatch(unreserved);
    }
    expect(new Set(all.map(({ consumerSecret }) => consumerSecret)).size).toBeGreaterThan(400);
  });
}

test('consumer keys that nobody drew have no secret, among them the drawn ones in capitals or cut', () => {
  const keys = drawn(consumers[1]!.drawn).map(({ consumerKey }) => consumerKey);
  const foreign = ['', '0', 'shop', '1234567890', ...publishedIdentities.map(({ consumerKey }) => consumerKey)];
  const spoilt = keys.flatMap((key) => [key.slice(0, -1), key.slice(1), `${key}0`, key.replace(/\d{8}$/, '00000000')]);
  expect([...foreign, ...spoilt].filter((key) => issuedSecret(key) !== undefined)).toEqual([]);
});

const parts: readonly (readonly [name: string, arbitrary: fc.Arbitrary<string>, pattern: RegExp])[] = [
  ['a plausible prefix', plausiblePrefix, /^(\/[A-Za-z][\w.~-]*){1,3}~Aa$/],
  ['a reserved prefix', reservedPrefix, /^(\/[A-Za-z][\w.~-]*){1,3}(?:[!$&'()*+,;=:@]|%2F)Aa$/],
  ['a plausible endpoint id', plausibleEndpointId, /^[1-9]\d{0,9}$/],
  ['an odd endpoint id', oddEndpointId, /^(?:0\d{0,12}|1\d{17})$/],
  ['a long nonce', wideFreshness.map(({ nonce }) => nonce), /^[A-Za-z0-9]{33,64}$/],
  ['a timestamp after 2038', wideFreshness.map(({ timestamp }) => timestamp), /^[2-4]\d{9}$/],
];

for (const [name, arbitrary, pattern] of parts) {
  test(`${name} has its form`, () => {
    for (const text of drawn(arbitrary)) expect(text).toMatch(pattern);
  });
}

/** A mistake for each input. */
const mistakes: Readonly<Record<string, DeviationId>> = {
  'repeated-name-with-accent-and-z': 'sorted-before-encoding',
  'sub-delimiters': 'sub-delims-left-bare',
  'spaces-at-the-edges': 'values-trimmed',
  'http-on-another-port': 'port-left-out',
  'secret-with-space-plus-ampersand-percent': 'secret-not-encoded',
  plus: 'plus-as-space',
  query: 'query-left-out',
  'literal-percent-escape': 'values-decoded-once-more',
  'slash-colon-at-comma-semicolon': 'comma-left-bare',
  'empty-value': 'empty-values-left-out',
  'line-end': 'crlf-after-signing',
  'written-default-port': 'default-port-kept',
  'upper-case-in-the-path': 'path-lower-cased',
  'escape-in-the-path': 'path-decoded',
  'names-a-and-a-dash-b': 'sorted-as-joined',
  'names-with-capitals': 'sorted-case-insensitively',
  'secret-with-sub-delimiters': 'sub-delims-left-bare',
};

test('there are seventeen telling inputs, each with a mistake', () => {
  expect(discriminatingInputs.map(({ edge }) => edge)).toEqual(Object.keys(mistakes));
  expect(discriminatingInputs).toHaveLength(17);
});

for (const { edge, value } of discriminatingInputs) {
  test(`${edge} shows what an ordinary request hides`, () => {
    const mistake = deviationOf(mistakes[edge!]!);
    const shows = (input: DiscriminatingInput) => {
      const { mac } = signing(input);
      return mac([mistake], 'sha1') !== mac([], 'sha1');
    };
    expect([shows({ reveals: '' }), shows(value)]).toEqual([false, true]);
  });
}

function signing({ form = [], secret = '0123456789abcdef', url = {} }: DiscriminatingInput) {
  const { scheme = 'https', port, prefix = '/paynet', query } = url;
  const host = `gateway.example${port === undefined ? '' : `:${port}`}`;
  const target = `${prefix}/api/v2/close-day/1111${query === undefined ? '' : `?${query}`}`;
  const headers = [
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Authorization', headerOf(plainRequest.credentials, undefined, false)],
  ] as const;
  const body = Buffer.from(encodeForm([['day_close_request_id', 'a1b2c3d4'], ['sale_approved_count', '2'], ...form]));
  const request = { method: 'POST', scheme, host, target, headers, body };
  return candidatesFor(readEvidence(request), { consumerKey: 'shop', consumerSecret: secret, tokenSecret: '' });
}
