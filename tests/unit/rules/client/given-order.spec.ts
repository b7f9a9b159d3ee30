/** Rows of a batch are put beside the payments that they are, however many are alike. */
import { inGivenOrder } from '../../../../src/rules/client/asked.ts';
import { expect, test } from '../../../engine.ts';

const columns = ['client-orderid', 'recurring-payment-id', 'amount'];
const row = ['one-order', '1', '1.00'];
const alike = Array.from({ length: 50_000 }, () => row);

for (const [what, rows] of [
  ['all equal', alike.map(() => [...row])],
  ['all of one order with another amount', alike.map(([id]) => [id!, '1', '2.00'])],
  ['none with as many cells as names', alike.map(() => undefined)],
] as const) {
  test(`50,000 rows, ${what}, keep their order; each is not compared with each`, () => {
    expect(inGivenOrder(columns, rows, { columns, rows: alike }).every((sent, at) => sent === rows[at])).toBe(true);
  });
}

test('of equal rows the first one sent is that of the first payment, and a row of too few cells stays where one is missing', () => {
  const other = ['b', '2', '3.00'];
  const rows = [other, undefined, [...row], [...row]];
  const placed = inGivenOrder(columns, rows, { columns, rows: [row, other, row, ['c', '3', '4.00']] });
  expect(placed.map((sent) => rows.indexOf(sent as string[]))).toEqual([2, 0, 3, 1]);
});
