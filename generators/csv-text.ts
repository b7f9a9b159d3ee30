/** Writes the CSV of a batch (section 2.3) in any style, valid or not. Only generators use this writer. */
import * as fc from 'fast-check';
import { type CsvRow, faultyCsvRowOf, type PaymentRow, plainRow } from './csv-row.ts';
import { fault, type Labelled, open, relabel, valid } from './labelled.ts';

export interface CsvText {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly text: string;
  /** The text in UTF-8, or in another charset if the edge tests charsets. */
  readonly bytes: Uint8Array;
}

export interface CsvStyle {
  readonly delimiter: string;
  /** The document allows only `all`: each name in double quotes. */
  readonly header: 'all' | 'none' | 'first-bare' | 'last-bare' | 'single';
  /** `needed`: quotes only cells with a delimiter, quote or line end. `never`: leaves even such cells unquoted. */
  readonly cells: 'needed' | 'all' | 'never';
  readonly lineEnd: string;
  readonly finalLineEnd: boolean;
  readonly byteOrderMark: boolean;
}

/** The simplest style that section 2.3 allows. */
export const plainStyle: CsvStyle = {
  delimiter: ';',
  header: 'all',
  cells: 'needed',
  lineEnd: '\n',
  finalLineEnd: true,
  byteOrderMark: false,
};

export function csvOf(rows: readonly CsvRow[], change: Partial<CsvStyle> = {}): CsvText {
  const columns = Object.keys(rows[0] ?? plainRow);
  const cells = rows.map((row) => columns.map((column) => row[column] ?? ''));
  return printed(columns, cells, printCsv(columns, cells, { ...plainStyle, ...change }));
}

export function csvFormEdges(row: PaymentRow): readonly Labelled<CsvText>[] {
  const other = (mark: string): CsvRow => ({ ...row, 'client-orderid': `${row['client-orderid']}${mark}` });
  return [
    valid(csvOf([row]), 'bare-rows'),
    open('A12', 'quoted-rows', csvOf([row], { cells: 'all' })),
    open('A12', 'delimiter-in-a-cell', csvOf([other(';1')])),
    open('A12', 'crlf', csvOf([row, other('-2')], { lineEnd: '\r\n' })),
    open('A12', 'cr', csvOf([row, other('-2')], { lineEnd: '\r' })),
    open('A12', 'no-final-line-end', csvOf([row], { finalLineEnd: false })),
    open('A12', 'empty-last-row', retyped(csvOf([row]), 0, '\n')),
    open('A12', 'byte-order-mark', csvOf([row], { byteOrderMark: true })),
    open('A12', 'latin-1', latin1(csvOf([other('\u00df')]))),
    open('A12', 'no-rows', csvOf([])),
    fault('recurring/csv-delimiter', 'comma', csvOf([row], { delimiter: ',' })),
    fault('recurring/csv-header-quoted', 'bare-header', csvOf([row], { header: 'none' })),
  ];
}

const spoilers: readonly ((row: CsvRow) => Labelled<CsvText>)[] = [
  (row) => fault('recurring/csv-delimiter', 'comma', csvOf([row], { delimiter: ',' })),
  (row) => fault('recurring/csv-delimiter', 'tab', csvOf([row], { delimiter: '\t' })),
  (row) => fault('recurring/csv-delimiter', 'bar', csvOf([row], { delimiter: '|' })),
  (row) => fault('recurring/csv-header-quoted', 'bare-header', csvOf([row], { header: 'none' })),
  (row) => fault('recurring/csv-header-quoted', 'one-bare-name', csvOf([row], { header: 'first-bare' })),
  (row) => fault('recurring/csv-header-quoted', 'single-quotes', csvOf([row], { header: 'single' })),
  (row) => {
    const csv = csvOf([{ ...row, 'client-orderid': 'order;1' }], { cells: 'never' });
    return fault('recurring/csv-rows', 'bare-delimiter-in-a-cell', csv);
  },
  (row) => fault('recurring/csv-rows', 'extra-cell', retyped(csvOf([row]), 1, ';more\n')),
  (row) => fault('recurring/csv-rows', 'unclosed-quote', retyped(csvOf([row]), 1, ';"more\n')),
];

