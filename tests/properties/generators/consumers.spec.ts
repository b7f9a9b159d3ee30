/** Drawn consumers have the form that their names say. A secret follows from its consumer key. */
import * as fc from 'fast-check';
import { type Consumer, consumers } from '../../../generators/consumer.ts';
import { issuedSecret } from '../../../generators/issued-secret.ts';
import { identities } from '../../../src/mock/identity.ts';
import { publishedConsumer } from '../../../src/run/target/published.ts';
import { expect, test } from '../../engine.ts';

const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { seed: 7, numRuns: 500 });
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

test('every form of a secret has a pattern in this file', () => {
  expect(consumers.map(({ feature: secret }) => secret)).toEqual(secrets.map(([form]) => form));
});

for (const [at, [form, secret]] of secrets.entries()) {
  test(`a secret with ${form} has that form, and follows from its consumer key`, () => {
    const { isReserved, arbitrary } = consumers[at]!;
    const all = sample<Consumer>(arbitrary);
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

test('foreign consumer keys have no secret, and neither have drawn keys that were changed or cut', () => {
  const keys = sample(consumers[1]!.arbitrary).map(({ consumerKey }) => consumerKey);
  const foreign = ['', '0', 'shop', '1234567890', ...Object.values(identities).map(({ consumerKey }) => consumerKey)];
  const changed = keys.flatMap((key) => [key.slice(0, -1), key.slice(1), `${key}0`, key.replace(/\d{8}$/, '00000000')]);
  expect([...foreign, ...changed].filter((key) => issuedSecret(key) !== undefined)).toEqual([]);
});
