/** Defects of batches (sections 2.3, 4.2, 8): gateways that read batches wrongly, clients that write faulty batches. */
import { withStatus } from '../mock/responses.ts';
import type { Tag } from '../record/row.ts';
import * as client from './client/defect.ts';
import { readsAnyType } from './close-day-request.ts';
import { breaking, type GatewayDefect, recurring } from './defect.ts';

const missingCells = [
  'missing-client-orderid-refused',
  'missing-recurring-payment-id-refused',
  'missing-amount-refused',
] as const;

const generated = breaking(recurring, 'generated-requests-accepted');
const noPayload = breaking(recurring, 'missing-payload-refused');
const noAmount = breaking(recurring, 'missing-amount-refused');
const header = breaking(recurring, 'csv-header-enforced');
const numeric = breaking(recurring, 'amount-numeric-enforced');
const cells = breaking(recurring, missingCells);

export const orderIdDefects: readonly GatewayDefect[] = [
  generated('order-id-of-no-value-refused', { refusesCell: { 'client-orderid': (id) => id === '0' || id === 'null' } })`
    A client-orderid 0 or null is treated as missing and refused`,
  generated('long-number-as-order-id-refused', {
    refusesCell: { 'client-orderid': (id) => /^\d+$/.test(id) && BigInt(id) >= 2n ** 64n },
  })`A numeric client-orderid is refused if it does not fit into 64 bits`,
  generated('date-as-order-id-refused', { refusesCell: { 'client-orderid': matches(/^\d{4}-\d\d-\d\d$/) } })`
    A client-orderid that looks like a date, such as 2026-05-13, is refused`,
  generated('hexadecimal-order-id-refused', { refusesCell: { 'client-orderid': matches(/^0x[0-9a-f]+$/i) } })`
    A client-orderid that looks like a hexadecimal number, such as 0x2a, is refused`,
  generated('order-id-taken-for-sql-refused', {
    refusesCell: { 'client-orderid': matches(/(?:^|-)(?:select|union|drop|or)(?:-|$)/i) },
  })`A firewall refuses a client-orderid with an SQL keyword between hyphens`,
];

