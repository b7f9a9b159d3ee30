/** Finds the known words that are nearest to a misspelled word, for "did you mean". */

/** Returns the nearest candidate, or undefined if too many letters differ. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  // In a word of 3 letters, 1 letter may differ. In a word of 4 to 8 letters, 2 may. In a longer word, one third may.
  const maxDistance = word.length < 4 ? Math.max(word.length - 2, 0) : Math.max(2, Math.floor(word.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= maxDistance && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** At most three names, the nearest first. Few letters differ, or a word of the name starts with `word`. */
export function nearestNames(word: string, candidates: readonly string[]): string[] {
  // No candidate is near a long word, and computing the distance would take seconds.
  if (word.length > maxWordLength) return [];
  const wanted = word.toLowerCase();
  return candidates
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter((entry) => entry.distance !== undefined)
    .sort((a, b) => a.distance! - b.distance!)
    .slice(0, 3)
    .map((entry) => entry.candidate);
}

const maxWordLength = 200;

function distanceOf(wanted: string, candidate: string): number | undefined {
  if (wanted.length >= 3) {
    if (candidate.split(/[/-]/).includes(wanted)) return 0.4;
    // A word of the candidate may start with the wanted text: `gate` matches `has-gates`, but not `surrogates`.
    if (['/', '-'].some((before) => `/${candidate}`.includes(before + wanted))) return 0.5;
  }
  // Users often write a wrong area before the slash, so also compare only the part after the slash.
  const tail = candidate.slice(candidate.indexOf('/') + 1);
  const distance = Math.min(editDistance(wanted, candidate), editDistance(wanted, tail));
  // Count the letters after the slash; for `area/*`, count all letters. One third of them may differ.
  const letterCount = wanted.endsWith('/*') ? wanted.length : wanted.length - wanted.indexOf('/') - 1;
  // If there is only one letter, it must be equal. Otherwise any letter would match.
  const maxDistance = letterCount < 2 ? 0 : Math.max(1, Math.floor(letterCount / 3));
  return distance <= maxDistance ? distance : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
