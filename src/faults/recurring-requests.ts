/** Gateways that take more batches than sections 2.3, 4.2 and 8 allow, or fewer. */
import { isDecimal } from '../mock/decimal.ts';
import { withStatus } from '../mock/responses.ts';
import { decodeForm, encodeForm, type Pair } from '../protocol/index.ts';
import type { Row } from '../record/row.ts';
import { breaking, type GatewayDefect, recurring } from './defect.ts';
import { readsAnyType } from './readings.ts';

const missingCells = [
  'missing-client-orderid-refused',
  'missing-recurring-payment-id-refused',
  'missing-amount-refused',
] as const;

const right = breaking(recurring, 'generated-requests-accepted');
const noPayload = breaking(recurring, 'missing-payload-refused');
const noAmount = breaking(recurring, 'missing-amount-refused');
const header = breaking(recurring, 'csv-header-enforced');
const numeric = breaking(recurring, 'amount-numeric-enforced');
const cells = breaking(recurring, missingCells);

/** Order ids that are right, and refused. */
export const orderIdDefects: readonly GatewayDefect[] = [
  right('order-id-of-no-value-refused', { refusesCell: { 'client-orderid': (id) => id === '0' || id === 'null' } })`
    A client-orderid 0 or null is taken for none and refused`,
  right('long-number-as-order-id-refused', {
    refusesCell: { 'client-orderid': (id) => /^\d+$/.test(id) && BigInt(id) >= 2n ** 64n },
  })`A client-orderid of digits is read as a number of 64 bits, and refused where it is more`,
  right('date-as-order-id-refused', { refusesCell: { 'client-orderid': matching(/^\d{4}-\d\d-\d\d$/) } })`
    A client-orderid that looks like a date, such as 2026-05-13, is read as one and refused`,
  right('hexadecimal-order-id-refused', { refusesCell: { 'client-orderid': matching(/^0x[0-9a-f]+$/i) } })`
    A client-orderid that looks like a hexadecimal number, such as 0x2a, is read as one and refused`,
  right('order-id-taken-for-sql-refused', {
    refusesCell: { 'client-orderid': matching(/(?:^|-)(?:select|union|drop|or)(?:-|$)/i) },
  })`A firewall refuses a client-orderid with a word of SQL between hyphens`,
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
  })`Order ids of more than 128 characters are taken`,
  recurring('amount-length-not-checked', 'amount-length-enforced', { skips: ['amount-length'] })`
    Amounts of more than 10 characters are taken`,
  header('header-quotes-not-needed', { skips: ['csv-header-quotes'] })`Column names may be without quotes`,
  recurring('row-length-not-checked', 'csv-row-length-enforced', { skips: ['csv-cells'] })`
    A row may have more cells than the header`,
  recurring('content-type-not-checked', 'content-type-enforced', readsAnyType('process-recurring-payments'))`
    The body of a batch is read as a form whatever its content type`,
  recurring(
    'one-row-only',
    ['authentication/recurring-valid-accepted', 'many-rows-accepted', 'generated-requests-accepted'],
    { refusesIf: (reading) => reading.batch().payments.count > 1 },
  )`A batch of more than one payment is refused`,
  recurring('small-amounts-refused', ['authentication/recurring-valid-accepted', 'generated-requests-accepted'], {
    refusesCell: { amount: matching(/^0\./) },
  })`An amount of less than 1.00 is refused`,
  right('formula-like-order-ids-refused', { refusesCell: { 'client-orderid': matching(/^[=+@-]/) } })`
    A client-orderid that a spreadsheet may take for a formula, such as -42, is refused`,
  recurring('amount-range-refused', 'amount-range-accepted', { refusesName: 'amount-from' })`
    A row with amount-from and amount-to in place of amount is refused`,
  recurring('amount-sequence-refused', 'amount-sequence-accepted', { refusesName: 'amount-sequence' })`
    A row with amount-sequence in place of amount is refused`,
  recurring('columns-not-needed', ['missing-client-orderid-refused', 'missing-recurring-payment-id-refused'], {
    skips: ['csv-columns'],
  })`A CSV may lack the columns client-orderid and recurring-payment-id`,
  noAmount('amount-not-needed', { skips: ['amount'] })`A row may have no amount in any form`,
  noAmount('empty-amount-forms-taken', {
    csv: (csv) => (csv.includes('"amount-') ? csv.replace(/;(?=[;\r\n]|$)/g, ';1') : csv),
  })`The columns of a range or a sequence count as an amount, whatever is in them`,
  recurring('payment-id-length-not-checked', 'recurring-payment-id-length-enforced', {
    skips: ['recurring-payment-id-length'],
  })`Recurring payment ids of more than 10 characters are taken`,
  numeric('amount-not-checked', { skips: ['amount-numeric'] })`Amounts that are not numbers are taken`,
  recurring('commas-accepted', 'csv-delimiter-enforced', { settings: { csvDelimiters: [';', ','] } })`
    A comma may separate the cells of the CSV`,
  cells('quoted-empty-cells-taken', { csv: (csv) => csv.replace(/(?<=[\n;])""(?=[;\r\n]|$)/g, '"1"') })`
    An empty cell in quotes counts as a value`,
  cells('cells-of-single-rows-checked', {
    skips: ['client-orderid', 'recurring-payment-id', 'amount'],
    refusesIf: (reading) => {
      const { header, payments, column } = reading.batch();
      const [order, profile, ...amounts] = (header?.columns ?? []).map((name) => column(name)[0]);
      return payments.count === 1 && !(order && profile && amounts.some(Boolean));
    },
  })`Only in a batch of one row are empty cells refused`,
  namesIn('single-quotes', 'single quotes', /'/g),
  namesIn('typographic-quotes', 'typographic quotes', /[\u201c\u201d]/g),
  namesIn('grave-accents', 'grave accents', /`/g),
  header('first-column-name-quoted', {
    skips: ['csv-header-quotes'],
    refusesIf: (reading) => reading.batch().header?.quoted[0] === false,
  })`Only the first column name has to be in quotes`,
  recurring('payload-decoded-twice', 'payload-base64-enforced', {
    reads: (request) =>
      request.target.includes('/process-recurring-payments/')
        ? { ...request, body: Buffer.from(encodeForm(decodeForm(request.body).map(decodedTwice)), 'utf8') }
        : request,
    // The signature is over what was received.
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  })`A payload that was encoded twice is decoded twice`,

  takes('decimal-comma-taken', /^\d+,\d+$/)`An amount may have a comma before its fraction`,
  takes('hexadecimal-amount-taken', /^0x[0-9a-f]+$/i)`An amount may be hexadecimal: 0x10 is 16`,
  takes('not-a-number-taken', /^NaN$/)`NaN is an amount`,
  takes('amount-with-currency-taken', /^\d+(\.\d+)?[A-Z]{3}$/)`A currency may follow an amount`,
  takes('grouped-amount-taken', /^\d{1,3}([ ,]\d{3})+(\.\d+)?$/)`The thousands of an amount may stand apart`,
  takes('amount-with-two-points-taken', /^\d+\.\d+\.\d+$/)`An amount is read up to its second point`,
];

function matching(pattern: RegExp): (cell: string) => boolean {
  return (cell) => pattern.test(cell);
}

/** Takes an amount for a number as an ordinary function of some language does (section 8). */
function takes(what: string, taken: RegExp): Row<GatewayDefect> {
  return numeric(what, {
    skips: ['amount-numeric'],
    refusesCell: { amount: (cell) => cell !== '' && !isDecimal(cell) && !taken.test(cell) },
  });
}

function namesIn(what: string, marks: string, written: RegExp): GatewayDefect {
  return header(`column-names-in-${what}`, { csv: (csv) => csv.replace(/^.*/, (line) => line.replace(written, '"')) })`
    Column names may be in ${marks}`;
}

function decodedTwice([name, value]: Pair): Pair {
  const inside = Buffer.from(value, 'base64').toString('latin1');
  return name === 'payload' && /^[A-Za-z0-9+/]+={0,2}$/.test(inside) ? [name, inside] : [name, value];
}
