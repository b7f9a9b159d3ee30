/** Gives a target up that has stopped answering: otherwise a run would wait out the deadline of every request that is left. */

import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { isUnreadable } from '../../rules/answers/acceptance.ts';

/** This many requests in a row without any answer mean that the target is gone. */
const patience = 5;

export interface Breaker {
  /** Why nothing is sent any more; undefined while the target is not given up. */
  reason(): string | undefined;
  /** Sends, unless the target was given up, and takes note of the answer or its absence. */
  guard(request: SentRequest, send: () => Promise<Exchange>): Promise<Exchange>;
}

/** A breaker for one target; shared by all scenarios of a process. */
export function newBreaker(): Breaker {
  let unanswered = 0;
  let last = '';
  const reason = () =>
    unanswered < patience
      ? undefined
      : `${last}; ${patience} requests in a row got no answer, and nothing more was sent`;
  return {
    reason,
    async guard(request, send) {
      const givenUp = reason();
      if (givenUp !== undefined) {
        return { request, failure: { kind: 'not-sent', message: givenUp }, startedAt: Date.now(), durationMs: 0 };
      }
      const exchange = await send();
      // A target with unreadable answers is not gone.
      unanswered = exchange.response === undefined && !isUnreadable(exchange) ? unanswered + 1 : 0;
      last = exchange.failure?.message ?? last;
      return exchange;
    },
  };
}
