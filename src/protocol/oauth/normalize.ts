/** Step 2 of the base string: parameters as one text (RFC 5849 section 3.4.1.3.2). */
import type { Pair } from '../form.ts';
import { percentEncode } from '../percent.ts';

/** Between name and value while sorting: it sorts before all that encoded text has, and is in none. */
const least = ' ';

/** Encodes each name and value, sorts by encoded name and then by encoded value, byte by byte, and joins. */
export function normalizeParameters(pairs: readonly Pair[]): string {
  const texts = pairs.map(([name, value]) => `${percentEncode(name)}${least}${percentEncode(value)}`);
  // Encoded text is ASCII, so comparing code units, as sorting without a function does, compares bytes.
  const sorted = texts.sort();
  return sorted.map((text) => text.replace(least, '=')).join('&');
}
