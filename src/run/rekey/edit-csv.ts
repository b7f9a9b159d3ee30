/** Puts stand-ins into the CSV of a batch, however carelessly it was written (section 2.3). */
import { editQuoted, type TextEdit, textually } from './edit-escaped.ts';

/** A field by its place in the bytes, without its quotes. */
interface Field {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const idColumns = ['clientorderid', 'orderid', 'recurringpaymentid', 'paymentid'];
const knownColumns = [...idColumns, 'amount', 'amountfrom', 'amountto', 'amountsequence'];

/** Replaces every order id and payment id; without a row of names, every cell that is no amount. */
export function editCsv(csv: Buffer, id: TextEdit): Buffer {
  const rows = rowsOf(csv.toString('latin1'));
  const names = (rows[0] ?? []).map(({ text }) => plainName(text));
  const isNamed = names.some((name) => knownColumns.includes(name));
  const wanted = (isNamed ? rows.slice(1) : rows).flatMap((row) =>
    row.filter(({ text }, column) =>
      isNamed && column < names.length ? idColumns.includes(names[column]!) : !/^\s*-?\d*[.,]?\d*\s*$/.test(text),
    ),
  );
  const out = Buffer.from(csv);
  for (const { start, end } of wanted) editQuoted(csv.subarray(start, end), textually(id)).copy(out, start);
  return out;
}

/** Whether the text has a row of names that this document knows. */
export function looksLikeCsv(bytes: Buffer): boolean {
  return (
    /[;,\t|]/.test(bytes.toString('latin1', 0, 400)) || /orderid|recurring/i.test(bytes.toString('latin1', 0, 400))
  );
}

function rowsOf(text: string): Field[][] {
  const delimiter = delimiterOf(text);
  const rows: Field[][] = [];
  let row: Field[] = [];
  for (let at = 0; at < text.length; ) {
    const { field, next } = fieldAt(text, at, delimiter);
    row.push(field);
    at = next;
    if (text[next - 1] === delimiter && next < text.length) continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** `next` is behind the delimiter or line end that follows the field. */
function fieldAt(text: string, at: number, delimiter: string): { field: Field; next: number } {
  const quote = /["']/.test(text[at] ?? '') ? text[at]! : '';
  let start = at;
  let end = at;
  if (quote !== '') {
    start = at + 1;
    end = closingQuote(text, start, quote);
  }
  let stop = quote === '' ? at : end;
  while (stop < text.length && text[stop] !== delimiter && text[stop] !== '\n' && text[stop] !== '\r') stop += 1;
  if (quote === '') end = stop;
  const next = text[stop] === '\r' && text[stop + 1] === '\n' ? stop + 2 : stop + 1;
  return { field: { start, end, text: text.slice(start, end) }, next };
}

function closingQuote(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] !== quote) continue;
    if (text[at + 1] !== quote) return at;
    at += 1;
  }
  return text.length;
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
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