export const recurringRequestDefects: readonly GatewayDefect[] = [
  noPayload('payload-not-needed', {
    writes: (reply, { request }) =>
      request.method === 'POST' && request.body.length === 0 ? withStatus(reply, 200) : reply,
  })`A request without payload is accepted as an empty batch`,
  noPayload('empty-payload-taken', {
    writes: (reply, { step, request }) =>
      step === 'payload' && Buffer.from(request.body).toString() === 'payload=' ? withStatus(reply, 200) : reply,
  })`A request whose payload is empty is accepted as an empty batch`,
  recurring('client-orderid-length-not-checked', 'client-orderid-length-enforced', {
    skips: ['client-orderid-length'],
  })`Order ids of more than 128 characters are accepted`,
  recurring('amount-length-not-checked', 'amount-length-enforced', { skips: ['amount-length'] })`
    Amounts of more than 10 characters are accepted`,
  header('header-quotes-not-needed', { skips: ['csv-header-quotes'] })`Column names without quotes are accepted`,
  recurring('row-length-not-checked', 'csv-row-length-enforced', { skips: ['csv-cells'] })`
    A row may have more cells than the header`,
  recurring('content-type-not-checked', 'content-type-enforced', readsAnyType('process-recurring-payments'))`
    The body of a batch is read as a form, whatever its content type is`,
  recurring(
    'one-row-only',
    ['authentication/recurring-valid-accepted', 'many-rows-accepted', 'generated-requests-accepted'],
    { refusesIf: (reading) => reading.batch().payments.count > 1 },
  )`A batch of more than one payment is refused`,
  recurring('small-amounts-refused', ['authentication/recurring-valid-accepted', 'generated-requests-accepted'], {
    refusesCell: { amount: matches(/^0\./) },
  })`An amount of less than 1.00 is refused`,
  generated('formula-like-order-ids-refused', { refusesCell: { 'client-orderid': matches(/^[=+@-]/) } })`
    A client-orderid that a spreadsheet may take for a formula, such as -42, is refused`,
  recurring('amount-range-refused', 'amount-range-accepted', { refusesName: 'amount-from' })`
    A row with amount-from and amount-to instead of amount is refused`,
  recurring('amount-sequence-refused', 'amount-sequence-accepted', { refusesName: 'amount-sequence' })`
    A row with amount-sequence instead of amount is refused`,
  recurring('columns-not-needed', ['missing-client-orderid-refused', 'missing-recurring-payment-id-refused'], {
    skips: ['csv-columns'],
  })`A CSV may lack the columns client-orderid and recurring-payment-id`,
  noAmount('amount-not-needed', { skips: ['amount'] })`A row without any form of amount is accepted`,
  noAmount('empty-amount-forms-taken', {
    csv: (csv) => (csv.includes('"amount-') ? csv.replace(/;(?=[;\r\n]|$)/g, ';1') : csv),
  })`The columns of a range or a sequence count as an amount even if they are empty`,
  recurring('payment-id-length-not-checked', 'recurring-payment-id-length-enforced', {
    skips: ['recurring-payment-id-length'],
  })`Recurring payment ids of more than 10 characters are accepted`,
  numeric('amount-not-checked', { skips: ['amount-numeric'] })`Amounts that are not numbers are accepted`,
  recurring('commas-accepted', 'csv-delimiter-enforced', { settings: { csvDelimiters: [';', ','] } })`
    Cells separated by commas are accepted`,
  cells('quoted-empty-cells-taken', { csv: (csv) => csv.replace(/(?<=[\n;])""(?=[;\r\n]|$)/g, '"1"') })`
    An empty cell in quotes counts as a value`,
  cells('cells-of-single-rows-checked', {
    skips: ['client-orderid', 'recurring-payment-id', 'amount'],
    refusesIf: (reading) => {
      const { header, payments, column } = reading.batch();
      const [order, profile, ...amounts] = (header?.columns ?? []).map((name) => column(name)[0]);
      return payments.count === 1 && !(order && profile && amounts.some(Boolean));
    },
  })`Empty cells are refused only in a batch of one row`,
  acceptsQuotes('single-quotes', 'single quotes', /'/g),
  acceptsQuotes('typographic-quotes', 'typographic quotes', /[\u201c\u201d]/g),
  acceptsQuotes('grave-accents', 'grave accents', /`/g),
  header('first-column-name-quoted', {
    skips: ['csv-header-quotes'],
    refusesIf: (reading) => reading.batch().header?.quoted[0] === false,
  })`Only the first column name has to be in quotes`,
  recurring('payload-decoded-twice', 'payload-base64-enforced', {
    csv: (text) => (/^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64').toString() : text),
  })`A payload that was encoded twice is decoded twice`,

  acceptsAmount('decimal-comma-taken', /^\d+,\d+$/)`An amount may have a decimal comma`,
  acceptsAmount('hexadecimal-amount-taken', /^0x[0-9a-f]+$/i)`An amount may be hexadecimal: 0x10 is 16`,
  acceptsAmount('not-a-number-taken', /^NaN$/)`An amount may be NaN`,
  acceptsAmount('amount-with-currency-taken', /^\d+(\.\d+)?[A-Z]{3}$/)`A currency may follow an amount`,
  acceptsAmount('grouped-amount-taken', /^\d{1,3}([ ,]\d{3})+(\.\d+)?$/)`An amount may have thousands separators`,
  acceptsAmount('amount-with-two-points-taken', /^\d+\.\d+\.\d+$/)`An amount may have two decimal points`,
];

function matches(pattern: RegExp): (cell: string) => boolean {
  return (cell) => pattern.test(cell);
}

/** A gateway that accepts amounts such as 0x10, which only some programming languages parse (section 8). */
function acceptsAmount(what: string, accepted: RegExp): Tag<GatewayDefect> {
  return numeric(what, {
    skips: ['amount-numeric'],
    refusesCell: { amount: (cell) => cell !== '' && !/^\d+(\.\d+)?$/.test(cell) && !accepted.test(cell) },
  });
}

function acceptsQuotes(what: string, marks: string, pattern: RegExp): GatewayDefect {
  return header(`column-names-in-${what}`, { csv: (csv) => csv.replace(/^.*/, (line) => line.replace(pattern, '"')) })`
    Column names may be in ${marks}`;
}

const base64 = breaking(client.recurring, 'payload-base64');
const escaped = breaking(client.recurring, 'payload-escaped');
const payloadOnly = breaking(client.recurring, 'payload-only');
const delimiter = breaking(client.recurring, 'csv-delimiter');
const names = breaking(client.recurring, 'csv-header-quoted');
const rows = breaking(client.recurring, 'csv-rows');
const utf8 = breaking(client.recurring, 'csv-utf-8');

const payloadDefects: readonly client.ClientDefect[] = [
  base64('payload-in-lines-of-76', { payload: (text) => text.match(/.{1,76}/g)?.join('\n') ?? text })`
    The base64 text has a line feed after every 76 characters`,
  base64('payload-in-lines-of-64', { payload: (text) => text.replace(/.{1,64}/g, '$&\r\n') })`
    The base64 text has CRLF after every 64 characters and at its end`,
  base64('payload-with-line-feed', { payload: (text) => `${text}\n` })`A line feed follows the base64 text`,
  base64('payload-url-safe', { payload: (text) => text.replaceAll('+', '-').replaceAll('/', '_') })`
    The payload is padded base64url`,
  base64('payload-without-padding', { payload: (text) => text.replace(/=+$/, '') })`
    The base64 text has no = at its end`,
  base64('payload-encoded-twice', { payload: (text) => Buffer.from(text, 'latin1').toString('base64') })`
    The base64 text is encoded in base64 again`,
  base64('payload-in-hex', { payload: (_, { done }) => Buffer.from(done.csvBytes).toString('hex') })`
    The payload is the CSV in hexadecimal`,
  base64('payload-as-data-uri', { payload: (text) => `data:text/csv;base64,${text}` })`
    The base64 text follows the prefix of a data URI`,
  // These clients sign the correct value, and then change only the form body. So `signature-verifies` passes.
  escaped('payload-plus-raw', { form: (text) => text.replaceAll('%2B', '+') })`
    A + of the base64 text is not percent-encoded in the form body, so it arrives as a space`,
  escaped('payload-escaped-twice', { form: (text) => text.replaceAll('%', '%25') })`
    The base64 text is percent-encoded twice in the form body, so its + arrives as %2B`,
  payloadOnly('format-beside-payload', { fields: (pairs) => [...pairs, ['format', 'csv']] })`
    The body also has a parameter format`,
  payloadOnly('payload-named-data', { fields: (pairs) => pairs.map(([, value]) => ['data', value]) })`
    The CSV is sent in the parameter data`,

  delimiter('csv-with-commas', { csv: writeCsv(',') })`The fields of the CSV are separated by commas`,
  delimiter('csv-with-tabs', { csv: writeCsv('\t') })`The fields of the CSV are separated by tabs`,
  names('csv-header-bare', {
    csv: (csv, { done }) => `${done.table.columns.join(';')}${csv.slice(csv.indexOf('\n'))}`,
  })`The column names are not quoted`,
  names('csv-header-left-out', { csv: (csv) => csv.slice(csv.indexOf('\n') + 1) })`
    The CSV starts with the first payment`,
  rows('delimiter-in-cell-bare', { csv: writeCsv(';', doubled, '"\r\n') })`A cell with a semicolon is not quoted`,
  rows('quote-in-cell-single', { csv: writeCsv(';', (text) => text) })`A quote inside a quoted cell is not doubled`,
  rows('quote-in-cell-with-backslash', { csv: writeCsv(';', (text) => text.replaceAll('"', '\\"')) })`
    A quote inside a quoted cell is escaped with a backslash instead of doubled`,
  rows('quote-after-backslash-single', { csv: writeCsv(';', (text) => text.replace(/(?<!\\)"/g, '""')) })`
    A quote inside a cell is doubled, but not after a backslash`,
  rows('quotes-lost-below-the-first-row', {
    rows: ([first, ...others]) => [first!, ...others.map((row) => row.map((text) => text.replaceAll('"', '')))],
  })`Quotes inside a cell are dropped, except in the first row`,
  rows('header-reordered-alone', { table: ({ columns, rows }) => ({ columns: [...columns].sort(), rows }) })`
    The column names are sorted, but the cells are not`,
  rows('last-payment-lost', { rows: (all) => (all.length > 1 ? all.slice(0, -1) : all) })`
    If there are several payments, the last one is not sent`,
  rows('rows-taken-for-comments', { csv: (csv) => csv.replace(/^#.*\n/gm, '') })`A row that starts with # is dropped`,
  rows('equal-payments-sent-once', {
    rows: (all) => [...new Map(all.map((row) => [JSON.stringify(row), row])).values()],
  })`Equal payments in a batch are sent only once`,
  rows('empty-cells-dropped', { csv: (csv) => csv.replace(/;+$/gm, '') })`
    Empty cells at the end of a row are dropped, with their delimiters`,
  rows('formula-guarded', { rows: (all) => all.map((row) => row.map((text) => text.replace(/^=/, "'="))) })`
    A cell that starts with = gets a leading ' as protection against formulas`,
  utf8('byte-order-mark-sent', { csv: (csv) => `\ufeff${csv}` })`The CSV starts with a byte-order mark`,
  utf8('csv-in-latin-1', { csvBytes: (_, { done }) => Buffer.from(done.csv.replace(/[^\0-\xff]/gu, '?'), 'latin1') })`
    The CSV is encoded in ISO 8859-1, and other characters become question marks`,
];

/** Writes the CSV. Quotes column names, and cells with a character in `special`. `escapeCell` escapes a quoted cell. */
function writeCsv(
  delimiter: string,
  escapeCell = doubled,
  special = `${delimiter}"\r\n`,
): NonNullable<client.ClientEdit['csv']> {
  const cell = (text: string) => ([...special].some((one) => text.includes(one)) ? `"${escapeCell(text)}"` : text);
  const line = (cells: readonly string[]) => `${cells.join(delimiter)}\n`;
  return (_, { done: { table } }) =>
    [table.columns.map((name) => `"${doubled(name)}"`), ...table.rows.map((row) => row.map(cell))].map(line).join('');
}

function doubled(text: string): string {
  return text.replaceAll('"', '""');
}

const noOrder = breaking(client.recurring, 'client-orderid-present');
const paymentIdLength = breaking(client.recurring, 'recurring-payment-id-length');
const amountNumeric = breaking(client.recurring, 'amount-numeric');
const amountLength = breaking(client.recurring, 'amount-length');

const cellDefects: readonly client.ClientDefect[] = [
  noOrder('client-orderid-not-sent', {
    table: ({ columns, rows }) => {
      const isKept = (_: string, at: number) => columns[at] !== 'client-orderid';
      return { columns: columns.filter(isKept), rows: rows.map((row) => row.filter(isKept)) };
    },
  })`The column client-orderid is left out`,
  client.recurring('client-orderid-cut', 'client-orderid-length', {
    cell: { 'client-orderid': (cell) => [...cell].slice(0, 128).join('') },
    ignoredRefusal: /client-orderid has more/,
  })`A client-orderid of more than 128 characters is cut`,
  rows('blanks-collapsed', { cell: { 'client-orderid': (cell) => cell.replace(/(?<=\S) {2,}(?=\S)/g, ' ') } })`
    Several spaces in a client-orderid are sent as one`,
  noOrder('words-of-databases-emptied', {
    cell: { 'client-orderid': (cell) => (/^(?:NULL|None|NaN|undefined|\\N)$/.test(cell) ? '' : cell) },
  })`A client-orderid such as NULL or None is treated as missing`,
  rows('numbers-of-orders-rewritten', {
    cell: { 'client-orderid': (cell) => (/^\dE\d+$/.test(cell) ? String(Number(cell)) : cell) },
  })`A client-orderid that looks like a number is written as a number: 1E5 becomes 100000`,
  rows('order-ids-as-number-column', {
    column: {
      'client-orderid': (cells) => {
        const areNumbers = cells.length > 1 && cells.every((cell) => /^\d+(?:E\d+)?$/i.test(cell));
        return areNumbers ? cells.map((cell) => String(Number(cell))) : cells;
      },
    },
  })`If every client-orderid of several payments is numeric, all are written as numbers: 0042 becomes 42`,
  rows('escapes-of-orders-read', {
    cell: { 'client-orderid': (cell) => cell.replace(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one)) },
  })`A backslash in a client-orderid is treated as an escape: \\n becomes a line feed`,
  rows('unseen-characters-dropped', {
    cell: { 'client-orderid': (cell) => cell.replace(/[\u00ad\u200b-\u200f\u2028-\u202e]/g, '') },
  })`Invisible characters, such as a zero-width joiner, are dropped from a client-orderid`,
  rows('no-break-space-made-plain', { cell: { 'client-orderid': (cell) => cell.replaceAll('\u00a0', ' ') } })`
    A no-break space in a client-orderid is sent as an ordinary space`,
  client.recurring('payment-id-made-up', 'recurring-payment-id-present', {
    cell: { 'recurring-payment-id': (cell) => cell || '0000000000' },
    ignoredRefusal: /recurring-payment-id is missing/,
  })`A missing recurring-payment-id is sent as ten zeros`,
  paymentIdLength('payment-id-cut', {
    cell: { 'recurring-payment-id': (cell) => [...cell].slice(0, 10).join('') },
    ignoredRefusal: /payment-id has more/,
  })`A recurring-payment-id of more than 10 characters is cut`,
  paymentIdLength('payment-id-as-number', {
    cell: { 'recurring-payment-id': (cell) => cell.replace(/^0+(?=\d+$)/, '') },
  })`A numeric recurring-payment-id loses its leading zeros`,
  client.recurring('amount-made-up', 'amount-conditional', {
    cell: { amount: (cell, row) => (cell === '' && !hasOtherAmount(row) ? '0.00' : cell) },
    ignoredRefusal: /amount is missing/,
  })`A missing amount is sent as 0.00`,
  amountNumeric('amount-with-comma', { cell: { amount: (cell) => cell.replace('.', ',') } })`
    amount has a decimal comma`,
  amountNumeric('amount-in-exponent-form', {
    cell: { amount: (cell) => (/^0\.0*[1-9]/.test(cell) ? Number(cell).toExponential() : cell) },
  })`An amount below 1 is written with an exponent: 0.01 becomes 1e-2`,
  amountNumeric('tiny-amount-in-exponent-form', {
    cell: { amount: (cell) => (/^0\.000000\d/.test(cell) ? String(Number(cell)) : cell) },
  })`An amount below a millionth is written with an exponent: 0.0000001 becomes 1e-7`,
  // The next clients send a valid number, but not the number in their input.
  rows('amounts-in-scale-of-first', {
    column: {
      amount: (cells) => {
        const scale = /^\d+\.(\d+)$/.exec(cells[0] ?? '')?.[1]?.length;
        return cells.map((cell) => (scale && isInCents(cell) ? Number(cell).toFixed(scale) : cell));
      },
    },
  })`All amounts of a batch get the number of fractional digits of the first amount`,
  rows('amount-cents-rounded-up', {
    cell: { amount: (cell) => (isInCents(cell) ? (Math.ceil(Number(cell) * 100) / 100).toFixed(2) : cell) },
  })`Amounts are converted to cents as doubles and rounded up: 0.55 becomes 0.56`,
  amountLength('amount-padded', { cell: { amount: (cell) => (cell === '' ? '' : cell.padStart(12, '0')) } })`
    amount is padded with zeros to 12 characters`,
  amountLength('amount-cut', { cell: { amount: (cell) => cell.slice(0, 10) }, ignoredRefusal: /amount has more/ })`
    An amount of more than 10 characters is cut`,
];

function isInCents(amount: string): boolean {
  return /^\d+\.\d\d?$/.test(amount);
}

function hasOtherAmount(row: Readonly<Record<string, string>>): boolean {
  return Boolean((row['amount-from'] && row['amount-to']) || row['amount-sequence']);
}

export const batchDefects: readonly client.ClientDefect[] = [...payloadDefects, ...cellDefects];
