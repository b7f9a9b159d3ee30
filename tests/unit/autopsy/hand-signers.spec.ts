/** The autopsy's signer computes what clients compute that were written by hand, for single deviations and for pairs. */
import { candidatesFor } from '../../../src/autopsy/candidates.ts';
import { combine } from '../../../src/autopsy/deviation.ts';
import type { DeviationId } from '../../../src/autopsy/deviations/index.ts';
import { readEvidence } from '../../../src/autopsy/evidence.ts';
import { autopsy, deviationOf } from '../../../src/autopsy/index.ts';
import { expect, test } from '../../engine.ts';
import { handSigned, type Parameter, rfc3986, signByHand, stepsWith } from './hand-signers.ts';

const body = [
  ['payload', 'aGVsbG8='],
  ['Marks', "a!*'()b! ~ 1 0+4;,/?:@&=$#"],
  ['z', 'é漢'],
  ['z', 'z'],
  ['z', 'z'],
  ['a', ''],
  ['a-b', '%2f'],
  ['a_b', ' edge\r\nline '],
  ['count', '9'],
  ['count', '10'],
] as const;
const query = [
  ['q', '1 2+3'],
  ['Q é', '/'],
] as const;
const credentials = [
  ['oauth_consumer_key', 'shop &/é'],
  ['oauth_nonce', 'n0nce'],
  ['oauth_signature_method', 'HMAC-SHA1'],
  ['oauth_timestamp', '1700000000'],
  ['oauth_version', '1.0'],
] as const;
const secrets = ["a secret: +&%!*'()~/é", 'token/secret'] as const;

const form = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
const from = (source: Parameter['source'], pairs: readonly (readonly [string, string])[]): Parameter[] =>
  pairs.map(([name, value]) => ({ source, name, value }));
const sent = [...from('header', credentials), ...from('query', query), ...from('body', body)];
const path = '/Pay%20net/api/v2/close-day/1111';
const uri = `https://gate.example.com:8443${path}`;

function wire(signature: string) {
  const header = [...credentials, ['oauth_signature', signature]].map(
    ([name, value]) => `${name}="${rfc3986(value!)}"`,
  );
  return {
    method: 'POST',
    scheme: 'https',
    host: 'Gate.Example.com:8443',
    target: `${path}?${form(query)}`,
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Authorization', `OAuth ${header.join(', ')}`],
    ] as const,
    body: Buffer.from(form(body)),
  };
}

const [consumerSecret, tokenSecret] = secrets;
const byHand = (ids: readonly string[]) => signByHand(stepsWith(ids), sent, 'POST', uri, secrets);
const candidates = candidatesFor(readEvidence(wire('AAAA')), { consumerKey: 'shop &/é', consumerSecret, tokenSecret });
const byAutopsy = (ids: readonly string[]) => {
  const set = ids.map((id) => deviationOf(id as DeviationId));
  return { base: candidates.baseString(set), mac: candidates.mac(set, 'sha1') };
};

const ids = Object.keys(handSigned);
const pairs = ids
  .flatMap((a, at) => ids.slice(at + 1).map((b) => [a, b] as const))
  .filter((pair) => combine(pair.map((id) => deviationOf(id as DeviationId))));

test('without a deviation both sign the same', () => {
  expect(byAutopsy([])).toEqual(byHand([]));
});

test('each deviation made by hand shows, alone or beside another encoder', () => {
  const shows = (id: string, others: readonly string[]): boolean =>
    JSON.stringify(byHand([id, ...others])) !== JSON.stringify(byHand(others));
  expect(ids.filter((id) => !shows(id, []) && !shows(id, ['reserved-left-bare']))).toEqual([]);
});

for (const id of ids) {
  test(`a client with ${id} signs what the autopsy computes for it`, () => {
    expect(byAutopsy([id])).toEqual(byHand([id]));
  });
}

test('a client with two deviations signs what the autopsy computes for both', () => {
  expect(pairs.length).toBeGreaterThan(1_000);
  expect(pairs.filter((pair) => JSON.stringify(byAutopsy(pair)) !== JSON.stringify(byHand(pair)))).toEqual([]);
});

for (const id of ['lower-case-hex', 'lower-case-hex-in-parameters', 'lower-case-hex-outside'] as const) {
  test(`a client with ${id} is named with that alone`, () => {
    const request = wire(Buffer.from(byHand([id]).mac, 'hex').toString('base64'));
    const found = autopsy(request, { consumerSecret, tokenSecret });
    expect(found.deviations.map((deviation) => deviation.id)).toEqual([id]);
  });
}
