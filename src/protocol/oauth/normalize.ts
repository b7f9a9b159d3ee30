/** Step 2, RFC 5849 section 3.4.1.3.2. */
import type { Pair } from '../form.ts';
import { percentEncode } from '../percent.ts';
export function normalizeParameters(pairs: readonly Pair[]): string {
  const by = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return pairs.map(([n, v]) => [percentEncode(n), percentEncode(v)] as const).sort((a, b) => by(a[0], b[0]) || by(a[1], b[1])).map(([n, v]) => `${n}=${v}`).join('&');
}
