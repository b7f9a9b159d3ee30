/** The result of a run that could not begin, or left no report: it says so and judges nothing. */
import { countByDimension } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import { headerOf } from './header.ts';
import type { RunOptions } from './run-options.ts';

/** `now` is in milliseconds since the Unix epoch; `unsupported`: the subject says of itself that it is not for this machine. */
export function abortedResult(options: RunOptions, reason: string, now: number, unsupported?: true): Result {
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  return {
    format: 'countersign-report',
    formatVersion: 1,
    ...headerOf(options, now),
    conclusion: 'aborted',
    aborted: reason,
    ...(unsupported && { unsupported }),
    dimensions: countByDimension([]),
    results: [],
    observations: [],
    effects: { predicted: nothing, recorded: nothing },
    exchangeCount: 0,
  };
}

/** Whether a report has neither verdicts nor exchanges, nor effects that a target may have had. Pure. */
export function saysNothing({ conclusion, results, effects, exchangeCount }: Result): boolean {
  const { predicted, recorded, ...others } = effects;
  const counts = [predicted, recorded].flatMap((count) => [count['closes-day'], count['starts-payments']]);
  const hasNone = results.length + exchangeCount + Object.keys(others).length === 0;
  return conclusion === 'aborted' && hasNone && counts.every((count) => count === 0);
}
