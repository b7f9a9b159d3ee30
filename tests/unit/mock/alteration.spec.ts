/** Hooks for defects and variants, as far as no defect of the kill matrix shows them, and the bytes of the telling variants. */

import { variants } from '../../../src/faults/variants.ts';
import * as mock from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { batchRequest, csv, noon, request } from './caller.ts';

const { editBody, withBody, withHeader, withoutHeader, withStatus } = mock;

function send(alterations: readonly mock.Alteration[], sent: mock.Received, world = mock.defaultWorld()) {
  const answer = mock.respond(sent, world, mock.settingsWith(alterations), noon, mock.joinAlterations(alterations));
  return { ...answer, text: Buffer.from(answer.body).toString('utf8') };
}

test('a signature over what was received can be checked where the gateway reads something else', () => {
  const otherVersion: mock.Alteration = {
    reads: (seen) => ({ ...seen, target: seen.target.replace('/v3/', '/v2/') }),
    signs: (material, original) => ({ ...material, url: { ...material.url, target: original.target } }),
  };
  expect(send([otherVersion], request()).about.decision).toBe('accepted');
  expect(send([otherVersion], { ...request(), target: '/api/v3/close-day/1111' }).about.step).toBe('signature');
});

test('a nonce can be remembered without its timestamp', () => {
  const alteration: mock.Alteration = { settings: { nonceKey: (consumer, _, nonce) => `${consumer} ${nonce}` } };
  const world = mock.defaultWorld();
  const sent = (oauth_timestamp: string) =>
    send([alteration], request({ oauth: { oauth_nonce: 'n', oauth_timestamp } }), world).about.step;
  expect([sent(String(noon / 1000)), sent(String(noon / 1000 + 1))]).toEqual([undefined, 'nonce']);
});

test('a request that authentication refuses can be acted on all the same, and is counted', () => {
  const taking: mock.Alteration = { takes: (_, step) => step === 'has-oauth_signature' };
  const world = mock.defaultWorld();
  const unsigned = (endpointId: string) => request({ endpointId, oauth: { oauth_signature: undefined } });
  const { text, about } = send([taking], unsigned('1114'), world);
  expect([about.decision, text.match(/"gateId":\d+/g)?.length]).toEqual(['accepted', 3]);
  expect(send([taking], unsigned('7733'), world).text).toContain('"epntId":7733,');
  expect(send([taking], { ...unsigned('1111'), method: 'GET' }, world).about.step).toBe('method');
  expect(world.counters).toMatchObject({ closedDays: 2, refused: 1 });
});

test('a rewriting knows what it rewrites', () => {
  const seen: (string | undefined)[] = [];
  const alteration: mock.Alteration = {
    writes: (reply, { operation, decision, gates, request: sent }) => {
      seen.push(operation, decision, gates?.[0]?.gateId, sent.method);
      return reply;
    },
  };
  send([alteration], request());
  send([alteration], request({ endpointId: '1112' }));
  send([alteration], { ...request(), target: '/' });
  expect(seen).toEqual([
    ...['close-day', 'accepted', '7101', 'POST'],
    ...['close-day', 'closing', undefined, 'POST'],
    ...[undefined, 'not-found', undefined, 'POST'],
  ]);
});

test('alterations are applied in order', () => {
  const add = (letter: string): mock.Alteration => ({ writes: (reply) => editBody(reply, (text) => text + letter) });
  expect(send([add('a'), add('b')], batchRequest(csv)).text).toBe('ab');
});

test('explicit settings win over those of alterations, undefined over nothing', () => {
  const alterations = [{ settings: { refusalStatus: 401, timestampWindowSeconds: 1 } }] as const;
  const settings = mock.settingsWith(alterations, { refusalStatus: 403, timestampWindowSeconds: undefined });
  expect([settings.refusalStatus, settings.timestampWindowSeconds]).toEqual([403, 1]);
});

test('headers and status are changed in place, added first, taken away', () => {
  const reply = mock.recurringRefused();
  expect(withHeader(reply, 'keep-alive', 'timeout=5').headers[1]).toEqual(['Keep-Alive', 'timeout=5']);
  expect(withHeader(reply, 'X-Extra', '1').headers[0]).toEqual(['X-Extra', '1']);
  expect(withoutHeader(reply, 'content-length').headers.map(([name]) => name)).toEqual(['Keep-Alive', 'Connection']);
  expect(withStatus(reply, 401)).toMatchObject({ status: 401, reason: 'Unauthorized' });
  expect(withBody(reply, 'é').headers[0]).toEqual(['Content-Length', '2']);
});

