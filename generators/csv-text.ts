/** The CSV of a recurring request (section 2.3) as text: semicolons, quoted column names, one payment a row. */
import * as fc from 'fast-check';
import { type CsvRow, csvRowEdges, faultyCsvRow, validAmountRow } from './csv-row.ts';
import { drawn, fault, type Labelled, open, relabel, valid } from './labelled.ts';
import { type CsvStyle, plainStyle, printCsv } from './print-csv.ts';

export interface CsvText {
  /** What was meant: names and cells before they were printed. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What was printed from them. */
  readonly text: string;
  /** `text` in UTF-8, unless the edge is about another charset. */
  readonly bytes: Uint8Array;
}

/** The table of these rows, with the columns of the first one. */
export function csvOf(rows: readonly CsvRow[], change: Partial<CsvStyle> = {}): CsvText {
  const columns = Object.keys(rows[0] ?? plainRow);
  const cells = rows.map((row) => columns.map((column) => row[column] ?? ''));
  return printed(columns, cells, printCsv(columns, cells, { ...plainStyle, ...change }));
}

const plainRow: CsvRow = { 'client-orderid': 'order-1', 'recurring-payment-id': '1234567890', amount: '1.00' };
const withDelimiter: CsvRow = { ...plainRow, 'client-orderid': 'order;1' };

/** 1 to 8 rows, bare or quoted. */
export const validCsvText: fc.Arbitrary<Labelled<CsvText>> = fc
  .tuple(fc.array(validAmountRow, { minLength: 1, maxLength: 8 }), fc.boolean())
  .map(([rows, quoteAll]) =>
    valid(
      csvOf(
        rows.map(({ value }) => value),
        { cells: quoteAll ? 'all' : 'needed' },
      ),
    ),
  );

/** Every named edge once: of the text, then of the rows. */
export const csvTextEdges: readonly Labelled<CsvText>[] = [
  valid(csvOf([plainRow]), 'bare-rows'),
  valid(csvOf([plainRow], { cells: 'all' }), 'quoted-rows'),
  valid(csvOf([withDelimiter]), 'delimiter-in-a-cell'),
  valid(
    csvOf(Array.from({ length: 100 }, (_, at) => ({ ...plainRow, 'client-orderid': `order-${at}` }))),
    'hundred-rows',
  ),
  open('A12', 'crlf', csvOf([plainRow, plainRow], { lineEnd: '\r\n' })),
  open('A12', 'cr', csvOf([plainRow, plainRow], { lineEnd: '\r' })),
  open('A12', 'no-final-line-end', csvOf([plainRow], { finalLineEnd: false })),
  open(
    'A12',
    'empty-last-row',
    retyped(csvOf([plainRow]), (text) => `${text}\n`),
  ),
  open('A12', 'byte-order-mark', csvOf([plainRow], { byteOrderMark: true })),
  open('A12', 'latin-1', latin1(csvOf([{ ...plainRow, 'client-orderid': 'Stra\u00dfe' }]))),
  open('A12', 'no-rows', csvOf([])),
  fault('recurring/csv-delimiter', 'comma', csvOf([plainRow], { delimiter: ',' })),
  fault('recurring/csv-header-quoted', 'bare-header', csvOf([plainRow], { header: 'none' })),
  ...csvRowEdges.map((edge) => ({ ...relabel(edge, (row) => csvOf([row])), edge: `row:${edge.edge}` })),
];

export const edgeCsvText: fc.Arbitrary<Labelled<CsvText>> = drawn(csvTextEdges);

const spoilers: readonly ((row: CsvRow) => Labelled<CsvText>)[] = [
  (row) => fault('recurring/csv-delimiter', 'comma', csvOf([plainly(row)], { delimiter: ',' })),
  (row) => fault('recurring/csv-delimiter', 'tab', csvOf([plainly(row)], { delimiter: '\t' })),
  (row) => fault('recurring/csv-delimiter', 'bar', csvOf([plainly(row)], { delimiter: '|' })),
  (row) => fault('recurring/csv-header-quoted', 'bare-header', csvOf([row], { header: 'none' })),
  (row) => fault('recurring/csv-header-quoted', 'one-bare-name', csvOf([row], { header: 'first-bare' })),
  (row) => fault('recurring/csv-header-quoted', 'single-quotes', csvOf([row], { header: 'single' })),
  (row) =>
    fault(
      'recurring/csv-rows',
      'bare-delimiter-in-a-cell',
      csvOf([{ ...plainly(row), 'client-orderid': 'order;1' }], { cells: 'never' }),
    ),
  (row) =>
    fault(
      'recurring/csv-rows',
      'extra-cell',
      retyped(csvOf([row]), (text) => `${text.slice(0, -1)};more\n`),
    ),
  (row) =>
    fault(
      'recurring/csv-rows',
      'unclosed-quote',
      retyped(csvOf([plainly(row)]), (text) => `${text.slice(0, -1)};"more\n`),
    ),
];

/** A right table spoilt in one way: as text, or in one row. */
export const faultyCsvText: fc.Arbitrary<Labelled<CsvText>> = fc
  .tuple(fc.nat({ max: spoilers.length + 5 }), validAmountRow, faultyCsvRow)
  .map(([draw, row, faultyRow]) =>
    draw < spoilers.length
      ? spoilers[draw]!(row.value)
      : { ...relabel(faultyRow, (value) => csvOf([value])), edge: `row:${faultyRow.edge}` },
  );

/** The row with an order id that needs no quotes whatever the delimiter is. */
function plainly(row: CsvRow): CsvRow {
  return { ...row, 'client-orderid': row['client-orderid']!.replace(/[^A-Za-z0-9]/g, '-') };
}

function retyped(csv: CsvText, change: (text: string) => string): CsvText {
  return printed(csv.columns, csv.rows, change(csv.text));
}

function latin1(csv: CsvText): CsvText {
  return { ...csv, bytes: Buffer.from(csv.text, 'latin1') };
}

function printed(columns: readonly string[], rows: readonly (readonly string[])[], text: string): CsvText {
  return { columns, rows, text, bytes: Buffer.from(text, 'utf8') };
}
