/** Clients that put other values into the cells of a payment than they were given (sections 2.3 and 8). */
import type { ClientAlteration } from '../../peer/client/index.ts';
import type { ClientDefect } from './defect.ts';

const recurring = { side: 'client', operation: 'process-recurring-payments' } as const;

export const cellDefects: readonly ClientDefect[] = [
  {
    ...recurring,
    id: 'recurring/client-orderid-not-sent',
    summary: 'The column client-orderid is left out',
    breaks: ['recurring/client-orderid-present'],
    alteration: {
      table: ({ columns, rows }) => {
        const kept = (_: string, at: number) => columns[at] !== 'client-orderid';
        return { columns: columns.filter(kept), rows: rows.map((row) => row.filter(kept)) };
      },
    },
  },
  {
    ...recurring,
    id: 'recurring/client-orderid-cut',
    summary: 'A client-orderid of more than 128 characters is cut',
    breaks: ['recurring/client-orderid-length'],
    alteration: cells('client-orderid', (cell) => [...cell].slice(0, 128).join(''), /client-orderid has more/),
  },
  {
    ...recurring,
    id: 'recurring/blanks-collapsed',
    summary: 'Several spaces in a client-orderid are sent as one',
    breaks: ['recurring/csv-rows'],
    alteration: cells('client-orderid', (cell) => cell.replace(/(?<=\S) {2,}(?=\S)/g, ' ')),
  },
  {
    ...recurring,
    id: 'recurring/words-of-databases-emptied',
    summary: 'A client-orderid such as NULL or None is taken for none',
    breaks: ['recurring/client-orderid-present'],
    alteration: cells('client-orderid', (cell) => (/^(?:NULL|None|NaN|undefined|\\N)$/.test(cell) ? '' : cell)),
  },
  {
    ...recurring,
    id: 'recurring/numbers-of-orders-rewritten',
    summary: 'A client-orderid that can be read as a number is written as one: 1E5 as 100000',
    breaks: ['recurring/csv-rows'],
    alteration: cells('client-orderid', (cell) => (/^\dE\d+$/.test(cell) ? String(Number(cell)) : cell)),
  },
  {
    ...recurring,
    id: 'recurring/order-ids-as-number-column',
    summary: 'Where each client-orderid of several payments is a number, the column is written as numbers: 0042 as 42',
    breaks: ['recurring/csv-rows'],
    alteration: column('client-orderid', (cells) =>
      cells.length > 1 && cells.every((cell) => /^\d+(?:E\d+)?$/i.test(cell))
        ? cells.map((cell) => String(Number(cell)))
        : cells,
    ),
  },
  {
    ...recurring,
    id: 'recurring/escapes-of-orders-read',
    summary: 'A backslash in a client-orderid is read as an escape: \\n as a line feed',
    breaks: ['recurring/csv-rows'],
    alteration: cells('client-orderid', (cell) => cell.replace(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one))),
  },
  {
    ...recurring,
    id: 'recurring/unseen-characters-dropped',
    summary: 'Joiners and other characters that are not seen are dropped from a client-orderid',
    breaks: ['recurring/csv-rows'],
    alteration: cells('client-orderid', (cell) => cell.replace(/[\u00ad\u200b-\u200f\u2028-\u202e]/g, '')),
  },
  {
    ...recurring,
    id: 'recurring/no-break-space-made-plain',
    summary: 'A no-break space in a client-orderid is sent as an ordinary one',
    breaks: ['recurring/csv-rows'],
    alteration: cells('client-orderid', (cell) => cell.replaceAll('\u00a0', ' ')),
  },
  {
    ...recurring,
    id: 'recurring/payment-id-made-up',
    summary: 'A missing recurring-payment-id is sent as ten zeros',
    breaks: ['recurring/recurring-payment-id-present'],
    alteration: cells('recurring-payment-id', (cell) => cell || '0000000000', /recurring-payment-id is missing/),
  },
  {
    ...recurring,
    id: 'recurring/payment-id-cut',
    summary: 'A recurring-payment-id of more than 10 characters is cut',
    breaks: ['recurring/recurring-payment-id-length'],
    alteration: cells('recurring-payment-id', (cell) => [...cell].slice(0, 10).join(''), /payment-id has more/),
  },
  {
    ...recurring,
    id: 'recurring/payment-id-as-number',
    summary: 'A recurring-payment-id of digits loses its leading zeros',
    breaks: ['recurring/recurring-payment-id-length'],
    alteration: cells('recurring-payment-id', (cell) => (/^\d+$/.test(cell) ? cell.replace(/^0+(?=\d)/, '') : cell)),
  },
  {
    ...recurring,
    id: 'recurring/amount-made-up',
    summary: 'A missing amount is sent as 0.00',
    breaks: ['recurring/amount-conditional'],
    alteration: cells(
      'amount',
      (cell, row) => (cell === '' && !hasOtherAmount(row) ? '0.00' : cell),
      /amount is missing/,
    ),
  },
  {
    ...recurring,
    id: 'recurring/amount-with-comma',
    summary: 'amount has a comma in place of the point',
    breaks: ['recurring/amount-numeric'],
    alteration: cells('amount', (cell) => cell.replace('.', ',')),
  },
  {
    ...recurring,
    id: 'recurring/amount-in-exponent-form',
    summary: 'An amount below 1 is written with an exponent: 0.01 as 1e-2',
    breaks: ['recurring/amount-numeric'],
    alteration: cells('amount', (cell) => (/^0\.0*[1-9]/.test(cell) ? Number(cell).toExponential() : cell)),
  },
  {
    ...recurring,
    id: 'recurring/tiny-amount-in-exponent-form',
    summary: 'An amount below a millionth is written as a program prints it: 0.0000001 as 1e-7',
    breaks: ['recurring/amount-numeric'],
    alteration: cells('amount', (cell) => (/^0\.000000\d/.test(cell) ? String(Number(cell)) : cell)),
  },
  {
    ...recurring,
    id: 'recurring/amounts-in-scale-of-first',
    summary: 'All amounts of a batch are written with as many fraction digits as the first of them',
    // What is sent is a number, and not the one that was given.
    breaks: ['recurring/csv-rows'],
    alteration: column('amount', (cells) => {
      const scale = /^\d+\.(\d+)$/.exec(cells[0] ?? '')?.[1]?.length;
      return cells.map((cell) => (scale && isDecimal(cell) ? Number(cell).toFixed(scale) : cell));
    }),
  },
  {
    ...recurring,
    id: 'recurring/amount-cents-rounded-up',
    summary: 'An amount of cents is multiplied by 100 as a double and rounded up: 0.55 is sent as 0.56',
    breaks: ['recurring/csv-rows'],
    alteration: column('amount', (cells) =>
      cells.map((cell) => (isDecimal(cell) ? (Math.ceil(Number(cell) * 100) / 100).toFixed(2) : cell)),
    ),
  },
  {
    ...recurring,
    id: 'recurring/amount-padded',
    summary: 'amount is filled up with zeros to 12 characters',
    breaks: ['recurring/amount-length'],
    alteration: cells('amount', (cell) => (cell === '' ? cell : cell.padStart(12, '0'))),
  },
  {
    ...recurring,
    id: 'recurring/amount-cut',
    summary: 'An amount of more than 10 characters is cut',
    breaks: ['recurring/amount-length'],
    alteration: cells('amount', (cell) => cell.slice(0, 10), /amount has more/),
  },
];

