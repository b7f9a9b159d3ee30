/** What a judge says of one case. Wording for people is made by the report; a finding holds the facts. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Call, Case } from '../record/case.ts';
import type { Blame, Outcome } from '../record/result/result.ts';

export interface Finding {
  readonly outcome: Outcome;
  readonly expected?: string;
  readonly actual?: string;
  readonly blame?: Blame;
  readonly remark?: string;
  /** What to do about it, where that is not what the requirement advises. */
  readonly hint?: string;
  /** What is in the way, where nothing could be determined; of a failure, what it may follow from. */
  readonly because?: Because;
}

/** What leaves a requirement undetermined, as data: one such thing leaves many, each with a text of its own. */
export interface Because {
  /** What comes after "because", the same wherever the same thing is in the way. */
  readonly text: string;
  readonly cases?: readonly Case[];
  /** Requirements that such an answer breaks: the first of them that fails in those cases is what has to be mended. */
  readonly mayBreak?: readonly RequirementId[];
  /** Of a failure: those requirements are judged by other requests than the one that shows it. */
  readonly elsewhere?: true;
  /** Where the interface document leaves it open. */
  readonly openPoint?: string;
  /** The target did not survive the request. */
  readonly fatal?: true;
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
export function inconclusive(actual: string, blame: Blame = 'environment', because?: Because): Finding {
  return { outcome: 'inconclusive', actual, blame, because };
}

/** The client gave no reply, so its adapter has to be mended first: what the requirement advises does not help. */
export function noReply({ code, message, hint }: NonNullable<Call['adapterFault']>): Finding {
  return { ...inconclusive(`${code}: ${message}`, 'subject'), hint };
}
