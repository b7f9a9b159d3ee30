/** Reads the payments of a `payload`, even of a wrong payload. Separate steps check each fault, so that a defect can skip one step. */
import { isUtf8 } from 'node:buffer';
import { addDecimals, isDecimal } from './decimal.ts';

/** The columns with rules in section 2.3, in the order of that section. */
export const ruledColumns = [
  'client-orderid',
  'recurring-payment-id',
  'amount',
  'amount-from',
  'amount-to',
  'amount-sequence',
] as const;

export type RowRule =
  | 'csv-cells'
  | 'client-orderid'
  | 'client-orderid-length'
  | 'recurring-payment-id'
  | 'recurring-payment-id-length'
  | 'amount'
  | 'amount-numeric'
  | 'amount-length';

export interface Batch {
  /** Base64 of RFC 4648 section 4: standard alphabet, padded, no line breaks. */
  readonly strictBase64: boolean;
  readonly utf8: boolean;
  readonly byteOrderMark: boolean;
  /** Absent if the text is not CSV. */
  readonly header?: { readonly columns: readonly string[]; readonly quoted: readonly boolean[] };
  /** Rules that at least one row breaks. If a column name occurs twice, only the first one counts. */
  readonly broken: ReadonlySet<RowRule>;
  /** Number of rows and sum of their amounts. An amount that is not a decimal counts as zero. */
  readonly payments: { readonly count: number; readonly total: string };
  readonly column: (name: string) => (string | undefined)[];
}

/** Decodes as much of a payload as possible; never throws. Uses the first of `delimiters` that occurs in the header row. */
export function readBatch(payload: string, delimiters: readonly string[] = [';']): Batch {
  // Buffer also accepts base64url, missing padding and line breaks, as a lenient gateway does.
  const bytes = Buffer.from(payload, 'base64');
  const byteOrderMark = bytes.subarray(0, 3).equals(Buffer.from('\uFEFF'));
  const text = bytes.toString('utf8', byteOrderMark ? 3 : 0);
  const strictBase64 = bytes.toString('base64') === payload;
  const [headerRow = ''] = text.split('\n', 1);
  const delimiter = delimiters.find((one) => headerRow.includes(one)) ?? delimiters[0]!;
  return { strictBase64, utf8: isUtf8(bytes), byteOrderMark, ...checkRows(text, delimiter) };
}

function checkRows(text: string, delimiter: string): Pick<Batch, 'header' | 'broken' | 'payments' | 'column'> {
  const notCsv = { broken: new Set<RowRule>(), payments: { count: 0, total: '0' }, column: () => [] };
  const broken = new Set<RowRule>();
  const rows = rowsOf(text, delimiter);
  const { value: first = [] } = rows.next();
  if (first === 'syntax error') return notCsv;
  const header = { columns: first.map((cell) => cell.text), quoted: first.map(({ isQuoted }) => isQuoted) };
  const [orderId, paymentId, amount, from, to, sequence] = ruledColumns.map((name) => header.columns.indexOf(name));
  let [count, total] = [0, '0'];
  for (const row of rows) {
    if (row === 'syntax error') return notCsv;
    const cell = (column: number | undefined) => row[column!]?.text;
    const isLonger = (column: number | undefined, most: number) => [...(cell(column) ?? '')].length > most;
    count++;
    if (row.length !== first.length) broken.add('csv-cells');
    if (cell(orderId) === '') broken.add('client-orderid');
    if (isLonger(orderId, 128)) broken.add('client-orderid-length');
    if (cell(paymentId) === '') broken.add('recurring-payment-id');
    if (isLonger(paymentId, 10)) broken.add('recurring-payment-id-length');
    if (isLonger(amount, 10)) broken.add('amount-length');
    const written = cell(amount);
    if (written) {
      if (isDecimal(written)) total = addDecimals(total, written);
      else broken.add('amount-numeric');
    } else if (!cell(sequence) && !(cell(from) && cell(to))) broken.add('amount');
  }
  const column = (name: string) => {
    const at = header.columns.indexOf(name);
    return Array.from(rowsOf(text, delimiter), (row) => (row as readonly Cell[])[at]?.text).slice(1);
  };
  return { header, broken, payments: { count, total }, column };
}

interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

/**
 * Reads RFC 4180 text with LF or CRLF line ends, up to the first syntax error. Rows can differ in their number of cells. A
 * carriage return without a line feed is part of a cell without quotes.
 */
function* rowsOf(text: string, delimiter: string): Generator<readonly Cell[] | 'syntax error', undefined> {
  const quoted = '"([^"]*(?:""[^"]*)*)"';
  const bare = `[^"\\r\\n${delimiter}]*`;
  const cell = new RegExp(`(?:${quoted}|(${bare}(?:\\r(?!\\n)${bare})*))(\\${delimiter}|\\r?\\n|$)`, 'y');
  for (let row: Cell[] = []; cell.lastIndex < text.length || row.length > 0; ) {
    const [, inQuotes, written = '', end] = cell.exec(text) ?? [];
    if (end === undefined) {
      yield 'syntax error';
      return;
    }
    row.push({ text: inQuotes?.replaceAll('""', '"') ?? written, isQuoted: inQuotes !== undefined });
    if (end === delimiter) continue;
    yield row;
    row = [];
  }
}
