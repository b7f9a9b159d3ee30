/** The repaired batch of a request, and its differences from the input of the client. */
import type { ClientCase, RecurringInput } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { memoizeLast } from '../../record/memoize.ts';
import { pluralize } from '../../record/pluralize.ts';
import { type CsvReading, knownColumns, maxBefore, plainName, readCsv } from './csv-reading.ts';
import { inGivenOrder, recurringInput, sharedColumns } from './inputs.ts';
import { readRequest } from './reading.ts';

export interface SentBatch {
  readonly csv: CsvReading;
  /** The names of the columns. Misspelled names are replaced by documented names. */
  readonly columns: readonly string[];
  /** The cells of each row. A row is undefined if it has too many or too few cells. */
  readonly rows: readonly (readonly string[] | undefined)[];
  readonly headerFaults: readonly string[];
  /** Columns that the client may add: unknown columns, client-orderid, and documented columns without any value. */
  readonly further: readonly string[];
  /** Faults of rows: number of cells, blank rows, quoting. */
  readonly rowFaults: readonly string[];
  /** Cells that differ from the input. Empty if the input is unknown or the rows cannot be paired. */
  readonly differences: readonly CellDifference[];
}

export interface CellDifference {
  readonly row: number;
  readonly column: string;
  readonly given: string;
  readonly sent: string;
  /** True if only characters outside ASCII differ, because the client used another charset. */
  readonly charset: boolean;
}

/** The batch of a request. Undefined if its payload cannot be decoded. */
export function batchOf(testCase: ClientCase, exchange: Exchange): SentBatch | undefined {
  const known = batches(exchange);
  if (!known.has(testCase)) {
    const bytes = readRequest(exchange).payload?.bytes;
    known.set(testCase, bytes === undefined ? undefined : readBatch(readCsv(bytes), recurringInput(testCase)));
  }
  return known.get(testCase);
}

const batches = memoizeLast((_: Exchange) => new Map<ClientCase, SentBatch | undefined>());

export interface BatchCell {
  readonly row: number;
  readonly sent: string;
  /** The cell of the input. Undefined if the input is unknown or the rows cannot be paired. */
  readonly given: string | undefined;
  readonly charset: boolean;
}

/** The cells of a column in all complete rows. Undefined if the column is absent. */
export function columnCells(
  { columns, rows, differences }: SentBatch,
  column: string,
  input?: RecurringInput,
): BatchCell[] | undefined {
  const at = columns.indexOf(column);
  if (at === -1) return undefined;
  const paired = input !== undefined && rows.length === input.rows.length;
  const changes = new Map<number, CellDifference>();
  for (const one of differences) if (one.column === column && !changes.has(one.row)) changes.set(one.row, one);
  const found: BatchCell[] = [];
  for (const [index, cells] of rows.entries()) {
    if (cells === undefined) continue;
    const changed = changes.get(index + 1);
    const given = changed?.given ?? (paired ? cells[at]! : undefined);
    found.push({ row: index + 1, sent: cells[at]!, given, charset: changed?.charset ?? false });
  }
  return found;
}

function readBatch(csv: CsvReading, input: RecurringInput | undefined): SentBatch {
  const { columns: named, body, headerFaults } = readColumns(csv, input?.columns);
  const displaced = input !== undefined && isDisplaced(named, body, input);
  const columns = displaced ? input.columns : named;
  const rowFaults = [...csv.quoteFaults, ...(displaced ? ['names in another order than their cells'] : [])];
  const read = body.flatMap((cells, index) => {
    if (cells.length === columns.length) return [cells.map(({ text }) => text)];
    if (cells.length === 1 && cells[0]!.text === '' && !cells[0]!.quoted) {
      rowFaults.push('a blank row');
      return [];
    }
    const [text] = cells.map((cell) => cell.text).filter((one) => /[\0-\x1f\x7f\p{Cf}]/u.test(one));
    const sizes = `${pluralize(cells.length, 'cell')} under ${pluralize(columns.length, 'name')}`;
    rowFaults.push(`row ${index + 1} with ${sizes}${text === undefined ? '' : `, and with ${charactersIn(text)}`}`);
    return [undefined];
  });
  const rows = inGivenOrder(columns, read, input);
  const missing = (input?.columns ?? []).filter((name) => !columns.includes(name));
  const added = input === undefined ? [] : columns.filter((name) => !input.columns.includes(name));
  const further = added.filter((name) => isFurther(name, columns.indexOf(name), rows));
  const invented = added.filter((name) => !further.includes(name));
  if (invented.length > 0) headerFaults.push(`a column ${namesOf(invented)} that was not given`);
  // Report only undocumented columns here: other requirements report missing documented columns.
  const lost = missing.filter((name) => !knownColumns.includes(name));
  if (lost.length > 0) headerFaults.push(`no column ${lost.join(', ')}`);
  if (input !== undefined && rows.length !== input.rows.length && rowFaults.length === 0) {
    rowFaults.push(`${pluralize(rows.length, 'row')} for ${pluralize(input.rows.length, 'payment')}`);
  }
  return {
    csv,
    columns,
    rows,
    headerFaults,
    further,
    rowFaults,
    differences: differencesOf(columns, rows, input, csv.charsetFaults.length > 0),
  };
}

