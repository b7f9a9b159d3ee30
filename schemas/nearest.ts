/** "Did you mean": the known words that are nearest to a misspelt one. */

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

/** At most three, nearest first, in any letter case: names a few letters away, and names in which a word starts so. */
export function nearestName(word: string, candidates: readonly string[]): string[] {
  // Nothing is near it, and to count the letters that lie between takes seconds.
  if (word.length > longestWord) return [];
  const wanted = word.toLowerCase();
  return candidates
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter((entry) => entry.distance !== undefined)
    .sort((a, b) => a.distance! - b.distance!)
    .slice(0, 3)
    .map((entry) => entry.candidate);
}

const longestWord = 200;

/** Undefined where the two have too little in common. */
function distanceOf(wanted: string, candidate: string): number | undefined {
  if (wanted.length >= 3) {
    if (candidate.split(/[/-]/).includes(wanted)) return 0.4;
    if (startsAWord(candidate, wanted)) return 0.5;
  }
  // The part after the slash is what people remember; the area before it is what they get wrong.
  const tail = candidate.slice(candidate.indexOf('/') + 1);
  const distance = Math.min(editDistance(wanted, candidate), editDistance(wanted, tail));
  // A right area does not count by itself: what counts is how much of the rest is wrong, unless the area is all that there is.
  const rest = wanted.endsWith('/*') ? wanted.length : wanted.length - wanted.indexOf('/') - 1;
  // Every letter is one letter away from every other one.
  const bound = rest < 2 ? 0 : Math.max(1, Math.floor(rest / 3));
  return distance <= bound ? distance : undefined;
}

/** `gate` starts a word of `has-gates`, and none of `surrogates`. */
function startsAWord(candidate: string, wanted: string): boolean {
  return candidate.startsWith(wanted) || ['/', '-'].some((before) => candidate.includes(before + wanted));
}

/** Levenshtein: insertions, deletions and replacements of UTF-16 units. */
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
