/** The result of a run that could not begin, or left no report: it says so and judges nothing. */
import { countByDimension } from '../result/conclude.ts';
import type { Result } from '../result/result.ts';
import { headerOf } from './header.ts';
import type { RunOptions } from './run-options.ts';

/** `now` is in milliseconds since the Unix epoch. */
export function abortedResult(options: RunOptions, reason: string, now: number): Result {
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  return {
    format: 'countersign-report',
    formatVersion: 1,
    ...headerOf(options, now),
    conclusion: 'aborted',
    aborted: reason,
    dimensions: countByDimension([]),
    results: [],
    observations: [],
    effects: { predicted: nothing, recorded: nothing },
    exchangeCount: 0,
  };
}
