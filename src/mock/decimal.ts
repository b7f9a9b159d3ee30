/** Exact sums of unsigned decimal texts: amounts never become floating point numbers. */

/** Whether the text is an unsigned decimal: digits, and a point only between digits. */
export function isDecimal(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

/** Adds two decimals such as `10.42`; the sum has as many fractional digits as the longer of the two. */
export function addDecimals(a: string, b: string): string {
  const scale = Math.max(fraction(a).length, fraction(b).length);
  return decimalOf(scaled(a, scale) + scaled(b, scale), scale);
}

/** Adds up decimals: a batch may have hundreds of thousands, and those of one scale are whole numbers. */
export function newDecimalSum() {
  const byScale: bigint[] = [];
  return {
    add: (amount: string): void => {
      const { length: scale } = fraction(amount);
      byScale[scale] = (byScale[scale] ?? 0n) + scaled(amount, scale);
    },
    /** With the longest fraction of all; of none it is 0. */
    total: (): string => byScale.reduce((total, units, scale) => addDecimals(total, decimalOf(units, scale)), '0'),
  };
}

/** The decimal with exactly two fractional digits, as the totals of 2.2 have them; a half is rounded up. */
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

/** The decimal of a whole number of units, each a tenth to the power `scale`. */
function decimalOf(value: bigint, scale: number): string {
  const digits = value.toString().padStart(scale + 1, '0');
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
