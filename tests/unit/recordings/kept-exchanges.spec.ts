/** An edited exchange is kept without what it was made from. */

import type { Exchange } from '../../../src/exchange/exchange.ts';
import { newKeptParts } from '../../../src/recordings/kept-exchanges.ts';
import { expect, test } from '../../engine.ts';

function edited(body: Uint8Array): Exchange {
  const request = {
    method: 'POST',
    scheme: 'http',
    host: 'a',
    target: '/',
    headers: [['A', 'é\u2028']],
    body,
  } as const;
  return { request, response: { status: 200, reason: '', headers: [], body }, startedAt: 1, durationMs: 2 };
}

test('it is equal, its small bodies are no piece of what they were made from, and equal long ones are one', () => {
  const keep = newKeptParts().exchange;
  const [pool, long] = [Buffer.alloc(8192, 'ab'), () => new Uint8Array(64 * 1024)];
  const [short, first, second] = [edited(pool.subarray(0, 20)), edited(long()), edited(long())].map(keep);
  expect(short).toEqual(edited(new Uint8Array(pool.subarray(0, 20))));
  expect(short!.request.body.buffer).not.toBe(pool.buffer);
  expect(short!.request.body.buffer).not.toBe(Buffer.from('a').buffer);
  expect(first).toEqual(edited(long()));
  expect(second!.response!.body).toBe(first!.response!.body);
});
