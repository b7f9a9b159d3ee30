/** Clients that put other values into the cells of a payment than they were given (sections 2.3 and 8). */
import { breaking } from '../defect.ts';
import { type ClientDefect, recurring } from './defect.ts';

const rows = breaking(recurring, 'csv-rows');
const noOrder = breaking(recurring, 'client-orderid-present');
const paymentIdLength = breaking(recurring, 'recurring-payment-id-length');
const numeric = breaking(recurring, 'amount-numeric');
const amountLength = breaking(recurring, 'amount-length');

export const cellDefects: readonly ClientDefect[] = [
  noOrder('client-orderid-not-sent', {
    table: ({ columns, rows }) => {
      const kept = (_: string, at: number) => columns[at] !== 'client-orderid';
      return { columns: columns.filter(kept), rows: rows.map((row) => row.filter(kept)) };
    },
  })`The column client-orderid is left out`,
  recurring('client-orderid-cut', 'client-orderid-length', {
    cell: { 'client-orderid': (cell) => [...cell].slice(0, 128).join('') },
    despite: /client-orderid has more/,
  })`A client-orderid of more than 128 characters is cut`,
  rows('blanks-collapsed', { cell: { 'client-orderid': (cell) => cell.replace(/(?<=\S) {2,}(?=\S)/g, ' ') } })`
    Several spaces in a client-orderid are sent as one`,
  noOrder('words-of-databases-emptied', {
    cell: { 'client-orderid': (cell) => (/^(?:NULL|None|NaN|undefined|\\N)$/.test(cell) ? '' : cell) },
  })`A client-orderid such as NULL or None is taken for none`,
  rows('numbers-of-orders-rewritten', {
    cell: { 'client-orderid': (cell) => (/^\dE\d+$/.test(cell) ? String(Number(cell)) : cell) },
  })`A client-orderid that can be read as a number is written as one: 1E5 as 100000`,
  rows('order-ids-as-number-column', {
    column: {
      'client-orderid': (cells) => {
        const areNumbers = cells.length > 1 && cells.every((cell) => /^\d+(?:E\d+)?$/i.test(cell));
        return areNumbers ? cells.map((cell) => String(Number(cell))) : cells;
      },
    },
  })`Where each client-orderid of several payments is a number, the column is written as numbers: 0042 as 42`,
  rows('escapes-of-orders-read', {
    cell: { 'client-orderid': (cell) => cell.replace(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one)) },
  })`A backslash in a client-orderid is read as an escape: \\n as a line feed`,
  rows('unseen-characters-dropped', {
    cell: { 'client-orderid': (cell) => cell.replace(/[\u00ad\u200b-\u200f\u2028-\u202e]/g, '') },
  })`Joiners and other characters that are not seen are dropped from a client-orderid`,
  rows('no-break-space-made-plain', { cell: { 'client-orderid': (cell) => cell.replaceAll('\u00a0', ' ') } })`
    A no-break space in a client-orderid is sent as an ordinary one`,
  recurring('payment-id-made-up', 'recurring-payment-id-present', {
    cell: { 'recurring-payment-id': (cell) => cell || '0000000000' },
    despite: /recurring-payment-id is missing/,
  })`A missing recurring-payment-id is sent as ten zeros`,
  paymentIdLength('payment-id-cut', {
    cell: { 'recurring-payment-id': (cell) => [...cell].slice(0, 10).join('') },
    despite: /payment-id has more/,
  })`A recurring-payment-id of more than 10 characters is cut`,
  paymentIdLength('payment-id-as-number', {
    cell: { 'recurring-payment-id': (cell) => cell.replace(/^0+(?=\d+$)/, '') },
  })`A recurring-payment-id of digits loses its leading zeros`,
  recurring('amount-made-up', 'amount-conditional', {
    cell: { amount: (cell, row) => (cell === '' && !hasOtherAmount(row) ? '0.00' : cell) },
    despite: /amount is missing/,
  })`A missing amount is sent as 0.00`,
  numeric('amount-with-comma', { cell: { amount: (cell) => cell.replace('.', ',') } })`
    amount has a comma in place of the point`,
  numeric('amount-in-exponent-form', {
    cell: { amount: (cell) => (/^0\.0*[1-9]/.test(cell) ? Number(cell).toExponential() : cell) },
  })`An amount below 1 is written with an exponent: 0.01 as 1e-2`,
  numeric('tiny-amount-in-exponent-form', {
    cell: { amount: (cell) => (/^0\.000000\d/.test(cell) ? String(Number(cell)) : cell) },
  })`An amount below a millionth is written as a program prints it: 0.0000001 as 1e-7`,
  // What is sent is a number, and not the one that was given.
  rows('amounts-in-scale-of-first', {
    column: {
      amount: (cells) => {
        const scale = /^\d+\.(\d+)$/.exec(cells[0] ?? '')?.[1]?.length;
        return cells.map((cell) => (scale && isDecimal(cell) ? Number(cell).toFixed(scale) : cell));
      },
    },
  })`All amounts of a batch are written with as many fraction digits as the first of them`,
  rows('amount-cents-rounded-up', {
    cell: { amount: (cell) => (isDecimal(cell) ? (Math.ceil(Number(cell) * 100) / 100).toFixed(2) : cell) },
  })`An amount of cents is multiplied by 100 as a double and rounded up: 0.55 is sent as 0.56`,
  amountLength('amount-padded', { cell: { amount: (cell) => (cell === '' ? '' : cell.padStart(12, '0')) } })`
    amount is filled up with zeros to 12 characters`,
  amountLength('amount-cut', { cell: { amount: (cell) => cell.slice(0, 10) }, despite: /amount has more/ })`
    An amount of more than 10 characters is cut`,
];

/** With two fraction digits at most. */
function isDecimal(amount: string): boolean {
  return /^\d+\.\d\d?$/.test(amount);
}

function hasOtherAmount(row: Readonly<Record<string, string>>): boolean {
  return Boolean((row['amount-from'] && row['amount-to']) || row['amount-sequence']);
}
