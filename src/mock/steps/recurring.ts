/** Steps on the payload of a recurring-payments request, from the form field down to the cells (2.3, 4.2, 8). */
import type { Batch, RowRule } from '../batch.ts';
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
    ofBatch(({ header }) => (header ? undefined : 'the payload is not a CSV')),
  ),
  step(
    'csv-header-quotes',
    ofBatch(({ header }) => (header?.quoted.every(Boolean) === false ? 'a column name has no quotes' : undefined)),
  ),
  step(
    'csv-columns',
    ofBatch(({ header }) =>
      requiredColumns.every((name) => header?.columns.includes(name) ?? true) ? undefined : 'a column is missing',
    ),
  ),
  step(
    'csv-columns-once',
    ofBatch(({ header }) =>
      new Set(header?.columns).size === (header?.columns.length ?? 0) ? undefined : 'a column is repeated',
    ),
  ),
  step(
    'csv-rows',
    ofBatch(({ header, payments }) => (header && payments.count === 0 ? 'the CSV has no payment' : undefined)),
  ),
  rowStep('csv-cells', 'a row and the header differ in their number of cells'),
  rowStep('client-orderid', 'a cell of client-orderid is wrong'),
  rowStep('client-orderid-length', 'a cell of client-orderid is wrong'),
  rowStep('recurring-payment-id', 'a cell of recurring-payment-id is wrong'),
  rowStep('recurring-payment-id-length', 'a cell of recurring-payment-id is wrong'),
  rowStep('amount', 'a row has no amount'),
  rowStep('amount-numeric', 'a cell of amount is wrong'),
  rowStep('amount-length', 'a cell of amount is wrong'),
  step('profile', (reading, { world, now }) => {
    if (world.profiles.size === 0 && world.unlistedProfilesExist) return undefined;
    const ids = reading.batch().column('recurring-payment-id');
    return ids.every((id) => profileIsActive(world, id ?? '', now))
      ? undefined
      : 'a recurring payment is unknown or stopped';
  }),
] as const;

function ofBatch(refuses: (batch: Batch) => string | undefined): Step['refuses'] {
  return (reading: Reading) => refuses(reading.batch());
}

function rowStep<const Name extends RowRule>(name: Name, reason: string): Step<Name> {
  return step(
    name,
    ofBatch(({ broken }) => (broken.has(name) ? reason : undefined)),
  );
}
