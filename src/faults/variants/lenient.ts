/** Gateways that take more than the mock does: steps that are left out, and settings that are wider. */
import { firstValue, type Reading, type Received } from '../../mock/received.ts';
import { decodeForm, encodeForm, type Pair } from '../../protocol/index.ts';
import { authorizationLine, rightSignature } from '../forged/takes.ts';
import type { Variant } from './variant.ts';

export const lenientVariants: readonly Variant[] = [
  {
    id: 'lenient-time',
    summary: 'A timestamp may be any distance from the clock',
    openPoint: 'A3',
    alteration: { skips: ['timestamp-window'] },
  },
  {
    id: 'lenient-authorization',
    summary: 'A token, oauth_ parameters outside of the header and a signature in lax base64 are taken, if they verify',
    openPoint: 'A4',
    alteration: { skips: ['token', 'parameters-in-header', 'signature-base64'] },
  },
  {
    id: 'lenient-version',
    summary: 'oauth_version may be left out',
    openPoint: 'A38',
    alteration: { skips: ['has-oauth_version'] },
  },
  {
    id: 'endpoint-of-another-consumer',
    summary: 'The endpoint of another consumer may be used',
    openPoint: 'A30',
    alteration: { skips: ['endpoint-of-consumer'] },
  },
  {
    id: 'any-version',
    summary: 'The version in the path may be that of the other operation',
    openPoint: 'A30',
    alteration: {
      reads: (request) => ({
        ...request,
        target: request.target.replace(/\/v\d(?=\/close-day\/)/, '/v2').replace(/\/v\d(?=\/process-)/, '/v4'),
      }),
      // Signed is the path that was sent.
      signs: (material, { target }) => ({ ...material, url: { ...material.url, target } }),
    },
  },
  {
    id: 'lenient-request-id',
    summary: 'A day_close_request_id may have any length and any characters',
    openPoint: 'A8',
    alteration: { skips: ['request-id-length', 'request-id-characters'] },
  },
  {
    id: 'lenient-csv',
    summary: 'The CSV may have commas, bare column names, uneven rows and a byte-order mark',
    openPoint: 'A12',
    alteration: {
      skips: ['csv-header-quotes', 'csv-cells', 'byte-order-mark'],
      settings: { csvDelimiters: [';', ',', '\t'] },
    },
  },
  {
    id: 'lenient-cells',
    summary: 'client-orderid and recurring-payment-id may have any length',
    openPoint: 'A13',
    alteration: { skips: ['client-orderid-length', 'recurring-payment-id-length'] },
  },
  {
    id: 'lenient-amount',
    summary: 'The amount may have any length and form',
    openPoint: 'A14',
    alteration: { skips: ['amount-length', 'amount-numeric'] },
  },
  {
    id: 'lenient-base64',
    summary: 'The payload may be base64url, without padding, or broken into lines',
    openPoint: 'A16',
    alteration: { skips: ['base64'] },
  },
  {
    id: 'stopped-payments-left-out',
    summary: 'A batch with a stopped recurring payment is taken, and that one is not started',
    openPoint: 'A33',
    alteration: { skips: ['profile'] },
  },
  {
    id: 'partial-batches',
    summary: 'Bad rows of a batch are left out as long as there is a right one',
    openPoint: 'A22',
    alteration: {
      reads: (request) =>
        request.target.includes('/process-recurring-payments/') && request.body.length > 0
          ? { ...request, body: Buffer.from(encodeForm(decodeForm(request.body).map(withoutBadRows)), 'utf8') }
          : request,
      // The signature is over what was received.
      signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
    },
  },
  {
    id: 'credentials-elsewhere',
    summary: 'Without an Authorization header, OAuth parameters in the body or in the query are taken, if they verify',
    openPoint: 'A31',
    alteration: {
      takes: (reading, step) =>
        step === 'authorization' && authorizationLine(reading.request) === '' && verifiesElsewhere(reading),
    },
  },
  {
    id: 'fields-in-query',
    summary: 'Where the body lacks payload or day_close_request_id, the query may have it',
    openPoint: 'A30',
    alteration: {
      reads: withFieldsOfQuery,
      // The signature is over what was received.
      signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
    },
  },
  {
    id: 'half-a-range',
    summary: 'amount-from or amount-to alone is taken as an amount',
    openPoint: 'A15',
    alteration: {
      skips: ['amount'],
      refuses: (reading) => {
        if (reading.operation === 'close-day') return undefined;
        const batch = reading.batch();
        const [amounts = [], ...others] = ['amount', 'amount-from', 'amount-to', 'amount-sequence'].map(batch.column);
        return amounts.every((cell, at) => cell || others.some((cells) => cells[at]))
          ? undefined
          : 'a row has no amount';
      },
    },
  },
  {
    id: 'lenient-form',
    summary: 'Any content type is taken for a form; repeated and further fields are taken, the first one counts',
    openPoint: 'A30',
    alteration: { skips: ['content-type', 'fields-once', 'payload-alone'] },
  },
];

function verifiesElsewhere({ ...reading }: Reading): boolean {
  const rest = (pairs: readonly Pair[]) => pairs.filter(([name]) => name !== 'oauth_signature');
  const signature = firstValue([...reading.form, ...reading.query], 'oauth_signature');
  return signature === rightSignature({ ...reading, form: rest(reading.form), query: rest(reading.query) });
}

function withFieldsOfQuery(request: Received): Received {
  const form = decodeForm(request.body);
  const query = decodeForm(request.target.split('?')[1] ?? '');
  const lacking = query.filter(
    ([name]) => /^(payload|day_close_request_id)$/.test(name) && !form.some(([found]) => found === name),
  );
  return lacking.length === 0 ? request : { ...request, body: Buffer.from(encodeForm([...form, ...lacking])) };
}

/** Of a CSV in the three named columns, in the plainest form. */
function withoutBadRows([name, value]: Pair): Pair {
  const [header = '', ...lines] = Buffer.from(value, 'base64').toString('utf8').split('\n');
  const right = lines.filter((line) => /^[\w-]{1,128};[^;]{1,10};\d+(\.\d+)?$/.test(line));
  const isPlain = name === 'payload' && header === '"client-orderid";"recurring-payment-id";"amount"';
  if (!isPlain || right.length === 0 || right.length >= lines.length - 1) return [name, value];
  return [name, Buffer.from([header, ...right, ''].join('\n'), 'utf8').toString('base64')];
}
