/** When a live target is given up that keeps requests waiting: each of them would wait out the deadline, and may have its effect. */

import type { PlannedCase } from '../../plan/scenario.ts';
import type { Case } from '../../record/case.ts';

/** This many requests in a row that the document speaks of, kept waiting, mean that none will be answered. */
const patience = 5;

/** What the document leaves open a gateway may keep waiting for as long as it likes; but so many in a row are no answer to each of them. */
const patienceAtMost = 20;

export interface SilenceWatch {
  /** Takes note of what came of a request to one of the operations. */
  note(examined: Case, planned: PlannedCase): void;
  /** Why nothing more should be sent; undefined as long as there are answers. */
  reason(): string | undefined;
}

/**
 * Counts what timed out. A connection that is closed is an answer of its own, and soon over; and silence to unusual framing
 * says nothing of the rest. The base URL may be answered meanwhile, by what stands before the gateway.
 */
export function newSilence(): SilenceWatch {
  let documented = 0;
  let all = 0;
  let last = '';
  return {
    note({ label, exchange: { failure } }, { request }) {
      if (request.framing !== undefined) return;
      if (failure?.kind !== 'timeout') {
        [documented, all] = [0, 0];
        return;
      }
      all += 1;
      if (label.intent !== 'open') documented += 1;
      last = failure.message;
    },
    reason() {
      if (documented < patience && all < patienceAtMost) return undefined;
      return `${all} requests in a row got no answer: ${last}`;
    },
  };
}
