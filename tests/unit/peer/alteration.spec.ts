/** The hooks of the reference client: each step can be changed, in order, and the steps after it follow. */

import type { ClientAlteration, ClientStepName } from '../../../src/peer/client/index.ts';
import { expect, test } from '../../engine.ts';
import { answer, batch, batchClientThat, clientThat, closing, emptyAnswer } from './calls.ts';

const ordered: readonly ClientStepName[] = [
  'input',
  'credentials',
  'refusal',
  'table',
  'csv',
  'csvBytes',
  'payload',
  'fields',
  'form',
  'body',
  'url',
  'fresh',
  'unsigned',
  'parameters',
  'normalized',
  'baseStringUri',
  'baseString',
  'signature',
  'signed',
  'authorization',
  'headers',
  'request',
  'connection',
  'send',
  'response',
  'decoded',
];

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

test('a client can be made to validate nothing, or to refuse more', async () => {
  const careless = await clientThat(answer('{}'), [{ refusal: () => undefined }]).closeDay({
    day_close_request_id: '-',
  });
  expect(careless.outcome).toBe('completed');
  const strict = { stage: 'fields', reason: 'no empty fields' };
  const typed = await clientThat(answer('{}'), [
    { refusal: (_, { done }) => ('sale_approved_sum' in done.input ? strict : undefined) },
  ]);
  expect(await typed.closeDay(closing)).toEqual({ outcome: 'refused_locally', ...strict });
});

test('a hook knows the environment of the client and the time', async () => {
  const local: ClientAlteration = {
    fresh: (fresh, { time, environment }) => ({ ...fresh, nonce: `${environment.TZ} ${time}` }),
  };
  const { request } = await clientThat(answer('{}'), [local], { environment: { TZ: 'UTC' } }).closeDay(closing);
  expect(request!.headers.at(-1)![1]).toContain('oauth_nonce="UTC%201700000000999"');
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

test('a client can be made to send twice, and to take any certificate', async () => {
  const sent: boolean[] = [];
  const again: ClientAlteration = {
    connection: (connection) => ({ ...connection, acceptAnyCertificate: true }),
    send: (send) => async (request, connection) => {
      await send(request, connection);
      return send(request, connection);
    },
  };
  await clientThat(emptyAnswer, [again], {
    send: async (_, { acceptAnyCertificate }) => {
      sent.push(acceptAnyCertificate);
      return { response: emptyAnswer };
    },
  }).closeDay(closing);
  expect(sent).toEqual([true, true]);
});

test('a reading that failed passes the hook too: an answer that is none can be taken for success', async () => {
  const call = await clientThat(answer('<html></html>'), [{ decoded: () => ({ kind: 'finished' }) }]).closeDay(closing);
  expect(call.decoded).toEqual({ kind: 'finished' });
});
