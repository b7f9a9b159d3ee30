/** The right requests that scenarios start from: every other one is one of these with a single deviation. */
import type { Operation } from '../../contracts/requirements/requirement.ts';
import { buildCloseDay, type CloseDayFields } from '../protocol/close-day.ts';
import type { CsvTable } from '../protocol/csv.ts';
import { buildRecurring } from '../protocol/recurring.ts';
import type { RequestPlan } from './scenario.ts';

/** A close-day request with these fields. */
export function closeDay(fields: CloseDayFields, deviation: Partial<RequestPlan> = {}): RequestPlan {
  return { operation: 'close-day', body: buildCloseDay(fields), ...deviation };
}

/** A recurring request whose payload is this table. */
export function recurring(table: CsvTable, deviation: Partial<RequestPlan> = {}): RequestPlan {
  return { operation: 'process-recurring-payments', body: buildRecurring(table).body, ...deviation };
}

/** A recurring request whose payload is exactly this CSV text. */
export function recurringText(csv: string, deviation: Partial<RequestPlan> = {}): RequestPlan {
  const payload = Buffer.from(csv, 'utf8').toString('base64');
  return { operation: 'process-recurring-payments', body: [['payload', payload]], ...deviation };
}

/** The columns that the document names first, in its order (section 2.3). */
export const paymentColumns = ['client-orderid', 'recurring-payment-id', 'amount'] as const;

/** A table of payments in the three named columns. */
export function payments(rows: readonly (readonly string[])[]): CsvTable {
  return { columns: [...paymentColumns], rows: rows.map((row) => [...row]) };
}

/** The worst that an accepted request of the operation does. */
export const effectOf: Readonly<Record<Operation, 'closes-day' | 'starts-payments'>> = {
  'close-day': 'closes-day',
  'process-recurring-payments': 'starts-payments',
};
