/** Judges and schemas read the same bytes by rules of their own: where they disagree, the suite is at fault and not the subject. */

import type { RequirementId } from '../../contracts/requirements/index.ts';
import { requirementsIn } from '../../schemas/findings.ts';
import { validateResponse } from '../../schemas/validate-response.ts';
import type { Case } from '../record/case.ts';
import { memoize } from '../record/memoize.ts';
import { isTakenForRefusal, saidToBePacked } from './answers/acceptance.ts';
import { closeDayBody } from './answers/close-day-body.ts';
import { restsOnMore } from './error-id.ts';
import type { Finding } from './finding.ts';
import type { Verdict } from './judge.ts';

/** Rows on answers that a schema can see. */
export const rowsInAnswers: ReadonlySet<RequirementId> = new Set([
  ...requirementsIn('close-day-finished', 'close-day-error', 'recurring-parameters', 'recurring-parameters-body'),
]);

/** Rows of which a schema sees one side only: that no gate comes twice is beyond it. */
const seenInPart: readonly RequirementId[] = ['close-day/one-result-per-gate'];

/** An error for each answer of which the schemas say otherwise than the judge of the row; empty where no schema sees it. */
export function disagreementsOnAnswers(
  id: RequirementId,
  cases: readonly Case[],
  verdicts: readonly Verdict[],
): readonly Verdict[] {
  if (!rowsInAnswers.has(id)) return [];
  const { broken, unread } = heardIn(cases);
  const said = broken.get(id);
  const judged = new Map<Case, Finding>();
  const beyond = new Set<Case>();
  for (const { examined, finding } of verdicts) {
    if (id === 'recurring/error-id-with-500' && restsOnMore(finding)) beyond.add(examined);
    if (finding.outcome === 'pass') judged.delete(examined);
    else judged.set(examined, finding);
  }
  // Mostly both find no fault in any of a hundred thousand answers.
  if (said === undefined && judged.size === 0) return [];
  return cases.flatMap((examined) => {
    if (!isHeard(examined) || unread.has(examined) || beyond.has(examined)) return [];
    if (examined.label.facts?.gate === 'unknown' && seenInPart.includes(id)) return [];
    const finding = disagreement(judged.get(examined), said?.get(examined), seenInPart.includes(id));
    return finding === undefined ? [] : [{ examined, finding }];
  });
}

/** A body of which the judges do not read all is heard by nobody: they say of it that they read no further. */
function isHeard(examined: Case): boolean {
  const { label, exchange } = examined;
  if (exchange.response === undefined || isTakenForRefusal(examined)) return false;
  // That the header speaks of another body is beyond a schema.
  if (saidToBePacked(exchange) !== undefined) return false;
  return label.operation !== 'close-day' || closeDayBody(exchange)?.unread === undefined;
}

interface HeardCases {
  /** What the schemas say of each row that they find broken. */
  readonly broken: ReadonlyMap<string, ReadonlyMap<Case, string>>;
  /** Those whose bytes are beyond what the engine reads. */
  readonly unread: ReadonlySet<Case>;
}

const heardIn = memoize((cases: readonly Case[]): HeardCases => {
  const [broken, unread] = [new Map<string, Map<Case, string>>(), new Set<Case>()];
  for (const examined of cases.filter(isHeard)) {
    const { label, exchange } = examined;
    const said = unlessBeyond(() =>
      validateResponse(label.operation, exchange.response!.status, exchange.response!.body),
    );
    if (said === undefined) unread.add(examined);
    for (const [row, fault] of said ?? []) {
      const of = broken.get(row) ?? new Map<Case, string>();
      broken.set(row, of.set(examined, fault));
    }
  }
  return { broken, unread };
});

/**
 * The error where one voice finds the row broken and the other does not. `inPart`: the judge sees more than the schema.
 * What a judge leaves undetermined, no schema contradicts.
 */
export function disagreement(
  judged: Finding | undefined,
  schema: string | undefined,
  inPart: boolean,
): Finding | undefined {
  if (judged !== undefined && (judged.outcome === 'inconclusive' || judged.outcome === 'error')) return undefined;
  const broken = judged?.outcome === 'fail';
  if (broken === (schema !== undefined) || (broken && inPart)) return undefined;
  const judge = broken ? `expects ${judged.expected} and finds ${judged.actual}` : 'finds no fault';
  const other = schema === undefined ? 'finds no fault' : `says: ${schema}`;
  return {
    outcome: 'error',
    blame: 'suite',
    actual: `judge and schema disagree: the judge ${judge}; the schema ${other}`,
  };
}

/** Undefined where the bytes are beyond what the engine reads. */
export function unlessBeyond<Said>(voice: () => Said): Said | undefined {
  try {
    return voice();
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}
