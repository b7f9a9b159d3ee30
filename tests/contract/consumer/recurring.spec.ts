/** What a client of process-recurring-payments relies on (section 4.2): contracts/pacts/recurring-payments-client-payment-gateway.json. */
import type { V3Response } from '@pact-foundation/pact';
import { expect, test } from '@playwright/test';
import { processRecurring, recurringRequest } from './client.ts';
import { contractOf } from './contract.ts';
import { expected } from './request-rules.ts';

test.describe.configure({ mode: 'serial' });
const contract = contractOf('recurring-payments-client');
test.afterAll(() => contract.remove());

/** Plain values alone: quoted cells, further columns and long batches are open points. */
const rows = [
  ['order-2026-0001', '1234567890', '1.00'],
  ['order-2026-0002', '1234567891', '10.42'],
];

test('an empty 200 is an accepted batch', async () => {
  const request = recurringRequest('1111', rows);
  const answer = await contract.holds(
    {
      state: 'profile exists',
      description: 'a batch of recurring payments',
      request: expected(request),
      response: empty(200),
    },
    (baseUrl) => processRecurring(baseUrl, request),
  );
  expect(answer).toEqual({ kind: 'accepted' });
});

test('an empty 403 is a refused batch', async () => {
  const request = recurringRequest('1111', rows, 'wrong');
  const answer = await contract.holds(
    {
      state: 'bad signature',
      description: 'a batch of recurring payments with a wrong signature',
      request: expected(request),
      response: empty(403),
    },
    (baseUrl) => processRecurring(baseUrl, request),
  );
  expect(answer).toEqual({ kind: 'refused', httpStatus: 403 });
});

test('the committed file is what these tests write', async () => {
  await contract.isCommitted(test.info());
});

/** An expected empty body would fit any body: what says that it is empty is its length. */
function empty(status: number): V3Response {
  return { status, headers: { 'Content-Length': '0' } };
}
