/** What is asked once the last case of a live run is over: the ledger, and the counters of a mock. */
import type { RunOptions } from '../run-options.ts';
import { controlOf, type MockCounters } from './control.ts';
import { openLedger } from './ledger.ts';
import type { Stand } from './ledger-lines.ts';
import type { LiveRun } from './live-run.ts';

export interface EndOfLive {
  readonly stand: Stand;
  /** Absent where there is no control interface, or it does not answer any more. */
  readonly countersAfter?: MockCounters;
}

/** Throws LiveError where the ledger cannot be read. */
export async function endOfLive({ runId, live }: RunOptions & { readonly live: LiveRun }): Promise<EndOfLive> {
  const { controlUrl } = live.config;
  const stand = openLedger(live.ledger, runId).stand();
  try {
    return controlUrl === undefined ? { stand } : { stand, countersAfter: await controlOf(controlUrl).counters() };
  } catch {
    return { stand };
  }
}
