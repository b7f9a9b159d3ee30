/** What rekey says of a copy: a wrong key, or one that was not given, spoils it, and would otherwise look like success. */
import { toldOfCopy } from '../../../src/app/commands/rekey.ts';
import { expect, test } from '../../engine.ts';

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

test('one signature is one', () => {
  expect(told({ 'other-fault': 1 })).toContain(
    '1 signature was wrong in a way that could not be made again: it is wrong',
  );
  expect(told({ 'other-fault': 2 })).toContain('2 signatures were wrong in a way');
});
