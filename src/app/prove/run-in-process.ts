/** A whole run in this process, without the engine: for tests of the suite itself, which loop over many defects. */

import { measureMock } from '../../extras/probe/measure.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { Result } from '../../record/result/result.ts';
import type { ScenarioRecord } from '../../run/gateway/perform-case.ts';
import { type OfTheMock, performScenario } from '../../run/gateway/run-scenario.ts';
import { endOfLive } from '../../run/live/begin-live.ts';
import { orderSteps } from '../../run/live/order.ts';
import { performStep } from '../../run/live/perform-step.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { selectedIds, selectScenarios } from '../../run/options/selection.ts';
import type { LiveRun } from '../../run/target/live-config.ts';
import { type ConcludedRun, concludeGateway, type EndOfRun } from '../../verdict/conclude-gateway.ts';
import { isOddlyFramed, newRepeated, performInMemory, type Repeated } from './perform-in-memory.ts';

export interface InProcess extends OfTheMock, Pick<EndOfRun, 'outcomesAlone'> {
  /** Whether every request goes over HTTP; by default only where HTTP makes a difference. */
  readonly overSockets?: boolean;
  /** Shared by runs that send the same. */
  readonly repeated?: Repeated;
  /** Whether scenarios of odd framing are left out: what they show is observed and never judged. */
  readonly unframed?: boolean;
}

/** The result alone of the run. */
export async function runInProcess(options: RunOptions, mock: InProcess = {}): Promise<Result> {
  return (await concludeInProcess(options, mock)).result;
}

/** Performs the scenarios, a few at a time since some of them wait, and judges them as the command does; writes nothing. */
export async function concludeInProcess(
  options: RunOptions,
  { overSockets, repeated, unframed, outcomesAlone, ...mock }: InProcess = {},
): Promise<ConcludedRun> {
  if (options.live !== undefined) return concludeLive({ ...options, live: options.live });
  const shared = repeated ?? newRepeated();
  const records: ScenarioRecord[] = [];
  const waiting = selectScenarios(gatewayScenarios, selectedIds('gateway', options.only), options.slow).filter(
    (scenario) => !unframed || overSockets || !isOddlyFramed(scenario),
  );
  const worker = async () => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      records.push(
        await (overSockets
          ? performScenario(scenario, options, mock)
          : performInMemory(scenario, options, mock, shared)),
      );
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  if (options.measure !== undefined) records.push(await measureMock(options, mock));
  return concludeGateway(options, records, { now: Date.now(), outcomesAlone });
}

/** The same against a live target: one step after the other, as the engine's one worker does it. */
async function concludeLive(options: RunOptions & { readonly live: LiveRun }): Promise<ConcludedRun> {
  const records: ScenarioRecord[] = [];
  for (const step of orderSteps(options)) records.push(await performStep(step, options, process.env));
  return concludeGateway(options, records, { now: Date.now(), live: await endOfLive(options) });
}
