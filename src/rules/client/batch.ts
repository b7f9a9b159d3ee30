/** The repaired batch of a request, and its differences from the input of the client. */
import { utf8Text } from '../../protocol/index.ts';
import type { ClientCase, RecurringInput } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { groupBy } from '../../record/group-by.ts';
import { memoizeLast } from '../../record/memoize.ts';
import { pluralize } from '../../record/pluralize.ts';
import { numberKey } from '../numbers.ts';
import { recurringInput } from './inputs.ts';
import { readRequest } from './reading.ts';

export interface SentBatch {
  readonly csv: CsvReading;
  /** The names of the columns. Misspelled names are replaced by documented names. */
  readonly columns: readonly string[];
  /** The cells of each row. A row is undefined if it has too many or too few cells. */
  readonly rows: readonly (readonly string[] | undefined)[];
  readonly headerFaults: readonly string[];
  readonly hasBareNames: boolean;
  /** Allowed columns that are not in the input: client-orderid, undocumented columns, and columns without values. */
  readonly extraColumns: readonly string[];
  readonly rowFaults: readonly string[];
  /** Cells that differ from the input. Empty if the input is unknown or the rows cannot be paired. */
  readonly differences: readonly CellDifference[];
}

export interface CellDifference {
  readonly row: number;
  readonly column: string;
  readonly expected: string;
  readonly sent: string;
  /** True if only characters outside ASCII differ, because the client used another charset. */
  readonly charsetOnly: boolean;
}

/** The batch of a request. Undefined if its payload cannot be decoded. */
export function batchOf(testCase: ClientCase, exchange: Exchange): SentBatch | undefined {
  const cached = batches(exchange);
  if (!cached.has(testCase)) {
    const bytes = readRequest(exchange).payload?.bytes;
    cached.set(testCase, bytes === undefined ? undefined : readBatch(readCsv(bytes), recurringInput(testCase)));
  }
  return cached.get(testCase);
}

const batches = memoizeLast((_: Exchange) => new Map<ClientCase, SentBatch | undefined>());

function readBatch(csv: CsvReading, input: RecurringInput | undefined): SentBatch {
  const { columns: sentColumns, body, headerFaults, hasBareNames } = readColumns(csv, input?.columns);
  const namesMoved = input !== undefined && hasMovedNames(sentColumns, body, input);
  const columns = namesMoved ? input.columns : sentColumns;
  const rowFaults = [...csv.quoteFaults, ...(namesMoved ? ['column names in another order than their cells'] : [])];
  const readRows = body.flatMap((cells, index) => {
    if (cells.length === columns.length) return [cells.map(({ text }) => text)];
    if (cells.length === 1 && cells[0]!.text === '' && !cells[0]!.quoted) {
      rowFaults.push('a blank row');
      return [];
    }
    const [text] = cells.map((cell) => cell.text).filter((one) => /[\0-\x1f\x7f\p{Cf}]/u.test(one));
    const sizes = `${pluralize(cells.length, 'cell')} under ${pluralize(columns.length, 'name')}`;
    const fault = `row ${index + 1} with ${sizes}`;
    rowFaults.push(text === undefined ? fault : `${fault}, and with ${charactersIn(text)}`);
    return [undefined];
  });
  const rows = orderLikeInput(columns, readRows, input);
  const missing = (input?.columns ?? []).filter((name) => !columns.includes(name));
  const added = input === undefined ? [] : columns.filter((name) => !input.columns.includes(name));
  const extraColumns = added.filter((name) => mayAdd(name, columns.indexOf(name), rows));
  const invented = added.filter((name) => !extraColumns.includes(name));
  if (invented.length > 0) headerFaults.push(`a column ${namesOf(invented)} that was not given`);
  // If a documented column is missing, another requirement reports this. So report only undocumented columns here.
  const missingOthers = missing.filter((name) => !knownColumns.includes(name));
  if (missingOthers.length > 0) headerFaults.push(`no column ${missingOthers.join(', ')}`);
  if (input !== undefined && rows.length !== input.rows.length && rowFaults.length === 0) {
    rowFaults.push(`${pluralize(rows.length, 'row')} for ${pluralize(input.rows.length, 'payment')}`);
  }
  return {
    csv,
    columns,
    rows,
    headerFaults,
    hasBareNames,
    extraColumns,
    rowFaults,
    differences: differencesOf(columns, rows, input, csv.charsetFaults.length > 0),
  };
}

