/** What is asked once the last case of a live run is over: the ledger, and the counters of a mock. */

import { openLedger } from '../allowance/ledger.ts';
import type { LedgerBalance } from '../allowance/ledger-lines.ts';
import type { RunOptions } from '../options/run-options.ts';
import { controlOf, type MockCounters } from '../target/control.ts';
import type { LiveRun } from '../target/live-run.ts';

export interface EndOfLive {
  readonly balance: LedgerBalance;
  /** Absent where there is no control interface, or it does not answer any more. */
  readonly countersAfter?: MockCounters;
}

/** Throws LiveError where the ledger cannot be read. */
export async function endOfLive({ runId, live }: RunOptions & { readonly live: LiveRun }): Promise<EndOfLive> {
  const { controlUrl } = live.config;
  const balance = openLedger(live.ledger, runId).balance();
  try {
    return controlUrl === undefined ? { balance } : { balance, countersAfter: await controlOf(controlUrl).counters() };
  } catch {
    return { balance };
  }
}
