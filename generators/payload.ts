/** The form body of a batch request (4.2): the parameter payload, a CSV in base64 whose rows are payments (2.3). */
import * as fc from 'fast-check';
import { amounts } from './amount.ts';
import { clientOrderids, printableClientOrderid } from './client-orderid.ts';
import { type AtGateway, anyOf, fault, type Labelled, open, relabel, tableFault, valid } from './labelled.ts';
import { recurringPaymentIds } from './recurring-payment-id.ts';

export type CsvRow = Readonly<Record<string, string>>;
export type PaymentRow = Readonly<Record<'client-orderid' | 'recurring-payment-id' | 'amount', string>>;

/** The default row. Edge cases and faults are changed copies of this row. */
export const plainRow: PaymentRow = {
  'client-orderid': 'order-1',
  'recurring-payment-id': '1234567890',
  amount: '1.00',
};

export const paymentRows: fc.Arbitrary<Labelled<PaymentRow>> = paymentRowOf(clientOrderids.valid);

function paymentRowOf(orders: fc.Arbitrary<Labelled<string>>): fc.Arbitrary<Labelled<PaymentRow>> {
  return fc
    .tuple(orders, recurringPaymentIds.valid, amounts.valid)
    .map(([order, { value: profile }, { value: amount }]) =>
      relabel(order, (text) => ({ 'client-orderid': text, 'recurring-payment-id': profile, amount })),
    );
}

/** Rows with each form of the amount. All amounts in a row are equal: no rule says what different amounts mean. */
export function amountFormEdges(row: PaymentRow): readonly Labelled<CsvRow>[] {
  const { amount, ...ids } = row;
  const range = { 'amount-from': amount, 'amount-to': amount };
  return [
    valid(row, 'amount'),
    open('A15', 'amount-range', { ...ids, ...range }),
    open('A15', 'amount-sequence', { ...ids, 'amount-sequence': amount }),
    open('A15', 'amount-and-range', { ...row, ...range }),
    open('A15', 'amount-and-sequence', { ...row, 'amount-sequence': amount }),
    open('A15', 'range-and-sequence', { ...ids, ...range, 'amount-sequence': amount }),
    open('A15', 'empty-amount-beside-range', { ...ids, amount: '', ...range }),
    ...withoutAmount(ids),
  ];
}

function oddCsvRowOf(row: PaymentRow, orderId: (text: string) => string): fc.Arbitrary<Labelled<CsvRow>> {
  return fc
    .oneof(
      { weight: 4, arbitrary: clientOrderids.odd.map((cell) => replaceCell('client-orderid')(relabel(cell, orderId))) },
      { weight: 1, arbitrary: recurringPaymentIds.odd.map(replaceCell('recurring-payment-id')) },
      { weight: 1, arbitrary: amounts.odd.map(replaceCell('amount')) },
    )
    .map((change) => change(row));
}

function faultyCsvRowOf(rows: fc.Arbitrary<PaymentRow>): fc.Arbitrary<Labelled<CsvRow>> {
  return fc
    .tuple(
      rows,
      fc.oneof(
        clientOrderids.faulty.map(replaceCell('client-orderid')),
        recurringPaymentIds.faulty.map(replaceCell('recurring-payment-id')),
        amounts.faulty.map(replaceCell('amount')),
        fc.constantFrom(removeColumn('client-orderid'), removeColumn('recurring-payment-id')),
        fc.nat({ max: 4 }).map(
          (at) =>
            ({ amount: _, ...ids }: CsvRow) =>
              withoutAmount(ids as CsvRow)[at]!,
        ),
      ),
    )
    .map(([row, toFault]) => toFault(row));
}

function withoutAmount(ids: CsvRow): readonly Labelled<CsvRow>[] {
  const rule = 'recurring/amount-conditional';
  return [
    // Not a `tableFault`, because the client plan already tests tables without the column `amount`.
    fault(rule, 'no-amount', ids),
    tableFault(rule, 'empty-amount', { ...ids, amount: '' }),
    // A client must not send a range with one limit. The document does not say what a gateway answers (A15).
    tableFault(rule, 'amount-from-alone', { ...ids, 'amount-from': '1.00' }, 'A15'),
    tableFault(rule, 'amount-to-alone', { ...ids, 'amount-to': '1.00' }, 'A15'),
    fault(rule, 'empty-amount-to', { ...ids, 'amount-from': '1.00', 'amount-to': '' }, 'A15'),
  ];
}

