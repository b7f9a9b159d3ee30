/** One payment of the CSV (section 2.3): two ids, and the amount in one of three forms. */
import * as fc from 'fast-check';
import { amountEdges, faultyAmount, validAmount } from './amount.ts';
import { clientOrderidEdges, faultyClientOrderid, validClientOrderid } from './client-orderid.ts';
import { drawn, fault, type Labelled, open, relabel, valid } from './labelled.ts';
import { faultyRecurringPaymentId, recurringPaymentIdEdges, validRecurringPaymentId } from './recurring-payment-id.ts';

/** Cells by column name, in the order of the columns. */
export type CsvRow = Readonly<Record<string, string>>;

const plain = { 'client-orderid': 'order-1', 'recurring-payment-id': '1234567890', amount: '1.00' } as const;
const ids = { 'client-orderid': 'order-1', 'recurring-payment-id': '1234567890' } as const;

/**
 * A right row. Most have `amount`; one in eight each has `amount-from` and `amount-to`, or `amount-sequence`, and says
 * so in `edge`. The document names these columns and not their format: their cells are plain amounts here.
 */
export const validCsvRow: fc.Arbitrary<Labelled<CsvRow>> = fc
  .tuple(validClientOrderid, validRecurringPaymentId, validAmount, fc.nat({ max: 7 }))
  .map(([order, profile, amount, form]) => {
    const both = { 'client-orderid': order.value, 'recurring-payment-id': profile.value };
    if (form === 6) return valid({ ...both, 'amount-from': amount.value, 'amount-to': amount.value }, 'amount-range');
    if (form === 7) return valid({ ...both, 'amount-sequence': amount.value }, 'amount-sequence');
    return valid({ ...both, amount: amount.value });
  });

/** Rows that have an `amount`, so that they fit into one table. */
export const validAmountRow: fc.Arbitrary<Labelled<CsvRow>> = fc
  .tuple(validClientOrderid, validRecurringPaymentId, validAmount)
  .map(([order, profile, amount]) =>
    valid({ 'client-orderid': order.value, 'recurring-payment-id': profile.value, amount: amount.value }),
  );

/** Every edge of every cell, and of the amount forms, once. */
export const csvRowEdges: readonly Labelled<CsvRow>[] = [
  valid(plain, 'amount'),
  valid({ ...ids, 'amount-from': '1.00', 'amount-to': '2.00' }, 'amount-range'),
  valid({ ...ids, 'amount-sequence': '1.00' }, 'amount-sequence'),
  open('A15', 'amount-and-range', { ...plain, 'amount-from': '1.00', 'amount-to': '2.00' }),
  open('A15', 'amount-and-sequence', { ...plain, 'amount-sequence': '1.00' }),
  open('A15', 'range-and-sequence', { ...ids, 'amount-from': '1.00', 'amount-to': '2.00', 'amount-sequence': '1.00' }),
  open('A15', 'empty-amount-beside-range', { ...ids, amount: '', 'amount-from': '1.00', 'amount-to': '2.00' }),
  fault('recurring/amount-conditional', 'amount-from-alone', { ...ids, 'amount-from': '1.00' }),
  fault('recurring/amount-conditional', 'amount-to-alone', { ...ids, 'amount-to': '1.00' }),
  fault('recurring/amount-conditional', 'no-amount', ids),
  fault('recurring/amount-conditional', 'empty-amount', { ...ids, amount: '' }),
  open('A12', 'extra-column', { ...plain, order_desc: 'Subscription' }),
  open('A12', 'column-order', { amount: '1.00', 'recurring-payment-id': '1234567890', 'client-orderid': 'order-1' }),
  ...inCell('client-orderid', clientOrderidEdges),
  ...inCell('recurring-payment-id', recurringPaymentIdEdges),
  ...inCell('amount', amountEdges),
];

export const edgeCsvRow: fc.Arbitrary<Labelled<CsvRow>> = drawn(csvRowEdges);

const noAmount: readonly ((both: CsvRow) => Labelled<CsvRow>)[] = [
  (both) => fault('recurring/amount-conditional', 'no-amount', both),
  (both) => fault('recurring/amount-conditional', 'empty-amount', { ...both, amount: '' }),
  (both) => fault('recurring/amount-conditional', 'amount-from-alone', { ...both, 'amount-from': '1.00' }),
  (both) => fault('recurring/amount-conditional', 'amount-to-alone', { ...both, 'amount-to': '1.00' }),
  (both) =>
    fault('recurring/amount-conditional', 'empty-amount-to', { ...both, 'amount-from': '1.00', 'amount-to': '' }),
];

/** A right row with one cell at fault, or without one. */
export const faultyCsvRow: fc.Arbitrary<Labelled<CsvRow>> = fc
  .tuple(
    validAmountRow,
    fc.oneof(
      faultyClientOrderid.map(replacing('client-orderid')),
      faultyRecurringPaymentId.map(replacing('recurring-payment-id')),
      faultyAmount.map(replacing('amount')),
      fc.constantFrom(without('client-orderid'), without('recurring-payment-id')),
      fc.constantFrom(...noAmount).map(
        (make) =>
          ({ amount: _, ...both }: CsvRow) =>
            make(both as CsvRow),
      ),
    ),
  )
  .map(([row, spoil]) => spoil(row.value));

function inCell(column: string, edges: readonly Labelled<string>[]): Labelled<CsvRow>[] {
  return edges.map((edge) => ({
    ...relabel(edge, (value) => ({ ...plain, [column]: value })),
    edge: `${column}:${edge.edge}`,
  }));
}

function replacing(column: string): (cell: Labelled<string>) => (row: CsvRow) => Labelled<CsvRow> {
  return (cell) => (row) => ({
    ...relabel(cell, (value) => ({ ...row, [column]: value })),
    edge: `${column}:${cell.edge}`,
  });
}

function without(column: 'client-orderid' | 'recurring-payment-id'): (row: CsvRow) => Labelled<CsvRow> {
  return (row) => {
    const { [column]: _, ...rest } = row;
    return fault(`recurring/${column}-present`, `no-${column}`, rest as CsvRow);
  };
}
