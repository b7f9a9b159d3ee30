/** The limits that can be measured: requests of growing size, and bisection between the last that is taken and the first that is not. */
import { createHash } from 'node:crypto';
import { rightHeader } from '../../../generators/authorization-parameters.ts';
import { closeDay, payments, recurring } from '../../plan/requests.ts';
import type { Draw, RequestPlan } from '../../plan/scenario.ts';
import type { Asking } from './asking.ts';

/** `at` gives the value of a step: steps count from one that is surely taken, upwards or downwards. */
interface Limit {
  readonly id: string;
  readonly at: (step: number) => number;
  /** The first step beyond the start; each further one is twice as far. */
  readonly first: number;
  readonly last: number;
  /** Part of the value that may stay unknown; by default none does. */
  readonly tolerance?: number;
  readonly request: (value: number, draw: Draw) => RequestPlan;
}

/** Close-day first: asked of a gate that is closing, an accepted request has no effect. */
const ofCloseDay: readonly Limit[] = [
  { id: 'timestamp-behind', at: (step) => step, first: 60, last: 172_800, request: (value) => shifted(-value) },
  { id: 'request-id-longest', at: (step) => 8 + step, first: 24, last: 248, request: withId },
  { id: 'request-id-shortest', at: (step) => 8 - step, first: 1, last: 7, request: withId },
  {
    id: 'body-bytes',
    at: (step) => 256 + step,
    first: 1792,
    last: 1024 * 1024 - 256,
    tolerance: 1 / 64,
    request: (value) => withBody(value),
  },
];

/** Each that is accepted starts payments. */
const ofBatches: readonly Limit[] = [
  { id: 'order-id-longest', at: (step) => 16 + step, first: 112, last: 1008, request: withOrder },
  { id: 'payment-id-longest', at: (step) => 10 + step, first: 1, last: 54, request: withPayment },
  { id: 'payment-id-shortest', at: (step) => 10 - step, first: 1, last: 9, request: withPayment },
  { id: 'rows', at: (step) => 1 + step, first: 1, last: 1023, request: withRows },
];

/** A gateway may take no timestamp before the last one that it took (A3): what is ahead of the clock comes last. */
const ahead: Limit = { ...ofCloseDay[0]!, id: 'timestamp-ahead', request: shifted };

export async function measureLimits(asking: Asking, situation: 'closing' | 'open', draw: Draw): Promise<void> {
  for (const limit of ofCloseDay) await bisect(limit, asking, { situation }, draw);
  await countNonces(asking, { situation });
  for (const limit of ofBatches) await bisect(limit, asking, {}, draw);
  await bisect(ahead, asking, { situation }, draw);
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
    if ((await ask({ ...plain(), ...where }, { measures: { limit: 'nonces-remembered', value } })) !== true) return;
    used.push(last());
  }
  let [low, high] = [0, nonces + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const measures = { limit: 'nonces-remembered', value: middle, again: true } as const;
    const taken = await ask({ ...plain(), ...where, nonceOf: used[middle - 1]! }, { measures });
    if (taken === undefined) break;
    if (taken) low = middle;
    else high = middle;
  }
}

/** Its id is renewed for every request. */
function plain(): RequestPlan {
  return closeDay({ day_close_request_id: 'measured' });
}

function shifted(seconds: number): RequestPlan {
  return {
    ...plain(),
    header: ({ consumerKey, timestamp, nonce }) =>
      rightHeader({ operation: 'close-day', consumerKey, nonce, timestamp: String(Number(timestamp) + seconds) }),
  };
}

/** One of a documented length is renewed for every request; any other length is asked for once. */
function withId(length: number): RequestPlan {
  const letters = createHash('sha512').update(String(length)).digest('hex').repeat(2);
  return { ...closeDay({ day_close_request_id: letters.slice(0, length) }), keepsId: length < 8 || length > 32 };
}

/** The document gives the count no greatest length (2.1). */
function withBody(bytes: number): RequestPlan {
  const others = Buffer.byteLength('day_close_request_id=measured&sale_approved_count=');
  return closeDay({ day_close_request_id: 'measured', sale_approved_count: '1'.repeat(bytes - others) });
}

function withOrder(length: number, draw: Draw): RequestPlan {
  const [, id = '', amount = ''] = draw.payment(['', '1234567890', '1.00']);
  return recurring(payments([[`cs0000000000-${'A'.repeat(length)}`.slice(0, length), id, amount]]));
}

/** Other ids than those that a configuration lists are never sent to a live target. */
function withPayment(length: number, draw: Draw): RequestPlan {
  const [, , amount = ''] = draw.payment(['', '1234567890', '1.00']);
  return recurring(payments([['cs0000000000-A', '1'.repeat(length), amount]]));
}

function withRows(count: number, draw: Draw): RequestPlan {
  const rows = Array.from({ length: count }, (_, at) => {
    const [, id = '', amount = ''] = draw.payment(['', '1234567890', '1.00']);
    return [`cs0000000000-${at}`, id, amount];
  });
  return recurring(payments(rows));
}
