/** The CSV of the recurring batch: `;` as delimiter, names in double quotes (2.3), quoting as in RFC 4180. */
import { CsvError, type Options, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { ProtocolError } from './protocol-error.ts';

/** Input of `encodeCsv`. */
export interface CsvTable {
  /** Names of the columns, in order. */
  readonly columns: readonly string[];
  /** Cells of each row, in the order of the columns. */
  readonly rows: readonly (readonly string[])[];
}

/** Options of `encodeCsv`. The CSV is valid with each of them. */
export interface CsvOptions {
  /** Quote every data cell. By default, only cells that need quotes get them. */
  readonly quoteRows?: boolean;
  /** LF by default. */
  readonly lineEnd?: '\n' | '\r\n';
  /** Write a line end after the last line. Default: true. */
  readonly finalNewline?: boolean;
}

/** Output of `decodeCsv`. */
export interface DecodedCsv {
  /** Names of the columns, without quotes. */
  readonly columns: string[];
  /** Cells of each row, without quotes. */
  readonly rows: string[][];
  /** For each column name: true if it was in double quotes. */
  readonly header: { readonly quoted: boolean[] };
}

/** Writes CSV. Column names are quoted; data cells only if needed or with `quoteRows`. Rows may differ in length. */
export function encodeCsv(table: CsvTable, options: CsvOptions = {}): string {
  const lineEnd = options.lineEnd ?? '\n';
  const shape = { delimiter: ';', record_delimiter: lineEnd };
  const header = stringify([table.columns as string[]], { ...shape, quoted: true, quoted_empty: true });
  const quoted = options.quoteRows ?? false;
  // Quote an empty cell in a table with one column, because without quotes the row would be an empty line.
  const quoted_empty = quoted || table.columns.length === 1;
  const rows = stringify(table.rows as string[][], { ...shape, quoted, quoted_match: /[\r\n]/, quoted_empty });
  const text = header + rows;
  return options.finalNewline === false ? text.slice(0, -lineEnd.length) : text;
}

/** Reads lines with LF or CRLF. Throws `byte-order-mark`, or `malformed-csv`, for example if a row lacks a cell. */
export function decodeCsv(text: string): DecodedCsv {
  if (text.startsWith('\ufeff')) {
    throw new ProtocolError('byte-order-mark', 'the CSV starts with a byte-order mark', {
      hint: 'Write the file as UTF-8 without a byte-order mark.',
    });
  }
  const [header] = parseCells(text, 1);
  if (header === undefined) throw new ProtocolError('malformed-csv', 'the CSV has no header row');
  // RFC 4180 allows a CR without LF only inside quotes.
  const hasReturn = ({ text, quoted }: Cell) => !quoted && text.includes('\r');
  if (/\r(?!\n)/.test(text) && parseCells(text).flat().some(hasReturn)) {
    throw new ProtocolError('malformed-csv', 'a carriage return is in a cell without quotes');
  }
  const [columns = [], ...rows] = read(text, {});
  return { columns, rows, header: { quoted: header.map(({ quoted }) => quoted) } };
}

type Cell = { readonly text: string; readonly quoted: boolean };

/** Like `read`, but twenty times slower, because it also says whether each cell was quoted. */
function parseCells(text: string, to?: number): Cell[][] {
  // The types of `parse` do not allow that `cast` returns objects, but `parse` keeps them.
  const cast = (cell: string, context: { quoting: boolean }): Cell => ({ text: cell, quoted: context.quoting });
  return read(text, { cast: cast as never, to }) as unknown as Cell[][];
}

function read(text: string, options: Options): string[][] {
  try {
    return parse(text, { delimiter: ';', record_delimiter: ['\r\n', '\n'], ...options });
  } catch (cause) {
    const code = cause instanceof CsvError ? cause.code : 'unknown';
    throw new ProtocolError('malformed-csv', `the CSV cannot be read (${code})`, { cause });
  }
}
