/** The reference client, as far as no run against its own judges shows it: stages, failures, and a hook for each step. */
import type { ClientAlteration, ClientStepName } from '../../../src/peer/client/index.ts';
import { expect, test } from '../../engine.ts';
import { answer, batch, batchClientThat, clientThat, closing, emptyAnswer } from './calls.ts';

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

test('no answer is a transport error with its kind; the request was sent all the same', async () => {
  const call = await clientThat({ failure: { kind: 'reset', message: 'gone' } }).closeDay(closing);
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
  await batchClientThat(emptyAnswer, [watch]).processRecurringPayments(batch);
  expect(seen.splice(0)).toEqual(ordered);
  await clientThat(answer('{}'), [watch]).closeDay(closing);
  expect(seen).toEqual(ordered.filter((name) => !['table', 'csv', 'csvBytes', 'payload'].includes(name)));
});

test('hooks of one step are applied one after the other, and the steps after it see the result', async () => {
  const call = await clientThat(answer('{}'), [
    { baseString: (value) => `${value}1` },
    { baseString: (value, { done }) => `${value}2${done.fresh.timestamp}` },
  ]).closeDay(closing);
  const plain = await clientThat(answer('{}')).closeDay(closing);
  expect(call.stages!.base_string).toBe(`${plain.stages!.base_string}121700000000`);
  expect(call.stages!.signature).not.toBe(plain.stages!.signature);
  expect(call.request!.headers.at(-1)).toEqual(['Authorization', call.stages!.authorization]);
});

test('what a hook throws while decoding is an answer that the client cannot decode', async () => {
  const thrown = () => {
    throw new TypeError('Cannot read properties of null');
  };
  for (const alteration of [{ decoded: thrown }, { response: thrown }]) {
    const call = await clientThat(answer('{}'), [alteration]).closeDay(closing);
    expect(call).toMatchObject({
      outcome: 'completed',
      decoded: { kind: 'undecodable', reason: 'Cannot read properties of null' },
    });
  }
});
