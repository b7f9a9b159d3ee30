/** Steps on the payload of a recurring-payments request, from the form field down to the cells (2.3, 4.2, 8). */
import { type Batch, column } from '../batch.ts';
import { isDecimal } from '../decimal.ts';
import { firstValue, type Reading } from '../received.ts';
import { profileIsActive } from '../state.ts';
import { type Step, step } from './step.ts';

const requiredColumns = ['client-orderid', 'recurring-payment-id'];

export const recurringSteps = [
  step('payload', ({ form }) => (firstValue(form, 'payload') ? undefined : 'payload is missing or empty')),
  step('payload-alone', ({ form }) =>
    form.every(([name]) => name === 'payload') ? undefined : 'the form has fields besides payload',
  ),
  step(
    'base64',
    ofBatch(({ strictBase64 }) => (strictBase64 ? undefined : 'payload is not base64')),
  ),
  step(
    'utf-8',
    ofBatch(({ utf8 }) => (utf8 ? undefined : 'the CSV is not UTF-8')),
  ),
  step(
    'byte-order-mark',
    ofBatch(({ byteOrderMark }) => (byteOrderMark ? 'the CSV starts with a byte order mark' : undefined)),
  ),
  step(
    'csv',
    ofBatch(({ table }) => (table ? undefined : 'the payload is not a CSV')),
  ),
  step(
    'csv-header-quotes',
    ofBatch(({ table }) => (table?.quoted.every(Boolean) === false ? 'a column name has no quotes' : undefined)),
  ),
  step(
    'csv-columns',
    ofBatch(({ table }) =>
      requiredColumns.every((name) => table?.columns.includes(name) ?? true) ? undefined : 'a column is missing',
    ),
  ),
  step(
    'csv-columns-once',
    ofBatch(({ table }) =>
      new Set(table?.columns).size === (table?.columns.length ?? 0) ? undefined : 'a column is repeated',
    ),
  ),
  step(
    'csv-rows',
    ofBatch(({ table }) => (table?.rows.length === 0 ? 'the CSV has no payment' : undefined)),
  ),
  step(
    'csv-cells',
    ofBatch(({ table }) =>
      table?.rows.every((row) => row.length === table.columns.length) === false
        ? 'a row and the header differ in their number of cells'
        : undefined,
    ),
  ),
  step('client-orderid', cells('client-orderid', present)),
  step('client-orderid-length', cells('client-orderid', atMost(128))),
  step('recurring-payment-id', cells('recurring-payment-id', present)),
  step('recurring-payment-id-length', cells('recurring-payment-id', atMost(10))),
  step('amount', ofBatch(everyRowHasAnAmount)),
  step(
    'amount-numeric',
    cells('amount', (cell) => cell === '' || isDecimal(cell)),
  ),
  step('amount-length', cells('amount', atMost(10))),
  step('profile', (reading, { world, now }) =>
    column(reading.batch(), 'recurring-payment-id').every((id) => profileIsActive(world, id ?? '', now))
      ? undefined
      : 'a recurring payment is unknown or stopped',
  ),
] as const;

function ofBatch(refuses: (batch: Batch) => string | undefined): Step['refuses'] {
  return (reading: Reading) => refuses(reading.batch());
}

/** Refuses unless every cell of the column fits; cells that are not there are left to the steps before. */
function cells(name: string, fits: (cell: string) => boolean): Step['refuses'] {
  return ofBatch(({ table }) => {
    const index = table?.columns.indexOf(name) ?? -1;
    if (index === -1) return undefined;
    for (const row of table!.rows) {
      const cell = row[index];
      if (cell !== undefined && !fits(cell)) return `a cell of ${name} is wrong`;
    }
    return undefined;
  });
}

function present(cell: string): boolean {
  return cell !== '';
}

/** Counted in Unicode characters, of which none takes more than two units: a cell of megabytes is not spread out. */
function atMost(characters: number): (cell: string) => boolean {
  return (cell) => cell.length <= characters || (cell.length <= 2 * characters && [...cell].length <= characters);
}

/** `amount`, or `amount-from` with `amount-to`, or `amount-sequence` (2.3). */
function everyRowHasAnAmount({ table }: Batch): string | undefined {
  if (table === undefined) return undefined;
  const [amount, from, to, sequence] = ['amount', 'amount-from', 'amount-to', 'amount-sequence'].map((name) =>
    table.columns.indexOf(name),
  );
  const missing = table.rows.some((row) => !(row[amount!] || (row[from!] && row[to!]) || row[sequence!]));
  return missing ? 'a row has no amount' : undefined;
}
