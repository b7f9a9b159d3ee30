/** A run against a live target, around the engine: plan, lock, ledger and preflight before it, the end of the ledger after it. */

import type { Result } from '../../record/result/result.ts';
import { reachTarget } from '../../run/doctor/examine-target.ts';
import { beginLive } from '../../run/live/begin-live.ts';
import { balanceAfter } from '../../run/live/end-of-live.ts';
import { orderSteps } from '../../run/live/order.ts';
import { planRun } from '../../run/live/plan.ts';
import { planText } from '../../run/live/print-plan.ts';
import { liveRunLimit } from '../../run/live/time-limit.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import { type LiveRun, storedConfig } from '../../run/target/live-run.ts';
import { liveEffects } from '../../verdict/report-live.ts';
import type { CommandSurroundings } from '../surroundings.ts';
import { hindered } from '../usage-error.ts';
import { carriedInto, wrappedPlan } from './dry-run.ts';

/** A run without a report of its own, with what its ledger holds. */
export interface AbortedRun {
  readonly aborted: string;
  readonly hint: string;
  /** It came to its end. */
  readonly isLost?: boolean;
  readonly effects?: Result['effects'] | undefined;
}

/**
 * Prints the plan if the target takes connections, opens the run and lets the engine perform it. Throws UsageError where
 * another run is at the target, or the ledger cannot be used; LiveError where it cannot be used any more while the run goes on.
 *
 * @param perform runs the engine with the completed options
 */
export async function liveRun<Ended extends object>(
  options: RunOptions,
  config: LiveConfig,
  forgetUnfinished: boolean,
  { env, err, width }: CommandSurroundings,
  perform: (options: RunOptions & { readonly live: LiveRun }) => Promise<Ended>,
): Promise<Ended | AbortedRun> {
  let goesOn = false;
  try {
    const reached = await reachTarget(config);
    if (reached.status === 'problem') return { aborted: reached.what, hint: reached.hint ?? '' };
    const planned = { ...options, live: { config: storedConfig(config) } };
    const { before, ledger, forgets } = carriedInto(options, config, forgetUnfinished, { env, err });
    const forgotten = forgets === undefined ? '' : `  forgotten       ${forgets}\n`;
    err(wrappedPlan(`${planText(planRun(planned, before), ledger)}${forgotten}`, width));
    const begun = await beginLive({ runId: options.runId, config, forgetUnfinished }, env, process.cwd());
    goesOn = true;
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
    throw hindered(cause, goesOn);
  }
}

function effectsBy(options: RunOptions, live: LiveRun): Result['effects'] {
  return liveEffects({ ...options, live }, [], { balance: balanceAfter(live.ledger, options.runId) });
}
