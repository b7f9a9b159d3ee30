/** Exact sums of unsigned decimal strings. Amounts never become floating-point numbers. */

export function isDecimal(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

/** Adds two decimals such as `10.42`. The sum has as many fractional digits as the longer decimal. */
export function addDecimals(a: string, b: string): string {
  const scale = Math.max(fraction(a).length, fraction(b).length);
  return decimalOf(scaled(a, scale) + scaled(b, scale), scale);
}

/** Adds decimals directly from bytes, because a batch can have hundreds of thousands of decimals. */
export function newDecimalSum() {
  const byScale: { exact: bigint; small: number }[] = [];
  return {
    add: (text: Buffer, start: number, end: number): boolean => {
      let [units, scale] = [0, -1];
      for (let at = start; at < end; at++) {
        const digit = text[at]! - 0x30;
        if (digit >= 0 && digit <= 9) {
          units = units * 10 + digit;
          if (scale !== -1) scale++;
        } else if (digit === -2 && scale === -1 && at > start) scale = 0;
        else return false;
      }
      if (scale === 0 || start === end) return false;
      const places = Math.max(scale, 0);
      byScale[places] ??= { exact: 0n, small: 0 };
      const sum = byScale[places];
      // Integers below 2^53 are exact, and adding integers is much faster than adding bigints.
      if (end - start > 15) sum.exact += scaled(text.toString('latin1', start, end), places);
      else sum.small += units;
      if (sum.small < 2 ** 52) return true;
      sum.exact += BigInt(sum.small);
      sum.small = 0;
      return true;
    },
    /** The total has as many fractional digits as the longest summand; `0` if nothing was added. */
    total: (): string =>
      byScale.reduce((sum, { exact, small }, scale) => addDecimals(sum, decimalOf(exact + BigInt(small), scale)), '0'),
  };
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
