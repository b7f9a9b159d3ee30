/** Step 2 of the base string: parameters as one text (RFC 5849 section 3.4.1.3.2). */
import type { Pair } from '../form.ts';
import { countOnce } from '../once-each.ts';
import { percentEncode } from '../percent.ts';

/** Between name and value while sorting: it sorts before all that encoded text has, and is in none. */
const least = ' ';

/** Encodes each name and value, sorts by encoded name and then by encoded value, byte by byte, and joins. */
export function normalizeParameters(pairs: readonly Pair[]): string {
  const texts: string[] = [];
  const copies = new Map<string, number>();
  for (const [[name, value], count] of countOnce(pairs)) {
    const text = `${percentEncode(name)}${least}${percentEncode(value)}`;
    texts.push(text);
    if (count > 1) copies.set(text, (copies.get(text) ?? 0) + count - 1);
  }
  // Encoded text is ASCII, so comparing code units, as sorting without a function does, compares bytes.
  const sorted = texts.sort().map((text) => {
    const written = text.replace(least, '=');
    const more = copies.get(text) ?? 0;
    // Equal texts are beside each other: the copies come with the first.
    copies.delete(text);
    return `&${written}`.repeat(1 + more);
  });
  return sorted.join('').slice(1);
}
