/** What may have been meant, in words. */
import { nearestName } from '../../../schemas/nearest.ts';

/** Characters of a word that are repeated in a sentence. */
const mostNamed = 100;

/** The word for use in a sentence: in quotes where it would be invisible or break the line, and its start where it is long. */
export function named(word: string): string {
  const start = word.length > mostNamed ? `${word.slice(0, mostNamed)}…` : word;
  return start.trim() === '' || /[\p{Cc}\p{Cs}]/u.test(start) ? JSON.stringify(start) : start;
}

/** ` Did you mean a or b?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const names = nearestName(word, candidates);
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`;
}
