/** The reference client: its stages, and calls without an answer. Runs with judges test the rest. */

import type { Operation } from '../../../contracts/operations.ts';
import { publishedIdentity } from '../../../src/mock/identity.ts';
import { callGateway } from '../../../src/peer/client/client.ts';
import type { Outcome } from '../../../src/peer/local-gateway/local-gateway.ts';
import type { CallInput } from '../../../src/record/case.ts';
import { expect, test } from '../../engine.ts';

type Options = Parameters<typeof callGateway>[2];

const { consumerKey, consumerSecret } = publishedIdentity;
const response = {
  status: 200,
  reason: '',
  headers: [['Content-Type', 'text/html']],
  body: Buffer.from('{}'),
} as const;
const fields = { day_close_request_id: 'abcdefgh' };

/** Calls the client with a scripted response, a fixed clock and a fixed nonce. */
function clientWith(answer: Outcome, more: Partial<Options> = {}) {
  const options: Options = {
    baseUrl: 'https://gate.example/paynet',
    endpointId: '1111',
    credentials: { consumerKey, key: { method: 'HMAC-SHA1', consumerSecret } },
    send: async () => answer,
    clock: () => 1_700_000_000_999,
    nonce: () => 'nonce1',
    ...more,
  };
  return { call: (...args: [Operation, CallInput]) => callGateway(...args, options) };
}

test('every stage that it offers is reported under its name', async () => {
  const { stages } = await clientWith({ response }).call('close-day', fields);
  expect(Object.keys(stages!).sort().join()).toBe('authorization,base_string,body_b64,normalized,parameters,signature');
  expect(Buffer.from(stages!.body_b64!, 'base64').toString()).toBe('day_close_request_id=abcdefgh');
  expect(stages!.parameters).toMatch(/^oauth_consumer_key=.*&day_close_request_id=abcdefgh$/);
  expect(stages!.base_string).toMatch(/^POST&https%3A%2F%2Fgate\.example%2Fpaynet%2Fapi%2Fv2%2Fclose-day%2F1111&/);
});

test('a missing answer is a transport error with its kind, and the request counts as sent', async () => {
  const call = await clientWith({ failure: { kind: 'reset', message: 'gone' } }).call('close-day', fields);
  expect(call).toMatchObject({ outcome: 'transport_error', reason: 'reset: gone', request: { method: 'POST' } });
  expect(call.decoded).toBeUndefined();
});

test('an invalid base URL is refused at the step that needs it', async () => {
  const send = async () => Promise.reject(new Error('it was sent'));
  const call = await clientWith({ response }, { send, baseUrl: 'gate.example/paynet' }).call('close-day', fields);
  expect(call).toMatchObject({ outcome: 'refused_locally', stage: 'url' });
});
