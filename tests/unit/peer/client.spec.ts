/** The reference client: what it sends is right by known answers and by the verifier, and what it reads is what was said. */

import { publishedIdentity } from '../../../src/mock/identity.ts';
import {
  decodeBase64,
  decodeCsv,
  decodeForm,
  readPublicKey,
  type VerifyingKey,
  verifyRequest,
} from '../../../src/protocol/index.ts';
import type { SentRequest } from '../../../src/record/exchange.ts';
import { expect, test } from '../../engine.ts';
import { answer, batch, batchClientThat, clientThat, closing, emptyAnswer, hmacKey } from './calls.ts';

const serial = '00000000-0000-0000-0000-000002d9b22a';

test('its signature is the known answer of KAT-2', async () => {
  const client = clientThat(answer('{}'), [], {
    baseUrl: 'https://gate.payneteasy.com/paynet/',
    credentials: {
      consumerKey: 'merchantlogin',
      key: { method: 'HMAC-SHA1', consumerSecret: '11111111-1111-1111-1111-111111111111' },
    },
    clock: () => 1_669_966_913_000,
    nonce: () => 'y3qlvMPky7g',
  });
  const bare = await client.closeDay({ day_close_request_id: '902B4FF5' });
  expect(bare.stages?.signature).toBe('8cqT2WpZTAIlKH6NbvVbfKOUg+Y=');
  const odd = await client.closeDay({ day_close_request_id: '902B4FF5', sale_approved_sum: '1 0+4' });
  expect(odd.stages?.signature).toBe('w7FsDbxQXdjqsRh57/gBo59WKBs=');
  const empty = await client.closeDay({ day_close_request_id: '902B4FF5', sale_approved_sum: '' });
  expect(empty.stages?.signature).toBe('+rs76iZvKPxe+fhm+DRON5Mrz7Q=');
});