function replaceCell(column: string): (cell: Labelled<string>) => (row: CsvRow) => Labelled<CsvRow> {
  return (cell) => (row) => ({
    ...relabel(cell, (value) => ({ ...row, [column]: value })),
    edge: `${column}:${cell.edge}`,
  });
}

function removeColumn(column: 'client-orderid' | 'recurring-payment-id'): (row: CsvRow) => Labelled<CsvRow> {
  return (row) => {
    const { [column]: _, ...rest } = row;
    return fault(`recurring/${column}-present`, `no-${column}`, rest as CsvRow);
  };
}

interface CsvText {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly text: string;
  /** The text in UTF-8, or in Latin-1 for the edge case `latin-1`. */
  readonly bytes: Uint8Array;
}

export interface CsvStyle {
  readonly delimiter: string;
  /** The document allows only `all`: each name in double quotes. */
  readonly header: 'all' | 'none' | 'first-bare' | 'last-bare' | 'single';
  /** `needed`: quotes only cells that contain a delimiter, quote or line end. `never`: quotes no cell. */
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
  return csvTextOf(columns, cells, printCsv(columns, cells, { ...plainStyle, ...change }));
}

export function csvFormEdges(row: PaymentRow): readonly Labelled<CsvText>[] {
  const rowWith = (suffix: string): CsvRow => ({ ...row, 'client-orderid': `${row['client-orderid']}${suffix}` });
  return [
    valid(csvOf([row]), 'bare-rows'),
    open('A12', 'quoted-rows', csvOf([row], { cells: 'all' })),
    open('A12', 'delimiter-in-a-cell', csvOf([rowWith(';1')])),
    open('A12', 'crlf', csvOf([row, rowWith('-2')], { lineEnd: '\r\n' })),
    open('A12', 'cr', csvOf([row, rowWith('-2')], { lineEnd: '\r' })),
    open('A12', 'no-final-line-end', csvOf([row], { finalLineEnd: false })),
    open('A12', 'empty-last-row', replaceEnd(csvOf([row]), 0, '\n')),
    open('A12', 'byte-order-mark', csvOf([row], { byteOrderMark: true })),
    open('A12', 'latin-1', toLatin1(csvOf([rowWith('\u00df')]))),
    open('A12', 'no-rows', csvOf([])),
    fault('recurring/csv-delimiter', 'comma', csvOf([row], { delimiter: ',' })),
    fault('recurring/csv-header-quoted', 'bare-header', csvOf([row], { header: 'none' })),
  ];
}

const csvFaultMakers: readonly ((row: CsvRow) => Labelled<CsvText>)[] = [
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
  (row) => fault('recurring/csv-rows', 'extra-cell', replaceEnd(csvOf([row]), 1, ';more\n')),
  (row) => fault('recurring/csv-rows', 'unclosed-quote', replaceEnd(csvOf([row]), 1, ';"more\n')),
];

function faultyCsvTextOf(rows: fc.Arbitrary<PaymentRow>): fc.Arbitrary<Labelled<CsvText>> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...csvFaultMakers), rows).map(([toFault, row]) => toFault(row)) },
    {
      weight: 2,
      arbitrary: faultyCsvRowOf(rows).map(asText),
    },
  );
}

function asText(row: Labelled<CsvRow>): Labelled<CsvText> {
  return { ...relabel(row, (value) => csvOf([value])), edge: `row:${row.edge}` };
}

