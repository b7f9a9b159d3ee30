/** Step 2 of the base string: parameters as one text (RFC 5849 section 3.4.1.3.2). */
import type { Pair } from '../form.ts';
import { percentEncode } from '../percent.ts';

/** Encodes each name and value, sorts by encoded name and then by encoded value, byte by byte, and joins. */
export function normalizeParameters(pairs: readonly Pair[]): string {
  return pairs
    .map(([name, value]): Pair => [percentEncode(name), percentEncode(value)])
    .sort(byNameThenValue)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** Encoded text is ASCII, so comparing code units compares bytes. */
function byNameThenValue(a: Pair, b: Pair): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