test('a close-day request goes where the base URL says, with the fields given and no others', async () => {
  const { request } = await clientThat(answer('{}'), [], { baseUrl: 'https://LocalHost:8443/X/v%20x/' }).closeDay(
    closing,
  );
  expect(request).toMatchObject({
    method: 'POST',
    scheme: 'https',
    host: 'LocalHost:8443',
    target: '/X/v%20x/api/v2/close-day/1111',
  });
  expect(request!.headers.slice(0, 3)).toEqual([
    ['Host', 'LocalHost:8443'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Content-Length', String(request!.body.length)],
  ]);
  expect(Buffer.from(request!.body).toString()).toBe('day_close_request_id=abcdefgh12&sale_approved_sum=1+0%2B4');
  expect(verified(request!, hmacKey as VerifyingKey)).toEqual({ ok: true, timestamp: '1700000000', nonce: 'nonce1' });
});

test('a batch is CSV in base64, a cell that is absent is empty, and the signature is RSA-SHA256', async () => {
  const columns = [...batch.columns, 'amount-sequence'];
  const rows = batch.rows.map(([order, id]) => [order, id, null, '1,2']);
  const { request, stages } = await batchClientThat(emptyAnswer).processRecurringPayments({ columns, rows });
  expect(request!.target).toBe('/paynet/api/v4/process-recurring-payments/1111');
  const [payload, ...others] = decodeForm(request!.body);
  expect([payload![0], others]).toEqual(['payload', []]);
  const csv = Buffer.from(decodeBase64(payload![1])).toString();
  expect(decodeCsv(csv)).toMatchObject({ columns, rows: rows.map((row) => row.map((cell) => cell ?? '')) });
  expect(Buffer.from(stages!.csv_b64!, 'base64').toString()).toBe(csv);
  expect(stages!.payload).toBe(payload![1]);
  const publicKey = readPublicKey(publishedIdentity.publicKeyPem);
  expect(verified(request!, { method: 'RSA-SHA256', publicKey })).toMatchObject({ ok: true });
});

function verified(request: SentRequest, key: VerifyingKey): unknown {
  const verification = verifyRequest(request, () => [key]);
  if (!verification.ok) return verification;
  const { ok, timestamp, nonce } = verification;
  return { ok, timestamp, nonce };
}

test('every stage that it offers is reported under its name', async () => {
  const { stages } = await clientThat(answer('{}')).closeDay({ day_close_request_id: 'abcdefgh' });
  expect(Object.keys(stages!).sort()).toEqual([
    'authorization',
    'base_string',
    'body_b64',
    'normalized',
    'parameters',
    'signature',
  ]);
  expect(Buffer.from(stages!.body_b64!, 'base64').toString()).toBe('day_close_request_id=abcdefgh');
  expect(stages!.parameters).toMatch(/^oauth_consumer_key=.*&day_close_request_id=abcdefgh$/);
  expect(stages!.base_string).toMatch(/^POST&https%3A%2F%2Fgate\.example%2Fpaynet%2Fapi%2Fv2%2Fclose-day%2F1111&/);
});

test.describe('a finished close-day', () => {
  const gate = {
    gateId: '#',
    isDayClosing: true,
    gateCloseDate: 'Fri Dec 02 10:41:53 MSK 2022',
    epntId: '#',
    saleApprovedCount: '2',
    saleAmount: '0.10',
    reversalApprovedCount: '0',
    reversalAmount: '100.00',
    code39: '00',
    RRN: '007',
  };
  const json = JSON.stringify({ response: { status: 'finished', gates: [gate] }, theRequestSerialNumber: serial });
  const body = json.replaceAll('"#"', '9223372036854775807');

  test('is read with every digit, truth values and texts told apart', async () => {
    const { decoded, outcome } = await clientThat(answer(body)).closeDay(closing);
    expect(outcome).toBe('completed');
    expect(decoded).toEqual({
      kind: 'finished',
      serial,
      gates: [
        {
          gateId: { long: '9223372036854775807' },
          isDayClosing: { bool: true },
          gateCloseDate: { text: gate.gateCloseDate },
          epntId: { long: '9223372036854775807' },
          saleApprovedCount: { text: '2' },
          saleAmount: { text: '0.10' },
          reversalApprovedCount: { text: '0' },
          reversalAmount: { text: '100.00' },
          code39: { text: '00' },
          RRN: { text: '007' },
        },
      ],
    });
  });

  test('that is cut short is undecodable, with the reason', async () => {
    const { decoded } = await clientThat(answer(body.slice(0, -9))).closeDay(closing);
    expect(decoded).toEqual({ kind: 'undecodable', reason: expect.stringMatching(/position/) });
  });
});

test('the failures of close-day are read as such', async () => {
  const error = { response: { status: 'error', errorCode: '99', errorMessage: 'm' }, theRequestSerialNumber: serial };
  const read = async (body: string, status = 200) => (await clientThat(answer(body, status)).closeDay(closing)).decoded;
  expect(await read(JSON.stringify(error))).toEqual({ kind: 'error', errorCode: '99', errorMessage: 'm', serial });
  expect(await read('', 401)).toEqual({ kind: 'refused', http_status: 401 });
  expect(await read('', 500)).toMatchObject({ kind: 'undecodable' });
});

test('the answers to a batch are read', async () => {
  const read = async (body: string, status = 200) =>
    (await batchClientThat(answer(body, status)).processRecurringPayments(batch)).decoded;
  expect(await read('')).toEqual({ kind: 'accepted' });
  expect(await read('', 403)).toEqual({ kind: 'refused', http_status: 403 });
  expect(await read('<html></html>')).toMatchObject({ kind: 'undecodable' });
  expect(await read('type=error\n&error-code=500%0A&error-message=a+b\n', 500)).toEqual({
    kind: 'parameters',
    params: [
      ['type', 'error'],
      ['error-code', '500'],
      ['error-message', 'a b'],
    ],
  });
});

test('no answer is a transport error with its kind; the request was sent all the same', async () => {
  const call = await clientThat({ failure: { kind: 'reset', message: 'gone' } }).closeDay(closing);
  expect(call).toMatchObject({ outcome: 'transport_error', reason: 'reset: gone', request: { method: 'POST' } });
  expect(call.decoded).toBeUndefined();
});
