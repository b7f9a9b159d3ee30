/** Clients whose CSV is not that of section 2.3. */
import type { CsvTable } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';

const recurring = { side: 'client', operation: 'process-recurring-payments' } as const;
const rows = { ...recurring, breaks: ['recurring/csv-rows'] } as const;

export const csvDefects: readonly ClientDefect[] = [
  {
    ...recurring,
    id: 'recurring/csv-with-commas',
    summary: 'The fields of the CSV are separated by commas',
    breaks: ['recurring/csv-delimiter'],
    alteration: { csv: (_, { done }) => written(done.table, { delimiter: ',' }) },
  },
  {
    ...recurring,
    id: 'recurring/csv-with-tabs',
    summary: 'The fields of the CSV are separated by tabs',
    breaks: ['recurring/csv-delimiter'],
    alteration: { csv: (_, { done }) => written(done.table, { delimiter: '\t' }) },
  },
  {
    ...recurring,
    id: 'recurring/csv-header-bare',
    summary: 'The column names are not quoted',
    breaks: ['recurring/csv-header-quoted'],
    alteration: { csv: (csv, { done }) => `${done.table.columns.join(';')}${csv.slice(csv.indexOf('\n'))}` },
  },
  {
    ...recurring,
    id: 'recurring/csv-header-left-out',
    summary: 'The CSV starts with the first payment',
    breaks: ['recurring/csv-header-quoted'],
    alteration: { csv: (csv) => csv.slice(csv.indexOf('\n') + 1) },
  },
  {
    ...rows,
    id: 'recurring/delimiter-in-cell-bare',
    summary: 'A cell with a semicolon is not quoted',
    alteration: {
      csv: (_, { done }) => written(done.table, { cell: (text) => (/["\r\n]/.test(text) ? inQuotes(text) : text) }),
    },
  },
  {
    ...rows,
    id: 'recurring/quote-in-cell-single',
    summary: 'A quote inside a cell in quotes is not doubled',
    alteration: { csv: (_, { done }) => written(done.table, { cell: quotedAs((text) => text) }) },
  },
  {
    ...rows,
    id: 'recurring/quote-in-cell-with-backslash',
    summary: 'A quote inside a cell in quotes follows a backslash in place of another quote',
    alteration: {
      csv: (_, { done }) => written(done.table, { cell: quotedAs((text) => text.replaceAll('"', '\\"')) }),
    },
  },
  {
    ...rows,
    id: 'recurring/quote-after-backslash-single',
    summary: 'A quote inside a cell is doubled, but not after a backslash, as some writers of CSV have it by default',
    alteration: {
      csv: (_, { done }) => written(done.table, { cell: quotedAs((text) => text.replace(/(?<!\\)"/g, '""')) }),
    },
  },
  {
    ...rows,
    id: 'recurring/quotes-lost-below-the-first-row',
    summary: 'Quotes inside a cell are lost, but not in the first row',
    alteration: {
      table: ({ columns, rows }) => ({
        columns,
        rows: rows.map((row, at) => (at === 0 ? row : row.map((text) => text.replaceAll('"', '')))),
      }),
    },
  },
  {
    ...rows,
    id: 'recurring/header-reordered-alone',
    summary: 'The column names come in alphabetical order, and the cells in the order that was given',
    alteration: { table: ({ columns, rows }) => ({ columns: [...columns].sort(), rows }) },
  },
  {
    ...rows,
    id: 'recurring/last-payment-lost',
    summary: 'Of several payments the last one is not sent',
    alteration: { table: ({ columns, rows }) => ({ columns, rows: rows.length > 1 ? rows.slice(0, -1) : rows }) },
  },
  {
    ...rows,
    id: 'recurring/rows-taken-for-comments',
    summary: 'A row that starts with # is left out',
    alteration: { csv: (csv) => csv.replace(/^#.*\n/gm, '') },
  },
  {
    ...rows,
    id: 'recurring/equal-payments-sent-once',
    summary: 'Of equal payments in a batch one is sent',
    alteration: {
      table: ({ columns, rows }) => ({
        columns,
        rows: [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()],
      }),
    },
  },
  {
    ...rows,
    id: 'recurring/empty-cells-dropped',
    summary: 'Empty cells at the end of a row are left out with their delimiters',
    alteration: { csv: (csv) => csv.replace(/;+$/gm, '') },
  },
  {
    ...rows,
    id: 'recurring/formula-guarded',
    summary: "A cell that starts with = gets a ' in front, as exports for spreadsheets do",
    alteration: {
      table: ({ columns, rows }) => ({ columns, rows: eachCell(rows, (text) => text.replace(/^=/, "'=")) }),
    },
  },
  {
    ...recurring,
    id: 'recurring/byte-order-mark-sent',
    summary: 'The CSV starts with a byte-order mark',
    breaks: ['recurring/csv-utf-8'],
    alteration: { csv: (csv) => `\ufeff${csv}` },
  },
  {
    ...recurring,
    id: 'recurring/csv-in-latin-1',
    summary: 'The CSV is encoded in ISO 8859-1, what that lacks as a question mark',
    breaks: ['recurring/csv-utf-8'],
    alteration: { csvBytes: (_, { done }) => Buffer.from(done.csv.replace(/[^\0-\xff]/gu, '?'), 'latin1') },
  },
];

interface Style {
  readonly delimiter?: string;
  readonly cell?: (text: string) => string;
}

/** Column names in quotes, the cells as the style has them. */
function written({ columns, rows }: CsvTable, { delimiter = ';', cell }: Style): string {
  const cellText = cell ?? ((text) => (text.includes(delimiter) || /["\r\n]/.test(text) ? inQuotes(text) : text));
  return [columns.map(inQuotes), ...rows.map((row) => row.map(cellText))]
    .map((cells) => `${cells.join(delimiter)}\n`)
    .join('');
}

function inQuotes(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

/** Quotes where they are needed, with another treatment of the quotes inside. */
function quotedAs(inside: (text: string) => string): (text: string) => string {
  return (text) => (/[";\r\n]/.test(text) ? `"${inside(text)}"` : text);
}

function eachCell(rows: CsvTable['rows'], change: (text: string) => string): CsvTable['rows'] {
  return rows.map((row) => row.map(change));
}
