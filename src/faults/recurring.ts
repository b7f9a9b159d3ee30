/** Gateways that violate 2.4, 4.2 and 8, or accept more or fewer batches than 2.3 allows; and connection faults. */

import { isDecimal } from '../mock/decimal.ts';
import { withBody, withStatus } from '../mock/responses.ts';
import { decodeForm, encodeForm, type Pair } from '../protocol/index.ts';
import type { Exchange, ReceivedResponse } from '../record/exchange.ts';
import type { Row } from '../record/row.ts';
import { breaking, type GatewayDefect, recurring } from './defect.ts';
import { readsAnyType } from './edit.ts';

const acceptedLength = breaking(recurring, 'success-content-length-zero');
const refusedStatus = breaking(recurring, 'failure-status-403');
const keepAlive = breaking(recurring, 'keep-alive-timeout');
const lineFeed = breaking(recurring, 'parameters-line-feed');
const type = breaking(recurring, 'type-present');
const status = breaking(recurring, 'status-present');
const message = breaking(recurring, 'error-message-present');
const code = breaking(recurring, 'error-code-present');
const errorId = breaking(recurring, 'error-id-with-500');

const answerDefects: readonly GatewayDefect[] = [
  recurring('accepted-says-ok', 'success-body-empty', { on: 'accepted', body: 'OK' })`
    The empty answer is not empty: it says OK`,
  recurring('accepted-with-201', 'success-status-200', { on: 'accepted', status: 201 })`
    An accepted batch is answered with HTTP 201`,
  acceptedLength('accepted-chunked', { on: 'accepted', header: { 'Content-Length': undefined } })`
    The empty answer comes chunked, without Content-Length`,
  acceptedLength('accepted-framed-twice', { on: 'accepted', header: { 'Transfer-Encoding': 'chunked' } })`
    The empty answer says Content-Length: 0, and comes chunked all the same`,
  recurring('refused-with-page', 'failure-body-empty', {
    writes: (reply, { decision }) =>
      decision === 'refused' && reply.status === 403 ? withBody(reply, '<html><body>Forbidden</body></html>') : reply,
  })`The 403 answer has an HTML page as its body`,
  refusedStatus('refused-with-400', { on: 'refused', status: 400 })`
    An unsuccessful request is answered with HTTP 400`,
  refusedStatus('refused-with-302', { on: 'refused', status: 302, header: { Location: '/error' } })`
    An unsuccessful request is redirected to a page`,
  refusedStatus('refused-with-500', { on: 'refused', status: 500 })`
    An unsuccessful request is answered with HTTP 500`,
  refusedStatus('batch-fault-with-401', { at: /^csv/, status: 401 })`
    A batch whose CSV is at fault is answered with HTTP 401`,
  keepAlive('keep-alive-with-unit', { on: 'accepted', header: { 'Keep-Alive': 'timeout=60s' } })`
    The keep-alive timeout is announced as 60s`,
  keepAlive('keep-alive-beside-close', { on: 'accepted', header: { Connection: 'close' } })`
    The keep-alive timeout is announced as 60 seconds, and the connection is closed`,
  recurring(
    'wrong-signature-with-200',
    [
      'authentication/recurring-wrong-key-refused',
      'authentication/recurring-altered-body-refused',
      'authentication/recurring-other-method-refused',
      'authentication/recurring-wrong-signature-refused',
      'authentication/recurring-altered-uri-refused',
    ],
    { at: /^signature$/, status: 200 },
  )`A batch whose signature does not verify is not charged, but gets the answer of an accepted one`,
  keepAlive('keep-alive-short', { on: 'accepted', header: { 'Keep-Alive': 'timeout=5' } })`
    The keep-alive timeout is announced as 5 seconds`,
];

