/**
 * Who was judged, by what, when and how to repeat it: the head of every result, and the result of a run that could not
 * begin.
 */

import { countByDimension } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import type { RunOptions } from './run-options.ts';
import { suite } from './suite-version.ts';

/** The members of a result that are known before anything is judged. */
export type ReportHead = Pick<
  Result,
  | 'suite'
  | 'subject'
  | 'runId'
  | 'profile'
  | 'seed'
  | 'challenge'
  | 'startedAt'
  | 'durationMs'
  | 'reproduce'
  | 'acceptPartial'
  | 'labels'
  | 'scope'
>;

/** `now` is the end of the run, in milliseconds since the Unix epoch. */
export function headerOf(options: RunOptions, now: number): ReportHead {
  const { runId, profile, seed, challenge, startedAt, reproduce, acceptPartial, labels, only, shard } = options;
  return {
    suite,
    subject: subjectOf(options),
    runId,
    profile,
    seed,
    challenge,
    startedAt,
    // The clock of a machine may be set back meanwhile.
    durationMs: Math.max(0, now - Date.parse(startedAt)),
    reproduce,
    acceptPartial,
    labels,
    scope: only.length === 0 && shard === undefined ? undefined : { only, shard },
  };
}

function subjectOf({ target, client }: RunOptions): Result['subject'] {
  if (client === undefined) {
    return { kind: 'gateway', name: target === 'mock' ? 'built-in mock' : new URL(target).host, target };
  }
  const { name, version, language } = client.introduction?.client ?? { name: client.command.join(' ') };
  return {
    kind: 'client',
    name,
    version,
    language,
    target: 'local gateway',
  };
}

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
