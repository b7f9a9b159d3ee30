/** How a request body is read: a long one in pieces, between which other requests have their turn. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { bytesATurn, readBody } from '../../../src/mock/body.ts';
import { expect, test } from '../../engine.ts';

test('a long body that is there at once is read over many turns of the event loop, and whole', async () => {
  const chunk = Buffer.alloc(65_536, 'a');
  const request = Object.assign(Readable.from(Array(64).fill(chunk)), { headers: {} }) as unknown as IncomingMessage;
  let isOver = false;
  let inTurn = 0;
  let most = 0;
  const turn = () => {
    inTurn = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const body = await readBody(request, 64 * chunk.length, ({ length }) => {
    inTurn += length;
    most = Math.max(most, inTurn);
    return true;
  });
  isOver = true;
  expect(body).toHaveLength(64 * chunk.length);
  // What was under way when it was paused still comes.
  expect(most).toBeLessThanOrEqual(2 * bytesATurn);
});
