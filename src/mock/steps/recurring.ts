/** Steps on the payload of a recurring-payments request, from the form field down to the cells (2.3, 4.2, 8). */
import { type Batch, column } from '../batch.ts';
import { isDecimal } from '../decimal.ts';
import type { RowRule } from '../plain-rows.ts';
import { firstValue, type Reading } from '../received.ts';
import { profileIsActive } from '../state.ts';
import { type Step, type StepContext, step } from './step.ts';

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
  rowStep('csv-rows', 'the CSV has no payment', ({ table }) => table?.rows.length === 0),
  rowStep(
    'csv-cells',
    'a row and the header differ in their number of cells',
    ({ table }) => table?.rows.every((row) => row.length === table.columns.length) === false,
  ),
  rowStep('client-orderid', wrongCell('client-orderid'), cells('client-orderid', present)),
  rowStep('client-orderid-length', wrongCell('client-orderid'), cells('client-orderid', atMost(128))),
  rowStep('recurring-payment-id', wrongCell('recurring-payment-id'), cells('recurring-payment-id', present)),
  rowStep('recurring-payment-id-length', wrongCell('recurring-payment-id'), cells('recurring-payment-id', atMost(10))),
  rowStep('amount', 'a row has no amount', someRowHasNoAmount),
  rowStep(
    'amount-numeric',
    wrongCell('amount'),
    cells('amount', (cell) => cell === '' || isDecimal(cell)),
  ),
  rowStep('amount-length', wrongCell('amount'), cells('amount', atMost(10))),
  rowStep(
    'profile',
    'a recurring payment is unknown or stopped',
    (batch, { world, now }) =>
      !column(batch, 'recurring-payment-id').every((id) => profileIsActive(world, id ?? '', now)),
  ),
] as const;

function ofBatch(refuses: (batch: Batch) => string | undefined): Step['refuses'] {
  return (reading: Reading) => refuses(reading.batch());
}

type Breach = (batch: Batch, surroundings: StepContext) => boolean;

/** A rule on rows. Of a batch that was scanned as it arrived there are no rows: csv-scan.ts says whether one breaks the rule. */
function rowStep<const Name extends RowRule>(name: Name, reason: string, breaks: Breach): Step<Name> {
  return step(name, (reading, surroundings) => {
    const batch = reading.batch();
    return (batch.scan?.broken.has(name) ?? breaks(batch, surroundings)) ? reason : undefined;
  });
}

function wrongCell(name: string): string {
  return `a cell of ${name} is wrong`;
}

/** Broken unless every cell of the column fits; cells that are not there are left to the steps before. */
function cells(name: string, fits: (cell: string) => boolean): Breach {
  return ({ table }) => {
    const index = table?.columns.indexOf(name) ?? -1;
    return index !== -1 && table!.rows.some((row) => row[index] !== undefined && !fits(row[index]));
  };
}

function present(cell: string): boolean {
  return cell !== '';
}

/** Counted in Unicode characters, of which none takes more than two units: a cell of megabytes is not spread out. */
function atMost(characters: number): (cell: string) => boolean {
  return (cell) => cell.length <= characters || (cell.length <= 2 * characters && [...cell].length <= characters);
}

/** `amount`, or `amount-from` with `amount-to`, or `amount-sequence` (2.3). */
function someRowHasNoAmount({ table }: Batch): boolean {
  if (table === undefined) return false;
  const [amount, from, to, sequence] = ['amount', 'amount-from', 'amount-to', 'amount-sequence'].map((name) =>
    table.columns.indexOf(name),
  );
  return table.rows.some((row) => !(row[amount!] || (row[from!] && row[to!]) || row[sequence!]));
}
