/** What the client was asked to send, as far as anybody knows. */
import type { ClientCase, CloseDayInput, RecurringInput } from '../../exchange/client-case.ts';
import { type Finding, inconclusive } from '../finding.ts';

/** What the client was given for close-day; undefined where nobody knows. */
export function closeDayInput({ label, asked }: ClientCase): CloseDayInput | undefined {
  return label.operation === 'close-day' ? (asked?.input as CloseDayInput | undefined) : undefined;
}

/** What the client was given for a batch; undefined where nobody knows. */
export function recurringInput({ label, asked }: ClientCase): RecurringInput | undefined {
  return label.operation === 'process-recurring-payments' ? (asked?.input as RecurringInput | undefined) : undefined;
}

/** For rows that compare with what the caller gave. */
export function unknownInput(): Finding {
  return inconclusive('nobody knows what the client was asked to send', 'configuration');
}

/** Scheme and authority of the base URL as it was written, and its path without a slash at the end. */
export function splitBaseUrl(baseUrl: string): { scheme: string; authority: string; prefix: string } {
  const [, scheme = '', authority = '', path = ''] = /^([A-Za-z]+):\/\/([^/?#]*)([^?#]*)/.exec(baseUrl) ?? [];
  return { scheme: scheme.toLowerCase(), authority, prefix: path.replace(/\/+$/, '') };
}

/** Whether two decimal texts are the same number; false where either is no number. */
export function sameNumber(a: string, b: string): boolean {
  const [x, y] = [plainNumber(a), plainNumber(b)];
  return x !== undefined && x === y;
}

/** A decimal text without leading zeros and without zeros at the end of its fraction. */
function plainNumber(text: string): string | undefined {
  const found = /^([+-]?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(text);
  if (found === null || !/\d/.test(text)) return undefined;
  const [, sign = '', whole = '', fraction = ''] = found;
  const digits = `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`;
  return sign === '-' && digits !== '0' ? `-${digits}` : digits;
}
