/** Variants, one answer at a time: each changes something, and the telling ones exactly what they say. */

import { variants } from '../../../src/faults/variants.ts';
import * as mock from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { batchRequest, csv, noon, payload, request } from './caller.ts';

function send(id: string | undefined, sent: mock.Received, world = mock.defaultWorld()) {
  const alterations = variants.filter((variant) => variant.id === id).map(({ alteration }) => alteration);
  if (alterations.length !== (id === undefined ? 0 : 1))
    throw new Error(`${alterations.length} variants are called ${id}`);
  const reply = mock.respond(sent, world, mock.settingsWith(alterations), noon, mock.joinAlterations(alterations));
  return { status: reply.status, headers: reply.headers, body: Buffer.from(reply.body).toString('utf8') };
}

const names = (columns: string) => columns.replace(/[^;]+/g, '"$&"');
const row = (order: string, profile: string, amount: string) => batchRequest(`${csv}${order};${profile};${amount}\n`);
const twice = request();
const stopped = '9999999999';

/** Requests of which each variant answers at least one in its own way. */
const requests: readonly (readonly mock.Received[])[] = [
  [request({ endpointId: '1114' })],
  [request({ secret: 'some-other-secret' })],
  [request({ fields: [['day_close_request_id', 'a']] })],
  [batchRequest(csv)],
  [batchRequest(csv, { signature: () => 'AAAA' })],
  [request({ method: 'GET' })],
  [request({ oauth: { oauth_timestamp: '1' } })],
  [request({ oauth: { oauth_timestamp: String(noon / 1000 - 60) } })],
  // A timestamp that goes back.
  [request(), request({ oauth: { oauth_timestamp: String(noon / 1000 - 20), oauth_nonce: 'another' } })],
  [request({ oauth: { oauth_token: '' } })],
  [request({ oauth: { oauth_token: 'a' } })],
  [request(), request()],
  [batchRequest('client-orderid,recurring-payment-id,amount\no,1234567890,1\n')],
  [batchRequest(csv.replaceAll('\n', '\r\n'))],
  [row('o'.repeat(129), '1234567890', '1')],
  [row('é'.repeat(128), '1234567890', '1')],
  [row('o', '123', '1')],
  [row('o', '1234567890', 'ten')],
  [row('o', '1234567890', '0')],
  [batchRequest(csv, { fields: [['payload', payload(`${csv}o;1;1`).replaceAll('=', '')]] })],
  [batchRequest(`${names('amount;recurring-payment-id;client-orderid')}\n1;1234567890;o\n`)],
  ...['application/x-www-form-urlencoded;a=b', 'text/plain'].map((type) => [
    {
      ...twice,
      headers: twice.headers.map(
        ([name, value]) => [name, value.replace('application/x-www-form-urlencoded', type)] as const,
      ),
    },
  ]),
  [
    request({
      fields: [
        ...['1', '2'].map((count) => ['sale_approved_count', count] as const),
        ['day_close_request_id', 'ABCDEFGH'],
      ],
    }),
  ],
  [request({ endpointId: '1113' })],
  [request({ endpointId: 'no-such-endpoint' })],
  [request({ oauth: { oauth_version: undefined } })],
  [total('sale_approved_count', '1234567890123')],
  [total('sale_approved_sum', '1.5')],
  [batchRequest(csv), batchRequest(csv)],
  [row('o', stopped, '1.00')],
  [row('o', '12345abcde', '1.00')],
  [batchRequest(csv.replace('order-1', '"order-1"'))],
  [batchRequest(csv + Array.from({ length: 9 }, (_, at) => `o${at};1234567890;1.00\n`).join(''))],
  [batchRequest(`${names('client-orderid;recurring-payment-id;amount;amount-sequence')}\no;1234567890;1.00;1.00\n`)],
  [batchRequest(`${names('client-orderid;recurring-payment-id;amount-from')}\no;1234567890;1.00\n`)],
  [request({ fields: [], query: 'day_close_request_id=ABCDEFGH' })],
  [withCredentialsInBody(request())],
  [request({ endpointId: '1115' })],
  [request({ version: 'v4' })],
  [batchRequest(csv, { endpointId: '1112' })],
];

