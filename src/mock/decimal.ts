/** Exact sums of unsigned decimal texts: amounts never become floating point numbers. */

/** Whether the text is an unsigned decimal: digits, and a point only between digits. */
export function isDecimal(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

/** Adds two decimals such as `10.42`; the sum has as many fractional digits as the longer of the two. */
export function addDecimals(a: string, b: string): string {
  const scale = Math.max(fraction(a).length, fraction(b).length);
  return print(scaled(a, scale) + scaled(b, scale), scale);
}

/** The decimal with exactly two fractional digits, as the totals of 2.2 have them; a half is rounded up. */
export function twoFractionalDigits(amount: string): string {
  const scale = Math.max(fraction(amount).length, 2);
  const unit = 10n ** BigInt(scale - 2);
  return print((scaled(amount, scale) + unit / 2n) / unit, 2);
}

function fraction(amount: string): string {
  return amount.split('.')[1] ?? '';
}

function scaled(amount: string, scale: number): bigint {
  return BigInt((amount.split('.')[0] || '0') + fraction(amount).padEnd(scale, '0'));
}

function print(value: bigint, scale: number): string {
  const digits = value.toString().padStart(scale + 1, '0');
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