function sendVariant(id: string | undefined, sent: mock.Received, world = mock.defaultWorld()) {
  const alterations = variants.filter((variant) => variant.id === id).map(({ alteration }) => alteration);
  if (alterations.length !== (id === undefined ? 0 : 1))
    throw new Error(`${alterations.length} variants are called ${id}`);
  const reply = mock.respond(sent, world, mock.settingsWith(alterations), noon, mock.joinAlterations(alterations));
  return { status: reply.status, headers: reply.headers, body: Buffer.from(reply.body).toString('utf8') };
}

test('no variant is without a reason: an open point, a rule, or one of three remarks', () => {
  const without = variants.filter(({ openPoint, meaningless }) => openPoint === undefined && meaningless === undefined);
  expect(without.map(({ id }) => id)).toEqual(['refusal-401', 'refusal-403', 'refusal-without-body', 'keep-alive-5']);
});

test('reshaped bodies keep longs that no JavaScript number holds', () => {
  for (const id of ['wrapped-body', 'pretty-printed', 'members-in-another-order', 'further-members']) {
    expect(sendVariant(id, request({ endpointId: '1114' })).body, id).toMatch(/"gateId": ?9007199254740993\b/);
  }
});

const bodies: [id: string, body: RegExp][] = [
  ['wrapped-body', /^\{"closeDay":\{"response":\{"status":"finished",.*"theRequestSerialNumber":"[^"]+"\}\}$/],
  [
    'members-in-another-order',
    /^\{"theRequestSerialNumber":"[^"]+","response":\{"gates":\[\{"RRN":.*"status":"finished"\}\}$/,
  ],
  ['date-in-russian', /"gateCloseDate":"пт янв\. 2 15:00:00 MSK 2026"/],
  ['longs-of-19-digits', /"gateId":9000000000000007101,.*"epntId":9000000000000001111,/],
  ['escaped-text', /"status":"\\u0066\\u0069\\u006e/],
];

for (const [id, body] of bodies) {
  test(`${id}: the body has that form, and its length is right`, () => {
    const answer = sendVariant(id, request());
    expect(answer.body).toMatch(body);
    expect(answer.headers).toContainEqual(['Content-Length', String(Buffer.byteLength(answer.body))]);
  });
}

test('gates-in-another-order: the last gate is first', () => {
  const { body } = sendVariant('gates-in-another-order', request({ endpointId: '1114' }));
  expect([...body.matchAll(/"gateId":(\d+)/g)].map((found) => found[1])).toEqual([
    '9223372036854775807',
    '9007199254740995',
    '9007199254740993',
  ]);
});

test('longs-of-19-digits: ids that have as many already stay what they are', () => {
  expect(sendVariant('longs-of-19-digits', request({ endpointId: '1114' })).body).toContain(
    '"gateId":9223372036854775807,',
  );
});

test('lenient-csv: the batch that is written with commas is the same batch', () => {
  const world = mock.defaultWorld();
  const sent = batchRequest('\uFEFFclient-orderid,recurring-payment-id,amount\r\no,1234567890,1.50\r\np,1,2\r\n');
  expect(sendVariant('lenient-csv', sent, world).status).toBe(200);
  expect(world.counters).toMatchObject({ startedPayments: 2, totalAmount: '3.50' });
});

test('escaped-line-feeds: %0A after each value, and no byte 0x0A', () => {
  const { body } = sendVariant('escaped-line-feeds', batchRequest(csv, { signature: () => 'AAAA' }));
  expect(body).toMatch(/^type=validation-error%0A&serial-number=[0-9a-f-]+%0A&error-message=\S+%0A&error-code=403%0A$/);
});

test('variants with a body of 2.4 leave a scripted answer alone', () => {
  const world = mock.defaultWorld();
  mock.setNextAnswer(world, '1111', { kind: 'parameters', type: 'error', code: '403' });
  expect(sendVariant('error-with-code-500', batchRequest(csv), world).body).toContain('error-code=403');
});
