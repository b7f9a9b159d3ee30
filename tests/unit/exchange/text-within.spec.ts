/** What is read of an answer, whoever sends it. */
import { setTimeout as pause } from 'node:timers/promises';
import { textWithin } from '../../../src/exchange/text-within.ts';
import { expect, test } from '../../engine.ts';

/** Sends a byte again and again, for ever. */
function dripping(): Response {
  let read = true;
  const pull = async (to: ReadableStreamDefaultController) => {
    await pause(5);
    if (read) to.enqueue(Buffer.from('a'));
  };
  const cancel = () => {
    read = false;
  };
  return new Response(new ReadableStream({ pull, cancel }));
}

test('an answer that drips ends at its time, one without end at its length, and any other is read', async () => {
  await expect(textWithin(dripping(), 60, 1)).rejects.toThrow('the answer does not end within 0.06 s');
  const long = new Response(' '.repeat(1024 ** 2 + 1));
  await expect(textWithin(long, 600_000, 1)).rejects.toThrow('the answer is longer than 1 MB');
  expect(await textWithin(new Response('é'), 600_000, 1)).toBe('é');
  expect(await textWithin(new Response(null), 600_000, 1)).toBe('');
});
