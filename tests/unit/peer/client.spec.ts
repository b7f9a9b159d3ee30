/** The reference client, as far as no run against its own judges shows it: what it refuses before anything is sent, stages, failures, and a hook for each step. */
import type { ClientAlteration, ClientStepName } from '../../../src/peer/client/index.ts';
import type { CloseDayInput, RecurringInput } from '../../../src/record/client-case.ts';
import { expect, test } from '../../engine.ts';
import { answer, batch, batchClientThat, clientThat, closing, emptyAnswer } from './calls.ts';

test('every stage that it offers is reported under its name', async () => {
  const { stages } = await clientThat(answer('{}')).call('close-day', { day_close_request_id: 'abcdefgh' });
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

test('no answer is a transport error with its kind; the request was sent all the same', async () => {
  const call = await clientThat({ failure: { kind: 'reset', message: 'gone' } }).call('close-day', closing);
  expect(call).toMatchObject({ outcome: 'transport_error', reason: 'reset: gone', request: { method: 'POST' } });
  expect(call.decoded).toBeUndefined();
});

const ordered = [
  ...(['input', 'credentials', 'refusal', 'table', 'csv', 'csvBytes', 'payload', 'fields', 'form', 'body'] as const),
  ...(['url', 'fresh', 'unsigned', 'parameters', 'normalized', 'baseStringUri', 'baseString', 'signature'] as const),
  ...(['signed', 'authorization', 'headers', 'request', 'connection', 'send', 'response', 'decoded'] as const),
] satisfies readonly ClientStepName[];

test('every step passes its hook once, in order; close-day has no table', async () => {
  const seen: ClientStepName[] = [];
  const watch = Object.fromEntries(
    ordered.map((name) => [
      name,
      (value: unknown) => {
        seen.push(name);
        return value;
      },
    ]),
  ) as ClientAlteration;
  await batchClientThat(emptyAnswer, [watch]).call('process-recurring-payments', batch);
  expect(seen.splice(0)).toEqual(ordered);
  await clientThat(answer('{}'), [watch]).call('close-day', closing);
  expect(seen).toEqual(ordered.filter((name) => !['table', 'csv', 'csvBytes', 'payload'].includes(name)));
});

test('hooks of one step are applied one after the other, and the steps after it see the result', async () => {
  const call = await clientThat(answer('{}'), [
    { baseString: (value) => `${value}1` },
    { baseString: (value, { done }) => `${value}2${done.fresh.timestamp}` },
  ]).call('close-day', closing);
  const plain = await clientThat(answer('{}')).call('close-day', closing);
  expect(call.stages!.base_string).toBe(`${plain.stages!.base_string}121700000000`);
  expect(call.stages!.signature).not.toBe(plain.stages!.signature);
  expect(call.request!.headers.at(-1)).toEqual(['Authorization', call.stages!.authorization]);
});

test('what a hook throws while decoding is an answer that the client cannot decode', async () => {
  const thrown = () => {
    throw new TypeError('Cannot read properties of null');
  };
  for (const alteration of [{ decoded: thrown }, { response: thrown }]) {
    const call = await clientThat(answer('{}'), [alteration]).call('close-day', closing);
    expect(call).toMatchObject({
      outcome: 'completed',
      decoded: { kind: 'undecodable', reason: 'Cannot read properties of null' },
    });
  }
});

const neverSent = { send: async () => Promise.reject(new Error('it was sent')) };

const refusedClosings: readonly (readonly [name: string, input: CloseDayInput, reason: RegExp])[] = [
  ['without an id', { sale_approved_count: '1' }, /is missing/],
  ['with an id of 7 characters', { day_close_request_id: 'abcdefg' }, /7 characters/],
  ['with an id of 33 characters', { day_close_request_id: 'a'.repeat(33) }, /33 characters/],
  ['with a dash in the id', { day_close_request_id: 'abcd-efgh' }, /letters and digits/],
  ['with a letter beyond ASCII in the id', { day_close_request_id: 'abcdéfgh' }, /letters and digits/],
];

test('a close-day that breaks a rule is refused', async () => {
  for (const [name, input, reason] of refusedClosings) {
    const call = await clientThat(emptyAnswer, [], neverSent).call('close-day', input);
    const told = { outcome: 'refused_locally', stage: 'fields', reason: expect.stringMatching(reason) };
    expect(call, name).toEqual(told);
  }
});

const row = ['order', '1234567890', '1.00'];
const refusedRows: readonly (readonly [name: string, row: readonly (string | null)[], reason: RegExp])[] = [
  ['an order id of 129 characters', ['é'.repeat(129), '1', '1'], /client-orderid has more than 128/],
  ['an empty order id', ['', '1', '1'], /client-orderid is missing/],
  ['no payment id', ['a', null, '1'], /recurring-payment-id is missing/],
  ['a payment id of 11 characters', ['a', '12345678901', '1'], /recurring-payment-id has more than 10/],
  ['no amount', ['a', '1', null], /amount is missing/],
  ['a decimal comma in the amount', ['a', '1', '1,00'], /amount is not a number/],
  ['an exponent in the amount', ['a', '1', '1e3'], /amount is not a number/],
  ['an amount of 11 characters', ['a', '1', '12345678.00'], /amount has more than 10/],
  ['a cell too few', ['a', '1'], /number of cells/],
];

test('a batch that breaks a rule is refused, with the number of the row', async () => {
  const client = clientThat(emptyAnswer, [], neverSent);
  for (const [name, cells, reason] of refusedRows) {
    const call = await client.call('process-recurring-payments', { columns: batch.columns, rows: [row, cells] });
    expect(call, name).toMatchObject({ outcome: 'refused_locally', stage: 'csv' });
    expect(call.reason).toMatch(new RegExp(`^row 2: .*${reason.source}`));
  }
});

test('a batch that names a column twice is refused', async () => {
  const input = { columns: [...batch.columns, 'amount'], rows: [[...row, '1']] };
  expect(await clientThat(emptyAnswer, [], neverSent).call('process-recurring-payments', input)).toMatchObject({
    outcome: 'refused_locally',
    reason: 'a column occurs twice',
  });
});

test('half of a surrogate pair is refused at the step that cannot encode it', async () => {
  const call = await clientThat(emptyAnswer, [], neverSent).call('close-day', {
    day_close_request_id: 'abcdefgh',
    sale_approved_sum: 'a\ud83d',
  });
  expect(call).toMatchObject({ outcome: 'refused_locally', stage: 'form' });
});

test('a base URL that is none is refused at the step that needs it', async () => {
  const call = await clientThat(emptyAnswer, [], { ...neverSent, baseUrl: 'gate.example/paynet' }).call('close-day', {
    day_close_request_id: 'abcdefgh',
  });
  expect(call).toMatchObject({ outcome: 'refused_locally', stage: 'url' });
});

test('ids of 8 and 32 characters pass, and counts and sums of any text', async () => {
  for (const id of ['abcdefgh', 'A1'.repeat(16)]) {
    const input = { day_close_request_id: id, sale_approved_count: '', reversal_approved_sum: '-1,5 €' };
    expect((await clientThat(emptyAnswer).call('close-day', input)).outcome).toBe('completed');
  }
});

test('cells at their bounds pass, and other ways to give an amount', async () => {
  const columns = [...batch.columns, 'amount-from', 'amount-to', 'amount-sequence'];
  const rows = [
    ['😀'.repeat(128), '1234567890', '1234567.89', null, null, null],
    ['a', '1', null, '1', '2', null],
    ['a', '1', '', null, null, '1,2'],
  ];
  const sent = await batchClientThat(emptyAnswer).call('process-recurring-payments', {
    columns,
    rows,
  } satisfies RecurringInput);
  expect(sent.outcome).toBe('completed');
});
