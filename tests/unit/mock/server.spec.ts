/** The mock on a socket. */
import { expect, test } from '@playwright/test';
import { startMock } from '../../../src/mock/index.ts';
import { batchRequest, csv, noon, request } from './caller.ts';
import { send } from './send.ts';

const now = () => noon;

test('a right close-day is finished, a wrong signature is an error, both with status 200', async () => {
  const mock = await startMock({ now });
  const host = `127.0.0.1:${mock.port}`;
  const right = await send(mock.port, request({ host }));
  const wrong = await send(mock.port, request({ host, secret: 'another-secret-of-some-length' }));
  await mock.close();
  expect([right.status, JSON.parse(right.body).response.status]).toEqual([200, 'finished']);
  expect([wrong.status, JSON.parse(wrong.body).response.status]).toEqual([200, 'error']);
  expect(mock.counters()).toEqual({ closedDays: 1, startedPayments: 0, totalAmount: '0', requests: 2, refused: 1 });
});

test('a right recurring request is 200 and empty, a wrong signature 403 and empty', async () => {
  const mock = await startMock({ now });
  const host = `127.0.0.1:${mock.port}`;
  const right = await send(mock.port, batchRequest(csv, { host }));
  const wrong = await send(mock.port, batchRequest(csv, { host: 'other.example' }));
  await mock.close();
  expect([right.status, right.body]).toEqual([200, '']);
  expect([wrong.status, wrong.body]).toEqual([200, '']);
});
