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

/** The sum of any number of decimals; quick, as a batch may have hundreds of thousands. */
export function sumDecimals(amounts: Iterable<string>): string {
  const sum = newDecimalSum();
  for (const amount of amounts) {
    const point = amount.indexOf('.');
    const digits = point === -1 ? amount : amount.slice(0, point) + amount.slice(point + 1);
    sum.add(digits.length > 15 ? BigInt(digits) : Number(digits), point === -1 ? 0 : amount.length - point - 1);
  }
  return sum.total();
}

/** Adds up whole numbers of units, each a tenth to the power `scale`; numbers are below 10^15. */
export function newDecimalSum(): {
  readonly add: (units: number | bigint, scale: number) => void;
  readonly total: () => string;
} {
  const byScale: { exact: bigint; small: number }[] = [];
  return {
    add: (units, scale) => {
      byScale[scale] ??= { exact: 0n, small: 0 };
      const sum = byScale[scale];
      // Whole numbers below 2^53 are exact and far quicker to add than a bigint each.
      if (typeof units === 'number') sum.small += units;
      else sum.exact += units;
      if (sum.small < 2 ** 52) return;
      sum.exact += BigInt(sum.small);
      sum.small = 0;
    },
    total: () => {
      let total = '0';
      byScale.forEach(({ exact, small }, scale) => {
        total = addDecimals(total, decimalOf(exact + BigInt(small), scale));
      });
      return total;
    },
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
