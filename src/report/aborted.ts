/** The one sentence about a run that came to no conclusion. */
import type { Result } from '../record/result/result.ts';

/** Why the run was aborted; where the run left no reason, the requirements with outcome error are. Raw text: not yet safe to show. */
export function abortedSentence(result: Pick<Result, 'aborted' | 'results' | 'contracts'>): string {
  if (result.aborted !== undefined && result.aborted !== '') return result.aborted;
  const faults = result.results.filter((row) => row.outcome === 'error');
  const [first] = faults;
  if (first === undefined) {
    const unverified = result.contracts?.find((row) => row.outcome === 'error');
    if (unverified === undefined) return 'The run was aborted and left no reason.';
    return `The Pact contracts could not be verified: ${unverified.mismatches.join('; ')}.`;
  }
  const others = faults.length > 1 ? ` and ${faults.length - 1} more` : '';
  return `The suite itself failed at ${first.id}${others}, so this run says nothing about the subject.`;
}
