/** What a client of close-day relies on (sections 2.1, 2.2, 3, 4.1, 7): contracts/pacts/close-day-client-payment-gateway.json. */
import { MatchersV3, type V3Response } from '@pact-foundation/pact';
import { expect, test } from '@playwright/test';
import { authorization, type ClientRequest, closeDay, closeDayRequest, send } from './client.ts';
import { contractOf } from './contract.ts';
import { expected } from './request-rules.ts';

const { boolean, eachLike, equal, integer, regex, string } = MatchersV3;

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
const serial = '00000000-0000-0000-0000-000002d9b22a';

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

/** An answer with one result for each gate, at least one (2.2). */
function finished(endpointId: string, isDayClosing: MatchersV3.Matcher<boolean>): V3Response {
  const example = gate(endpointId, false);
  return answer({
    status: 'finished',
    gates: eachLike({
      gateId: integer(Number(example.gateId)),
      isDayClosing,
      gateCloseDate: regex('^\\S+ \\S+ \\d{1,2} \\d\\d:\\d\\d:\\d\\d \\S+ \\d{4}$', example.gateCloseDate),
      epntId: integer(Number(example.epntId)),
      saleApprovedCount: regex('^\\d+$', example.saleApprovedCount),
      saleAmount: amount(example.saleAmount),
      reversalApprovedCount: regex('^\\d+$', example.reversalApprovedCount),
      reversalAmount: amount(example.reversalAmount),
      code39: string(example.code39),
      RRN: string(example.RRN),
    }),
  });
}

function failed(errorCode: unknown, errorMessage: unknown): V3Response {
  return answer({ status: 'error', errorCode, errorMessage });
}

function answer(response: Record<string, unknown>): V3Response {
  const hex = (digits: number) => `[0-9A-Fa-f]{${digits}}`;
  return {
    status: 200,
    headers: {
      'Content-Type': regex('^(?i:text/html) *; *(?i:charset)="?(?i:utf-8)"?$', 'text/html;charset=utf-8'),
    },
    // The header says HTML; with a type of its own the body is compared as the JSON that it is.
    contentType: 'application/json',
    body: {
      response,
      theRequestSerialNumber: regex(`^${[8, 4, 4, 4, 12].map(hex).join('-')}$`, serial),
    } as V3Response['body'],
  };
}

function amount(example: string) {
  return regex('^-?\\d+\\.\\d{2}$', example);
}

/** The gate result that stands in the contract as the example. */
function gate(endpointId: string, isDayClosing: boolean) {
  return {
    gateId: `7${endpointId.slice(1)}`,
    isDayClosing,
    gateCloseDate: 'Sat Jan 31 23:59:59 UTC 2026',
    epntId: endpointId,
    saleApprovedCount: '2',
    saleAmount: '10.42',
    reversalApprovedCount: '1',
    reversalAmount: '0.94',
    code39: '00',
    RRN: '000000000001',
  };
}
