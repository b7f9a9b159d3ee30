/** Clients that put other values into the cells of a payment than they were given (sections 2.3 and 8). */
import type { Breaks } from '../defect.ts';
import { type ClientDefect, despite, recurring } from './defect.ts';

type Rows = Breaks<'client', 'recurring'>;
type Row = Readonly<Record<string, string>>;

export const cellDefects: readonly ClientDefect[] = [
  recurring('client-orderid-not-sent', 'The column client-orderid is left out', 'client-orderid-present', {
    table: ({ columns, rows }) => {
      const kept = (_: string, at: number) => columns[at] !== 'client-orderid';
      return { columns: columns.filter(kept), rows: rows.map((row) => row.filter(kept)) };
    },
  }),
  cell(
    'client-orderid-cut',
    'A client-orderid of more than 128 characters is cut',
    'client-orderid-length',
    'client-orderid',
    (cell) => [...cell].slice(0, 128).join(''),
    /client-orderid has more/,
  ),
  cell('blanks-collapsed', 'Several spaces in a client-orderid are sent as one', 'csv-rows', 'client-orderid', (cell) =>
    cell.replace(/(?<=\S) {2,}(?=\S)/g, ' '),
  ),
  cell(
    'words-of-databases-emptied',
    'A client-orderid such as NULL or None is taken for none',
    'client-orderid-present',
    'client-orderid',
    (cell) => (/^(?:NULL|None|NaN|undefined|\\N)$/.test(cell) ? '' : cell),
  ),
  cell(
    'numbers-of-orders-rewritten',
    'A client-orderid that can be read as a number is written as one: 1E5 as 100000',
    'csv-rows',
    'client-orderid',
    (cell) => (/^\dE\d+$/.test(cell) ? String(Number(cell)) : cell),
  ),
  column(
    'order-ids-as-number-column',
    'Where each client-orderid of several payments is a number, the column is written as numbers: 0042 as 42',
    'csv-rows',
    'client-orderid',
    (cells) =>
      cells.length > 1 && cells.every((cell) => /^\d+(?:E\d+)?$/i.test(cell))
        ? cells.map((cell) => String(Number(cell)))
        : cells,
  ),
  cell(
    'escapes-of-orders-read',
    'A backslash in a client-orderid is read as an escape: \\n as a line feed',
    'csv-rows',
    'client-orderid',
    (cell) => cell.replace(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one)),
  ),
  cell(
    'unseen-characters-dropped',
    'Joiners and other characters that are not seen are dropped from a client-orderid',
    'csv-rows',
    'client-orderid',
    (cell) => cell.replace(/[\u00ad\u200b-\u200f\u2028-\u202e]/g, ''),
  ),
  cell(
    'no-break-space-made-plain',
    'A no-break space in a client-orderid is sent as an ordinary one',
    'csv-rows',
    'client-orderid',
    (cell) => cell.replaceAll('\u00a0', ' '),
  ),
  cell(
    'payment-id-made-up',
    'A missing recurring-payment-id is sent as ten zeros',
    'recurring-payment-id-present',
    'recurring-payment-id',
    (cell) => cell || '0000000000',
    /recurring-payment-id is missing/,
  ),
  cell(
    'payment-id-cut',
    'A recurring-payment-id of more than 10 characters is cut',
    'recurring-payment-id-length',
    'recurring-payment-id',
    (cell) => [...cell].slice(0, 10).join(''),
    /payment-id has more/,
  ),
  cell(
    'payment-id-as-number',
    'A recurring-payment-id of digits loses its leading zeros',
    'recurring-payment-id-length',
    'recurring-payment-id',
    (cell) => (/^\d+$/.test(cell) ? cell.replace(/^0+(?=\d)/, '') : cell),
  ),
  cell(
    'amount-made-up',
    'A missing amount is sent as 0.00',
    'amount-conditional',
    'amount',
    (cell, row) => (cell === '' && !hasOtherAmount(row) ? '0.00' : cell),
    /amount is missing/,
  ),
  cell('amount-with-comma', 'amount has a comma in place of the point', 'amount-numeric', 'amount', (cell) =>
    cell.replace('.', ','),
  ),
  cell(
    'amount-in-exponent-form',
    'An amount below 1 is written with an exponent: 0.01 as 1e-2',
    'amount-numeric',
    'amount',
    (cell) => (/^0\.0*[1-9]/.test(cell) ? Number(cell).toExponential() : cell),
  ),
  cell(
    'tiny-amount-in-exponent-form',
    'An amount below a millionth is written as a program prints it: 0.0000001 as 1e-7',
    'amount-numeric',
    'amount',
    (cell) => (/^0\.000000\d/.test(cell) ? String(Number(cell)) : cell),
  ),
  column(
    'amounts-in-scale-of-first',
    'All amounts of a batch are written with as many fraction digits as the first of them',
    // What is sent is a number, and not the one that was given.
    'csv-rows',
    'amount',
    (cells) => {
      const scale = /^\d+\.(\d+)$/.exec(cells[0] ?? '')?.[1]?.length;
      return cells.map((cell) => (scale && isDecimal(cell) ? Number(cell).toFixed(scale) : cell));
    },
  ),
  column(
    'amount-cents-rounded-up',
    'An amount of cents is multiplied by 100 as a double and rounded up: 0.55 is sent as 0.56',
    'csv-rows',
    'amount',
    (cells) => cells.map((cell) => (isDecimal(cell) ? (Math.ceil(Number(cell) * 100) / 100).toFixed(2) : cell)),
  ),
  cell('amount-padded', 'amount is filled up with zeros to 12 characters', 'amount-length', 'amount', (cell) =>
    cell === '' ? cell : cell.padStart(12, '0'),
  ),
  cell(
    'amount-cut',
    'An amount of more than 10 characters is cut',
    'amount-length',
    'amount',
    (cell) => cell.slice(0, 10),
    /amount has more/,
  ),
];

/** Writes other cells into a column that is there; what the reference client refuses for the reason `refused` is sent too. */
function cell(
  what: string,
  summary: string,
  breaks: Rows,
  column: string,
  change: (cell: string, row: Row) => string,
  refused?: RegExp,
): ClientDefect {
  return recurring(what, summary, breaks, {
    ...despite(refused),
    table: ({ columns, rows }) => ({
      columns,
      rows: rows.map((row) => {
        const named = Object.fromEntries(columns.map((name, at) => [name, row[at] ?? '']));
        return row.map((cell, at) => (columns[at] === column ? change(cell, named) : cell));
      }),
    }),
  });
}

/** Writes a column as a whole. */
function column(
  what: string,
  summary: string,
  breaks: Rows,
  name: string,
  change: (cells: readonly string[]) => readonly string[],
): ClientDefect {
  return recurring(what, summary, breaks, {
    table: ({ columns, rows }) => {
      const place = columns.indexOf(name);
      const changed = change(rows.map((row) => row[place] ?? ''));
      return { columns, rows: rows.map((row, at) => row.map((cell, of) => (of === place ? changed[at]! : cell))) };
    },
  });
}

/** With two fraction digits at most. */
function isDecimal(amount: string): boolean {
  return /^\d+\.\d\d?$/.test(amount);
}

function hasOtherAmount(row: Row): boolean {
  return Boolean((row['amount-from'] && row['amount-to']) || row['amount-sequence']);
}
