/** A target that stops answering is given up after five requests, and not before. */

import type { Exchange, SentRequest } from '../../../src/record/exchange.ts';
import { newBreaker } from '../../../src/run/gateway/run-scenario.ts';
import { expect, test } from '../../engine.ts';

const request: SentRequest = {
  method: 'POST',
  scheme: 'http',
  host: '127.0.0.1:9',
  target: '/',
  headers: [],
  body: Buffer.alloc(0),
};
const silent: Exchange = {
  request,
  failure: { kind: 'timeout', message: '127.0.0.1:9 did not answer within 10000 ms' },
  startedAt: 0,
  durationMs: 0,
};
const answered: Exchange = {
  request,
  response: { status: 500, reason: '', headers: [], body: Buffer.alloc(0) },
  startedAt: 0,
  durationMs: 0,
};

const unreadable: Exchange = {
  request,
  failure: { kind: 'malformed', message: '127.0.0.1:9 did not answer in HTTP/1.1: Duplicate Content-Length' },
  startedAt: 0,
  durationMs: 0,
};

test('five requests in a row without an answer end the sending, with the last reason', async () => {
  const breaker = newBreaker();
  for (let sent = 0; sent < 5; sent += 1)
    expect((await breaker.guard(request, async () => silent)).failure?.kind).toBe('timeout');
  let asked = false;
  const sixth = await breaker.guard(request, async () => {
    asked = true;
    return answered;
  });
  expect(asked).toBe(false);
  expect(sixth.failure?.kind).toBe('not-sent');
  expect(breaker.reason()).toContain('did not answer within 10000 ms');
});

for (const [what, answer] of Object.entries({ 'a 500': answered, 'one that nobody can read': unreadable })) {
  test(`any answer, even ${what}, starts the count again`, async () => {
    const breaker = newBreaker();
    for (const exchange of [silent, silent, silent, silent, answer, silent, silent, silent, silent]) {
      await breaker.guard(request, async () => exchange);
    }
    expect(breaker.reason()).toBeUndefined();
  });
}
