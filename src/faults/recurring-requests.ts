/** Gateways that take more batches than sections 2.3, 4.2 and 8 allow, or fewer. */
import { isDecimal } from '../mock/decimal.ts';
import { withStatus } from '../mock/responses.ts';
import { decodeForm, encodeForm, type Pair } from '../protocol/index.ts';
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
  right('order-id-of-no-value-refused', 'A client-orderid 0 or null is taken for none and refused', {
    refusesCell: { 'client-orderid': (id) => id === '0' || id === 'null' },
  }),
  right(
    'long-number-as-order-id-refused',
    'A client-orderid of digits is read as a number of 64 bits, and refused where it is more',
    { refusesCell: { 'client-orderid': (id) => /^\d+$/.test(id) && BigInt(id) >= 2n ** 64n } },
  ),
  right(
    'date-as-order-id-refused',
    'A client-orderid that looks like a date, such as 2026-05-13, is read as one and refused',
    { refusesCell: { 'client-orderid': matching(/^\d{4}-\d\d-\d\d$/) } },
  ),
  right(
    'hexadecimal-order-id-refused',
    'A client-orderid that looks like a hexadecimal number, such as 0x2a, is read as one and refused',
    { refusesCell: { 'client-orderid': matching(/^0x[0-9a-f]+$/i) } },
  ),
  right('order-id-taken-for-sql-refused', 'A firewall refuses a client-orderid with a word of SQL between hyphens', {
    refusesCell: { 'client-orderid': matching(/(?:^|-)(?:select|union|drop|or)(?:-|$)/i) },
  }),
];

