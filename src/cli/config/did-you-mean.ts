/** What may have been meant, in words. */
import { nearestName } from '../../../schemas/nearest-name.ts';

/** The word for use in a sentence: in quotes where it would be invisible. */
export function named(word: string): string {
  return word.trim() === '' ? JSON.stringify(word) : word;
}

/** ` Did you mean a or b?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const names = nearestName(word, candidates);
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`;
}
