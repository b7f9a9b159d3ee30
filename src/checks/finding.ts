/** What a judge says of one case. Wording for people is made by the report; a finding holds the facts. */
import type { Blame, Outcome } from '../result/outcome.ts';

export interface Finding {
  readonly outcome: Outcome;
  readonly expected?: string;
  readonly actual?: string;
  readonly blame?: Blame;
  /** A deviation that is tolerated and reported. */
  readonly remark?: string;
  /** What to do about it, where that is not what the requirement advises. */
  readonly hint?: string;
}

/** The case shows that the requirement holds. */
export function pass(remark?: string): Finding {
  return remark === undefined ? plainPass : { outcome: 'pass', remark };
}

/** One for all: a recording has a hundred thousand of them for each row. */
const plainPass: Finding = { outcome: 'pass' };

/** The case shows that the subject breaks the requirement. Both texts are values, not sentences. */
export function fail(expected: string, actual: string): Finding {
  return { outcome: 'fail', expected, actual, blame: 'subject' };
}

/** The case should have shown it and could not; `actual` says what was missing. */
export function inconclusive(actual: string, blame: Blame = 'environment'): Finding {
  return { outcome: 'inconclusive', actual, blame };
}
