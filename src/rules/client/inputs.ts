/** The inputs of the client, if the suite knows them. */
import type { ClientCase, CloseDayInput, RecurringInput } from '../../record/case.ts';
import { isSameNumber } from '../numbers.ts';

export function closeDayInput({ label, call: { asked } }: ClientCase): CloseDayInput | undefined {
  return label.operation === 'close-day' ? (asked?.input as CloseDayInput | undefined) : undefined;
}

export function recurringInput({ label, call: { asked } }: ClientCase): RecurringInput | undefined {
  return label.operation === 'process-recurring-payments' ? (asked?.input as RecurringInput | undefined) : undefined;
}

/** Scheme, authority and path of the base URL. The path has no trailing slash. */
export function splitBaseUrl(baseUrl: string): { scheme: string; authority: string; prefix: string } {
  const [, scheme = '', authority = '', path = ''] = /^([A-Za-z]+):\/\/([^/?#]*)([^?#]*)/.exec(baseUrl) ?? [];
  return { scheme: scheme.toLowerCase(), authority, prefix: path.replace(/(?<!\/)\/+$/, '') };
}

/** True if both totals are the same number in any notation, or if both are empty. */
export function isSameTotal(expected: string | undefined, sent: string | undefined): boolean {
  return expected && sent ? expected === sent || isSameNumber(expected, sent) : !expected && !sent;
}
