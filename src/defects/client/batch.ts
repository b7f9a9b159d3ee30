/** Clients whose batches are not encoded as sections 2.3 and 4.2 say. */
import type { ClientDefect } from './defect.ts';

const recurring = { side: 'client', operation: 'process-recurring-payments' } as const;

export const batchDefects: readonly ClientDefect[] = [
  {
    ...recurring,
    id: 'recurring/payload-plus-raw',
    summary: 'A + of the base64 text stands raw in the form body and arrives as a space',
    breaks: ['recurring/payload-escaped'],
    alteration: {
      form: (form, { operation }) => (operation === 'close-day' ? form : form.replaceAll('%2B', '+')),
    },
  },
  {
    ...recurring,
    id: 'recurring/csv-with-commas',
    summary: 'The fields of the CSV are separated by commas',
    breaks: ['recurring/csv-delimiter'],
    alteration: {
      csv: (_, { done }) =>
        [done.table.columns.map(inQuotes), ...done.table.rows.map((row) => row.map(quotedIfNeeded))]
          .map((cells) => `${cells.join(',')}\n`)
          .join(''),
    },
  },
  {
    ...recurring,
    id: 'recurring/csv-header-bare',
    summary: 'The column names stand without quotes',
    breaks: ['recurring/csv-header-quoted'],
    alteration: {
      csv: (csv, { done }) => `${done.table.columns.join(';')}${csv.slice(csv.indexOf('\n'))}`,
    },
  },
];

function inQuotes(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

function quotedIfNeeded(cell: string): string {
  return /[",\r\n]/.test(cell) ? inQuotes(cell) : cell;
}
