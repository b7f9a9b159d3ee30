/** Reads the payments in a `payload`, and returns each rule that they break, so that a defect can skip one rule. */
import { isUtf8 } from 'node:buffer';

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
  /** True if the base64 follows RFC 4648 section 4: standard alphabet, padding, no line breaks. */
  readonly strictBase64: boolean;
  readonly isUtf8: boolean;
  readonly hasByteOrderMark: boolean;
  readonly header?: Header;
  /** Rules that at least one row breaks. If a column name occurs twice, only the first column counts. */
  readonly broken: ReadonlySet<RowRule>;
  /** Number of rows and sum of their amounts. An amount that is not a decimal counts as zero. */
  readonly payments: { readonly count: number; readonly total: string };
  readonly column: (name: string) => (string | undefined)[];
}

type Header = { readonly columns: readonly string[]; readonly quoted: readonly boolean[] };

/** Decodes as much as possible, and never throws. Uses the first of `delimiters` that occurs in the header row. */
export function readBatch(payload: string, delimiters: readonly string[] = [';']): Batch {
  // Buffer also accepts base64url, missing padding and line breaks, as a lenient gateway does.
  const bytes = Buffer.from(payload, 'base64');
  const hasByteOrderMark = bytes.subarray(0, 3).equals(Buffer.from('\uFEFF'));
  const text = hasByteOrderMark ? bytes.subarray(3) : bytes;
  const strictBase64 = bytes.toString('base64') === payload;
  return { strictBase64, isUtf8: isUtf8(bytes), hasByteOrderMark, ...checkRows(text, delimiterOf(text, delimiters)) };
}

function delimiterOf(text: Buffer, delimiters: readonly string[]): number {
  const codes = delimiters.map((delimiter) => delimiter.charCodeAt(0));
  const end = codes.length < 2 ? 0 : text.indexOf(lineFeed);
  const header = text.subarray(0, end === -1 ? text.length : end);
  return codes.find((delimiter) => header.includes(delimiter)) ?? codes[0]!;
}

