/** What becomes of findings where a live target did not get every case, or was not there. Pure. */
import { type Operation, operations } from '../../contracts/operations.ts';
import { requirementById } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import { type Case, placeAmong } from '../record/case.ts';
import type { NotSent } from '../record/gateway-run.ts';
import type { Blame } from '../record/result/result.ts';
import { classify, neverArrived } from '../rules/answers/acceptance.ts';
import { type Because, type Finding, inconclusive } from '../rules/finding.ts';
import type { ScenarioRecord } from '../run/gateway/perform-case.ts';
import type { NoVerdict } from './evidence.ts';

const blames: Readonly<Record<NotSent['why'], Blame>> = {
  allow: 'configuration',
  unreadable: 'subject',
  forbidden: 'configuration',
  stopped: 'subject',
  'given-up': 'environment',
};

/** What the whole run says of every finding. */
export interface Circumstances {
  /** Why a probe beside the case failed. */
  unreachableAt(examined: Case): string | undefined;
  /** Why the right requests were refused, where that is the fault of credentials or address. */
  readonly misconfigured?: string;
  /** Why the run did not reach its end, where that is so. */
  readonly givenUp?: string;
  /** What kept right requests of the operation from being sent: wrong ones that were accepted. */
  usedUp(examined: Case): UsedUp | undefined;
  /** After which case the target was gone. */
  readonly gone?: Gone;
}

interface Gone {
  readonly after: Case;
  /** `gone after exchange 149: a percent sign as the signature`. */
  readonly text: string;
}

/** After which case the target was gone; undefined where it was there to the end. */
export function goneIn(
  records: readonly Partial<Pick<ScenarioRecord, 'goneAfter'>>[],
  cases: readonly Case[],
): Gone | undefined {
  const place = records.find(({ goneAfter }) => goneAfter !== undefined)?.goneAfter;
  const at = place === undefined ? undefined : placeAmong(cases, place.scenario, place.number);
  const after = cases[at ?? -1];
  if (after === undefined) return undefined;
  const { differsIn, intent } = after.label;
  const what = differsIn ?? (intent === 'valid' ? 'a right request' : after.scenario);
  return { after, text: `gone after exchange ${at! + 1}: ${what}` };
}

/** What a wrongly accepted request left no room for: why, and whose fault that is. */
interface UsedUp extends Required<Pick<Finding, 'blame' | 'because'>> {
  readonly reason: string;
}

/** A failure beside a failed probe is not held against the subject; nor is a refusal of everything. */
export function inCircumstances(finding: Finding, examined: Case, circumstances: Circumstances): Finding {
  const { outcome } = finding;
  if (outcome !== 'fail' && outcome !== 'inconclusive') return finding;
  const { gone } = circumstances;
  const isSince = gone !== undefined && examined.exchange.startedAt >= gone.after.exchange.startedAt;
  if (isSince && (examined === gone.after || neverArrived(examined.exchange))) return diedOf(gone);
  const unreachable = gone === undefined || isSince ? circumstances.unreachableAt(examined) : undefined;
  const came = finding.actual === undefined ? '' : `; received: ${finding.actual}`;
  if (unreachable !== undefined) {
    const text = `the target could not be reached: ${unreachable}`;
    return inconclusive(`${text}${came}`, 'environment', { text });
  }
  const { misconfigured, givenUp } = circumstances;
  if (misconfigured !== undefined && examined.label.intent === 'valid' && outcome === 'fail') {
    return inconclusive(`${misconfigured}${came}`, 'configuration', { text: misconfigured });
  }
  // The right request that the verdict waits for was never sent.
  if (misconfigured === undefined && givenUp !== undefined && finding.blame === 'configuration') {
    if (gone !== undefined) return inconclusive(`${finding.actual}: ${gone.text}`, 'subject', becauseOf(gone));
    return inconclusive(`${finding.actual}: ${givenUp}`, 'environment', { text: givenUp });
  }
  const usedUp = finding.blame === 'configuration' ? circumstances.usedUp(examined) : undefined;
  if (usedUp === undefined) return finding;
  return inconclusive(`${finding.actual}: ${usedUp.reason}`, usedUp.blame, usedUp.because);
}

function becauseOf({ after, text }: Gone): Because {
  return { text, cases: [after], fatal: true };
}

/** The finding on the request that the target did not survive. */
export function diedOf({ after, text }: Gone): Finding {
  const { about } = after.label;
  const apart = about === undefined ? '' : ` Repeat it with --only '${about}'; run the rest with --except '${about}'.`;
  const hint = `Unless somebody stopped the gateway just then, it does not survive this request.${apart}`;
  return { ...inconclusive(text, 'subject', becauseOf({ after, text })), hint };
}

