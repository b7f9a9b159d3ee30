/** Judges of the columns of a batch: sections 2.3 and 8. */
import { type Finding, fail, pass } from '../finding.ts';
import { recurringInput, sameNumber } from './asked.ts';
import { type Batch, type BatchCell, cellsOf } from './batch.ts';
import { isCut, isNumeric, ofBatch } from './csv.ts';
import type { WireCase } from './wire-judge.ts';

/** Characters; section 8. */
const longest = { 'client-orderid': 128, 'recurring-payment-id': 10, amount: 10 } as const;

/** Every row has a value in the column. */
export function presentOf(column: 'client-orderid' | 'recurring-payment-id') {
  return ofBatch((batch) => {
    if (batch.columns.length === 0) return null;
    const cells = cellsOf(batch, column);
    if (cells === undefined) return fail(`a column ${column}`, batch.columns.join(', '));
    const empty = cells.find(({ sent }) => sent === '');
    if (empty !== undefined) return fail(`${column} in every row`, `none in row ${empty.row}`);
    return cells.length === 0 ? null : pass();
  });
}

export const clientOrderidLength = ofCells(['client-orderid'], ({ sent, given }) => {
  if (given !== undefined && isCut(given, sent)) return fail(given, sent);
  return tooLong(sent, longest['client-orderid']);
});

/** A changed id is judged here, since zeros that are lost change its length. */
export const recurringPaymentIdLength = ofCells(['recurring-payment-id'], ({ sent, given, charset }) => {
  if (charset) return null;
  if (given !== undefined && sent !== given) return fail(given, sent);
  return tooLong(sent, longest['recurring-payment-id']);
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

const amounts = ['amount', 'amount-from', 'amount-to'] as const;

/** What the locale or a number type makes of an amount; another number than the given one is a value like any other. */
export const amountNumeric = ofCells(amounts, ({ sent, given }) => {
  if (!isNumeric(sent)) return fail(given ?? 'digits, with a point before the fraction', sent);
  if (given === undefined || sent === given) return pass();
  return sameNumber(given, sent) ? pass(`${given} is sent as ${sent}`) : null;
});

export const amountLength = ofCells(amounts, ({ sent, given }) => {
  // What is no number is a row of its own, however long it is.
  return given !== undefined && !isNumeric(sent) && sent !== given ? null : tooLong(sent, longest.amount);
});

/** Looks at every cell of the columns that has a value: the first failure is the finding, else the first remark. */
function ofCells(columns: readonly string[], look: (cell: BatchCell, wire: WireCase) => Finding | null) {
  return ofBatch((batch: Batch, wire) => {
    const input = recurringInput(wire.examined);
    const cells = columns.flatMap((column) => cellsOf(batch, column, input) ?? []);
    const findings = cells.flatMap((cell) => (cell.sent === '' ? [] : (look(cell, wire) ?? [])));
    return (
      findings.find(({ outcome }) => outcome === 'fail') ??
      findings.find(({ remark }) => remark !== undefined) ??
      findings[0] ??
      null
    );
  });
}

function tooLong(sent: string, limit: number): Finding {
  const length = [...sent].length;
  return length <= limit ? pass() : fail(`at most ${limit} characters`, `${length} characters`);
}
