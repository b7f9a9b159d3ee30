/** close-day: fields to form pairs (2.1) and answers to values (2.2). */
import type { Pair } from './form.ts';

export interface CloseDayFields {
  readonly day_close_request_id?: string;
  readonly sale_approved_count?: string;
  readonly sale_approved_sum?: string;
  readonly reversal_approved_count?: string;
  readonly reversal_approved_sum?: string;
}
const names = ['day_close_request_id', 'sale_approved_count', 'sale_approved_sum', 'reversal_approved_count', 'reversal_approved_sum'] as const;
export function buildCloseDay(fields: CloseDayFields): Pair[] {
  return names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]!] as const]));
}
