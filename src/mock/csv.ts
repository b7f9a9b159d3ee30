/** Reads the CSV of 2.3 leniently, with its uneven rows: the mock's steps refuse them, not its reader. */

export interface Table {
  readonly columns: readonly string[];
  /** For each column name whether it was in double quotes. */
  readonly quoted: readonly boolean[];
  /** As long as each row is. */
  readonly rows: readonly (readonly string[])[];
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * The table of a text whose quotes are balanced (RFC 4180, lines ended by LF or CRLF); undefined for any other text.
 * One pass and no more: a batch may have hundreds of thousands of rows, and the gateway has other requests to answer.
 */
export function readTable(text: string, delimiter = ';'): Table | undefined {
  const separator = delimiter.charCodeAt(0);
  const header: { columns: string[]; quoted: boolean[] } = { columns: [], quoted: [] };
  const rows: string[][] = [];
  let at = 0;
  for (let line = 0; at < text.length; line++) {
    const cells: string[] = line === 0 ? header.columns : [];
    if (line > 0) rows.push(cells);
    for (let more = true; more; ) {
      const inQuotes = text.charCodeAt(at) === quote;
      const end = inQuotes ? endOfQuotes(text, at) : endOfBare(text, at, separator);
      if (end === -1) return undefined;
      cells.push(inQuotes ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end));
      if (line === 0) header.quoted.push(inQuotes);
      const next = text.charCodeAt(end);
      more = next === separator;
      if (!more && next === carriageReturn && text.charCodeAt(end + 1) !== lineFeed) return undefined;
      if (!more && !Number.isNaN(next) && next !== carriageReturn && next !== lineFeed) return undefined;
      at = end + (next === carriageReturn ? 2 : 1);
    }
  }
  return { ...header, rows };
}

/** Where a cell without quotes ends; -1 where a quote is in it. A lone carriage return belongs to it. */
function endOfBare(text: string, from: number, separator: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === separator || unit === lineFeed) return at;
    if (unit === carriageReturn && text.charCodeAt(at + 1) === lineFeed) return at;
    if (unit === quote) return -1;
  }
  return text.length;
}

/** Where a quoted cell ends, its quotes included; -1 where it does not. Two quotes in it stand for one. */
function endOfQuotes(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at !== -1 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2);
  return at === -1 ? -1 : at + 1;
}