function withCredentialsInBody({ headers, body, ...rest }: mock.Received): mock.Received {
  const authorization = headers.find(([name]) => name === 'Authorization')![1];
  const parameters = authorization.replace('OAuth ', '').replaceAll('"', '').replaceAll(', ', '&');
  return {
    ...rest,
    headers: headers.filter(([name]) => name !== 'Authorization'),
    body: Buffer.concat([body, Buffer.from(`&${parameters}`)]),
  };
}

function total(name: string, value: string): mock.Received {
  const id = ['day_close_request_id', 'ABCDEFGH'] as const;
  return request({ fields: [id, [name, value]] });
}

function answers(id: string | undefined): string {
  return requests
    .map((sequence) => {
      const world = mock.defaultWorld();
      mock.stopProfile(world, stopped);
      const gate = { ...mock.newGate('7104', '1115'), consumerKey: 'another-consumer' };
      world.endpoints.set('1115', { gates: [gate], closings: 0 });
      return JSON.stringify(sequence.map((sent) => send(id, sent, world)));
    })
    .join('\n');
}

test('every variant answers something otherwise, to the byte', () => {
  const plain = answers(undefined);
  expect(variants.filter(({ id }) => answers(id) === plain).map(({ id }) => id)).toEqual([]);
});

test('no variant is without a reason: an open point, a rule, or one of three remarks', () => {
  const without = variants.filter(({ openPoint, meaningless }) => openPoint === undefined && meaningless === undefined);
  expect(without.map(({ id }) => id)).toEqual(['refusal-401', 'refusal-403', 'refusal-without-body', 'keep-alive-5']);
});

test('reshaped bodies keep longs that no JavaScript number holds', () => {
  for (const id of ['wrapped-body', 'pretty-printed', 'members-in-another-order', 'further-members']) {
    expect(send(id, request({ endpointId: '1114' })).body, id).toMatch(/"gateId": ?9007199254740993\b/);
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
    const answer = send(id, request());
    expect(answer.body).toMatch(body);
    expect(answer.headers).toContainEqual(['Content-Length', String(Buffer.byteLength(answer.body))]);
  });
}

test('gates-in-another-order: the last gate is first', () => {
  const { body } = send('gates-in-another-order', request({ endpointId: '1114' }));
  expect([...body.matchAll(/"gateId":(\d+)/g)].map((found) => found[1])).toEqual([
    '9223372036854775807',
    '9007199254740995',
    '9007199254740993',
  ]);
});

test('longs-of-19-digits: ids that have as many already stay what they are', () => {
  expect(send('longs-of-19-digits', request({ endpointId: '1114' })).body).toContain('"gateId":9223372036854775807,');
});

test('lenient-csv: the batch that is written with commas is the same batch', () => {
  const world = mock.defaultWorld();
  const sent = batchRequest('\uFEFFclient-orderid,recurring-payment-id,amount\r\no,1234567890,1.50\r\np,1,2\r\n');
  expect(send('lenient-csv', sent, world).status).toBe(200);
  expect(world.counters).toMatchObject({ startedPayments: 2, totalAmount: '3.50' });
});

test('escaped-line-feeds: %0A after each value, and no byte 0x0A', () => {
  const { body } = send('escaped-line-feeds', batchRequest(csv, { signature: () => 'AAAA' }));
  expect(body).toMatch(/^type=validation-error%0A&serial-number=[0-9a-f-]+%0A&error-message=\S+%0A&error-code=403%0A$/);
});

test('variants with a body of 2.4 leave a scripted answer alone', () => {
  const world = mock.defaultWorld();
  mock.setNextAnswer(world, '1111', { kind: 'parameters', type: 'error', code: '403' });
  expect(send('error-with-code-500', batchRequest(csv), world).body).toContain('error-code=403');
});
