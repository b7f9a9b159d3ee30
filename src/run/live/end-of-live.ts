/** What is asked once the last case of a live run is over: the ledger, and the counters of a mock. */

import { openLedger } from '../allowance/ledger.ts';
import { balanceOf, type LedgerBalance } from '../allowance/ledger-lines.ts';
import { LiveError } from '../allowance/live-error.ts';
import type { RunOptions } from '../options/run-options.ts';
import { controlOf, type MockCounters } from '../target/control.ts';
import type { LiveRun } from '../target/live-run.ts';

/** Why a run that is ended from outside has no conclusion. */
export const interruptedReason = 'the run was interrupted before its end';

export interface EndOfLive {
  readonly balance: LedgerBalance;
  /** Absent where there is no control interface, or it does not answer any more. */
  readonly countersAfter?: MockCounters;
}

export async function endOfLive({ runId, live }: RunOptions & { readonly live: LiveRun }): Promise<EndOfLive> {
  const { controlUrl } = live.config;
  const balance = balanceAfter(live.ledger, runId);
  try {
    return controlUrl === undefined ? { balance } : { balance, countersAfter: await controlOf(controlUrl).counters() };
  } catch {
    return { balance };
  }
}

/** A ledger that cannot be read any more is one that knows nothing of the run: what was sent and received is told all the same. */
export function balanceAfter(path: string, runId: string): LedgerBalance {
  try {
    return openLedger(path, runId).balance();
  } catch (cause) {
    if (cause instanceof LiveError) return balanceOf([], runId);
    throw cause;
  }
}
