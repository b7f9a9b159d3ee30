/** What a client of close-day relies on (sections 2.1, 2.2, 3, 4.1, 7): contracts/pacts/close-day-client-payment-gateway.json. */
import { MatchersV3 } from '@pact-foundation/pact';
import { expect, test } from '@playwright/test';
import { authorization, type ClientRequest, closeDay, closeDayRequest, send } from './client.ts';
import { failed, finished, gate, serial } from './close-day-answers.ts';
import { contractOf } from './contract.ts';
import { expected } from './request-rules.ts';

const { boolean, equal, string } = MatchersV3;

// The interactions end up in one file, which the last test looks at.
test.describe.configure({ mode: 'serial' });
const contract = contractOf('close-day-client');
test.afterAll(() => contract.remove());

const id = { day_close_request_id: 'CloseDay20260131' };
const totals = {
  sale_approved_count: '2',
  sale_approved_sum: '10.42',
  reversal_approved_count: '1',
  reversal_approved_sum: '0.94',
};

test('a finished close-day is read gate by gate', async () => {
  const request = closeDayRequest('1111', id);
  const answer = await contract.holds(
    {
      state: 'gate open',
      description: 'a request to close the day',
      request: expected(request),
      response: finished('1111', boolean(false)),
    },
    (baseUrl) => closeDay(baseUrl, request),
  );
  expect(answer).toEqual({ kind: 'finished', serial, wrapped: false, gates: [gate('1111', false)] });
});

test('totals of the client may come along', async () => {
  const request = closeDayRequest('1111', { ...id, ...totals });
  const answer = await contract.holds(
    {
      state: 'gate open',
      description: 'a request to close the day with totals',
      request: expected(request),
      response: finished('1111', boolean(false)),
    },
    (baseUrl) => closeDay(baseUrl, request),
  );
  expect(answer.kind).toBe('finished');
});

test('a gate that stays locked is told from one that is free', async () => {
  const request = closeDayRequest('1113', id);
  const answer = await contract.holds(
    {
      state: 'gate stays locked',
      description: 'a request to close the day of a locked gate',
      request: expected(request),
      response: finished('1113', equal(true)),
    },
    (baseUrl) => closeDay(baseUrl, request),
  );
  expect(answer).toEqual({ kind: 'finished', serial, wrapped: false, gates: [gate('1113', true)] });
});

test('a gate that is already closing is error 99', async () => {
  const request = closeDayRequest('1112', id);
  const answer = await contract.holds(
    {
      state: 'gate closing',
      description: 'a request to close a day that is being closed',
      request: expected(request),
      response: failed('99', 'gate is closing already'),
    },
    (baseUrl) => closeDay(baseUrl, request),
  );
  expect(answer).toMatchObject({ kind: 'error', errorCode: '99', errorMessage: 'gate is closing already', serial });
});

test('a wrong signature is an error, never a finished day', async () => {
  const request = closeDayRequest('1111', id, 'wrong');
  const answer = await contract.holds(
    {
      state: 'bad signature',
      description: 'a request to close the day with a wrong signature',
      request: expected(request),
      response: failed(string('403'), string('the signature does not verify')),
    },
    (baseUrl) => closeDay(baseUrl, request),
  );
  expect(answer).toMatchObject({ kind: 'error', errorCode: '403', serial });
});

const right = closeDayRequest('1111', id);
const misfits: readonly (readonly [what: string, request: ClientRequest, header?: (value: string) => string])[] = [
  ['an id of seven characters', closeDayRequest('1111', { day_close_request_id: 'Close31' })],
  ['a field that 2.1 does not name', { ...right, body: [...right.body, ['currency', 'EUR']] }],
  ['a header without a nonce', right, (value) => value.replace(/oauth_nonce="[^"]*", */, '')],
  ['the signature method of the other operation', right, (value) => value.replace('HMAC-SHA1', 'RSA-SHA256')],
];

for (const [what, request, header] of misfits) {
  test(`the contract refuses ${what}`, async () => {
    // A contract of its own, so that nothing of this is written down.
    const other = contractOf('misfit');
    const held = other.holds(
      {
        state: 'gate open',
        description: 'a request to close the day',
        request: expected(right),
        response: finished('1111', boolean(false)),
      },
      (baseUrl) => send(baseUrl, request, header?.(authorization(request, 'http', new URL(baseUrl).host))),
    );
    await expect(held).rejects.toThrow('The following request was incorrect');
    other.remove();
  });
}

test('the committed file is what these tests write', async () => {
  await contract.isCommitted(test.info());
});
