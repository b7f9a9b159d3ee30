/** How a target that limits its requests is asked on. */
import { newPace } from '../../../src/run/allowance/guard.ts';
import { expect, test } from '../../engine.ts';
import { answer, closeDay } from './guarded.ts';

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
    pace.answered(await answer(status)(closeDay));
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
    pace.answered(await answer(429)(closeDay));
  }
  expect(time).toBe(20_000);
});

test('requests keep their distance, and more of it after 429 and 503', async () => {
  const [waits, now]: [number[], number] = [[], 1_000];
  let time = now;
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds);
    time += milliseconds;
  };
  const pace = newPace({ rate: 2, now: () => time, sleep });
  const asked = async (status: number, retryAfter?: string) => {
    await pace.turn();
    const headers = retryAfter === undefined ? [] : ([['Retry-After', retryAfter]] as const);
    pace.answered(await answer(status, '', headers)(closeDay));
  };
  for (const [status, retryAfter] of [[200], [200], [429, '3'], [503], [429, '3600'], [200]] as const) {
    await asked(status, retryAfter);
  }
  expect(waits).toEqual([500, 500, 3_000, 1_000, 10_000]);
  expect(pace.overloaded()).toBeUndefined();
  for (let left = 5; left > 0; left -= 1) await asked(503);
  expect(pace.overloaded()).toBe('5 answers in a row were HTTP 503');
});

test('a clock that is set back holds no request up', async () => {
  const real = Date.now;
  const waits: number[] = [];
  const pace = newPace({ rate: 2, sleep: async (milliseconds) => void waits.push(milliseconds) });
  try {
    await pace.turn();
    Date.now = () => real() - 3_600_000;
    await pace.turn();
  } finally {
    Date.now = real;
  }
  expect(waits.filter((milliseconds) => milliseconds > 500)).toEqual([]);
});
