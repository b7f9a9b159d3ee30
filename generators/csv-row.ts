/** One payment of the CSV (section 2.3): two ids, and the amount in one of three forms. */
import * as fc from 'fast-check';
import { amounts } from './amount.ts';
import { clientOrderids } from './client-orderid.ts';
import { fault, type Labelled, open, relabel, tableFault, valid } from './labelled.ts';
import { recurringPaymentIds } from './recurring-payment-id.ts';

export type CsvRow = Readonly<Record<string, string>>;

export type PaymentRow = Readonly<Record<'client-orderid' | 'recurring-payment-id' | 'amount', string>>;

/** The default row from which edges and faults are made. */
export const plainRow: PaymentRow = {
  'client-orderid': 'order-1',
  'recurring-payment-id': '1234567890',
  amount: '1.00',
};

export const paymentRows: fc.Arbitrary<Labelled<PaymentRow>> = paymentRowOf(clientOrderids.valid);

/** Draws rows with the given order ids. A row gets the label of its order id. */
export function paymentRowOf(orders: fc.Arbitrary<Labelled<string>>): fc.Arbitrary<Labelled<PaymentRow>> {
  return fc
    .tuple(orders, recurringPaymentIds.valid, amounts.valid)
    .map(([order, { value: profile }, { value: amount }]) =>
      relabel(order, (text) => ({ 'client-orderid': text, 'recurring-payment-id': profile, amount })),
    );
}

/** Puts the amount into each amount column, because the document does not define the other contents. */
export function amountFormEdges(right: PaymentRow): readonly Labelled<CsvRow>[] {
  const { amount, ...ids } = right;
  const range = { 'amount-from': amount, 'amount-to': amount };
  return [
    valid(right, 'amount'),
    open('A15', 'amount-range', { ...ids, ...range }),
    open('A15', 'amount-sequence', { ...ids, 'amount-sequence': amount }),
    open('A15', 'amount-and-range', { ...right, ...range }),
    open('A15', 'amount-and-sequence', { ...right, 'amount-sequence': amount }),
    open('A15', 'range-and-sequence', { ...ids, ...range, 'amount-sequence': amount }),
    open('A15', 'empty-amount-beside-range', { ...ids, amount: '', ...range }),
    ...withoutAmount(ids),
  ];
}

/** The valid row with one cell replaced by an unusual value. `orderId` maps a drawn order id to the id that is sent. */
export function oddCsvRowOf(right: PaymentRow, orderId: (drawn: string) => string): fc.Arbitrary<Labelled<CsvRow>> {
  return fc
    .oneof(
      { weight: 4, arbitrary: clientOrderids.odd.map((cell) => replacing('client-orderid')(relabel(cell, orderId))) },
      { weight: 1, arbitrary: recurringPaymentIds.odd.map(replacing('recurring-payment-id')) },
      { weight: 1, arbitrary: amounts.odd.map(replacing('amount')) },
    )
    .map((change) => change(right));
}

export function faultyCsvRowOf(rows: fc.Arbitrary<PaymentRow>): fc.Arbitrary<Labelled<CsvRow>> {
  return fc
    .tuple(
      rows,
      fc.oneof(
        clientOrderids.faulty.map(replacing('client-orderid')),
        recurringPaymentIds.faulty.map(replacing('recurring-payment-id')),
        amounts.faulty.map(replacing('amount')),
        fc.constantFrom(without('client-orderid'), without('recurring-payment-id')),
        fc.nat({ max: 4 }).map(
          (at) =>
            ({ amount: _, ...ids }: CsvRow) =>
              withoutAmount(ids as CsvRow)[at]!,
        ),
      ),
    )
    .map(([row, spoil]) => spoil(row));
}

function withoutAmount(ids: CsvRow): readonly Labelled<CsvRow>[] {
  const rule = 'recurring/amount-conditional';
  return [
    // This is no `tableFault`, because the plan for clients already leaves out each column.
    fault(rule, 'no-amount', ids),
    tableFault(rule, 'empty-amount', { ...ids, amount: '' }),
    // The document does not define a range with only one end. So a client must not send such a row, but a gateway may accept it.
    tableFault(rule, 'amount-from-alone', { ...ids, 'amount-from': '1.00' }, 'A15'),
    tableFault(rule, 'amount-to-alone', { ...ids, 'amount-to': '1.00' }, 'A15'),
    fault(rule, 'empty-amount-to', { ...ids, 'amount-from': '1.00', 'amount-to': '' }, 'A15'),
  ];
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
