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
  base64('payload-in-lines-of-76', { payload: (text) => text.match(/.{1,76}/g)?.join('\n') ?? text })`
    The base64 text has a line feed after every 76 characters`,
  base64('payload-in-lines-of-64', { payload: (text) => text.replace(/.{1,64}/g, '$&\r\n') })`
    The base64 text has CRLF after every 64 characters, the last ones too`,
  base64('payload-with-line-feed', { payload: (text) => `${text}\n` })`A line feed follows the base64 text`,
  base64('payload-url-safe', { payload: (text) => text.replaceAll('+', '-').replaceAll('/', '_') })`
    The payload is written in the alphabet of base64url, padded`,
  base64('payload-without-padding', { payload: (text) => text.replace(/=+$/, '') })`
    The base64 text has no = at its end`,
  base64('payload-encoded-twice', { payload: (text) => Buffer.from(text, 'latin1').toString('base64') })`
    The base64 text is encoded in base64 again`,
  base64('payload-in-hex', { payload: (_, { done }) => Buffer.from(done.csvBytes).toString('hex') })`
    The payload is the CSV in hexadecimal`,
  base64('payload-as-data-uri', { payload: (text) => `data:text/csv;base64,${text}` })`
    The base64 text follows the prefix of a data URI`,
  // The body alone changes: what is signed stays right.
  escaped('payload-plus-raw', { form: (text) => text.replaceAll('%2B', '+') })`
    A + of the base64 text is raw in the form body and arrives as a space`,
  escaped('payload-escaped-twice', { form: (text) => text.replaceAll('%', '%25') })`
    The base64 text is escaped twice in the form body: its + arrives as %2B`,
  payloadOnly('format-beside-payload', { fields: (pairs) => [...pairs, ['format', 'csv']] })`
    The body has a parameter format besides payload`,
  payloadOnly('payload-named-data', { fields: (pairs) => pairs.map(([, value]) => ['data', value]) })`
    The CSV is sent as the parameter data`,

  delimiter('csv-with-commas', { csv: written(',') })`The fields of the CSV are separated by commas`,
  delimiter('csv-with-tabs', { csv: written('\t') })`The fields of the CSV are separated by tabs`,
  header('csv-header-bare', {
    csv: (csv, { done }) => `${done.table.columns.join(';')}${csv.slice(csv.indexOf('\n'))}`,
  })`The column names are not quoted`,
  header('csv-header-left-out', { csv: (csv) => csv.slice(csv.indexOf('\n') + 1) })`
    The CSV starts with the first payment`,
  rows('delimiter-in-cell-bare', { csv: written(';', doubled, '"\r\n') })`A cell with a semicolon is not quoted`,
  rows('quote-in-cell-single', { csv: written(';', (text) => text) })`A quote inside a cell in quotes is not doubled`,
  rows('quote-in-cell-with-backslash', { csv: written(';', (text) => text.replaceAll('"', '\\"')) })`
    A quote inside a cell in quotes follows a backslash in place of another quote`,
  rows('quote-after-backslash-single', { csv: written(';', (text) => text.replace(/(?<!\\)"/g, '""')) })`
    A quote inside a cell is doubled, but not after a backslash, as some writers of CSV have it by default`,
  rows('quotes-lost-below-the-first-row', {
    rows: ([first, ...others]) => [first!, ...others.map((row) => row.map((text) => text.replaceAll('"', '')))],
  })`Quotes inside a cell are lost, but not in the first row`,
  rows('header-reordered-alone', { table: ({ columns, rows }) => ({ columns: [...columns].sort(), rows }) })`
    The column names come in alphabetical order, and the cells in the order that was given`,
  rows('last-payment-lost', { rows: (all) => (all.length > 1 ? all.slice(0, -1) : all) })`
    Of several payments the last one is not sent`,
  rows('rows-taken-for-comments', { csv: (csv) => csv.replace(/^#.*\n/gm, '') })`A row that starts with # is left out`,
  rows('equal-payments-sent-once', {
    rows: (all) => [...new Map(all.map((row) => [JSON.stringify(row), row])).values()],
  })`Of equal payments in a batch one is sent`,
  rows('empty-cells-dropped', { csv: (csv) => csv.replace(/;+$/gm, '') })`
    Empty cells at the end of a row are left out with their delimiters`,
  rows('formula-guarded', { rows: (all) => all.map((row) => row.map((text) => text.replace(/^=/, "'="))) })`
    A cell that starts with = gets a ' in front, as exports for spreadsheets do`,
  utf8('byte-order-mark-sent', { csv: (csv) => `\ufeff${csv}` })`The CSV starts with a byte-order mark`,
  utf8('csv-in-latin-1', { csvBytes: (_, { done }) => Buffer.from(done.csv.replace(/[^\0-\xff]/gu, '?'), 'latin1') })`
    The CSV is encoded in ISO 8859-1, what that lacks as a question mark`,
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
