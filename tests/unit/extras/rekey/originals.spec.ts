/** What is said of a copy and of originals: keys that are wrong or were not given, and each kind of value that a copy still holds. */

import { toldOfCopy } from '../../../../src/app/commands/rekey.ts';
import { strangeConsumerKey } from '../../../../src/app/config/keys.ts';
import { exchangesOf } from '../../../../src/extras/rekey/keys.ts';
import { rekeyRecordings } from '../../../../src/extras/rekey/rekey.ts';
import { perScenario } from '../../../../src/record/run.ts';
import { scannerFor } from '../../../../src/run/secrets/scan.ts';
import type { Recording } from '../../../../src/verdict/recordings/recording.ts';
import { expect, test } from '../../../engine.ts';
import { sampleCase } from '../../rules/sample-cases.ts';

const sample = sampleCase('close-day', {});
const exchange = {
  ...sample.exchanges[0],
  request: {
    ...sample.exchanges[0].request,
    headers: [['Authorization', 'OAuth oauth_consumer_key="shop%201", oauth_signature="x"']] as [string, string][],
  },
};
const recordings: Recording[] = [
  { side: 'gateway', records: perScenario([{ ...sample, exchanges: [exchange] as const }]), strangers: 0 },
];

test('a consumer key that some request names, or none that was given, is nothing to tell', () => {
  expect(strangeConsumerKey('shop 1', recordings)).toBeUndefined();
  expect(strangeConsumerKey(undefined, recordings)).toBeUndefined();
});

test('one that no request names is told', () => {
  for (const given of ['shop', 'Shop 1', 'shop%201'])
    expect(strangeConsumerKey(given, recordings)).toContain(`${JSON.stringify(given)} of --consumer-key`);
  expect(strangeConsumerKey('shop 1', [])).toContain('no request names');
});

test('a copy that still holds an original of any kind is refused for that kind', () => {
  const [id, key, host] = ['ORDER-20261128-17', 'merchant-key-of-a-test', 'gate.shop-of-a-test.example'];
  const signature = 'k+QMDBBNzAXUmpT0Hz/X1dGyMOs=';
  const parameters = `oauth_consumer_key="${key}", oauth_signature="${encodeURIComponent(signature)}"`;
  const request = {
    ...exchange.request,
    host,
    headers: [['Authorization', `OAuth ${parameters}`]] as [string, string][],
    body: Buffer.from(`day_close_request_id=${id}`),
  };
  const records = perScenario([{ ...sample, exchanges: [{ ...exchange, request }] as const }]);
  const keysOf = () => ({ consumerSecret: 'a secret of the test' });
  const options = { salt: 's', secrets: [], keysOf } as const;
  const { replaced, recordings } = rekeyRecordings([{ side: 'gateway', records, strangers: 0 }], options);
  const { body, ...rest } = exchangesOf(recordings[0]!)[0]!.request;
  const copy = `${JSON.stringify(rest)} ${Buffer.from(body)}`;
  const leaks = (text: string) => scannerFor(replaced)({ name: 'copy', bytes: Buffer.from(text) });
  expect(leaks(copy)).toEqual([]);
  for (const [kind, original] of [
    ['an id', id],
    ['a signature', signature],
    ['a host name or an address', host],
    ['a consumer key', key],
  ] as const) {
    expect(leaks(`${copy} "${original}"`).map(({ secret }) => secret)).toEqual([`${kind} of the original`]);
  }
});

const signed = { right: 0, 'same-fault': 0, 'other-fault': 4, unsigned: 0 };
const [both, noSecret, noKey] = [
  { consumerSecret: 'secret', publicKey: 'key' },
  { publicKey: 'key' },
  { consumerSecret: 'secret' },
];
const told = (counts: Partial<typeof signed>, keys?: object) =>
  toldOfCopy({ signed: { ...signed, ...counts }, unsearched: 0 }, [], keys).join('\n');

test('keys that no signature belongs to are named, and what to check', () => {
  expect(told({}, both)).toContain(
    'No signature belongs to the keys that were given. Check --consumer-secret-file and',
  );
  expect(told({ right: 1 }, both)).not.toContain('Check');
  expect(told({ 'same-fault': 1 }, both)).not.toContain('Check');
  expect(told({ 'other-fault': 0, unsigned: 3 }, both)).not.toContain('Check');
  expect(told({})).not.toContain('Check');
});

test('a key that was not given is named, with the signatures that are wrong for want of it', () => {
  expect(told({ right: 2 }, noSecret)).toContain('Those of HMAC-SHA1 count as wrong, since --consumer-secret-file was');
  expect(told({ right: 2 }, noKey)).toContain('Those of RSA-SHA256 count as wrong, since --public-key-file was');
  expect(told({ right: 2, 'other-fault': 0 }, noKey)).not.toContain('since');
});
