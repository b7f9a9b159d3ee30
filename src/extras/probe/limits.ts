/** Measures limits: requests of growing size, and bisection between the last that is taken and the first that is not. */
import { type Limit, limitAhead, limitsOfBatches, limitsOfCloseDay, plainRequest } from '../../plan/measuring.ts';
import type { Draw, RequestPlan } from '../../plan/scenario.ts';
import type { Asking } from '../../run/gateway/asking.ts';

export async function measureLimits(asking: Asking, situation: 'closing' | 'open', draw: Draw): Promise<void> {
  for (const limit of limitsOfCloseDay) await bisect(limit, asking, { situation }, draw);
  await countNonces(asking, { situation });
  for (const limit of limitsOfBatches) await bisect(limit, asking, {}, draw);
  await bisect(limitAhead, asking, { situation }, draw);
}

async function bisect(limit: Limit, { ask }: Asking, where: Partial<RequestPlan>, draw: Draw): Promise<void> {
  const { id, at, first, last, tolerance = 0, request } = limit;
  const takes = (step: number) =>
    ask({ ...request(at(step), draw), ...where }, { measures: { limit: id, value: at(step) } });
  if ((await takes(0)) !== true) return;
  let good = 0;
  let bad: number | undefined;
  for (let next = first; bad === undefined && good < last; next = Math.min(2 * next, last)) {
    const taken = await takes(next);
    if (taken === undefined) break;
    if (taken) good = next;
    else bad = next;
  }
  while (bad !== undefined && bad - good > Math.max(1, good * tolerance)) {
    const middle: number = Math.floor((good + bad) / 2);
    const taken = await takes(middle);
    if (taken === undefined) break;
    if (taken) good = middle;
    else bad = middle;
  }
  // What was taken at the beginning has to be taken at the end: otherwise something else than the value refused the others.
  await takes(0);
}

/** Nonces that are used before the first of them is used again. */
const nonces = 64;

/** A gateway that forgets the oldest takes it again. Each that it takes again, it remembers anew. */
async function countNonces({ ask, last }: Asking, where: Partial<RequestPlan>): Promise<void> {
  const used: number[] = [];
  for (let value = 1; value <= nonces; value += 1) {
    if ((await ask({ ...plainRequest, ...where }, { measures: { limit: 'nonces-remembered', value } })) !== true)
      return;
    used.push(last());
  }
  let [low, high] = [0, nonces + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const measures = { limit: 'nonces-remembered', value: middle, again: true } as const;
    const taken = await ask({ ...plainRequest, ...where, nonceOf: used[middle - 1]! }, { measures });
    if (taken === undefined) break;
    if (taken) low = middle;
    else high = middle;
  }
}
