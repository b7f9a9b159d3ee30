/** Amounts of money in whole cents: configured amounts have two decimals, and sums of them stay exact. Pure. */

/** Cents of a plain decimal such as `1.00` or `12`; a third decimal counts as a whole cent. Undefined for any other text. */
export function centsOf(text: string): number | undefined {
  const match = /^(\d{1,13})(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const decimals = match[2] ?? '';
  const rest = /[1-9]/.test(decimals.slice(2)) ? 1 : 0;
  return Number(match[1]) * 100 + Number(decimals.slice(0, 2).padEnd(2, '0')) + rest;
}

/** `12.05` for 1205. */
export function inDecimals(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