function formatLine(line: string): string {
  if (line === '') return 'an empty line';
  const beginning = line.length > 40 ? `${line.slice(0, 40)}…` : line;
  if (/^"?sep=/i.test(line)) return `a spreadsheet's line ${beginning}`;
  return `${/^(?:#|\/\/)/.test(line) ? 'the comment' : 'the line'} ${beginning}`;
}

const invisible: Readonly<Record<string, string>> = {
  '\0': ', perhaps the unused rest of a buffer',
  '\x1a': ' (Ctrl-Z), the end of a file in DOS',
  '\ufeff': ', a byte-order mark',
  '\f': ', a form feed',
};

function charactersIn(text: string): string {
  const [first] = /[\0-\x1f\x7f\p{Cf}]/u.exec(text)!;
  const times = [...text].filter((one) => one === first).length;
  const code = `U+${first.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}${invisible[first] ?? ''}`;
  return times === 1 ? code : `${times} times ${code}`;
}

function mayAdd(name: string, at: number, rows: SentBatch['rows']): boolean {
  const isOpen = name === 'client-orderid' || !knownColumns.includes(name);
  return isOpen || rows.every((cells) => cells === undefined || cells[at] === '');
}

function hasMovedNames(sentColumns: readonly string[], body: CsvReading['rows'], input: RecurringInput): boolean {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  if (same(sentColumns, input.columns) || !same([...sentColumns].sort(), [...input.columns].sort())) return false;
  return same(
    body.map((cells) => cells.map(({ text }) => text)),
    input.rows.map((row) => row.map((cell) => cell ?? '')),
  );
}

function readColumns(csv: CsvReading, input: readonly string[] | undefined) {
  const expected = input ?? knownColumns;
  const knownNames = new Map([...knownColumns, ...expected].map((name) => [plainName(name), name]));
  const countOf = (row: CsvReading['rows'][number]) => row.filter(({ text }) => knownNames.has(plainName(text))).length;
  const start = csv.rows.slice(0, maxLeading + 1).findIndex((row, at) => countOf(row) > Math.min(at, 1));
  const [first = [], ...rest] = csv.rows.slice(Math.max(start, 0));
  const names = first.map(({ text }) => text);
  if (start === -1) {
    const columns = expected.slice(0, first.length);
    const fault = csv.rows.length === 0 ? 'an empty CSV' : 'no row of column names';
    return { columns, body: csv.rows, headerFaults: [fault], hasBareNames: false };
  }
  const leading = csv.rows.slice(0, start).map((row) => row.map(({ text }) => text).join(csv.delimiter));
  const headerFaults = leading.length === 0 ? [] : [`${leading.map(formatLine).join(' and ')} before the column names`];
  const bare = first.filter(({ quoted }) => !quoted).map(({ text }) => text);
  if (bare.length > 0) headerFaults.push(`${bare.map((name) => name || 'an empty name').join(', ')} without quotes`);
  else if (csv.apostrophes) headerFaults.push('apostrophes instead of quotes');
  const columns = names.map((name) => {
    const corrected = expected.includes(name) ? name : (knownNames.get(plainName(name)) ?? name);
    if (corrected !== name) headerFaults.push(`${JSON.stringify(name)} instead of ${corrected}`);
    return corrected;
  });
  const repeated = columns.filter(
    (name, at) =>
      input !== undefined && columns.indexOf(name) !== at && input.indexOf(name) === input.lastIndexOf(name),
  );
  if (repeated.length > 0) headerFaults.push(`${repeated.join(', ')} twice`);
  return { columns, body: rest, headerFaults, hasBareNames: bare.length > 0 };
}

export function namesOf(names: readonly string[]): string {
  return names.map((name) => name || '""').join(', ');
}

function differencesOf(
  columns: readonly string[],
  rows: SentBatch['rows'],
  input: RecurringInput | undefined,
  invalidUtf8: boolean,
): CellDifference[] {
  if (input === undefined || rows.length !== input.rows.length) return [];
  const shared = sharedColumns(columns, input);
  return rows.flatMap((cells, index) => {
    if (cells === undefined) return [];
    return shared.flatMap(({ column, from, to }) => {
      const expected = input.rows[index]![from] ?? '';
      const sent = cells[to]!;
      return sent === expected
        ? []
        : [{ row: index + 1, column, expected, sent, charsetOnly: isCharsetChange(expected, sent, invalidUtf8) }];
    });
  });
}

function isCharsetChange(expected: string, sent: string, invalidUtf8: boolean): boolean {
  if (sent === '' || !/[^\x00-\x7f]/.test(expected)) return false;
  const bytes = Buffer.from(expected, 'utf8');
  if (sent === bytes.toString('latin1') || sent === new TextDecoder('windows-1252').decode(bytes)) return true;
  const asciiOf = (text: string) => text.replace(/[^\x00-\x7f]|\?/g, '');
  return (invalidUtf8 || /[?\ufffd]/.test(sent)) && asciiOf(expected) === asciiOf(sent);
}

type SentRow = readonly string[] | undefined;

function sharedColumns(columns: readonly string[], input: RecurringInput) {
  return input.columns.flatMap((column, from) => {
    const to = columns.indexOf(column);
    return to === -1 || input.columns.indexOf(column) !== from ? [] : [{ column, from, to }];
  });
}

// Puts the sent rows into the order of the input, in three passes. The first pairs rows that are equal in the columns
// that both have. The second ignores the notation of amounts (1.0 and 1). The third compares only the client-orderid.
function orderLikeInput(
  columns: readonly string[],
  rows: readonly SentRow[],
  input: RecurringInput | undefined,
): readonly SentRow[] {
  if (input === undefined || rows.length !== input.rows.length) return rows;
  const shared = sharedColumns(columns, input);
  const matched = new Map<number, number>();
  const unmatched = new Set(rows.keys());
  const ids = shared.filter(({ column }) => column === 'client-orderid');
  const asWritten = (_: string, text: string) => text;
  const asNumber = (column: string, text: string) => (column.startsWith('amount') ? (numberKey(text) ?? text) : text);
  for (const [keyColumns, normalize] of [
    [shared, asWritten] as const,
    [shared, asNumber] as const,
    [ids, asWritten] as const,
  ]) {
    if (keyColumns.length === 0) continue;
    // Reverse the rows, because `pop` is faster than `shift` for a long array.
    const candidates = groupBy([...unmatched].reverse(), (at) => keyOf(keyColumns, rows[at], 'to', normalize));
    for (const [index, inputRow] of input.rows.entries()) {
      const at = matched.has(index) ? undefined : candidates.get(keyOf(keyColumns, inputRow, 'from', normalize))?.pop();
      if (at === undefined) continue;
      matched.set(index, at);
      unmatched.delete(at);
    }
  }
  const remaining = [...unmatched].reverse();
  return input.rows.map((_, index) => rows[matched.get(index) ?? remaining.pop()!]);
}

function keyOf(
  columns: ReturnType<typeof sharedColumns>,
  cells: readonly (string | null)[] | undefined,
  side: 'from' | 'to',
  normalize: (column: string, text: string) => string,
): string {
  return cells === undefined ? '' : JSON.stringify(columns.map((one) => normalize(one.column, cells[one[side]] ?? '')));
}

interface CsvCell {
  readonly text: string;
  readonly quoted: boolean;
}

interface CsvReading {
  readonly delimiter: string;
  readonly rows: readonly (readonly CsvCell[])[];
  readonly charsetFaults: readonly string[];
  readonly quoteFaults: readonly string[];
  readonly apostrophes: boolean;
  readonly nonAscii: boolean;
  readonly lineEnds: readonly string[];
  readonly finalNewline: boolean;
}

const knownColumns = [
  'client-orderid',
  'recurring-payment-id',
  'amount',
  'amount-from',
  'amount-to',
  'amount-sequence',
];

/** How many lines may precede the column names. Such a line is, for example, the title of a spreadsheet. */
const maxLeading = 5;

/** Reads CSV leniently (section 2.3, quoting of RFC 4180), and lists the faults that it repairs. */
export function readCsv(bytes: Uint8Array): CsvReading {
  const { text, charsetFaults, nonAscii } = readText(bytes);
  const delimiter = delimiterOf(text);
  return { delimiter, charsetFaults, nonAscii, ...parseRows(text, delimiter) };
}

/** A name in lower case, without punctuation and white space. */
export function plainName(name: string): string {
  // A longer text cannot be a column name, so do not convert it: a faulty first line may have megabytes.
  return name.length > 1000 ? name : name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function readText(bytes: Uint8Array): Pick<CsvReading, 'charsetFaults' | 'nonAscii'> & { readonly text: string } {
  const utf16 = utf16Of(bytes);
  if (utf16 !== undefined)
    return { text: new TextDecoder(utf16).decode(bytes), charsetFaults: ['UTF-16'], nonAscii: true };
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const rest = hasMark ? bytes.subarray(3) : bytes;
  const charsetFaults = hasMark ? ['a byte-order mark'] : [];
  try {
    const text = utf8Text(rest);
    return { text, charsetFaults, nonAscii: text.length !== rest.length };
  } catch {
    charsetFaults.push('bytes that are not UTF-8');
    return { text: new TextDecoder('windows-1252').decode(rest), charsetFaults, nonAscii: true };
  }
}

function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && second !== undefined)
    ? 'utf-16be'
    : undefined;
}