/** Bodies of section 2.4. Only scripted answers of a mock show them. */
const parameterDefects: readonly GatewayDefect[] = [
  recurring('parameters-as-plain-text', 'parameters-content-type', {
    on: 'with-body',
    header: { 'Content-Type': 'text/plain;charset=utf-8' },
  })`A body of 2.4 comes as text/plain`,
  recurring('parameters-said-to-be-packed', 'success-body-empty', {
    on: 'with-body',
    header: { 'Content-Encoding': 'gzip' },
  })`A body of 2.4 comes as it is, and Content-Encoding says gzip`,
  lineFeed('parameters-without-line-feeds', { text: (body) => body.replaceAll('\n', '') })`
    The values of 2.4 do not end with 0x0A`,
  // Without a type the answer is neither acceptance nor refusal, so rows about a specific type do not judge it.
  type('parameters-without-type', { text: without('type') })`A body of 2.4 has no type`,
  recurring('parameters-of-other-type', 'type-value', {
    text: (body) => body.replace('type=process-recurring-payment-response', 'type=async-response'),
  })`The type of an accepted batch is async-response`,
  status('parameters-without-status', { text: without('status') })`A body of an accepted batch has no status`,
  recurring('parameters-without-serial', 'serial-number-present', { text: without('serial-number') })`
    A body of 2.4 has no serial-number`,
  recurring('parameters-with-one-serial', 'serial-number-unique', { text: valued('serial-number', '1') })`
    Every body of 2.4 has the same serial-number`,
  message('error-without-message', { text: without('error-message') })`An error body has no error-message`,
  code('error-without-code', { text: without('error-code') })`An error body has no error-code`,
  recurring('error-with-other-code', 'error-code-value', {
    text: (body) => body.replace('error-code=403', 'error-code=404'),
  })`An error body has the code 404`,
  type('type-empty', { text: valued('type', '') })`The type of a body of 2.4 is empty`,
  status('status-empty', { text: valued('status', '') })`The status of an accepted batch is empty`,
  message('error-message-empty', { text: valued('error-message', '') })`An error body has an empty error-message`,
  code('error-code-empty', { text: valued('error-code', '') })`An error body has an empty error-code`,
  code('error-code-twice', { text: (body) => body.replace(/error-code=\d+\n/, '$&&$&') })`
    An error body has error-code twice`,
  type('type-twice', { text: (body) => body.replace(/type=[^&\n]*\n/, '$&&$&') })`A body of 2.4 has type twice`,
  lineFeed('parameters-not-encoded', { text: (body) => body.replaceAll('%20', ' ') })`
    The values of 2.4 come without percent-encoding, blanks and all`,
  recurring('parameters-with-byte-order-mark', ['parameters-line-feed', 'type-present'], {
    on: 'with-body',
    text: (body) => `\ufeff${body}`,
  })`A body of 2.4 starts with a byte-order mark`,
  errorId('error-500-without-id', { text: without('error-id') })`An error body with code 500 has no error ID`,
  errorId('error-500-code-in-message', {
    text: (body) => without('error-id')(body).replace(/error-message=[^\n]*/, '$&%20(500)'),
  })`An error body with code 500 has that code in error-message, and no error ID`,
];

/** The mock runs on loopback, where plain http is allowed. Stored records of other gateways show these defects. */
const transportDefects: readonly GatewayDefect[] = [
  {
    id: 'transport/served-over-plain-http',
    side: 'gateway',
    operation: 'both',
    summary: 'Both operations are answered over plain http at a public address',
    breaks: ['transport/https-served'],
    reach: 'stored',
    stored: [stored('http', { status: 403, reason: 'Forbidden', headers: [['Content-Length', '0']] }, 1)],
    alteration: {},
  },
  {
    id: 'recurring/connection-closed-early',
    side: 'gateway',
    operation: 'process-recurring-payments',
    summary: 'A silent connection is closed after five seconds',
    breaks: ['recurring/keep-alive-kept'],
    reach: 'stored',
    stored: [
      {
        ...stored(
          'https',
          {
            status: 200,
            reason: 'OK',
            headers: [
              ['Content-Length', '0'],
              ['Keep-Alive', 'timeout=60'],
            ],
          },
          5001,
        ),
        silence: { waitedMs: 61_000, closedAfterMs: 5_000 },
      },
    ],
    alteration: {},
  },
];

function stored(scheme: 'http' | 'https', response: Omit<ReceivedResponse, 'body'>, durationMs: number): Exchange {
  const body = new Uint8Array();
  return {
    request: {
      method: 'POST',
      scheme,
      host: 'gateway.invalid',
      target: '/api/v4/process-recurring-payments/1111',
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body,
    },
    response: { ...response, body },
    startedAt: 1_800_000_000_000,
    durationMs,
  };
}

function valued(name: string, value: string): (body: string) => string {
  return (body) => body.replace(new RegExp(`(?<=(?:^|&)${name}=)[^&\\n]*`), value);
}

function without(name: string): (body: string) => string {
  return (body) =>
    body
      .split('&')
      .filter((part) => !part.startsWith(`${name}=`))
      .join('&');
}

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

const requestDefects: readonly GatewayDefect[] = [
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
    // The signature covers the received body.
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

/** Accepts amounts that a common parsing function of some language accepts (section 8). */
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

export const recurringDefects: readonly GatewayDefect[] = [
  ...answerDefects,
  ...requestDefects,
  ...parameterDefects,
  ...transportDefects,
];
