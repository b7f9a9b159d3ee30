/** Judges of the columns of a batch: sections 2.3 and 8. */
import { type Finding, fail, pass } from '../finding.ts';
import { recurringInput, sameNumber } from './asked.ts';
import { type BatchCell, columnCells, type SentBatch } from './batch.ts';
import { digitsOf, isCut, isPlainNumber, ofBatch } from './csv.ts';
import { atMost } from './text-length.ts';
import type { WireCase } from './wire-judge.ts';

/** Characters; section 8. */
const longest = { 'client-orderid': 128, 'recurring-payment-id': 10, amount: 10 } as const;

/** Every row has a value in the column. */
export function presentOf(column: 'client-orderid' | 'recurring-payment-id') {
  return ofBatch((batch) => {
    if (batch.columns.length === 0) return null;
    const cells = columnCells(batch, column);
    if (cells === undefined) return fail(`a column ${column}`, batch.columns.join(', '));
    const empty = cells.find(({ sent }) => sent === '');
    if (empty !== undefined) return fail(`${column} in every row`, `none in row ${empty.row}`);
    return cells.length === 0 ? null : pass();
  });
}

export const clientOrderidLength = ofCells(['client-orderid'], ({ sent, given }) => {
  if (given !== undefined && isCut(given, sent)) return fail(given, sent);
  return atMost(longest['client-orderid'], sent);
});

/** A changed id is judged here, since zeros that are lost change its length. */
export const recurringPaymentIdLength = ofCells(['recurring-payment-id'], ({ sent, given, charset }) => {
  if (charset) return null;
  if (given !== undefined && sent !== given) return fail(given, sent);
  return atMost(longest['recurring-payment-id'], sent);
});

export const amountConditional = ofBatch((batch) => {
  const { columns, rows } = batch;
  const whole = rows.filter((cells) => cells !== undefined);
  const filled = (cells: readonly string[], name: string) => (cells[columns.indexOf(name)] ?? '') !== '';
  const without = whole.findIndex(
    (cells) =>
      !filled(cells, 'amount') &&
      !filled(cells, 'amount-sequence') &&
      !(filled(cells, 'amount-from') && filled(cells, 'amount-to')),
  );
  if (without !== -1) return fail('an amount in every row', `none in row ${without + 1}`);
  return whole.length === 0 ? null : pass();
});

/**
 * What the locale or a number type makes of an amount; another number than the given one is a value like any other.
 * Signs, exponents and other digits are a number to some, so a client that was given them is not at fault.
 */
export const amountNumeric = ofCells(['amount'], ({ sent, given }) => {
  if (isPlainNumber(sent)) {
    if (given === undefined || sent === given) return pass();
    return sameNumber(given, sent) ? pass(`${given} is sent as ${sent}`) : null;
  }
  const isGiven = given === undefined || sent === given;
  return isGiven && isNumberToSome(sent)
    ? pass(`not every program reads ${sent} as a number`)
    : fail(given ?? 'digits, with a point before the fraction', sent);
});

function isNumberToSome(text: string): boolean {
  return /^[+-]?(?:\p{Nd}+(?:\.\p{Nd}*)?|\.\p{Nd}+)(?:[eE][+-]?\p{Nd}+)?$/u.test(text);
}

export const amountLength = ofCells(['amount'], ({ sent, given }) => {
  // What is not a number is a row of its own, however long it is.
  if (!isPlainNumber(sent) && (given === undefined ? !isNumberToSome(sent) : sent !== given)) return null;
  const digits = digitsOf(sent);
  if (digits > longest.amount) return fail(`at most ${longest.amount} digits`, `${digits} digits`);
  return sent.length > longest.amount
    ? pass(
        `${sent} has ${digits} digits and ${sent.length} characters: the limit of ${longest.amount} can count either`,
      )
    : pass();
});

/** Looks at every cell of the columns that has a value: the first failure is the finding, else the first remark. */
function ofCells(columns: readonly string[], look: (cell: BatchCell, wire: WireCase) => Finding | null) {
  return ofBatch((batch: SentBatch, wire) => {
    const input = recurringInput(wire.examined);
    let [first, remarked] = [null, null] as (Finding | null)[];
    for (const cell of columns.flatMap((column) => columnCells(batch, column, input) ?? [])) {
      const finding = cell.sent === '' ? null : look(cell, wire);
      if (finding?.outcome === 'fail') return finding;
      first ??= finding;
      if (finding?.remark !== undefined) remarked ??= finding;
    }
    return remarked ?? first ?? null;
  });
}
