/** "Did you mean": the known word that a misspelt one is nearest to. */

import { editDistance } from './edit-distance.ts';

/** The candidate within an edit distance of a third of the word's length (at least 2, of short words less), the nearest first; else undefined. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const bound = word.length < 4 ? Math.max(word.length - 2, 0) : Math.max(2, Math.floor(word.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= bound && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}