/** What used up the allowance of an operation: wrong requests that were accepted. Undefined where nothing was left out for that. */
export function usedUpBy(
  operation: Operation | 'both',
  records: readonly Partial<Pick<ScenarioRecord, 'scenario' | 'notSent' | 'cases'>>[],
): UsedUp | undefined {
  const ofArea = recordsOf(operation, records);
  const left = ofArea.flatMap(({ notSent = [] }) => notSent).find(({ why }) => why === 'stopped');
  if (left === undefined) return undefined;
  const wrong = ofArea
    .flatMap(({ cases = [] }) => cases)
    .filter((examined) => examined.label.intent === 'fault' && classify(examined) === 'accepted');
  const rows = [...new Set(wrong.flatMap(({ label }) => label.about ?? []))].map((id) => requirementById(id)!);
  const blame = rows.some(({ kind }) => kind === 'required') ? 'subject' : 'configuration';
  const text = `a request was not sent: ${left.reason}`;
  return { reason: left.reason, blame, because: { text, cases: wrong, mayBreak: rows.map(({ id }) => id) } };
}

function recordsOf<T extends Partial<Pick<ScenarioRecord, 'scenario'>>>(
  operation: Operation | 'both',
  records: readonly T[],
): readonly T[] {
  const area = operation === 'both' ? '' : operations[operation].area;
  return records.filter(({ scenario = '' }) => scenario.startsWith(area));
}

/** Findings on a row for the cases about it that were not sent: one for each reason. */
export function findingsOnNotSent(
  about: string,
  notSent: readonly NotSent[],
  found: readonly { readonly finding: Finding }[],
  reasons: Reasons,
): Finding[] {
  const open = notSent.filter((left) => {
    if (left.about !== about) return false;
    // What can never be sent to this target takes nothing from what the other cases show.
    if (left.why === 'forbidden') return found.length === 0;
    return left.why !== 'stopped' || !found.some(({ finding }) => finding.outcome === 'fail');
  });
  const byReason = [...new Map(open.map((left) => [left.reason, left])).values()];
  // A baseline that lists the failure excuses what it left open, and nothing else that is open.
  return [...byReason.filter(({ why }) => why !== 'stopped'), ...byReason.filter(({ why }) => why === 'stopped')].map(
    (left) => {
      const { reason, blame, because } = whyNotSent(left, reasons);
      return { ...inconclusive(`not sent: ${reason}`, blame, because), ...hintFor(left) };
    },
  );
}

/** What a request that was not sent may have behind it. */
interface Reasons {
  readonly usedUp?: UsedUp | undefined;
  readonly gone?: Gone | undefined;
}

function whyNotSent({ why, reason }: NotSent, { usedUp, gone }: Reasons): UsedUp {
  if (why === 'stopped' && usedUp !== undefined) return { ...usedUp, reason };
  if (why === 'given-up' && gone !== undefined) {
    return { reason: gone.text, blame: 'subject', because: becauseOf(gone) };
  }
  return { reason, blame: blames[why], because: { text: `a request was not sent: ${reason}` } };
}

/** An allowance that is too small is the one reason that the next command line can change. */
function hintFor({ why, reason }: Pick<NotSent, 'why' | 'reason'>): { readonly hint?: string } {
  if (why !== 'allow') return {};
  return {
    hint: reason.includes('(trust-refusals)')
      ? 'Allow more, or set trust-refusals in the configuration if you are sure that the refusals of this gateway are true: --dry-run says how much of each, and what it brings.'
      : 'Allow it: --allow closes-day=N and --allow starts-payments=N/TOTAL, or allow in the configuration. --dry-run says what a whole run needs.',
  };
}

/** Why no answer was received that shows a row, where cases of its operation were not sent. */
export function reasonInNotSent(
  row: Requirement,
  records: readonly Partial<Pick<ScenarioRecord, 'scenario' | 'notSent' | 'cases'>>[],
  gone?: Gone,
): NoVerdict | undefined {
  if (row.condition !== undefined) return undefined;
  const ofArea = recordsOf(row.operation, records);
  const left = ofArea.flatMap(({ notSent = [] }) => notSent);
  const rightIsAnswered = ofArea.some(({ cases = [] }) =>
    cases.some(({ label, exchange }) => label.intent === 'valid' && exchange.response !== undefined),
  );
  // What was left out because it was not allowed says more than what this target can never get; and that is no reason where
  // right requests were answered: their answers leave the row open.
  const telling = left.find(({ why }) => why !== 'forbidden') ?? (rightIsAnswered ? undefined : left[0]);
  if (telling === undefined) return undefined;
  const { reason, blame, because } = whyNotSent(telling, { usedUp: usedUpBy(row.operation, ofArea), gone });
  return { outcome: 'inconclusive', blame, actual: `not sent: ${reason}`, because, ...hintFor(telling) };
}
