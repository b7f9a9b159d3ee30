/** The result of a judge for one case. A finding holds facts; the report makes the sentences. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Call, Case } from '../record/case.ts';
import type { Blame, Outcome } from '../record/result/result.ts';

export interface Finding {
  readonly outcome: Outcome;
  readonly expected?: string;
  readonly actual?: string;
  readonly blame?: Blame;
  readonly remark?: string;
  /** Advice that replaces that of the requirement. */
  readonly hint?: string;
  /** The obstacle if the finding is inconclusive, or the possible cause of a failure. */
  readonly because?: Blocker;
}

/** The reason for an undetermined requirement, as data: one reason may block many requirements. */
export interface Blocker {
  /** The text after "because". The same reason always has the same text. */
  readonly text: string;
  readonly cases?: readonly Case[];
  /** Requirements that such an answer breaks. The first of them that fails in these cases must be fixed first. */
  readonly mayBreak?: readonly RequirementId[];
  /** For a failure: other requests than the failing one judge those requirements. */
  readonly elsewhere?: true;
  /** The open point of the interface document, if it is the reason. */
  readonly openPoint?: string;
  /** The request crashed the target. */
  readonly fatal?: true;
}

export function pass(remark?: string): Finding {
  return remark === undefined ? plainPass : { outcome: 'pass', remark };
}

/** One shared object: a recording has a hundred thousand passes for each row. */
const plainPass: Finding = { outcome: 'pass' };

/** The subject breaks the requirement. Both texts are values, not sentences. */
export function fail(expected: string, actual: string): Finding {
  return { outcome: 'fail', expected, actual, blame: 'subject' };
}

/** The case should be evidence and is not; `actual` says what is missing. */
export function inconclusive(actual: string, blame: Blame = 'environment', because?: Blocker): Finding {
  return { outcome: 'inconclusive', actual, blame, because };
}

/** The client gave no reply. Its adapter must be fixed first, so the advice of the requirement does not help. */
export function noReply({ code, message, hint }: NonNullable<Call['adapterFault']>): Finding {
  return { ...inconclusive(`${code}: ${message}`, 'subject'), hint };
}
