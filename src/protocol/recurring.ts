/** process-recurring-payments: table to payload (2.3, 4.2). */
import { encodeBase64 } from './base64.ts';
import { type CsvOptions, type CsvTable, encodeCsv } from './csv.ts';
import type { Pair } from './form.ts';
export function buildRecurring(table: CsvTable, options?: CsvOptions): { csv: string; payload: string; body: Pair[] } {
  const csv = encodeCsv(table, options);
  const payload = encodeBase64(Buffer.from(csv, 'utf8'));
  return { csv, payload, body: [['payload', payload]] };
}
