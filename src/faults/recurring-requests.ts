/** Gateways that take more batches than sections 2.3, 4.2 and 8 allow, or fewer. */
import type { Alteration } from '../mock/alteration.ts';
import { withStatus } from '../mock/responses.ts';
import { decodeForm, encodeForm, type Pair } from '../protocol/index.ts';
import type { GatewayDefect } from './defect.ts';
import { readsAnyType, readsPayload } from './readings.ts';

const recurring = { side: 'gateway', operation: 'process-recurring-payments' } as const;

const missingCells = [
  'recurring/missing-client-orderid-refused',
  'recurring/missing-recurring-payment-id-refused',
  'recurring/missing-amount-refused',
] as const;

export const recurringRequestDefects: readonly GatewayDefect[] = [
  {
    ...recurring,
    id: 'recurring/payload-not-needed',
    summary: 'A request without payload is accepted as an empty batch',
    breaks: ['recurring/missing-payload-refused'],
    alteration: {
      writes: (reply, { operation, request }) =>
        operation === 'process-recurring-payments' && request.method === 'POST' && request.body.length === 0
          ? withStatus(reply, 200)
          : reply,
    },
  },
  {
    ...recurring,
    id: 'recurring/empty-payload-taken',
    summary: 'A request whose payload is empty is accepted as an empty batch',
    breaks: ['recurring/missing-payload-refused'],
    alteration: {
      writes: (reply, { step, request }) =>
        step === 'payload' && Buffer.from(request.body).toString() === 'payload=' ? withStatus(reply, 200) : reply,
    },
  },
  {
    ...recurring,
    id: 'recurring/client-orderid-length-not-checked',
    summary: 'Order ids of more than 128 characters are taken',
    breaks: ['recurring/client-orderid-length-enforced'],
    alteration: { skips: ['client-orderid-length'] },
  },
  {
    ...recurring,
    id: 'recurring/amount-length-not-checked',
    summary: 'Amounts of more than 10 characters are taken',
    breaks: ['recurring/amount-length-enforced'],
    alteration: { skips: ['amount-length'] },
  },
  {
    ...recurring,
    id: 'recurring/header-quotes-not-needed',
    summary: 'Column names may be without quotes',
    breaks: ['recurring/csv-header-enforced'],
    alteration: { skips: ['csv-header-quotes'] },
  },
  {
    ...recurring,
    id: 'recurring/row-length-not-checked',
    summary: 'A row may have more cells than the header',
    breaks: ['recurring/csv-row-length-enforced'],
    alteration: { skips: ['csv-cells'] },
  },
  {
    ...recurring,
    id: 'recurring/content-type-not-checked',
    summary: 'The body of a batch is read as a form whatever its content type',
    breaks: ['recurring/content-type-enforced'],
    alteration: readsAnyType('process-recurring-payments'),
  },
  {
    ...recurring,
    id: 'recurring/one-row-only',
    summary: 'A batch of more than one payment is refused',
    breaks: [
      'authentication/recurring-valid-accepted',
      'recurring/many-rows-accepted',
      'recurring/generated-requests-accepted',
    ],
    alteration: {
      refuses: (reading) =>
        reading.operation === 'process-recurring-payments' && reading.batch().payments.count > 1
          ? 'too many rows'
          : undefined,
    },
  },
  {
    ...recurring,
    id: 'recurring/small-amounts-refused',
    summary: 'An amount of less than 1.00 is refused',
    breaks: ['authentication/recurring-valid-accepted', 'recurring/generated-requests-accepted'],
    alteration: {
      refuses: (reading) =>
        reading.operation === 'process-recurring-payments' &&
        reading
          .batch()
          .column('amount')
          .some((cell) => cell?.startsWith('0.'))
          ? 'an amount is too small'
          : undefined,
    },
  },
  {
    ...recurring,
    id: 'recurring/formula-like-order-ids-refused',
    summary: 'A client-orderid that a spreadsheet may take for a formula, such as -42, is refused',
    breaks: ['recurring/generated-requests-accepted'],
    alteration: {
      refuses: (reading) =>
        reading.operation === 'process-recurring-payments' &&
        reading
          .batch()
          .column('client-orderid')
          .some((cell) => /^[=+@-]/.test(cell ?? ''))
          ? 'a cell may be a formula'
          : undefined,
    },
  },
  {
    ...recurring,
    id: 'recurring/amount-range-refused',
    summary: 'A row with amount-from and amount-to in place of amount is refused',
    breaks: ['recurring/amount-range-accepted'],
    alteration: refusesColumn('amount-from'),
  },
  {
    ...recurring,
    id: 'recurring/amount-sequence-refused',
    summary: 'A row with amount-sequence in place of amount is refused',
    breaks: ['recurring/amount-sequence-accepted'],
    alteration: refusesColumn('amount-sequence'),
  },
  {
    ...recurring,
    id: 'recurring/columns-not-needed',
    summary: 'A CSV may lack the columns client-orderid and recurring-payment-id',
    breaks: ['recurring/missing-client-orderid-refused', 'recurring/missing-recurring-payment-id-refused'],
    alteration: { skips: ['csv-columns'] },
  },
  {
    ...recurring,
    id: 'recurring/amount-not-needed',
    summary: 'A row may have no amount in any form',
    breaks: ['recurring/missing-amount-refused'],
    alteration: { skips: ['amount'] },
  },
  {
    ...recurring,
    id: 'recurring/empty-amount-forms-taken',
    summary: 'The columns of a range or a sequence count as an amount, whatever is in them',
    breaks: ['recurring/missing-amount-refused'],
    alteration: readsPayload((csv) => (csv.includes('"amount-') ? csv.replace(/;(?=[;\r\n]|$)/g, ';1') : csv)),
  },
  {
    ...recurring,
    id: 'recurring/payment-id-length-not-checked',
    summary: 'Recurring payment ids of more than 10 characters are taken',
    breaks: ['recurring/recurring-payment-id-length-enforced'],
    alteration: { skips: ['recurring-payment-id-length'] },
  },
  {
    ...recurring,
    id: 'recurring/amount-not-checked',
    summary: 'Amounts that are not numbers are taken',
    breaks: ['recurring/amount-numeric-enforced'],
    alteration: { skips: ['amount-numeric'] },
  },
  {
    ...recurring,
    id: 'recurring/commas-accepted',
    summary: 'A comma may separate the cells of the CSV',
    breaks: ['recurring/csv-delimiter-enforced'],
    alteration: { settings: { csvDelimiters: [';', ','] } },
  },
  {
    ...recurring,
    id: 'recurring/quoted-empty-cells-taken',
    summary: 'An empty cell in quotes counts as a value',
    breaks: missingCells,
    alteration: readsPayload((csv) => csv.replace(/(?<=[\n;])""(?=[;\r\n]|$)/g, '"1"')),
  },
  {
    ...recurring,
    id: 'recurring/cells-of-single-rows-checked',
    summary: 'Only in a batch of one row are empty cells refused',
    breaks: missingCells,
    alteration: {
      skips: ['client-orderid', 'recurring-payment-id', 'amount'],
      refuses: (reading) => {
        const { broken, payments } = reading.batch();
        const isEmpty = (['client-orderid', 'recurring-payment-id', 'amount'] as const).some((rule) =>
          broken.has(rule),
        );
        return payments.count === 1 && isEmpty ? 'an empty cell' : undefined;
      },
    },
  },
  ...(
    [
      ['single-quotes', 'single quotes', /'/g],
      ['typographic-quotes', 'typographic quotes', /[\u201c\u201d]/g],
      ['grave-accents', 'grave accents', /`/g],
    ] as const
  ).map(
    ([what, marks, written]): GatewayDefect => ({
      ...recurring,
      id: `recurring/column-names-in-${what}`,
      summary: `Column names may be in ${marks}`,
      breaks: ['recurring/csv-header-enforced'],
      alteration: readsPayload((csv) => csv.replace(/^.*/, (header) => header.replace(written, '"'))),
    }),
  ),
  {
    ...recurring,
    id: 'recurring/first-column-name-quoted',
    summary: 'Only the first column name has to be in quotes',
    breaks: ['recurring/csv-header-enforced'],
    alteration: {
      skips: ['csv-header-quotes'],
      refuses: (reading) => (reading.batch().header?.quoted[0] === false ? 'a column name has no quotes' : undefined),
    },
  },
  {
    ...recurring,
    id: 'recurring/payload-decoded-twice',
    summary: 'A payload that was encoded twice is decoded twice',
    breaks: ['recurring/payload-base64-enforced'],
    alteration: {
      reads: (request) =>
        request.target.includes('/process-recurring-payments/')
          ? { ...request, body: Buffer.from(encodeForm(decodeForm(request.body).map(decodedTwice)), 'utf8') }
          : request,
      // The signature is over what was received.
      signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
    },
  },
];

function refusesColumn(name: string): Alteration {
  return {
    refuses: (reading) =>
      reading.operation === 'process-recurring-payments' && reading.batch().header?.columns.includes(name)
        ? `the column ${name} is unknown`
        : undefined,
  };
}

function decodedTwice([name, value]: Pair): Pair {
  const inside = Buffer.from(value, 'base64').toString('latin1');
  return name === 'payload' && /^[A-Za-z0-9+/]+={0,2}$/.test(inside) ? [name, inside] : [name, value];
}
