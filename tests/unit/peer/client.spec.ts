/** The reference client, as far as no run against its own judges shows it: what it refuses before anything is sent, stages, failures, and a hook for each step. */
import { expect, test } from '../../engine.ts';
import { answer, clientThat, closing, emptyAnswer } from './calls.ts';

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

test('a base URL that is none is refused at the step that needs it', async () => {
  const call = await clientThat(emptyAnswer, [], { ...neverSent, baseUrl: 'gate.example/paynet' }).call('close-day', {
    day_close_request_id: 'abcdefgh',
  });
  expect(call).toMatchObject({ outcome: 'refused_locally', stage: 'url' });
});
