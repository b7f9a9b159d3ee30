/** Clients that send other fields, CSV or cells than sections 2.1, 2.3, 4.2 and 8 require or their caller passed. */

import { closeDayFieldNames, type Pair } from '../../protocol/index.ts';
import { breaking } from '../defect.ts';
import { type ClientDefect, type ClientEdit, closeDay, recurring } from './defect.ts';

const idLength = breaking(closeDay, 'request-id-length');
const form = breaking(closeDay, 'body-is-form');

const closeDayFieldDefects: readonly ClientDefect[] = [
  closeDay('id-left-out', 'request-id-present', { fields: (pairs) => without(pairs, 'day_close_request_id') })`
    day_close_request_id is not sent`,
  closeDay('id-as-uuid', ['request-id-alphabet', 'request-id-length'], {
    field: {
      day_close_request_id: (id) =>
        id.replace(/^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i, '$1-$2-$3-$4-$5'),
    },
  })`An id of 32 hexadecimal digits is sent as a UUID with dashes, 36 characters`,
  closeDay('id-signs-replaced', 'request-id-alphabet', {
    field: { day_close_request_id: (id) => id.replace(/[^A-Za-z0-9]/g, '0') },
    despite: /has characters other/,
  })`Characters that are neither letters nor digits are sent as zeros`,
  idLength('id-cut', {
    field: { day_close_request_id: (id) => id.slice(0, 32) },
    despite: /has (?:3[3-9]|[4-9]\d|\d{3,}) characters/,
  })`An id of more than 32 characters is cut`,
  idLength('id-padded', {
    field: { day_close_request_id: (id) => (id === '' ? '' : id.padStart(8, '0')) },
    despite: /has [1-7] characters/,
  })`An id of fewer than 8 characters gets zeros in front`,
  idLength('id-as-number', { field: { day_close_request_id: (id) => id.replace(/^0+(?=\d+$)/, '') } })`
    An id of digits loses its leading zeros`,

  form('endpoint-in-body', { fields: (pairs, { endpointId }) => [...pairs, ['endpoint_id', endpointId]] })`
    The body has the endpoint id too`,
  form('names-in-camel-case', {
    fields: renamed((name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())),
  })`Fields have names such as saleApprovedSum`,
  closeDay('sale-count-through-a-double', 'sale-approved-count', {
    field: { sale_approved_count: (text) => (isNumber(text) ? String(Number(text)) : text) },
  })`sale_approved_count passes through a double`,
  closeDay('reversal-count-made-up', 'reversal-approved-count', { fields: adding('0', 'reversal_approved_count') })`
    A reversal_approved_count that was not given is sent as 0`,
  closeDay('reversal-sum-left-out', 'reversal-approved-sum', {
    fields: (pairs) => without(pairs, 'reversal_approved_sum'),
  })`reversal_approved_sum is not sent`,
  closeDay(
    'absent-totals-as-null',
    ['sale-approved-count', 'sale-approved-sum', 'reversal-approved-count', 'reversal-approved-sum'],
    { fields: adding('null', ...closeDayFieldNames.slice(1)) },
  )`A total that was not given is sent as the text null`,
  closeDay('sums-swapped', ['sale-approved-sum', 'reversal-approved-sum'], {
    fields: renamed((name) => name.replace(/(sale|reversal)(?=_approved_sum)/, (one) => swapped[one]!)),
  })`The sums of sales and of reversals are sent in the place of each other`,
  // Only one input has a line end, and it is in this field. The signature covers the original value.
  closeDay('line-ends-rewritten-after-signing', 'sale-approved-sum', {
    form: (form) => form.replaceAll('%0D%0A', '%0A'),
  })`CRLF of a value becomes LF in the body after the signature was made`,
];

const swapped: Readonly<Record<string, string>> = { sale: 'reversal', reversal: 'sale' };

function without(pairs: readonly Pair[], name: string): readonly Pair[] {
  return pairs.filter(([one]) => one !== name);
}

function renamed(change: (name: string) => string): (pairs: readonly Pair[]) => readonly Pair[] {
  return (pairs) => pairs.map(([name, value]) => [change(name), value]);
}