/** Batches of the given rows with one fault each. */
export function csvFaults(rows: readonly CsvRow[]): readonly Labelled<CsvText>[] {
  const csv = csvOf(rows);
  const textFault = (rule: 'csv-header-quoted' | 'csv-rows', edge: string, change: (text: string) => string) =>
    fault(`recurring/${rule}`, edge, csvTextOf(csv.columns, csv.rows, change(csv.text)));
  const quoteFault = (marks: string, left: string, end: string) =>
    textFault('csv-header-quoted', `column names in ${marks}`, (text) => text.replace(/"([^"]*)"/g, `${left}$1${end}`));
  return [
    fault('recurring/csv-delimiter', 'a comma as delimiter', csvOf(rows, { delimiter: ',' })),
    fault('recurring/csv-delimiter', 'a tab as delimiter', csvOf(rows, { delimiter: '\t' })),
    textFault('csv-header-quoted', 'no header row', (text) => text.slice(text.indexOf('\n') + 1)),
    fault('recurring/csv-header-quoted', 'column names without quotes', csvOf(rows, { header: 'none' })),
    fault('recurring/csv-header-quoted', 'one column name without quotes', csvOf(rows, { header: 'first-bare' })),
    fault('recurring/csv-header-quoted', 'the last column name without quotes', csvOf(rows, { header: 'last-bare' })),
    quoteFault('single quotes', "'", "'"),
    quoteFault('grave accents', '`', '`'),
    quoteFault('typographic quotes', '\u201c', '\u201d'),
    // One fault is in the first row and one in the last row, because some gateways check only one of these rows.
    textFault('csv-rows', 'a row one cell short', (text) => text.replace(/^([^"].*);.*$/m, '$1')),
    textFault('csv-rows', 'a row one cell long', (text) => text.replace(/\n$/, ';1.00$&')),
  ];
}

function replaceEnd({ columns, rows, text }: CsvText, characters: number, end: string): CsvText {
  return csvTextOf(columns, rows, text.slice(0, text.length - characters) + end);
}

function toLatin1(csv: CsvText): CsvText {
  return { ...csv, bytes: Buffer.from(csv.text, 'latin1') };
}

function csvTextOf(columns: readonly string[], rows: readonly (readonly string[])[], text: string): CsvText {
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
      const bareIndex = header === 'first-bare' ? 0 : header === 'last-bare' ? columns.length - 1 : undefined;
      if (header === 'none' || at === bareIndex) return name;
      return header === 'single' ? `'${name}'` : quote(name);
    })
    .join(delimiter);
}

function printRow(cells: readonly string[], style: CsvStyle): string {
  return cells
    .map((cell) => {
      if (style.cells === 'never') return cell;
      const needsQuotes = cell.includes(style.delimiter) || /["\r\n]/.test(cell);
      return needsQuotes || style.cells === 'all' ? quote(cell) : cell;
    })
    .join(style.delimiter);
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

export interface PayloadSample {
  /** Names and values before form encoding. */
  readonly form: readonly (readonly [name: string, value: string])[];
  readonly csv: CsvText;
}

/** Valid bodies whose base64 has no `+` or `/`. A gateway may refuse order ids that cause these characters (A37). */
export const payloads: fc.Arbitrary<Labelled<PayloadSample>> = fc
  .array(paymentRows, { minLength: 1, maxLength: 2 })
  .map((rows) => valid(bodyOf(csvOf(rows.map(({ value }) => value)))));

/** Bodies whose base64 has + and /. A client must be able to send these. A gateway may refuse their order ids (A37). */
export const plusAndSlashPayload: fc.Arbitrary<Labelled<PayloadSample>> = fc
  .tuple(fc.array(paymentRowOf(printableClientOrderid), { minLength: 1, maxLength: 4 }), fc.nat({ max: 2 }))
  .map(([rows, padding]) => {
    const values = rows.map(({ value }) => value);
    return open('A37', 'plus-and-slash', bodyOf(withPlusAndSlash(values, padding)));
  });

/** Three bodies of one valid row. Their base64 ends with 0, 1 and 2 padding characters. */
export function paddingEdges(row: PaymentRow): readonly Labelled<PayloadSample>[] {
  return [0, 1, 2].map((padding) => valid(bodyOf(paddedCsv(row, padding)), `padding-${padding}`));
}

export function payloadFormEdges(row: PaymentRow): readonly Labelled<PayloadSample>[] {
  const formEdge = (edge: string, csv: CsvText, change: (base64: string) => string) =>
    open('A16', edge, bodyOf(csv, change));
  return [
    ...paddingEdges(row),
    ...[0, 1, 2].map((padding) =>
      open('A37', `padding-${padding}-with-plus-and-slash`, bodyOf(withPlusAndSlash([], padding, row))),
    ),
    formEdge('url-safe-alphabet', withPlusAndSlash([], 0, row), (text) =>
      text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    ),
    formEdge('without-padding', paddedCsv(row, 2), (text) => text.replace(/=+$/, '')),
    formEdge('wrapped-at-76-with-line-feeds', paddedCsv(row, 1), (text) => wrapLines(text, 76, '\n')),
    formEdge('wrapped-at-64-with-line-ends', paddedCsv(row, 1), (text) => wrapLines(text, 64, '\r\n')),
    formEdge('line-feed-at-the-end', paddedCsv(row, 1), (text) => `${text}\n`),
    ...csvFormEdges(row).map(asBody),
  ];
}

/** Bodies with `row` in an unusual form or with an unusual cell. `orderId` changes each drawn order id before use. */
export function oddPayloadOf(
  row: PaymentRow,
  orderId: (drawn: string) => string = (drawn) => drawn,
): fc.Arbitrary<Labelled<PayloadSample>> {
  return fc.oneof(
    { weight: 1, arbitrary: anyOf(payloadFormEdges(row)) },
    { weight: 3, arbitrary: oddCsvRowOf(row, orderId).map((odd) => asBody(asText(odd))) },
  );
}

type FaultMaker = (csv: CsvText, row: PaymentRow) => Labelled<PayloadSample>;

const faultMakers: readonly FaultMaker[] = [
  (_, row) => {
    const body = bodyOf(withPlusAndSlash([], 1, row), (text) => text.replaceAll('+', ' '));
    return fault('recurring/payload-escaped', 'plus-became-a-space', body);
  },
  valueFault('plain-csv', (_, csv) => csv.text),
  valueFault('hexadecimal', (_, { bytes }) => Buffer.from(bytes).toString('hex')),
  valueFault('encoded-twice', (text) => Buffer.from(text).toString('base64')),
  valueFault('data-uri', (text) => `data:text/csv;base64,${text}`),
  valueFault('percent-encoded', (text) => encodeURIComponent(text)),
  valueFault('empty', () => '', 'recurring/missing-payload-refused'),
  formFault('no-payload', () => [], 'recurring/missing-payload-refused'),
  formFault('other-name', (text) => [['Payload', text]]),
  formFault('extra-parameter', (text) => Object.entries({ payload: text, format: 'csv' })),
  formFault('payload-twice', (text) => ['payload', 'payload'].map((name) => [name, text])),
];

function valueFault(edge: string, change: (base64: string, csv: CsvText) => string, atGateway?: AtGateway): FaultMaker {
  return (csv) =>
    fault('recurring/payload-base64', edge, { form: [['payload', change(base64(csv), csv)]], csv }, atGateway);
}

function formFault(edge: string, form: (base64: string) => PayloadSample['form'], atGateway?: AtGateway): FaultMaker {
  return (csv) => fault('recurring/payload-only', edge, { form: form(base64(csv)), csv }, atGateway);
}

export function faultyPayloadOf(rows: fc.Arbitrary<PaymentRow>): fc.Arbitrary<Labelled<PayloadSample>> {
  return fc.oneof(
    // Padding 1 or 2: without an `=` at the end of the base64 text, the fault `percent-encoded` may change nothing.
    fc
      .tuple(fc.constantFrom(...faultMakers), rows, fc.integer({ min: 1, max: 2 }))
      .map(([toFault, row, padding]) => toFault(paddedCsv(row, padding), row)),
    faultyCsvTextOf(rows).map(asBody),
  );
}

function asBody(csv: Labelled<CsvText>): Labelled<PayloadSample> {
  return { ...relabel(csv, (text) => bodyOf(text)), edge: `csv:${csv.edge}` };
}

function bodyOf(csv: CsvText, change = (base64: string) => base64): PayloadSample {
  return { form: [['payload', change(base64(csv))]], csv };
}

function base64(csv: CsvText): string {
  return Buffer.from(csv.bytes).toString('base64');
}

function paddedCsv(row: PaymentRow, padding: number): CsvText {
  // Cut the order id to 126 characters, because padding adds up to two and the limit is 128 (section 8).
  const order = row['client-orderid'].slice(0, 126);
  return fillCsv((fill) => [{ ...row, 'client-orderid': order + 'x'.repeat(fill) }], padding);
}

/** Adds a row with `>>>???` in its order id. In base64, `>>>` always causes a `+`, and `???` always causes a `/`. */
function withPlusAndSlash(rows: readonly CsvRow[], padding: number, row: PaymentRow = plainRow): CsvText {
  const mark = row === plainRow ? '' : row['client-orderid'].slice(0, 64);
  return fillCsv((fill) => [{ ...row, 'client-orderid': `${mark}>>>???${'x'.repeat(fill)}` }, ...rows], padding);
}

function fillCsv(rowsOf: (fill: number) => readonly CsvRow[], padding: number): CsvText {
  const bytesInLastGroup = (3 - padding) % 3;
  const remainder = csvOf(rowsOf(0)).bytes.length % 3;
  return csvOf(rowsOf((bytesInLastGroup - remainder + 3) % 3));
}

function wrapLines(text: string, columns: number, lineEnd: string): string {
  return text.match(new RegExp(`.{1,${columns}}`, 'g'))!.join(lineEnd);
}
