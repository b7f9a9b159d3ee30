/** Parameters made into one text as clients make it that do not follow RFC 5849 section 3.4.1.3.2. */
import { type Pair, percentEncode } from '../../protocol/index.ts';

export interface Normalizing {
  /** How a name or a value is encoded; right by default. */
  readonly encode?: (text: string) => string;
  /** Order of encoded pairs; by name and value by default, `as-collected` for none. */
  readonly order?: ((a: Pair, b: Pair) => number) | 'as-collected';
}

export function normalizedWith(
  pairs: readonly Pair[],
  { encode = percentEncode, order = byBoth }: Normalizing,
): string {
  const encoded = pairs.map(([name, value]): Pair => [encode(name), encode(value)]);
  if (order !== 'as-collected') encoded.sort(order);
  return encoded.map(([name, value]) => `${name}=${value}`).join('&');
}

/** Orders texts by code unit, which for encoded text is by byte. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byBoth(a: Pair, b: Pair): number {
  return byText(a[0], b[0]) || byText(a[1], b[1]);
}
