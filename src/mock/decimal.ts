/** Exact sums of unsigned decimal strings. Amounts never become floating-point numbers. */

export function isDecimal(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

/** Adds two decimals such as `10.42`. The sum has as many fractional digits as the longer one. */
export function addDecimals(a: string, b: string): string {
  const scale = Math.max(fraction(a).length, fraction(b).length);
  return decimalOf(scaled(a, scale) + scaled(b, scale), scale);
}

/** Rounds half up to two fractional digits, as in the totals of 2.2. */
export function twoFractionalDigits(amount: string): string {
  const scale = Math.max(fraction(amount).length, 2);
  const unit = 10n ** BigInt(scale - 2);
  return decimalOf((scaled(amount, scale) + unit / 2n) / unit, 2);
}

function fraction(amount: string): string {
  const point = amount.indexOf('.');
  return point === -1 ? '' : amount.slice(point + 1);
}

function scaled(amount: string, scale: number): bigint {
  const point = amount.indexOf('.');
  const whole = point === -1 ? amount : amount.slice(0, point);
  return BigInt(whole + fraction(amount).padEnd(scale, '0'));
}

/** `value` counts units of 10^-scale. */
function decimalOf(value: bigint, scale: number): string {
  const digits = value.toString().padStart(scale + 1, '0');
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
