/** Decimal numbers as texts. They are never converted to JavaScript numbers, which would lose digits. */

/** True for digits with an optional decimal point, which every parser accepts. */
export function isPlainNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text);
}

export function isSameNumber(a: string, b: string): boolean {
  const value = numberKey(a);
  return value !== undefined && value === numberKey(b);
}

/** Gives equal numbers the same text, for example `15e-1` for 1.5 and 1.50. Undefined if the text is not a number. */
export function numberKey(text: string): string | undefined {
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,15}))?$/.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found ?? [];
  if (whole + fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}
