/** What requests do to the world, and what a person does to it. */

import { readFileSync } from 'node:fs';
import { openPoints } from '../../../contracts/open-points.ts';
import * as mock from '../../../src/mock/index.ts';
import { assumptions, notSimulated, publishedIdentity } from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { batchRequest, csv, noon, request } from './caller.ts';

const { defaultSettings, defaultWorld } = mock;

function send(world: mock.World, sent: mock.Received, settings = defaultSettings, now = noon) {
  return mock.respond(sent, world, settings, now);
}

test('counters are exact after a mixture of requests', () => {
  const world = defaultWorld();
  send(world, request());
  send(world, request({ endpointId: '1112' }));
  send(world, request({ secret: 'some-other-secret' }));
  send(world, batchRequest(csv));
  send(world, batchRequest('"client-orderid";"recurring-payment-id";"amount"\no;1234567890;0.005\n'));
  send(world, batchRequest(csv, { endpointId: '9999' }));
  send(world, { ...request(), target: '/' });
  expect(world.counters).toEqual({
    closedDays: 1,
    startedPayments: 3,
    totalAmount: '11.005',
    requests: 7,
    refused: 2,
  });
});

test('a refused batch starts nothing, not even its good rows', () => {
  const world = defaultWorld();
  send(world, batchRequest(`${csv}order-3;12345678901;1\n`));
  expect(world.counters).toMatchObject({ startedPayments: 0, totalAmount: '0', refused: 1 });
});

test('started payments are sales of the day, and closing the day starts the totals again', () => {
  const world = defaultWorld();
  send(world, batchRequest(csv));
  const [first, second] = [1, 2].map(() => send(world, request()).about.gates?.[0]);
  expect(first).toMatchObject({ saleApprovedCount: 4, saleAmount: '21.42', closeDayNumber: 1 });
  expect(second).toMatchObject({ saleApprovedCount: 0, saleAmount: '0.00', closeDayNumber: 2 });
});

test('two consumers may use the same nonce at the same time', () => {
  const { consumerSecret } = mock.publishedIdentity;
  const world = defaultWorld({ consumers: ['a', 'b'].map((consumerKey) => ({ consumerKey, consumerSecret })) });
  const steps = ['a', 'b', 'a'].map(
    (oauth_consumer_key) => send(world, request({ oauth: { oauth_consumer_key, oauth_nonce: 'n' } })).about.step,
  );
  expect(steps).toEqual([undefined, undefined, 'nonce']);
});

test('a forged request does not use up the nonce', () => {
  const world = defaultWorld();
  const oauth = { oauth_nonce: 'n' };
  expect(send(world, request({ oauth, secret: 'some-other-secret' })).about.step).toBe('signature');
  expect(send(world, request({ oauth })).about.decision).toBe('accepted');
});

test('a verified request uses up its nonce even if a field is wrong', () => {
  const world = defaultWorld();
  const oauth = { oauth_nonce: 'n' };
  expect(send(world, request({ oauth, fields: [] })).about.step).toBe('request-id');
  expect(send(world, request({ oauth })).about.step).toBe('nonce');
});

test('the memory for nonces is bounded and forgets the oldest first', () => {
  const world = defaultWorld();
  const settings = { ...defaultSettings, maxNonces: 3 };
  const sent = (oauth_nonce: string) => send(world, request({ oauth: { oauth_nonce } }), settings).about.step;
  for (const nonce of ['a', 'b', 'c', 'd']) sent(nonce);
  expect(world.nonces.size).toBe(3);
  expect(sent('d')).toBe('nonce');
  expect(sent('b')).toBe('nonce');
  expect(sent('a')).toBeUndefined();
});

test('the current second is whole: a clock late in its second takes the same timestamps', () => {
  const sent = request({ oauth: { oauth_timestamp: String(noon / 1000 - 300) } });
  expect(send(defaultWorld(), sent, defaultSettings, noon + 999).about.step).toBeUndefined();
});

test('a finish date stops a profile that nobody listed, and needs one that exists', () => {
  const world = defaultWorld();
  mock.setFinishDate(world, '1234567891', noon);
  expect(send(world, batchRequest(csv)).about.step).toBe('profile');
  expect(send(world, batchRequest(csv), defaultSettings, noon - 1000).about.decision).toBe('accepted');
  const listed = defaultWorld({ profiles: [] });
  expect(() => mock.setFinishDate(listed, '1', noon)).toThrow('no recurring profile 1');
});

test('one gate of several can be moved, and the others stay unchanged', () => {
  const world = defaultWorld();
  const states = () => world.endpoints.get('1114')?.gates.map(({ state }) => state);
  mock.lock(world, '1114', '9007199254740995');
  mock.putIntoClosing(world, '1114', '9223372036854775807');
  expect(states()).toEqual(['open', 'locked', 'closing']);
  mock.removeLock(world, '1114', '9223372036854775807');
  expect(states()).toEqual(['open', 'locked', 'closing']);
  mock.closeByHand(world, '1114', '9223372036854775807');
  mock.removeLock(world, '1114', '9007199254740995');
  expect(states()).toEqual(['open', 'open', 'open']);
  expect(() => mock.lock(world, '1114', '1')).toThrow('there is no gate 1 of endpoint 1114');
  expect(() => mock.lock(world, '9999')).toThrow('no endpoint 9999');
});

test('one closing gate among others closes nothing', () => {
  const world = defaultWorld();
  mock.addEndpoint(world, '2000', [mock.newGate('1', '2000'), mock.newGate('2', '2000', 'closing')]);
  expect(send(world, request({ endpointId: '2000' })).about.decision).toBe('closing');
  expect(world.endpoints.get('2000')?.gates[0]?.totals.saleAmount).toBe('10.42');
});

test('every assumption names an open point and is one sentence of its own', () => {
  const texts = assumptions.map(({ assumption }) => assumption);
  const ids: readonly string[] = openPoints.map(({ id }) => id);
  expect(assumptions.filter(({ openPoint }) => !ids.includes(openPoint))).toEqual([]);
  expect([...texts, ...notSimulated].filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([]);
  expect(new Set(texts).size).toBe(texts.length);
});

test('the numbers that it states are those of the settings', () => {
  const text = assumptions.map(({ assumption }) => assumption).join('\n');
  expect(text).toContain(`${defaultSettings.timestampWindowSeconds} seconds`);
  expect(text).toContain(`${defaultSettings.maxNonces.toLocaleString('en')} are remembered`);
  expect(text).toContain(`${defaultSettings.maxBodyBytes / 1024 / 1024} MiB`);
  expect(text).toContain(`${defaultSettings.maxHeaderBytes / 1024} KiB`);
});

const keys = new URL('../../../contracts/vectors/keys/', import.meta.url);

test('its keys are those of the vectors, to the byte', () => {
  expect(publishedIdentity.privateKeyPem).toBe(readFileSync(new URL('rsa-test-private.pem', keys), 'utf8'));
  expect(publishedIdentity.publicKeyPem).toBe(readFileSync(new URL('rsa-test-public.pem', keys), 'utf8'));
});
