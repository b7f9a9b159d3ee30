/** How a target that limits its requests is asked on. */
import { newPace } from '../../../src/run/allowance/guard.ts';
import { expect, test } from '../../engine.ts';

test('a target that says that requests come too fast gets them at longer distances from then on', async () => {
  let time = 0;
  const waits: number[] = [];
  const sleep = async (wait: number) => {
    time += wait;
    waits.push(wait);
  };
  const pace = newPace({ rate: 100, now: () => time, sleep });
  for (const status of [429, 200, 200, 429, 200, 200, ...Array<number>(12).fill(429), 200, 200]) {
    await pace.turn();
    const request = { method: 'POST', scheme: 'http', host: 'h', target: '/', headers: [], body: Buffer.of() } as const;
    const response = { status, reason: '', headers: [], body: Buffer.of() };
    pace.answered({ request, response, startedAt: 0, durationMs: 1 });
  }
  expect(waits.slice(0, 6)).toEqual([1_000, 20, 20, 1_000, 40, 40]);
  expect(waits.at(-1)).toBe(2_000);
});

test('a target that is asked more slowly than that is asked no faster for it', async () => {
  let time = 0;
  const sleep = async (wait: number) => {
    time += wait;
  };
  const pace = newPace({ rate: 0.1, now: () => time, sleep });
  for (let turn = 0; turn < 3; turn++) {
    await pace.turn();
    const request = { method: 'POST', scheme: 'http', host: 'h', target: '/', headers: [], body: Buffer.of() } as const;
    const response = { status: 429, reason: '', headers: [], body: Buffer.of() };
    pace.answered({ request, response, startedAt: 0, durationMs: 1 });
  }
  expect(time).toBe(20_000);
});
