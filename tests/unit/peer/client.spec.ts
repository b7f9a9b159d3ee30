/** The reference client, as far as no run against its own judges shows it: what it refuses before anything is sent, stages, failures, and a hook for each step. */
import { expect, test } from '../../engine.ts';
import { answer, batch, clientThat, closing, emptyAnswer } from './calls.ts';

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

const neverSent = { send: async () => Promise.reject(new Error('it was sent')) };

const row = ['order', '1234567890', '1.00'];

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