export function faultyCsvTextOf(rows: fc.Arbitrary<PaymentRow>): fc.Arbitrary<Labelled<CsvText>> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...spoilers), rows).map(([spoil, row]) => spoil(row)) },
    {
      weight: 2,
      arbitrary: faultyCsvRowOf(rows).map(asText),
    },
  );
}

export function asText(row: Labelled<CsvRow>): Labelled<CsvText> {
  return { ...relabel(row, (value) => csvOf([value])), edge: `row:${row.edge}` };
}

/** Batches of the given rows with one fault each. */
export function csvFaults(rows: readonly CsvRow[]): readonly Labelled<CsvText>[] {
  const right = csvOf(rows);
  const rewritten = (rule: 'csv-header-quoted' | 'csv-rows', edge: string, change: (text: string) => string) =>
    fault(`recurring/${rule}`, edge, printed(right.columns, right.rows, change(right.text)));
  const quotedBy = (marks: string, left: string, end: string) =>
    rewritten('csv-header-quoted', `column names in ${marks}`, (text) => text.replace(/"([^"]*)"/g, `${left}$1${end}`));
  return [
    fault('recurring/csv-delimiter', 'a comma as delimiter', csvOf(rows, { delimiter: ',' })),
    fault('recurring/csv-delimiter', 'a tab as delimiter', csvOf(rows, { delimiter: '\t' })),
    rewritten('csv-header-quoted', 'no header row', (text) => text.slice(text.indexOf('\n') + 1)),
    fault('recurring/csv-header-quoted', 'column names without quotes', csvOf(rows, { header: 'none' })),
    fault('recurring/csv-header-quoted', 'one column name without quotes', csvOf(rows, { header: 'first-bare' })),
    fault('recurring/csv-header-quoted', 'the last column name without quotes', csvOf(rows, { header: 'last-bare' })),
    quotedBy('single quotes', "'", "'"),
    quotedBy('grave accents', '`', '`'),
    quotedBy('typographic quotes', '\u201c', '\u201d'),
    // The first fault is in the first row, the second fault in the last row. A gateway that checks only one row accepts a fault.
    rewritten('csv-rows', 'a row one cell short', (text) => text.replace(/^([^"].*);.*$/m, '$1')),
    rewritten('csv-rows', 'a row one cell long', (text) => text.replace(/\n$/, ';1.00$&')),
  ];
}

function retyped({ columns, rows, text }: CsvText, characters: number, end: string): CsvText {
  return printed(columns, rows, text.slice(0, text.length - characters) + end);
}

function latin1(csv: CsvText): CsvText {
  return { ...csv, bytes: Buffer.from(csv.text, 'latin1') };
}

function printed(columns: readonly string[], rows: readonly (readonly string[])[], text: string): CsvText {
  return { columns, rows, text, bytes: Buffer.from(text, 'utf8') };
}

export function printCsv(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  style: CsvStyle = plainStyle,
): string {
  const lines = [printHeader(columns, style), ...rows.map((cells) => printRow(cells, style))];
  const text = lines.join(style.lineEnd) + (style.finalLineEnd ? style.lineEnd : '');
  return style.byteOrderMark ? `\ufeff${text}` : text;
}

function printHeader(columns: readonly string[], { header, delimiter }: CsvStyle): string {
  return columns
    .map((name, at) => {
      const bare = header === 'first-bare' ? 0 : header === 'last-bare' ? columns.length - 1 : undefined;
      if (header === 'none' || at === bare) return name;
      return header === 'single' ? `'${name}'` : quoted(name);
    })
    .join(delimiter);
}

function printRow(cells: readonly string[], style: CsvStyle): string {
  return cells
    .map((cell) => {
      if (style.cells === 'never') return cell;
      const special = cell.includes(style.delimiter) || /["\r\n]/.test(cell);
      return special || style.cells === 'all' ? quoted(cell) : cell;
    })
    .join(style.delimiter);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
