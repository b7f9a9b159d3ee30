/** Judges of the CSV as a whole: section 2.3, quoting by RFC 4180. */
import { type Finding, fail, pass } from '../finding.ts';
import { recurringInput, sameNumber, unknownInput } from './asked.ts';
import { batchOf, type CellDifference, namesOf, type SentBatch } from './batch.ts';
import { type WireCase, wireJudge } from './wire-judge.ts';

/** A single column shows no delimiter. */
export const csvDelimiter = ofBatch(({ csv, columns }) =>
  csv.delimiter !== ';' ? fail(';', JSON.stringify(csv.delimiter)) : columns.length > 1 ? pass() : null,
);

export const csvHeaderQuoted = ofBatch(({ headerFaults, further }) => {
  if (headerFaults[0] !== undefined) {
    const finding = fail('a first row of the names, each in double quotes', headerFaults[0]);
    const hint = 'Write the names first: no other line goes before them.';
    return headerFaults[0].endsWith(' before the names') ? { ...finding, hint } : finding;
  }
  return further.length === 0 ? pass() : pass(`a column ${namesOf(further)} that was not given`);
});

/** ASCII is the same in many charsets, so only other text shows it. */
export const csvUtf8 = ofBatch(({ csv, differences, headerFaults }) => {
  // Without names the CSV starts with a value, and the mark may well be the value's.
  if (headerFaults.includes('no row of names')) return null;
  if (csv.charsetFaults[0] !== undefined) return fail('UTF-8 without a byte-order mark', csv.charsetFaults[0]);
  const changed = differences.find(({ charset }) => charset);
  if (changed !== undefined) return fail(changed.given, changed.sent);
  return csv.nonAscii ? pass() : null;
});

/** Number of rows and cells, quoting, and every value that has no row of its own. */
export const csvRows = ofBatch(({ rows, rowFaults, differences }, { examined }) => {
  if (rowFaults[0] !== undefined) return fail('one whole row for each payment', rowFaults[0]);
  const others = differences.filter((difference) => !hasOwnRow(difference));
  const unusual = examined.label.input === 'hardening';
  const changed = others.find((one) => !(unusual && isLineEndOnly(one)) && !isRewrittenAmount(one));
  if (changed !== undefined) {
    const where = `${changed.column} of row ${changed.row}`;
    return fail(`${JSON.stringify(changed.given)} as ${where}`, JSON.stringify(changed.sent));
  }
  if (recurringInput(examined) === undefined) return unknownInput();
  if (rows.length === 0) return null;
  const rewritten = others.find(isRewrittenAmount);
  if (rewritten !== undefined) return pass(`${rewritten.given} is sent as ${rewritten.sent}`);
  return others.length > 0 ? pass('line ends inside a cell are changed as those of the rows are') : pass();
});

/** A judge of the batch in a request; silent where the payload cannot be decoded, which another row names. */
export function ofBatch(look: (batch: SentBatch, wire: WireCase) => Finding | null) {
  return wireJudge(
    'process-recurring-payments',
    (wire) => {
      const batch = batchOf(wire.examined, wire.exchange);
      return batch === undefined ? null : look(batch, wire);
    },
    { body: true },
  );
}

/** CRLF and LF are both right between rows; a writer that turns one into the other does so inside cells too. */
function isLineEndOnly({ given, sent }: CellDifference): boolean {
  return given.replaceAll('\r\n', '\n') === sent.replaceAll('\r\n', '\n');
}

/** Whether another row speaks of the changed value: one of its column, or that of the charset. */
function hasOwnRow({ column, given, sent, charset }: CellDifference): boolean {
  if (charset || column === 'recurring-payment-id') return true;
  // An amount that is not a number, too long, or the same number written otherwise is left to the requirements on amounts.
  if (column === 'amount') return sent === '' || !isPlainNumber(sent) || digitsOf(sent) > 10 || sameNumber(given, sent);
  // A row without any amount is left to the requirement on that.
  if (given !== '' && sent === '') return column === 'client-orderid' || isOtherAmount(column);
  return column === 'client-orderid' && isCut(given, sent);
}

/** What these columns hold is not shown, so an equal number will do. */
function isRewrittenAmount({ column, given, sent }: CellDifference): boolean {
  return isOtherAmount(column) && sameNumber(given, sent);
}

function isOtherAmount(column: string): boolean {
  return /^amount-(?:from|to|sequence)$/.test(column);
}

/** Digits, with a point before the fraction: a number to everybody. */
export function isPlainNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text);
}

/** Digits of an amount: whether its point counts in the length is open. */
export function digitsOf(amount: string): number {
  return amount.replaceAll(/\P{Nd}/gu, '').length;
}

/** Whether the text was shortened to its beginning; white space at the end alone is another matter. */
export function isCut(given: string, sent: string): boolean {
  return given.startsWith(sent) && given.trimEnd().length > sent.length;
}
