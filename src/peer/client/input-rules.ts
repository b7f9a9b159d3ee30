/** What a careful client refuses before it signs anything: the bounds of sections 2.1, 2.3 and 8. */
import type { CloseDayInput, RecurringInput } from '../../record/client-case.ts';
import type { ClientRefusal } from './alteration.ts';

/** The first rule that the input breaks; undefined where it may be sent. Lengths are in characters, not bytes. */
export function closeDayRefusal({ day_close_request_id: id }: CloseDayInput): ClientRefusal | undefined {
  const refused = (reason: string): ClientRefusal => ({ stage: 'fields', reason: `day_close_request_id ${reason}` });
  if (id === undefined) return refused('is missing');
  const length = characters(id);
  if (length < 8 || length > 32) return refused(`has ${length} characters, 8 to 32 are allowed`);
  if (!/^[A-Za-z0-9]+$/.test(id)) return refused('has characters other than letters and digits');
  return undefined;
}

/** The first rule that the batch breaks; undefined where it may be sent. */
export function batchRefusal({ columns, rows }: RecurringInput): ClientRefusal | undefined {
  const refused = (reason: string): ClientRefusal => ({ stage: 'csv', reason });
  if (new Set(columns).size < columns.length) return refused('a column occurs twice');
  for (const [index, row] of rows.entries()) {
    const cell = (name: string) => row[columns.indexOf(name)] ?? '';
    const wrong = row.length === columns.length ? rowFault(cell) : 'has another number of cells than columns';
    if (wrong !== undefined) return refused(`row ${index + 1}: ${wrong}`);
  }
  return undefined;
}

/** An empty cell counts as missing: the gateway could not tell the two apart. */
function rowFault(cell: (name: string) => string): string | undefined {
  const amount = cell('amount');
  const hasOtherAmount = (cell('amount-from') !== '' && cell('amount-to') !== '') || cell('amount-sequence') !== '';
  if (amount === '' && !hasOtherAmount) return 'amount is missing';
  if (amount !== '' && !/^[0-9]+(?:\.[0-9]+)?$/.test(amount)) return 'amount is not a number with a point';
  return (
    bounded('client-orderid', cell('client-orderid'), 128) ??
    bounded('recurring-payment-id', cell('recurring-payment-id'), 10) ??
    (characters(amount) > 10 ? 'amount has more than 10 characters' : undefined)
  );
}

function bounded(name: string, value: string, most: number): string | undefined {
  if (value === '') return `${name} is missing`;
  return characters(value) > most ? `${name} has more than ${most} characters` : undefined;
}

function characters(text: string): number {
  return [...text].length;
}
