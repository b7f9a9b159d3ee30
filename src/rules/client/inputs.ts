/** The inputs that the client was given, if the suite knows them. */
import type { ClientCase, CloseDayInput, RecurringInput } from '../../record/case.ts';
import { type Finding, inconclusive } from '../judge.ts';

export function closeDayInput({ label, call: { asked } }: ClientCase): CloseDayInput | undefined {
  return label.operation === 'close-day' ? (asked?.input as CloseDayInput | undefined) : undefined;
}

export function recurringInput({ label, call: { asked } }: ClientCase): RecurringInput | undefined {
  return label.operation === 'process-recurring-payments' ? (asked?.input as RecurringInput | undefined) : undefined;
}

export function unknownInput(): Finding {
  return inconclusive('the input of the client is not known', 'configuration');
}

/** Scheme, authority and path of the base URL. The path has no trailing slash. */
export function splitBaseUrl(baseUrl: string): { scheme: string; authority: string; prefix: string } {
  const [, scheme = '', authority = '', path = ''] = /^([A-Za-z]+):\/\/([^/?#]*)([^?#]*)/.exec(baseUrl) ?? [];
  return { scheme: scheme.toLowerCase(), authority, prefix: path.replace(/(?<!\/)\/+$/, '') };
}

/** True if both totals are the same number in any notation, or if both are empty. */
export function isSameTotal(given: string | undefined, sent: string | undefined): boolean {
  return given && sent ? given === sent || sameNumber(given, sent) : !given && !sent;
}

/** True for digits with an optional decimal point, which every parser accepts. */
export function isPlainNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text);
}

export function sameNumber(a: string, b: string): boolean {
  const [x, y] = [plainNumber(a), plainNumber(b)];
  return x !== undefined && x === y;
}

/** The significant digits and the power of ten. Undefined if the text is not a number. */
export function plainNumber(text: string): string | undefined {
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found ?? [];
  if (whole + fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const counting = digits.replace(/(?<!0)0+$/, '');
  if (counting === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - counting.length;
  return `${sign === '-' ? '-' : ''}${counting}e${power}`;
}
