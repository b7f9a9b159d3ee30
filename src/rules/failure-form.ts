/** How requests that must fail are answered over a whole run: one odd answer may be a fault on the way, a habit is the gateway's. */

import type { Operation } from '../../contracts/operations.ts';
import { requirementById } from '../../contracts/requirements/index.ts';
import type { Case } from '../record/case.ts';
import { classify, describeAnswer, isPlainFault } from './answers/acceptance.ts';
import { fail } from './finding.ts';
import type { RowQuestion, Verdict } from './judge.ts';

/** Answers of something between suite and gateway, or of a gateway that is busy: they count only where nothing else was received. */
const passing = [408, 425, 429, 502, 503, 504];

/**
 * Failures of the row on failures: the twin was accepted, and the request itself was answered in a form that the document has
 * for nothing (sections 4.1, 4.2 and 7). A refusal says so by itself; an answer that is neither yes nor no, such as a redirect
 * or HTTP 500, has to come twice, to requests that must be refused. `isDocumented` names the answers that are judged elsewhere.
 * Where the document only expects a refusal, 4xx counts too.
 */
export function failuresInAnotherForm(
  { cases, twinOf }: RowQuestion,
  operation: Operation,
  isDocumented: (examined: Case) => boolean,
  expected: string,
): readonly Verdict[] {
  const failing = cases.filter((examined) => {
    const { label, exchange } = examined;
    if (label.operation !== operation || !isPlainFault(label) || exchange.response === undefined) return false;
    const answer = classify(examined);
    const kind = requirementById(label.about ?? '')?.kind;
    const counts = answer === 'refused' || kind === 'required' || (kind === 'expected' && isClientError(examined));
    if (!counts || answer === 'accepted' || answer === 'past-authentication') return false;
    const twin = twinOf(examined);
    return twin !== undefined && classify(twin) === 'accepted';
  });
  const odd = failing.filter((examined) => !isDocumented(examined) && statusOf(examined) !== 200);
  const isHabit = odd.length === failing.length;
  const told = odd.filter((examined) => isHabit || !passing.includes(statusOf(examined)));
  const unclear = told.filter((examined) => classify(examined) === 'unclear');
  const sure = unclear.length < 2 ? told.filter((examined) => !unclear.includes(examined)) : told;
  return sure.map((examined) => ({ examined, finding: fail(expected, describeAnswer(examined.exchange)) }));
}

function isClientError(examined: Case): boolean {
  return statusOf(examined) >= 400 && statusOf(examined) < 500;
}

function statusOf({ exchange }: Case): number {
  return exchange.response!.status;
}
