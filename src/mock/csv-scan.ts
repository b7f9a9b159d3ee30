/**
 * The rules on the rows of a batch, checked byte by byte as these arrive: which of them is broken, how many payments, their sum.
 *
 * It says what the steps of a batch say of the table that `readTable` makes of the whole text, without a string for a cell: the
 * characters of structure are ASCII, so bytes divide valid UTF-8 as characters divide text, and a character is counted by its first
 * byte. A row costs about as much as copying it once. Only the header is kept, and read by `readTable`.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { readTable, type Table } from './csv.ts';
import { newDecimalSum } from './decimal.ts';
import {
  amount,
  carriageReturn,
  endOfBare,
  ends,
  hasAmount,
  lengthRules,
  lineFeed,
  longestOf,
  orderId,
  paymentId,
  quote,
  type RowRule,
  ruledColumns,
  semicolon,
  takePlainRows,
} from './plain-rows.ts';

/** What a scan found. */
export interface CsvScan {
  readonly utf8: boolean;
  readonly byteOrderMark: boolean;
  /** The header alone; absent where the text is not CSV. */
  readonly table?: Table;
  /** Rules that some row breaks. */
  readonly broken: ReadonlySet<RowRule>;
  readonly payments: { readonly count: number; readonly total: string };
}

/** @param isActive whether a payment can be started from the profile; absent where every id of a right length names one */
export function newCsvScan(isActive?: (id: string) => boolean): {
  readonly push: (bytes: Uint8Array) => void;
  readonly end: () => CsvScan;
} {
  const broken = new Set<RowRule>();
  let header: Buffer[] | undefined = [];
  let table: Table | undefined;
  let quotes = 0;
  let [utf8, isCsv, start, tail] = [true, true, Buffer.alloc(0), Buffer.alloc(0)];

  // A row: whether it has begun, its column, which kinds have text in it.
  let [inRow, column, present, rows] = [false, 0, 0, 0];
  let columnKinds: number[] = [];
  // A cell: where in it the last byte was, its kind, its characters, and the amount that it may be.
  let [place, kind, length]: [Place, number, number] = ['start', -1, 0];
  let [digits, fraction, whole, decimal] = [0, -1, 0, true];
  let id: number[] = [];
  const sum = newDecimalSum();

  return { push, end };

  function push(bytes: Uint8Array): void {
    if (start.length < 3) start = Buffer.concat([start, bytes.subarray(0, 3)]);
    if (utf8) checkUtf8(bytes);
    if (!utf8 || !isCsv) return;
    if (header === undefined) scan(bytes);
    else readHeader(bytes);
  }

  /** A character that is cut by the end of the chunk is looked at with the next one. */
  function checkUtf8(bytes: Uint8Array): void {
    if (tail.length === 0 && isAscii(bytes)) return;
    const all = Buffer.concat([tail, bytes]);
    let cut = all.length;
    while (cut > 0 && all.length - cut < 3 && (all[cut - 1]! & 0xc0) === 0x80) cut--;
    const lead = cut > 0 ? all[cut - 1]! : 0;
    const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    cut = wanted > all.length - cut + 1 ? cut - 1 : all.length;
    utf8 = isUtf8(all.subarray(0, cut));
    tail = all.subarray(cut);
  }

  /** The header ends at the first line feed that is not between quotes. */
  function readHeader(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      const byte = bytes[at++]!;
      if (byte === quote) quotes++;
      else if (byte === lineFeed && quotes % 2 === 0) {
        closeHeader(bytes, at);
        return;
      }
    }
    header!.push(Buffer.from(bytes));
  }

  function closeHeader(bytes: Uint8Array, at: number): void {
    table = readTable(Buffer.concat([...header!, bytes.subarray(0, at)]).toString('utf8'));
    header = undefined;
    isCsv = table !== undefined;
    if (table === undefined) return;
    const { columns } = table;
    columnKinds = columns.map((name, index) => (columns.indexOf(name) === index ? ruledColumns.indexOf(name) : -1));
    scan(bytes.subarray(at));
  }

  function scan(bytes: Uint8Array): void {
    const ascii = isAscii(bytes);
    let at = 0;
    while (at < bytes.length && isCsv) {
      if (place === 'start') {
        if (!inRow && isActive === undefined) {
          const taken = takePlainRows(bytes, at, columnKinds, sum);
          rows += taken.rows;
          at = taken.end;
          if (at === bytes.length) break;
        }
        inRow = true;
        kind = columnKinds[column] ?? -1;
        place = bytes[at] === quote ? 'quoted' : 'bare';
        if (place === 'quoted') {
          at++;
          continue;
        }
      }
      const begin = at;
      if (place === 'bare') at = endOfBare(bytes, at);
      else if (place === 'quoted') while (at < bytes.length && bytes[at] !== quote) at++;
      if (at > begin) text(bytes, begin, at, ascii);
      if (at < bytes.length) structure(bytes[at++]!);
    }
  }

  /** A byte that may end the cell, or any byte after a closing quote or a carriage return. */
  function structure(byte: number): void {
    if (place === 'quoted') place = 'closed';
    else if (place === 'return' && byte === lineFeed) endCell(true);
    else if (place === 'return' || place === 'closed return') {
      if (place === 'closed return') isCsv = byte === lineFeed;
      // A lone carriage return belongs to a cell without quotes; the byte after it is looked at by itself.
      else {
        text(loneReturn, 0, 1, true);
        place = 'bare';
        if (ends[byte] === 0) text(Uint8Array.of(byte), 0, 1, false);
        else structure(byte);
        return;
      }
      if (isCsv) endCell(true);
    } else if (byte === semicolon) endCell(false);
    else if (byte === lineFeed) endCell(true);
    else if (byte === carriageReturn) place = place === 'closed' ? 'closed return' : 'return';
    else if (byte === quote && place === 'closed') {
      text(oneQuote, 0, 1, true);
      place = 'quoted';
    } else isCsv = false;
  }

  function text(bytes: Uint8Array, begin: number, end: number, ascii: boolean): void {
    if (kind === -1) return;
    if (ascii) length += end - begin;
    else for (let at = begin; at < end; at++) if ((bytes[at]! & 0xc0) !== 0x80) length++;
    present |= 1 << kind;
    if (kind === amount) readAmount(bytes, begin, end);
    else if (kind === paymentId && isActive !== undefined && id.length < 64)
      id.push(...bytes.subarray(begin, end).subarray(0, 64));
  }

  /** Digits, and a point only between digits; a number of more digits than ten is refused for its length. */
  function readAmount(bytes: Uint8Array, begin: number, end: number): void {
    for (let at = begin; at < end; at++) {
      const digit = bytes[at]! - 0x30;
      if (digit >= 0 && digit <= 9) {
        digits++;
        if (fraction !== -1) fraction++;
        if (digits < 11) whole = whole * 10 + digit;
      } else if (digit === -2 && fraction === -1 && digits > 0) fraction = 0;
      else decimal = false;
    }
  }

  function endCell(endsRow: boolean): void {
    if (kind !== -1) {
      judgeCell();
      length = 0;
    }
    place = 'start';
    column++;
    if (endsRow) endRow();
  }

  function judgeCell(): void {
    if (length > longestOf[kind]!) broken.add(lengthRules[kind]!);
    if (kind === amount) {
      if (length > 0) addAmount();
    } else if (kind === orderId || kind === paymentId) {
      if (length === 0) broken.add(kind === orderId ? 'client-orderid' : 'recurring-payment-id');
      if (kind === paymentId && isActive !== undefined) {
        if (!isActive(Buffer.from(id).toString('utf8'))) broken.add('profile');
        id = [];
      }
    }
  }

  function addAmount(): void {
    if (!decimal || fraction === 0) broken.add('amount-numeric');
    else if (length <= 10) sum.add(whole, Math.max(fraction, 0));
    digits = 0;
    fraction = -1;
    whole = 0;
    decimal = true;
  }

  function endRow(): void {
    rows++;
    if (column !== columnKinds.length) broken.add('csv-cells');
    if (!hasAmount(present)) broken.add('amount');
    inRow = false;
    column = 0;
    present = 0;
  }

  function end(): CsvScan {
    if (tail.length > 0) utf8 = false;
    if (utf8 && isCsv && header !== undefined) closeHeader(Buffer.alloc(0), 0);
    if (place === 'return') {
      text(loneReturn, 0, 1, true);
      place = 'bare';
    }
    if (place === 'quoted' || place === 'closed return') isCsv = false;
    if (place === 'start') kind = columnKinds[column] ?? -1;
    if (isCsv && inRow) endCell(true);
    if (rows === 0) broken.add('csv-rows');
    return {
      utf8,
      byteOrderMark: start.length >= 3 && start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf,
      table: isCsv ? table : undefined,
      broken,
      payments: { count: rows, total: sum.total() },
    };
  }
}

/** `return` and `closed return`: after a carriage return that may be half of a line end. */
type Place = 'start' | 'bare' | 'quoted' | 'closed' | 'return' | 'closed return';

const loneReturn = Uint8Array.of(carriageReturn);
const oneQuote = Uint8Array.of(quote);