export const recurringRequestDefects: readonly GatewayDefect[] = [
  noPayload('payload-not-needed', 'A request without payload is accepted as an empty batch', {
    writes: (reply, { request }) =>
      request.method === 'POST' && request.body.length === 0 ? withStatus(reply, 200) : reply,
  }),
  noPayload('empty-payload-taken', 'A request whose payload is empty is accepted as an empty batch', {
    writes: (reply, { step, request }) =>
      step === 'payload' && Buffer.from(request.body).toString() === 'payload=' ? withStatus(reply, 200) : reply,
  }),
  recurring(
    'client-orderid-length-not-checked',
    'Order ids of more than 128 characters are taken',
    'client-orderid-length-enforced',
    { skips: ['client-orderid-length'] },
  ),
  recurring('amount-length-not-checked', 'Amounts of more than 10 characters are taken', 'amount-length-enforced', {
    skips: ['amount-length'],
  }),
  header('header-quotes-not-needed', 'Column names may be without quotes', { skips: ['csv-header-quotes'] }),
  recurring('row-length-not-checked', 'A row may have more cells than the header', 'csv-row-length-enforced', {
    skips: ['csv-cells'],
  }),
  recurring(
    'content-type-not-checked',
    'The body of a batch is read as a form whatever its content type',
    'content-type-enforced',
    readsAnyType('process-recurring-payments'),
  ),
  recurring(
    'one-row-only',
    'A batch of more than one payment is refused',
    ['authentication/recurring-valid-accepted', 'many-rows-accepted', 'generated-requests-accepted'],
    { refuses: (reading) => (reading.batch().payments.count > 1 ? 'too many rows' : undefined) },
  ),
  recurring(
    'small-amounts-refused',
    'An amount of less than 1.00 is refused',
    ['authentication/recurring-valid-accepted', 'generated-requests-accepted'],
    { refusesCell: { amount: matching(/^0\./) } },
  ),
  right(
    'formula-like-order-ids-refused',
    'A client-orderid that a spreadsheet may take for a formula, such as -42, is refused',
    { refusesCell: { 'client-orderid': matching(/^[=+@-]/) } },
  ),
  recurring(
    'amount-range-refused',
    'A row with amount-from and amount-to in place of amount is refused',
    'amount-range-accepted',
    { refusesName: 'amount-from' },
  ),
  recurring(
    'amount-sequence-refused',
    'A row with amount-sequence in place of amount is refused',
    'amount-sequence-accepted',
    { refusesName: 'amount-sequence' },
  ),
  recurring(
    'columns-not-needed',
    'A CSV may lack the columns client-orderid and recurring-payment-id',
    ['missing-client-orderid-refused', 'missing-recurring-payment-id-refused'],
    { skips: ['csv-columns'] },
  ),
  noAmount('amount-not-needed', 'A row may have no amount in any form', { skips: ['amount'] }),
  noAmount('empty-amount-forms-taken', 'The columns of a range or a sequence count as an amount, whatever is in them', {
    csv: (csv) => (csv.includes('"amount-') ? csv.replace(/;(?=[;\r\n]|$)/g, ';1') : csv),
  }),
  recurring(
    'payment-id-length-not-checked',
    'Recurring payment ids of more than 10 characters are taken',
    'recurring-payment-id-length-enforced',
    { skips: ['recurring-payment-id-length'] },
  ),
  numeric('amount-not-checked', 'Amounts that are not numbers are taken', { skips: ['amount-numeric'] }),
  recurring('commas-accepted', 'A comma may separate the cells of the CSV', 'csv-delimiter-enforced', {
    settings: { csvDelimiters: [';', ','] },
  }),
  cells('quoted-empty-cells-taken', 'An empty cell in quotes counts as a value', {
    csv: (csv) => csv.replace(/(?<=[\n;])""(?=[;\r\n]|$)/g, '"1"'),
  }),
  cells('cells-of-single-rows-checked', 'Only in a batch of one row are empty cells refused', {
    skips: ['client-orderid', 'recurring-payment-id', 'amount'],
    refuses: (reading) => {
      const { header, payments, column } = reading.batch();
      const [order, profile, ...amounts] = (header?.columns ?? []).map((name) => column(name)[0]);
      const isRight = order && profile && amounts.some(Boolean);
      return payments.count === 1 && !isRight ? 'an empty cell' : undefined;
    },
  }),
  namesIn('single-quotes', 'single quotes', /'/g),
  namesIn('typographic-quotes', 'typographic quotes', /[\u201c\u201d]/g),
  namesIn('grave-accents', 'grave accents', /`/g),
  header('first-column-name-quoted', 'Only the first column name has to be in quotes', {
    skips: ['csv-header-quotes'],
    refuses: (reading) => (reading.batch().header?.quoted[0] === false ? 'a column name has no quotes' : undefined),
  }),
  recurring('payload-decoded-twice', 'A payload that was encoded twice is decoded twice', 'payload-base64-enforced', {
    reads: (request) =>
      request.target.includes('/process-recurring-payments/')
        ? { ...request, body: Buffer.from(encodeForm(decodeForm(request.body).map(decodedTwice)), 'utf8') }
        : request,
    // The signature is over what was received.
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  }),

  takes('decimal-comma-taken', 'An amount may have a comma before its fraction', /^\d+,\d+$/),
  takes('hexadecimal-amount-taken', 'An amount may be hexadecimal: 0x10 is 16', /^0x[0-9a-f]+$/i),
  takes('not-a-number-taken', 'NaN is an amount', /^NaN$/),
  takes('amount-with-currency-taken', 'A currency may follow an amount', /^\d+(\.\d+)?[A-Z]{3}$/),
  takes('grouped-amount-taken', 'The thousands of an amount may stand apart', /^\d{1,3}([ ,]\d{3})+(\.\d+)?$/),
  takes('amount-with-two-points-taken', 'An amount is read up to its second point', /^\d+\.\d+\.\d+$/),
];

function matching(pattern: RegExp): (cell: string) => boolean {
  return (cell) => pattern.test(cell);
}

/** Takes an amount for a number as an ordinary function of some language does (section 8). */
function takes(what: string, summary: string, taken: RegExp): GatewayDefect {
  return numeric(what, summary, {
    skips: ['amount-numeric'],
    refusesCell: { amount: (cell) => cell !== '' && !isDecimal(cell) && !taken.test(cell) },
  });
}

function namesIn(what: string, marks: string, written: RegExp): GatewayDefect {
  return header(`column-names-in-${what}`, `Column names may be in ${marks}`, {
    csv: (csv) => csv.replace(/^.*/, (line) => line.replace(written, '"')),
  });
}

function decodedTwice([name, value]: Pair): Pair {
  const inside = Buffer.from(value, 'base64').toString('latin1');
  return name === 'payload' && /^[A-Za-z0-9+/]+={0,2}$/.test(inside) ? [name, inside] : [name, value];
}