function formatLine(line: string): string {
  if (line === '') return 'an empty line';
  const what = /^"?sep=/i.test(line) ? "a spreadsheet's line" : /^(?:#|\/\/)/.test(line) ? 'the comment' : 'the line';
  return `${what} ${line.length > 40 ? `${line.slice(0, 40)}…` : line}`;
}

/** The names or the usual causes of invisible characters. */
const invisible: Readonly<Record<string, string>> = {
  '\0': ', perhaps the unused rest of a buffer',
  '\x1a': ' (Ctrl-Z), the end of a file in DOS',
  '\ufeff': ', a byte-order mark',
  '\f': ', a form feed',
};

function charactersIn(text: string): string {
  const [first] = /[\0-\x1f\x7f\p{Cf}]/u.exec(text)!;
  const times = [...text].filter((one) => one === first).length;
  const code = first.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `${times === 1 ? '' : `${times} times `}U+${code}${invisible[first] ?? ''}`;
}

/** True if the client may add the column. It is open whether the client chooses order ids, so client-orderid counts. */
function isFurther(name: string, at: number, rows: SentBatch['rows']): boolean {
  const isOpen = name === 'client-orderid' || !knownColumns.includes(name);
  return isOpen || rows.every((cells) => cells === undefined || cells[at] === '');
}

/** True if the client reordered the column names but not the cells below them. */
function isDisplaced(named: readonly string[], body: CsvReading['rows'], input: RecurringInput): boolean {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  if (same(named, input.columns) || !same([...named].sort(), [...input.columns].sort())) return false;
  return same(
    body.map((cells) => cells.map(({ text }) => text)),
    input.rows.map((row) => row.map((cell) => cell ?? '')),
  );
}

export const withoutQuotes = ' without quotes';

function readColumns(csv: CsvReading, given: readonly string[] | undefined) {
  const expected = given ?? knownColumns;
  const plain = new Map([...knownColumns, ...expected].map((name) => [plainName(name), name]));
  const namesIn = (row: CsvReading['rows'][number]) => row.filter(({ text }) => plain.has(plainName(text))).length;
  const start = csv.rows.slice(0, maxBefore + 1).findIndex((row, at) => namesIn(row) > Math.min(at, 1));
  const [first = [], ...rest] = csv.rows.slice(Math.max(start, 0));
  const names = first.map(({ text }) => text);
  if (start === -1) {
    // If there are no column names, assume the order of columns in the input.
    const columns = expected.slice(0, first.length);
    return { columns, body: csv.rows, headerFaults: [csv.rows.length === 0 ? 'an empty CSV' : 'no row of names'] };
  }
  const before = csv.rows.slice(0, start).map((row) => row.map(({ text }) => text).join(csv.delimiter));
  const headerFaults = before.length === 0 ? [] : [`${before.map(formatLine).join(' and ')} before the names`];
  const bare = first.filter(({ quoted }) => !quoted).map(({ text }) => text);
  if (bare.length > 0) headerFaults.push(`${bare.map((name) => name || 'an empty name').join(', ')}${withoutQuotes}`);
  else if (csv.apostrophes) headerFaults.push('apostrophes instead of quotes');
  const columns = names.map((name) => {
    const meant = expected.includes(name) ? name : (plain.get(plainName(name)) ?? name);
    if (meant !== name) headerFaults.push(`${JSON.stringify(name)} instead of ${meant}`);
    return meant;
  });
  // A repeated name is a fault only if the input is known and has this name once.
  const repeated = columns.filter(
    (name, at) => given !== undefined && columns.indexOf(name) !== at && isOnce(given, name),
  );
  if (repeated.length > 0) headerFaults.push(`${repeated.join(', ')} twice`);
  return { columns, body: rest, headerFaults };
}

export function namesOf(names: readonly string[]): string {
  return names.map((name) => name || '""').join(', ');
}

function isOnce(names: readonly string[], name: string): boolean {
  return names.indexOf(name) === names.lastIndexOf(name);
}

function differencesOf(
  columns: readonly string[],
  rows: SentBatch['rows'],
  input: RecurringInput | undefined,
  misread: boolean,
): CellDifference[] {
  if (input === undefined || rows.length !== input.rows.length) return [];
  const places = sharedColumns(columns, input);
  return rows.flatMap((cells, index) => {
    if (cells === undefined) return [];
    return places.flatMap(({ column, from, to }) => {
      const given = input.rows[index]![from] ?? '';
      const sent = cells[to]!;
      return sent === given
        ? []
        : [{ row: index + 1, column, given, sent, charset: inAnotherCharset(given, sent, misread) }];
    });
  });
}

/** True if UTF-8 was read as Latin-1, or characters outside ASCII were lost. `misread`: the bytes are not UTF-8. */
function inAnotherCharset(given: string, sent: string, misread: boolean): boolean {
  if (sent === '' || !/[^\x00-\x7f]/.test(given)) return false;
  const bytes = Buffer.from(given, 'utf8');
  if (sent === bytes.toString('latin1') || sent === new TextDecoder('windows-1252').decode(bytes)) return true;
  const asciiOf = (text: string) => text.replace(/[^\x00-\x7f]|\?/g, '');
  return (misread || /[?\ufffd]/.test(sent)) && asciiOf(given) === asciiOf(sent);
}
