/** Clients whose payload or CSV is not that of sections 2.3 and 4.2, or does not arrive as it was. */
import type { ClientAlteration } from '../../peer/client/index.ts';
import type { CsvTable } from '../../protocol/index.ts';
import { type ClientDefect, recurring } from './defect.ts';

export const payloadDefects: readonly ClientDefect[] = [
  base64(
    'payload-in-lines-of-76',
    'The base64 text has a line feed after every 76 characters',
    (text) => text.match(/.{1,76}/g)?.join('\n') ?? text,
  ),
  base64('payload-in-lines-of-64', 'The base64 text has CRLF after every 64 characters, the last ones too', (text) =>
    text.replace(/.{1,64}/g, '$&\r\n'),
  ),
  base64('payload-with-line-feed', 'A line feed follows the base64 text', (text) => `${text}\n`),
  base64('payload-url-safe', 'The payload is written in the alphabet of base64url, padded', (text) =>
    text.replaceAll('+', '-').replaceAll('/', '_'),
  ),
  base64('payload-without-padding', 'The base64 text has no = at its end', (text) => text.replace(/=+$/, '')),
  base64('payload-encoded-twice', 'The base64 text is encoded in base64 again', (text) =>
    Buffer.from(text, 'latin1').toString('base64'),
  ),
  base64('payload-in-hex', 'The payload is the CSV in hexadecimal', (_, { done }) =>
    Buffer.from(done.csvBytes).toString('hex'),
  ),
  base64(
    'payload-as-data-uri',
    'The base64 text follows the prefix of a data URI',
    (text) => `data:text/csv;base64,${text}`,
  ),
  form('payload-plus-raw', 'A + of the base64 text is raw in the form body and arrives as a space', (text) =>
    text.replaceAll('%2B', '+'),
  ),
  form('payload-escaped-twice', 'The base64 text is escaped twice in the form body: its + arrives as %2B', (text) =>
    text.replaceAll('%', '%25'),
  ),
  recurring('format-beside-payload', 'The body has a parameter format besides payload', 'payload-only', {
    fields: (pairs) => [...pairs, ['format', 'csv']],
  }),
  recurring('payload-named-data', 'The CSV is sent as the parameter data', 'payload-only', {
    fields: (pairs) => pairs.map(([, value]) => ['data', value]),
  }),

  recurring('csv-with-commas', 'The fields of the CSV are separated by commas', 'csv-delimiter', {
    csv: (_, { done }) => written(done.table, { delimiter: ',' }),
  }),
  recurring('csv-with-tabs', 'The fields of the CSV are separated by tabs', 'csv-delimiter', {
    csv: (_, { done }) => written(done.table, { delimiter: '\t' }),
  }),
  recurring('csv-header-bare', 'The column names are not quoted', 'csv-header-quoted', {
    csv: (csv, { done }) => `${done.table.columns.join(';')}${csv.slice(csv.indexOf('\n'))}`,
  }),
  recurring('csv-header-left-out', 'The CSV starts with the first payment', 'csv-header-quoted', {
    csv: (csv) => csv.slice(csv.indexOf('\n') + 1),
  }),
  recurring('delimiter-in-cell-bare', 'A cell with a semicolon is not quoted', 'csv-rows', {
    csv: (_, { done }) => written(done.table, { cell: (text) => (/["\r\n]/.test(text) ? inQuotes(text) : text) }),
  }),
  recurring('quote-in-cell-single', 'A quote inside a cell in quotes is not doubled', 'csv-rows', {
    csv: (_, { done }) => written(done.table, { cell: quotedAs((text) => text) }),
  }),
  recurring(
    'quote-in-cell-with-backslash',
    'A quote inside a cell in quotes follows a backslash in place of another quote',
    'csv-rows',
    { csv: (_, { done }) => written(done.table, { cell: quotedAs((text) => text.replaceAll('"', '\\"')) }) },
  ),
  recurring(
    'quote-after-backslash-single',
    'A quote inside a cell is doubled, but not after a backslash, as some writers of CSV have it by default',
    'csv-rows',
    { csv: (_, { done }) => written(done.table, { cell: quotedAs((text) => text.replace(/(?<!\\)"/g, '""')) }) },
  ),
  rows('quotes-lost-below-the-first-row', 'Quotes inside a cell are lost, but not in the first row', ({ rows }) =>
    rows.map((row, at) => (at === 0 ? row : row.map((text) => text.replaceAll('"', '')))),
  ),
  recurring(
    'header-reordered-alone',
    'The column names come in alphabetical order, and the cells in the order that was given',
    'csv-rows',
    { table: ({ columns, rows }) => ({ columns: [...columns].sort(), rows }) },
  ),
  rows('last-payment-lost', 'Of several payments the last one is not sent', ({ rows }) =>
    rows.length > 1 ? rows.slice(0, -1) : rows,
  ),
  recurring('rows-taken-for-comments', 'A row that starts with # is left out', 'csv-rows', {
    csv: (csv) => csv.replace(/^#.*\n/gm, ''),
  }),
  rows('equal-payments-sent-once', 'Of equal payments in a batch one is sent', ({ rows }) => [
    ...new Map(rows.map((row) => [JSON.stringify(row), row])).values(),
  ]),
  recurring('empty-cells-dropped', 'Empty cells at the end of a row are left out with their delimiters', 'csv-rows', {
    csv: (csv) => csv.replace(/;+$/gm, ''),
  }),
  rows('formula-guarded', "A cell that starts with = gets a ' in front, as exports for spreadsheets do", ({ rows }) =>
    rows.map((row) => row.map((text) => text.replace(/^=/, "'="))),
  ),
  recurring('byte-order-mark-sent', 'The CSV starts with a byte-order mark', 'csv-utf-8', {
    csv: (csv) => `\ufeff${csv}`,
  }),
  recurring('csv-in-latin-1', 'The CSV is encoded in ISO 8859-1, what that lacks as a question mark', 'csv-utf-8', {
    csvBytes: (_, { done }) => Buffer.from(done.csv.replace(/[^\0-\xff]/gu, '?'), 'latin1'),
  }),
];

/** Another text in place of the base64 text; both are signed as sent. */
function base64(what: string, summary: string, payload: NonNullable<ClientAlteration['payload']>): ClientDefect {
  return recurring(what, summary, 'payload-base64', { payload });
}

/** Changes the body alone: what is signed stays right. */
function form(what: string, summary: string, change: (text: string) => string): ClientDefect {
  return recurring(what, summary, 'payload-escaped', { form: (text) => change(text) });
}

/** Sends other rows, or the same in other cells. */
function rows(what: string, summary: string, change: (table: CsvTable) => CsvTable['rows']): ClientDefect {
  return recurring(what, summary, 'csv-rows', { table: (table) => ({ ...table, rows: change(table) }) });
}

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
