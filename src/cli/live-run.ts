/** A run against a live target, around the engine: plan, lock, ledger and preflight before it, the end of the ledger after it. */
import { beginLive } from '../run/live/begin-live.ts';
import { LiveError } from '../run/live/live-error.ts';
import { type LiveRun, storedConfig } from '../run/live/live-run.ts';
import { orderSteps } from '../run/live/order.ts';
import { planRun } from '../run/live/plan.ts';
import { planText } from '../run/live/print-plan.ts';
import type { LiveConfig } from '../run/live-config.ts';
import type { RunOptions } from '../run/run-options.ts';
import { liveRunLimit } from '../run/time-limit.ts';
import { carriedInto } from './dry-run.ts';
import type { CommandSurroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

/**
 * Prints the plan, opens the run and lets the engine perform it. Throws UsageError where another run is at the target, or
 * the ledger cannot be used.
 *
 * @param perform runs the engine with the completed options
 */
export async function liveRun<Ended extends object>(
  options: RunOptions,
  config: LiveConfig,
  forgetUnfinished: boolean,
  { env, err }: CommandSurroundings,
  perform: (options: RunOptions & { readonly live: LiveRun }) => Promise<Ended>,
): Promise<Ended | { readonly aborted: string; readonly hint: string }> {
  try {
    const planned = { ...options, live: { config: storedConfig(config) } };
    const { carried, ledger, forgotten } = carriedInto(options, config, forgetUnfinished, env);
    err(`${planText(planRun(planned, carried), ledger)}${forgotten}`);
    const begun = await beginLive({ runId: options.runId, config, forgetUnfinished }, env, process.cwd());
    let complete = false;
    try {
      const { hindrance } = begun;
      if (hindrance !== undefined) {
        complete = true;
        return { aborted: hindrance.reason, hint: hindrance.hint };
      }
      const live = { ...options, live: begun.live };
      const limitMs = liveRunLimit(orderSteps(live), live);
      const ended = await perform({ ...options, live: { ...begun.live, limitMs } });
      complete = !('aborted' in ended);
      return ended;
    } finally {
      begun.end(complete);
    }
  } catch (cause) {
    if (cause instanceof LiveError) throw new UsageError('target-in-use', cause.message, { hint: cause.hint, cause });
    throw cause;
  }
}
