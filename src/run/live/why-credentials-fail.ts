/** One wrong secret makes a hundred refusals: the first right requests tell it, and the run ends there. Pure. */
import { diagnoseTwins, type RightRequests } from '../doctor/twins.ts';

/** What is wrong, in sentences; undefined where neither of the right requests was refused. */
export function whyCredentialsFail(sent: RightRequests): string | undefined {
  const problems = diagnoseTwins(sent).filter(({ status }) => status === 'problem');
  if (problems.length === 0) return undefined;
  return problems
    .map(({ what, hint }) => (hint === undefined ? what : `${what}. ${hint.replace(/\.$/, '')}`))
    .join('. ');
}