function adding(value: string, ...names: readonly string[]): (pairs: readonly Pair[]) => readonly Pair[] {
  return (pairs) => [
    ...pairs,
    ...names.filter((name) => pairs.every(([one]) => one !== name)).map((name): Pair => [name, value]),
  ];
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

const base64 = breaking(recurring, 'payload-base64');
const escaped = breaking(recurring, 'payload-escaped');
const payloadOnly = breaking(recurring, 'payload-only');
const delimiter = breaking(recurring, 'csv-delimiter');
const header = breaking(recurring, 'csv-header-quoted');
const rows = breaking(recurring, 'csv-rows');
const utf8 = breaking(recurring, 'csv-utf-8');

const payloadDefects: readonly ClientDefect[] = [
  base64('payload-in-lines-of-76', { payload: (text) => text.match(/.{1,76}/g)?.join('\n') ?? text })`
    The base64 text has a line feed after every 76 characters`,
  base64('payload-in-lines-of-64', { payload: (text) => text.replace(/.{1,64}/g, '$&\r\n') })`
    The base64 text has CRLF after every 64 characters, the last ones too`,
  base64('payload-with-line-feed', { payload: (text) => `${text}\n` })`A line feed follows the base64 text`,
  base64('payload-url-safe', { payload: (text) => text.replaceAll('+', '-').replaceAll('/', '_') })`
    The payload is written in the alphabet of base64url, padded`,
  base64('payload-without-padding', { payload: (text) => text.replace(/=+$/, '') })`
    The base64 text has no = at its end`,
  base64('payload-encoded-twice', { payload: (text) => Buffer.from(text, 'latin1').toString('base64') })`
    The base64 text is encoded in base64 again`,
  base64('payload-in-hex', { payload: (_, { done }) => Buffer.from(done.csvBytes).toString('hex') })`
    The payload is the CSV in hexadecimal`,
  base64('payload-as-data-uri', { payload: (text) => `data:text/csv;base64,${text}` })`
    The base64 text follows the prefix of a data URI`,
  // Only the body changes; the signature covers the right value.
  escaped('payload-plus-raw', { form: (text) => text.replaceAll('%2B', '+') })`
    A + of the base64 text is raw in the form body and arrives as a space`,
  escaped('payload-escaped-twice', { form: (text) => text.replaceAll('%', '%25') })`
    The base64 text is escaped twice in the form body: its + arrives as %2B`,
  payloadOnly('format-beside-payload', { fields: (pairs) => [...pairs, ['format', 'csv']] })`
    The body has a parameter format besides payload`,
  payloadOnly('payload-named-data', { fields: (pairs) => pairs.map(([, value]) => ['data', value]) })`
    The CSV is sent as the parameter data`,

  delimiter('csv-with-commas', { csv: written(',') })`The fields of the CSV are separated by commas`,
  delimiter('csv-with-tabs', { csv: written('\t') })`The fields of the CSV are separated by tabs`,
  header('csv-header-bare', {
    csv: (csv, { done }) => `${done.table.columns.join(';')}${csv.slice(csv.indexOf('\n'))}`,
  })`The column names are not quoted`,
  header('csv-header-left-out', { csv: (csv) => csv.slice(csv.indexOf('\n') + 1) })`
    The CSV starts with the first payment`,
  rows('delimiter-in-cell-bare', { csv: written(';', doubled, '"\r\n') })`A cell with a semicolon is not quoted`,
  rows('quote-in-cell-single', { csv: written(';', (text) => text) })`A quote inside a cell in quotes is not doubled`,
  rows('quote-in-cell-with-backslash', { csv: written(';', (text) => text.replaceAll('"', '\\"')) })`
    A quote inside a cell in quotes follows a backslash in place of another quote`,
  rows('quote-after-backslash-single', { csv: written(';', (text) => text.replace(/(?<!\\)"/g, '""')) })`
    A quote inside a cell is doubled, but not after a backslash, as some writers of CSV have it by default`,
  rows('quotes-lost-below-the-first-row', {
    rows: ([first, ...others]) => [first!, ...others.map((row) => row.map((text) => text.replaceAll('"', '')))],
  })`Quotes inside a cell are lost, but not in the first row`,
  rows('header-reordered-alone', { table: ({ columns, rows }) => ({ columns: [...columns].sort(), rows }) })`
    The column names come in alphabetical order, and the cells in the order that was given`,
  rows('last-payment-lost', { rows: (all) => (all.length > 1 ? all.slice(0, -1) : all) })`
    Of several payments the last one is not sent`,
  rows('rows-taken-for-comments', { csv: (csv) => csv.replace(/^#.*\n/gm, '') })`A row that starts with # is left out`,
  rows('equal-payments-sent-once', {
    rows: (all) => [...new Map(all.map((row) => [JSON.stringify(row), row])).values()],
  })`Of equal payments in a batch one is sent`,
  rows('empty-cells-dropped', { csv: (csv) => csv.replace(/;+$/gm, '') })`
    Empty cells at the end of a row are left out with their delimiters`,
  rows('formula-guarded', { rows: (all) => all.map((row) => row.map((text) => text.replace(/^=/, "'="))) })`
    A cell that starts with = gets a ' in front, as exports for spreadsheets do`,
  utf8('byte-order-mark-sent', { csv: (csv) => `\ufeff${csv}` })`The CSV starts with a byte-order mark`,
  utf8('csv-in-latin-1', { csvBytes: (_, { done }) => Buffer.from(done.csv.replace(/[^\0-\xff]/gu, '?'), 'latin1') })`
    The CSV is encoded in ISO 8859-1, what that lacks as a question mark`,
];

/** Quotes column names, and cells that contain a character of `special`. `inside` escapes a quoted cell. */
function written(delimiter: string, inside = doubled, special = `${delimiter}"\r\n`): NonNullable<ClientEdit['csv']> {
  const cell = (text: string) => ([...special].some((one) => text.includes(one)) ? `"${inside(text)}"` : text);
  const line = (cells: readonly string[]) => `${cells.join(delimiter)}\n`;
  return (_, { done: { table } }) =>
    [table.columns.map((name) => `"${doubled(name)}"`), ...table.rows.map((row) => row.map(cell))].map(line).join('');
}

function doubled(text: string): string {
  return text.replaceAll('"', '""');
}

const noOrder = breaking(recurring, 'client-orderid-present');
const paymentIdLength = breaking(recurring, 'recurring-payment-id-length');
const numeric = breaking(recurring, 'amount-numeric');
const amountLength = breaking(recurring, 'amount-length');

const cellDefects: readonly ClientDefect[] = [
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
  // The client sends a valid number, but not the one it was given.
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

function isDecimal(amount: string): boolean {
  return /^\d+\.\d\d?$/.test(amount);
}

function hasOtherAmount(row: Readonly<Record<string, string>>): boolean {
  return Boolean((row['amount-from'] && row['amount-to']) || row['amount-sequence']);
}

export const bodyDefects: readonly ClientDefect[] = [...closeDayFieldDefects, ...payloadDefects, ...cellDefects];
