/** The defects of the reference client: each does what its summary says, and leaves the rest of the call alone. */
import { expect, test } from '@playwright/test';
import type { Alteration } from '../../../src/client/index.ts';
import { clientDefects } from '../../../src/defects/client/index.ts';
import type { ReceivedResponse } from '../../../src/exchange/exchange.ts';
import { verifyRequest } from '../../../src/protocol/index.ts';
import { answer, batch, batchClientThat, clientThat, closing, emptyAnswer, hmacKey } from './calls.ts';

function alterationOf(id: string): Alteration {
  return clientDefects.find((defect) => defect.id === id)!.alteration;
}

const gate = { gateId: '#', isDayClosing: false, gateCloseDate: 'a', epntId: '7', saleApprovedCount: '1' };
const more = { saleAmount: '1', reversalApprovedCount: '1', reversalAmount: '1', code39: '00', RRN: '1' };
const finished = answer(
  JSON.stringify({ response: { status: 'finished', gates: [{ ...gate, ...more }] }, theRequestSerialNumber: 's' })
    .replace('"#"', '9007199254740993')
    .replace('"7"', '7'),
);
const failed = answer(
  '{"response":{"status":"error","errorCode":"99","errorMessage":"m"},"theRequestSerialNumber":"s"}',
);

async function closed(id: string | undefined, response: ReceivedResponse = finished) {
  return clientThat(response, id === undefined ? [] : [alterationOf(id)]).closeDay(closing);
}

async function charged(id: string | undefined, response = emptyAnswer) {
  return batchClientThat(response, id === undefined ? [] : [alterationOf(id)]).processRecurringPayments(batch);
}

test('ids are unique, and every defect breaks a row and has a hook', () => {
  const ids = clientDefects.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(clientDefects.filter(({ breaks }) => breaks.length === 0)).toEqual([]);
  expect(clientDefects.filter(({ alteration }) => Object.keys(alteration).length === 0)).toEqual([]);
});

for (const { id, operation, breaks } of clientDefects.filter(({ breaks }) =>
  breaks.includes('authentication/signature-verifies'),
)) {
  test(`${id} sends what the right client sends, under another signature`, async () => {
    const secret = { method: 'HMAC-SHA1', consumerSecret: 'secret & spice' } as const;
    const credentials = { consumerKey: 'key', key: secret };
    const right = await clientThat(finished, [], { credentials }).closeDay(closing);
    const wrong = await clientThat(finished, [alterationOf(id)], { credentials }).closeDay(closing);
    expect(wrong.request!.body).toEqual(right.request!.body);
    const unsigned = (call: typeof right) => call.request!.headers.at(-1)![1].replace(/oauth_signature="[^"]*"/, '');
    expect(unsigned(wrong)).toBe(unsigned(right));
    expect(verifyRequest(right.request!, () => [secret])).toMatchObject({ ok: true });
    expect(verifyRequest(wrong.request!, () => [secret])).toMatchObject({ ok: false, failure: 'bad-signature' });
    expect(wrong.decoded).toEqual(right.decoded);
    expect([operation, ...breaks]).toHaveLength(2);
  });
}

test('a body that is not signed leaves a signature that is right for a request without one', async () => {
  const { request } = await closed('authentication/body-not-signed');
  const bodiless = { ...request!, body: new Uint8Array() };
  expect(verifyRequest(bodiless, () => [hmacKey as never])).toMatchObject({ ok: true });
});

test('timestamps in milliseconds and nonces of the second are signed as they are sent', async () => {
  const late = await closed('authentication/timestamp-in-milliseconds');
  expect(late.stages!.parameters).toContain('oauth_timestamp=1700000000999&');
  const repeated = await closed('authentication/nonce-of-the-second');
  expect(repeated.stages!.parameters).toContain('oauth_nonce=nonce1700000000&');
  for (const { request } of [late, repeated]) {
    expect(verifyRequest(request!, () => [hmacKey as never])).toMatchObject({ ok: true });
  }
});

test('a raw + of the payload stands in the body, and only there', async () => {
  const right = await charged(undefined);
  const wrong = await charged('recurring/payload-plus-raw');
  const text = (call: typeof right) => Buffer.from(call.request!.body).toString();
  expect(text(right)).toContain('%2B');
  expect(text(wrong)).toBe(text(right).replaceAll('%2B', '+'));
  expect(wrong.stages!.signature).toBe(right.stages!.signature);
});

test('the CSV differs in its delimiter, or in its first row', async () => {
  const csvOf = async (id: string) => Buffer.from((await charged(id)).stages!.csv_b64!, 'base64').toString();
  expect(await csvOf('recurring/csv-with-commas')).toBe(
    '"client-orderid","recurring-payment-id","amount"\n"order 1;""a""",0000000042,10.00\nзаказ-2>>>???,1234567890,1\n',
  );
  expect(await csvOf('recurring/csv-header-bare')).toBe(
    'client-orderid;recurring-payment-id;amount\n"order 1;""a""";0000000042;10.00\nзаказ-2>>>???;1234567890;1\n',
  );
});

test('longs through a double lose their last digit, and small ones do not', async () => {
  const { decoded } = await closed('close-day/longs-through-a-double');
  expect(decoded).toMatchObject({ gates: [{ gateId: { long: '9007199254740992' }, epntId: { long: '7' } }] });
});

test('answers are misread as the summaries say', async () => {
  expect((await closed('close-day/error-taken-for-success', failed)).decoded).toMatchObject({ kind: 'finished' });
  expect((await closed('close-day/error-taken-for-success', answer('{'))).decoded).toMatchObject({
    kind: 'undecodable',
  });
  const empty = await charged('recurring/empty-answer-taken-for-error');
  expect(empty.decoded).toMatchObject({ kind: 'undecodable' });
  const kept = await charged('recurring/line-feeds-kept', answer('type=error\n&error-code=403%0A\n'));
  expect(kept.decoded).toMatchObject({
    params: [
      ['type', 'error\n'],
      ['error-code', '403\n\n'],
    ],
  });
});

test('any certificate is accepted', async () => {
  const seen: boolean[] = [];
  const client = clientThat(finished, [alterationOf('transport/any-certificate')], {
    send: async (_, { acceptAnyCertificate }) => {
      seen.push(acceptAnyCertificate);
      return { response: finished };
    },
  });
  await client.closeDay(closing);
  expect(seen).toEqual([true]);
});
