/** How fast a live target is asked: a number of requests a second, and slower when it says that it has enough (RFC 6585 section 4, RFC 9110 section 10.2.3). */
import { type Exchange, headerValues } from '../../record/exchange.ts';

export interface Pace {
  /** Resolves when the next request may be sent. */
  turn(): Promise<void>;
  /** Takes note of an answer. */
  answered(exchange: Exchange): void;
  /** Why nothing more should be sent; undefined as long as the target keeps up. */
  overloaded(): string | undefined;
}

export interface PaceOptions {
  /** Requests in a second at most. */
  readonly rate: number;
  /** Milliseconds that never go back, whatever is done to the clock. */
  readonly now?: () => number;
  /** Milliseconds since the Unix epoch. */
  readonly clock?: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Milliseconds that a Retry-After is heeded for at most, and those without one. */
export const longestPause = 10_000;
const usualPause = 1_000;
/** Milliseconds between two requests that no answer 429 makes longer. */
const slowest = 2_000;
/** This many answers 429 or 503 in a row mean that it will not get better. */
const patience = 5;

export function newPace({ rate, now = () => performance.now(), clock = Date.now, sleep }: PaceOptions): Pace {
  let between = 1000 / rate;
  let next = 0;
  let busy = 0;
  let last = 0;
  return {
    async turn() {
      const wait = next - now();
      next = Math.max(next, now()) + between;
      if (wait > 0) await sleep(wait);
    },
    answered(exchange) {
      const status = exchange.response?.status;
      if (status !== 429 && status !== 503) {
        busy = 0;
        return;
      }
      busy += 1;
      last = status;
      // A limit for each second is met again after a pause: what is lost to it is a few requests, and not one of each few.
      if (status === 429) between = Math.max(between, Math.min(2 * between, slowest));
      next = Math.max(next, now() + pauseOf(exchange, clock()));
    },
    overloaded: () => (busy < patience ? undefined : `${patience} answers in a row were HTTP ${last}`),
  };
}

function pauseOf({ response }: Exchange, now: number): number {
  const [value] = headerValues(response!.headers, 'retry-after');
  if (value === undefined) return usualPause;
  const wanted = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(wanted) ? usualPause : Math.min(Math.max(wanted, 0), longestPause);
}