/** The delimiter that gives the most known column names. If several do, the one that gives the most cells. */
function delimiterOf(text: string): string {
  const [first = '', ...others] = text.slice(0, 4096).split(/\r\n|\n|\r/, maxLeading + 1);
  const known = new Set(knownColumns.map(plainName));
  const countOf = (one: string) => one.split(/[;,\t|:]/).filter((cell) => known.has(plainName(cell))).length;
  const line = countOf(first) > 0 ? first : (others.find((one) => countOf(one) > 1) ?? first);
  const scored = [';', ',', '\t', '|', ':'].map((delimiter) => {
    const cells = line.split(delimiter);
    return { delimiter, score: cells.filter((cell) => known.has(plainName(cell))).length * 1000 + cells.length };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  return scored[0]!.score > 1 && best.score < 1000 ? ';' : best.delimiter;
}

function parseRows(text: string, delimiter: string) {
  // Read cells in apostrophes as quoted, because `csv-header-quoted` already reports the apostrophes.
  const apostrophes = text.startsWith("'");
  const ends = new RegExp(`[${delimiter}\\r\\n]`, 'g');
  const quoteFaults = new Set<string>();
  const lineEnds = new Set<string>();
  const rows: CsvCell[][] = [];
  let row: CsvCell[] = [];
  let at = 0;
  while (at < text.length) {
    const isQuoted = text[at] === '"' || (apostrophes && text[at] === "'");
    const { cell, end } = isQuoted ? quotedCell(text, at, delimiter, quoteFaults) : bareCell(text, at, ends);
    if (!cell.quoted && cell.text.includes('"')) quoteFaults.add('a quote in a cell without quotes');
    row.push(cell);
    at = end;
    if (text[at] === delimiter) {
      at++;
      if (at === text.length) row.push({ text: '', quoted: false });
      continue;
    }
    rows.push(row);
    row = [];
    const lineEnd = text.startsWith('\r\n', at) ? '\r\n' : (text[at] ?? '');
    if (lineEnd !== '') lineEnds.add(lineEnd);
    at += lineEnd.length;
  }
  if (row.length > 0) rows.push(row);
  if (lineEnds.has('\r')) quoteFaults.add('a carriage return instead of a line feed');
  return {
    rows,
    apostrophes,
    quoteFaults: [...quoteFaults],
    lineEnds: [...lineEnds],
    finalNewline: /[\r\n]$/.test(text),
  };
}

function bareCell(text: string, start: number, ends: RegExp) {
  ends.lastIndex = start;
  const end = ends.exec(text)?.index ?? text.length;
  return { cell: { text: text.slice(start, end), quoted: false }, end };
}

/** Repairs quotes inside the cell: `"` and `\"` are read as if the client had written `""`. */
function quotedCell(text: string, start: number, delimiter: string, faults: Set<string>) {
  const quote = text[start]!;
  let value = '';
  let from = start + 1;
  for (;;) {
    const found = text.indexOf(quote, from);
    if (found === -1) {
      faults.add('a quote that is not closed');
      return { cell: { text: value + text.slice(from), quoted: true }, end: text.length };
    }
    value += text.slice(from, found);
    from = found + 1;
    if (text[from] === quote) {
      value += quote;
      from++;
    } else if (from === text.length || [delimiter, '\n', '\r'].includes(text[from]!)) {
      return { cell: { text: value, quoted: true }, end: from };
    } else {
      faults.add('a quote that is not doubled');
      value = `${value.replace(/\\$/, '')}${quote}`;
    }
  }
}
