/** One wrong secret makes a hundred refusals: the first right requests tell it, and the run ends there. Pure. */

import type { Case } from '../../record/case.ts';
import { classify } from '../../rules/answers/acceptance.ts';
import { diagnoseTwins, type RightRequests } from './right-requests.ts';

/** The suite cannot tell a wrong key from a gateway that signs over something else. */
const otherwise =
  'If all of that is right, the gateway may refuse a consumer after wrong signatures, of which the run has sent many: have that lifted for the run. Or it computes another base string: the requirement authentication/*-valid-accepted shows that of the suite';

/** Whether the answer to a right close-day shows that its signature was taken, whatever the first one to the endpoint gets. */
export function isTakenElsewhere(examined: Case): boolean {
  return examined.label.intent === 'valid' && classify(examined) === 'past-authentication';
}

/** What is wrong, in sentences; undefined where neither of the right requests was refused. */
export function whyCredentialsFail(sent: RightRequests): string | undefined {
  const problems = diagnoseTwins(sent).filter(({ status }) => status === 'problem');
  if (problems.length === 0) return undefined;
  // What both operations have in common is said once, behind them.
  const said = problems.map(({ what, hint }, at) =>
    hint === undefined || problems[at + 1]?.hint === hint ? what : `${what}. ${hint.replace(/\.$/, '')}`,
  );
  // A wrong address says nothing of signatures.
  const isOfSignature = problems.some(({ id }) => id.startsWith('signature/'));
  return (isOfSignature ? [...said, otherwise] : said).join('. ');
}