/** Works on bytes, because strings for the cells of hundreds of thousands of rows would be slow. */
function checkRows(text: Buffer, delimiter: number): Pick<Batch, 'header' | 'broken' | 'payments' | 'column'> {
  const broken = new Set<RowRule>();
  const sum = newDecimalSum();
  let header: Header = { columns: [], quoted: [] };
  let [orderId, paymentId, amount, from, to, sequence] = ruledColumns.map(() => -1);
  let isHeader = true;
  let count = 0;

  const isCsv = readLines(text, delimiter, (line) => {
    if (isHeader) {
      isHeader = false;
      const indexes = Array.from({ length: line.length }, (_, at) => at);
      header = { columns: indexes.map((at) => line.cell(at)), quoted: indexes.map((at) => line.isQuoted(at)) };
      [orderId, paymentId, amount, from, to, sequence] = ruledColumns.map((name) => header.columns.indexOf(name));
      return;
    }
    count++;
    if (line.length !== header.columns.length) broken.add('csv-cells');
    if (line.isEmpty(orderId!)) broken.add('client-orderid');
    if (line.isLonger(orderId!, 128)) broken.add('client-orderid-length');
    if (line.isEmpty(paymentId!)) broken.add('recurring-payment-id');
    if (line.isLonger(paymentId!, 10)) broken.add('recurring-payment-id-length');
    if (line.isLonger(amount!, 10)) broken.add('amount-length');
    if (line.hasText(amount!)) {
      if (!sum.add(text, line.starts[amount!]!, line.ends[amount!]!)) broken.add('amount-numeric');
    } else if (!line.hasText(sequence!) && !(line.hasText(from!) && line.hasText(to!))) broken.add('amount');
  });
  if (!isCsv) return { broken: new Set(), payments: { count: 0, total: '0' }, column: () => [] };
  const column = (name: string) => {
    const at = header.columns.indexOf(name);
    const cells: (string | undefined)[] = [];
    readLines(text, delimiter, (line) => cells.push(line.has(at) ? line.cell(at) : undefined));
    return cells.slice(1);
  };
  return { header, broken, payments: { count, total: sum.total() }, column };
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A line, as byte offsets of its cells without outer quotes. No UTF-8 is split, because delimiters are ASCII. */
class Line {
  length = 0;
  readonly text: Buffer;
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  constructor(text: Buffer) {
    this.text = text;
  }

  has(column: number): boolean {
    return column >= 0 && column < this.length;
  }

  hasText(column: number): boolean {
    return this.has(column) && this.ends[column]! > this.starts[column]!;
  }

  isEmpty(column: number): boolean {
    return this.has(column) && this.ends[column] === this.starts[column];
  }

  /** Counts Unicode characters. A character has at most four bytes, so most cells need no decoding. */
  isLonger(column: number, characters: number): boolean {
    if (!this.has(column)) return false;
    const bytes = this.ends[column]! - this.starts[column]!;
    return bytes > characters && (bytes > 4 * characters || [...this.cell(column)].length > characters);
  }

  isQuoted(column: number): boolean {
    return this.text[this.starts[column]! - 1] === quote;
  }

  cell(column: number): string {
    const raw = this.text.toString('utf8', this.starts[column], this.ends[column]);
    return this.isQuoted(column) ? raw.replaceAll('""', '"') : raw;
  }
}

/** Reads RFC 4180 text with LF or CRLF. False: a syntax error. `onLine` always gets the same `Line` object. */
function readLines(text: Buffer, delimiter: number, onLine: (line: Line) => void): boolean {
  const line = new Line(text);
  const { starts, ends } = line;
  const endsCell = new Uint8Array(256);
  for (const byte of [delimiter, quote, lineFeed, carriageReturn]) endsCell[byte] = 1;
  for (let at = 0; at < text.length; onLine(line)) {
    line.length = 0;
    for (let more = true; more; ) {
      const inQuotes = text[at] === quote;
      const end = inQuotes ? endOfQuoted(text, at) : endOfUnquoted(text, at, endsCell);
      if (end === -1) return false;
      starts[line.length] = inQuotes ? at + 1 : at;
      ends[line.length++] = inQuotes ? end - 1 : end;
      const next = text[end];
      more = next === delimiter;
      if (!more && next === carriageReturn && text[end + 1] !== lineFeed) return false;
      if (!more && next !== undefined && next !== carriageReturn && next !== lineFeed) return false;
      at = end + (next === carriageReturn ? 2 : 1);
    }
  }
  return true;
}

/** Returns -1 if the cell contains a quote. A carriage return without a line feed is part of the cell. */
function endOfUnquoted(text: Buffer, from: number, mayEnd: Uint8Array): number {
  const { length } = text;
  for (let at = from; ; at++) {
    while (at < length && mayEnd[text[at]!] === 0) at++;
    if (text[at] === quote) return -1;
    if (text[at] !== carriageReturn || text[at + 1] === lineFeed) return at;
  }
}

/** Returns the position after the closing quote, or -1 if there is none. A `""` inside is one quote. */
function endOfQuoted(text: Buffer, from: number): number {
  let at = text.indexOf(quote, from + 1);
  while (at !== -1 && text[at + 1] === quote) at = text.indexOf(quote, at + 2);
  return at === -1 ? -1 : at + 1;
}

/** Adds two decimals such as `10.42`. The sum has as many fractional digits as the longer decimal. */
export function addDecimals(a: string, b: string): string {
  const scale = Math.max(fraction(a).length, fraction(b).length);
  return decimalOf(scaled(a, scale) + scaled(b, scale), scale);
}

/** Adds decimals directly from bytes, because a batch can have hundreds of thousands of decimals. */
function newDecimalSum() {
  const byScale: { exact: bigint; small: number }[] = [];
  return {
    add: (text: Buffer, start: number, end: number): boolean => {
      let units = 0;
      let scale = -1;
      for (let at = start; at < end; at++) {
        const digit = text[at]! - 0x30;
        if (digit >= 0 && digit <= 9) {
          units = units * 10 + digit;
          if (scale !== -1) scale++;
        } else if (digit === -2 && scale === -1 && at > start) scale = 0;
        else return false;
      }
      if (scale === 0 || start === end) return false;
      const places = Math.max(scale, 0);
      byScale[places] ??= { exact: 0n, small: 0 };
      const sum = byScale[places];
      // With up to 15 characters, a number is exact, and much faster than a bigint.
      if (end - start > 15) sum.exact += scaled(text.toString('latin1', start, end), places);
      else sum.small += units;
      if (sum.small < 2 ** 52) return true;
      sum.exact += BigInt(sum.small);
      sum.small = 0;
      return true;
    },
    total: (): string =>
      byScale.reduce((sum, { exact, small }, scale) => addDecimals(sum, decimalOf(exact + BigInt(small), scale)), '0'),
  };
}

/** Rounds half up to two fractional digits, as in the totals of section 2.2. */
export function roundAmount(amount: string): string {
  const scale = Math.max(fraction(amount).length, 2);
  const unit = 10n ** BigInt(scale - 2);
  return decimalOf((scaled(amount, scale) + unit / 2n) / unit, 2);
}

function fraction(amount: string): string {
  return amount.split('.')[1] ?? '';
}

function scaled(amount: string, scale: number): bigint {
  return BigInt(amount.split('.')[0] + fraction(amount).padEnd(scale, '0'));
}

function decimalOf(value: bigint, scale: number): string {
  const digits = value.toString().padStart(scale + 1, '0');
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
