/** Clients whose payload or CSV is not that of sections 2.3 and 4.2, or does not arrive as it was. */
import { breaking } from '../defect.ts';
import { type ClientDefect, recurring } from './defect.ts';
import type { ClientEdit } from './parts.ts';

const base64 = breaking(recurring, 'payload-base64');
const escaped = breaking(recurring, 'payload-escaped');
const payloadOnly = breaking(recurring, 'payload-only');
const delimiter = breaking(recurring, 'csv-delimiter');
const header = breaking(recurring, 'csv-header-quoted');
const rows = breaking(recurring, 'csv-rows');
const utf8 = breaking(recurring, 'csv-utf-8');

export const payloadDefects: readonly ClientDefect[] = [
  base64('payload-in-lines-of-76', 'The base64 text has a line feed after every 76 characters', {
    payload: (text) => text.match(/.{1,76}/g)?.join('\n') ?? text,
  }),
  base64('payload-in-lines-of-64', 'The base64 text has CRLF after every 64 characters, the last ones too', {
    payload: (text) => text.replace(/.{1,64}/g, '$&\r\n'),
  }),
  base64('payload-with-line-feed', 'A line feed follows the base64 text', { payload: (text) => `${text}\n` }),
  base64('payload-url-safe', 'The payload is written in the alphabet of base64url, padded', {
    payload: (text) => text.replaceAll('+', '-').replaceAll('/', '_'),
  }),
  base64('payload-without-padding', 'The base64 text has no = at its end', {
    payload: (text) => text.replace(/=+$/, ''),
  }),
  base64('payload-encoded-twice', 'The base64 text is encoded in base64 again', {
    payload: (text) => Buffer.from(text, 'latin1').toString('base64'),
  }),
  base64('payload-in-hex', 'The payload is the CSV in hexadecimal', {
    payload: (_, { done }) => Buffer.from(done.csvBytes).toString('hex'),
  }),
  base64('payload-as-data-uri', 'The base64 text follows the prefix of a data URI', {
    payload: (text) => `data:text/csv;base64,${text}`,
  }),
  // The body alone changes: what is signed stays right.
  escaped('payload-plus-raw', 'A + of the base64 text is raw in the form body and arrives as a space', {
    form: (text) => text.replaceAll('%2B', '+'),
  }),
  escaped('payload-escaped-twice', 'The base64 text is escaped twice in the form body: its + arrives as %2B', {
    form: (text) => text.replaceAll('%', '%25'),
  }),
  payloadOnly('format-beside-payload', 'The body has a parameter format besides payload', {
    fields: (pairs) => [...pairs, ['format', 'csv']],
  }),
  payloadOnly('payload-named-data', 'The CSV is sent as the parameter data', {
    fields: (pairs) => pairs.map(([, value]) => ['data', value]),
  }),

  delimiter('csv-with-commas', 'The fields of the CSV are separated by commas', { csv: written(',') }),
  delimiter('csv-with-tabs', 'The fields of the CSV are separated by tabs', { csv: written('\t') }),
  header('csv-header-bare', 'The column names are not quoted', {
    csv: (csv, { done }) => `${done.table.columns.join(';')}${csv.slice(csv.indexOf('\n'))}`,
  }),
  header('csv-header-left-out', 'The CSV starts with the first payment', {
    csv: (csv) => csv.slice(csv.indexOf('\n') + 1),
  }),
  rows('delimiter-in-cell-bare', 'A cell with a semicolon is not quoted', { csv: written(';', doubled, '"\r\n') }),
  rows('quote-in-cell-single', 'A quote inside a cell in quotes is not doubled', { csv: written(';', (text) => text) }),
  rows(
    'quote-in-cell-with-backslash',
    'A quote inside a cell in quotes follows a backslash in place of another quote',
    { csv: written(';', (text) => text.replaceAll('"', '\\"')) },
  ),
  rows(
    'quote-after-backslash-single',
    'A quote inside a cell is doubled, but not after a backslash, as some writers of CSV have it by default',
    { csv: written(';', (text) => text.replace(/(?<!\\)"/g, '""')) },
  ),
  rows('quotes-lost-below-the-first-row', 'Quotes inside a cell are lost, but not in the first row', {
    rows: ([first, ...others]) => [first!, ...others.map((row) => row.map((text) => text.replaceAll('"', '')))],
  }),
  rows(
    'header-reordered-alone',
    'The column names come in alphabetical order, and the cells in the order that was given',
    { table: ({ columns, rows }) => ({ columns: [...columns].sort(), rows }) },
  ),
  rows('last-payment-lost', 'Of several payments the last one is not sent', {
    rows: (all) => (all.length > 1 ? all.slice(0, -1) : all),
  }),
  rows('rows-taken-for-comments', 'A row that starts with # is left out', {
    csv: (csv) => csv.replace(/^#.*\n/gm, ''),
  }),
  rows('equal-payments-sent-once', 'Of equal payments in a batch one is sent', {
    rows: (all) => [...new Map(all.map((row) => [JSON.stringify(row), row])).values()],
  }),
  rows('empty-cells-dropped', 'Empty cells at the end of a row are left out with their delimiters', {
    csv: (csv) => csv.replace(/;+$/gm, ''),
  }),
  rows('formula-guarded', "A cell that starts with = gets a ' in front, as exports for spreadsheets do", {
    rows: (all) => all.map((row) => row.map((text) => text.replace(/^=/, "'="))),
  }),
  utf8('byte-order-mark-sent', 'The CSV starts with a byte-order mark', { csv: (csv) => `\ufeff${csv}` }),
  utf8('csv-in-latin-1', 'The CSV is encoded in ISO 8859-1, what that lacks as a question mark', {
    csvBytes: (_, { done }) => Buffer.from(done.csv.replace(/[^\0-\xff]/gu, '?'), 'latin1'),
  }),
];

/** Column names in quotes, and cells with one of `special`; `inside` is what becomes of a cell in quotes. */
function written(delimiter: string, inside = doubled, special = `${delimiter}"\r\n`): NonNullable<ClientEdit['csv']> {
  const cell = (text: string) => ([...special].some((one) => text.includes(one)) ? `"${inside(text)}"` : text);
  const line = (cells: readonly string[]) => `${cells.join(delimiter)}\n`;
  return (_, { done: { table } }) =>
    [table.columns.map((name) => `"${doubled(name)}"`), ...table.rows.map((row) => row.map(cell))].map(line).join('');
}

function doubled(text: string): string {
  return text.replaceAll('"', '""');
}
