/** Puts stand-ins into the CSV of a batch, however carelessly it was written (section 2.3). */
import { editQuoted, textually } from './edit-escaped.ts';
import type { StandIns } from './stand-ins.ts';

/** A field by its place in the bytes, without its quotes. */
interface CsvField {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const idColumns = ['clientorderid', 'orderid', 'recurringpaymentid', 'paymentid'];
const knownColumns = [...idColumns, 'amount', 'amountfrom', 'amountto', 'amountsequence'];

/** What the client was given, where that is known: columns may be displaced, and names missing. */
export interface GivenCells {
  readonly ids: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
}

/** Replaces every order id and payment id; without a row of names, every cell that is not an amount. */
export function editCsv(csv: Buffer, { id, isKnown }: StandIns, given?: GivenCells): Buffer {
  const text = csv.toString('latin1');
  const [first = []] = csvRows(text);
  const names = first.map(({ text }) => plainName(text));
  const isNamed = names.some((name) => knownColumns.includes(name));
  const isId = (text: string, column: number): boolean => {
    // The same text is replaced everywhere, whatever it stands for.
    if (isKnown(text)) return true;
    const [isGivenId, isGivenOther] = [given?.ids.has(text), given?.others.has(text)];
    if (isGivenId !== isGivenOther) return isGivenId === true;
    if (isNamed && column < names.length) return idColumns.includes(names[column]!);
    return !/^-?\d{0,9}(?:[.,]\d*)?$/.test(text.trim());
  };
  const out = Buffer.from(csv);
  let isFirst = true;
  for (const row of csvRows(text)) {
    if (!isFirst || !isNamed) {
      for (const [column, field] of row.entries()) {
        editCell(csv, out, field, (text) => (isId(text, column) ? id(text) : text));
      }
    }
    isFirst = false;
  }
  return out;
}

/** A batch may have a million cells, and next to all of them say what they are written as. */
function editCell(csv: Buffer, out: Buffer, { start, end, text }: CsvField, edit: (text: string) => string): void {
  if (isPlain.test(text)) {
    const edited = edit(text);
    if (edited === text) return;
    if (edited.length === text.length && isPlain.test(edited)) {
      out.write(edited, start, 'latin1');
      return;
    }
  }
  editQuoted(csv.subarray(start, end), textually(edit)).copy(out, start);
}

/** ASCII, and nothing that is escaped in a quoted field. */
const isPlain = /^[\0-!#-\x7f]*$/;

/** Whether the text has a row of names that this document knows. */
export function looksLikeCsv(bytes: Buffer): boolean {
  return (
    /[;,\t|]/.test(bytes.toString('latin1', 0, 400)) || /orderid|recurring/i.test(bytes.toString('latin1', 0, 400))
  );
}

/** The fields of each line, the names of the columns first; the characters of the text are bytes. */
export function csvFields(text: string): CsvField[][] {
  return [...csvRows(text)];
}

function* csvRows(text: string): Generator<CsvField[]> {
  const delimiter = delimiterOf(text);
  let row: CsvField[] = [];
  for (let at = 0; at < text.length; ) {
    const { field, next } = fieldAt(text, at, delimiter);
    row.push(field);
    at = next;
    if (text[next - 1] === delimiter && next < text.length) continue;
    yield row;
    row = [];
  }
}

/** `next` is behind the delimiter or line end that follows the field. A quote ends a field only in front of one of these. */
function fieldAt(text: string, at: number, delimiter: string): { field: CsvField; next: number } {
  const isEnd = (place: number) => {
    const character = text[place];
    return character === undefined || character === delimiter || character === '\n' || character === '\r';
  };
  const quote = quoteAt(text, at, isEnd);
  const start = at + quote.length;
  let end = start;
  if (quote === '') while (!isEnd(end)) end += 1;
  else while (end < text.length && !(text[end] === quote && isEnd(end + 1))) end += doubled(text, end, quote) ? 2 : 1;
  const stop = Math.min(end + quote.length, text.length);
  const next = text[stop] === '\r' && text[stop + 1] === '\n' ? stop + 2 : stop + 1;
  return { field: { start, end, text: text.slice(start, end) }, next };
}

/** An apostrophe is one only where another one closes the field; some clients put one in front of a formula. */
function quoteAt(text: string, at: number, isEnd: (place: number) => boolean): string {
  if (text[at] !== "'") return text[at] === '"' ? '"' : '';
  const close = text.indexOf("'", at + 1);
  return close !== -1 && isEnd(close + 1) ? "'" : '';
}

function doubled(text: string, at: number, quote: string): boolean {
  return text[at] === quote && text[at + 1] === quote;
}

/** The one under which the first row has the most known names; `;` where none is known. */
function delimiterOf(text: string): string {
  const line = /^[^\r\n]*/.exec(text)![0];
  const known = (delimiter: string) =>
    line.split(delimiter).filter((cell) => knownColumns.includes(plainName(cell))).length;
  return [',', '\t', '|'].reduce((best, one) => (known(one) > known(best) ? one : best), ';');
}

/** A column name as people vary it. */
function plainName(name: string): string {
  // No column has a name as long, and a batch may be one line of megabytes.
  return name.length > 1000 ? name : name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