type Row = Readonly<Record<string, string>>;

/** Writes other cells into a column that is there; what the reference client refuses for that reason is sent too. */
function cells(column: string, change: (cell: string, row: Row) => string, mended?: RegExp): ClientAlteration {
  const table: ClientAlteration['table'] = ({ columns, rows }) => ({
    columns,
    rows: rows.map((row) => {
      const named = Object.fromEntries(columns.map((name, at) => [name, row[at] ?? '']));
      return row.map((cell, at) => (columns[at] === column ? change(cell, named) : cell));
    }),
  });
  if (mended === undefined) return { table };
  return { table, refusal: (refusal) => (refusal !== undefined && mended.test(refusal.reason) ? undefined : refusal) };
}

/** Writes a column as a whole. */
function column(name: string, change: (cells: readonly string[]) => readonly string[]): ClientAlteration {
  return {
    table: ({ columns, rows }) => {
      const place = columns.indexOf(name);
      const changed = change(rows.map((row) => row[place] ?? ''));
      return { columns, rows: rows.map((row, at) => row.map((cell, of) => (of === place ? changed[at]! : cell))) };
    },
  };
}

/** With two fraction digits at most. */
function isDecimal(amount: string): boolean {
  return /^\d+\.\d\d?$/.test(amount);
}

function hasOtherAmount(row: Row): boolean {
  return Boolean((row['amount-from'] && row['amount-to']) || row['amount-sequence']);
}
