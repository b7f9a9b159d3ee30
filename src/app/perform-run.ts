/** A run by the engine, from its options to its report and the exit code of the command. */
import { exitCode } from '../record/result/conclude.ts';
import type { Result } from '../record/result/result.ts';
import { effectsInWords, worstInWords } from '../report/words.ts';
import { abortedResult, type RunOptions } from '../run/options/run-options.ts';
import type { ExitCode, Surroundings } from './command.ts';
import { readReport } from './config/read-report.ts';
import { updateBaseline } from './config/scoring-flags.ts';
import { startEngine } from './engine.ts';
import type { AbortedRun } from './live/live-run.ts';
import { writeAborted } from './write-report.ts';

type EndedRun = { readonly result: Result; readonly text: string } | AbortedRun;

/** Lets the engine perform the run. `again` says what to do where it was interrupted. */
export async function performRun(
  options: RunOptions,
  { env, unprinted: tell }: Surroundings,
  again: string,
): Promise<EndedRun> {
  const { interrupted, lost, unprinted } = await startEngine(options, env);
  if (unprinted !== undefined) tell?.(unprinted);
  const report = await readReport(options);
  if (report === undefined && interrupted) return interruptedBefore('it had a report', again);
  return report ?? lost ?? { aborted: 'the run ended without a report', hint: 'The output of the engine is above.' };
}

export function interruptedBefore(what: string, again: string): AbortedRun {
  return { aborted: `the run was interrupted before ${what}`, hint: again };
}

/** Brings the baseline up to date, and prints report.json where a program reads it. */
export async function endRun(
  options: RunOptions,
  ended: EndedRun & { readonly unsupported?: true | undefined },
  { out, err }: Surroundings,
): Promise<ExitCode> {
  if ('aborted' in ended) return abortRun(options, ended, err);
  await updateBaseline(ended.result, err);
  if (options.json) out(ended.text);
  return exitCode(ended.result);
}

/** Leaves a report that says `aborted`: a folder without one could be of a run that still goes on. */
async function abortRun(
  options: RunOptions,
  { aborted, hint, isLost, effects, unsupported }: AbortedRun & { readonly unsupported?: true | undefined },
  err: (text: string) => void,
): Promise<3> {
  const result = { ...abortedResult(options, aborted, Date.now(), unsupported), ...(effects && { effects }) };
  const done = effects === undefined ? '' : ` Effects: ${effectsInWords(result)}; at worst ${worstInWords(result)}.`;
  err(await writeAborted(result, options, { hint, isLost, effects: done }));
  return 3;
}
