/** A run against a live target, around the engine: plan, lock, ledger and preflight before it, the end of the ledger after it. */

import type { Result } from '../result/result.ts';
import { reachTarget } from '../run/doctor/examine-target.ts';
import { beginLive } from '../run/live/begin-live.ts';
import { openLedger } from '../run/live/ledger.ts';
import { LiveError } from '../run/live/live-error.ts';
import { type LiveRun, storedConfig } from '../run/live/live-run.ts';
import { orderSteps } from '../run/live/order.ts';
import { planRun } from '../run/live/plan.ts';
import { planText } from '../run/live/print-plan.ts';
import { liveEffects } from '../run/live/report-live.ts';
import type { LiveConfig } from '../run/live-config.ts';
import type { RunOptions } from '../run/run-options.ts';
import { liveRunLimit } from '../run/time-limit.ts';
import { carriedInto } from './dry-run.ts';
import type { CommandSurroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

/** A run without a report of its own, with what its ledger holds. */
export interface AbortedRun {
  readonly aborted: string;
  readonly hint: string;
  readonly effects?: Result['effects'] | undefined;
}

/**
 * Prints the plan if the target takes connections, opens the run and lets the engine perform it. Throws UsageError where
 * another run is at the target, or the ledger cannot be used.
 *
 * @param perform runs the engine with the completed options
 */
export async function liveRun<Ended extends object>(
  options: RunOptions,
  config: LiveConfig,
  forgetUnfinished: boolean,
  { env, err }: CommandSurroundings,
  perform: (options: RunOptions & { readonly live: LiveRun }) => Promise<Ended>,
): Promise<Ended | AbortedRun> {
  try {
    const reached = await reachTarget(config);
    if (reached.status === 'problem') return { aborted: reached.what, hint: reached.hint ?? '' };
    const planned = { ...options, live: { config: storedConfig(config) } };
    const { before, ledger, forgotten } = carriedInto(options, config, forgetUnfinished, env);
    err(`${planText(planRun(planned, before), ledger)}${forgotten}`);
    const begun = await beginLive({ runId: options.runId, config, forgetUnfinished }, env, process.cwd());
    let complete = false;
    try {
      const { hindrance } = begun;
      if (hindrance !== undefined) {
        complete = true;
        return { aborted: hindrance.reason, hint: hindrance.hint, effects: effectsBy(options, begun.live) };
      }
      const live = { ...options, live: begun.live };
      const limitMs = liveRunLimit(orderSteps(live), live);
      const ended = await perform({ ...options, live: { ...begun.live, limitMs } });
      complete = !('aborted' in ended);
      return complete ? ended : { ...ended, effects: effectsBy(options, begun.live) };
    } finally {
      begun.end(complete);
    }
  } catch (cause) {
    if (cause instanceof LiveError) throw new UsageError('target-in-use', cause.message, { hint: cause.hint, cause });
    throw cause;
  }
}

/** Undefined where the ledger cannot be read any more: the reason of the abort says so. */
function effectsBy(options: RunOptions, live: LiveRun): Result['effects'] | undefined {
  try {
    return liveEffects({ ...options, live }, [], { balance: openLedger(live.ledger, options.runId).balance() });
  } catch (cause) {
    if (cause instanceof LiveError) return undefined;
    throw cause;
  }
}
