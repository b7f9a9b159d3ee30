/** Gateways that take more than the mock does: steps that are left out, and settings that are wider. */
import { firstValue, type Reading, type Received } from '../../mock/received.ts';
import { decodeForm, encodeForm, type Pair } from '../../protocol/index.ts';
import { authorizationLine, rightSignature } from '../forged/takes.ts';
import { type Variant, variant } from './variant.ts';

export const lenientVariants: readonly Variant[] = [
  variant('lenient-time', 'A timestamp may be any distance from the clock', 'A3', { skips: ['timestamp-window'] }),
  variant(
    'lenient-authorization',
    'A token, oauth_ parameters outside of the header and a signature in lax base64 are taken, if they verify',
    'A4',
    { skips: ['token', 'parameters-in-header', 'signature-base64'] },
  ),
  variant('lenient-version', 'oauth_version may be left out', 'A38', { skips: ['has-oauth_version'] }),
  variant('endpoint-of-another-consumer', 'The endpoint of another consumer may be used', 'A30', {
    skips: ['endpoint-of-consumer'],
  }),
  variant('any-version', 'The version in the path may be that of the other operation', 'A30', {
    reads: (request) => ({
      ...request,
      target: request.target.replace(/\/v\d(?=\/close-day\/)/, '/v2').replace(/\/v\d(?=\/process-)/, '/v4'),
    }),
    // Signed is the path that was sent.
    signs: (material, { target }) => ({ ...material, url: { ...material.url, target } }),
  }),
  variant('lenient-request-id', 'A day_close_request_id may have any length and any characters', 'A8', {
    skips: ['request-id-length', 'request-id-characters'],
  }),
  variant('lenient-csv', 'The CSV may have commas, bare column names, uneven rows and a byte-order mark', 'A12', {
    skips: ['csv-header-quotes', 'csv-cells', 'byte-order-mark'],
    settings: { csvDelimiters: [';', ',', '\t'] },
  }),
  variant('lenient-cells', 'client-orderid and recurring-payment-id may have any length', 'A13', {
    skips: ['client-orderid-length', 'recurring-payment-id-length'],
  }),
  variant('lenient-amount', 'The amount may have any length and form', 'A14', {
    skips: ['amount-length', 'amount-numeric'],
  }),
  variant('lenient-base64', 'The payload may be base64url, without padding, or broken into lines', 'A16', {
    skips: ['base64'],
  }),
  variant(
    'stopped-payments-left-out',
    'A batch with a stopped recurring payment is taken, and that one is not started',
    'A33',
    { skips: ['profile'] },
  ),
  variant('partial-batches', 'Bad rows of a batch are left out as long as there is a right one', 'A22', {
    reads: (request) =>
      request.target.includes('/process-recurring-payments/') && request.body.length > 0
        ? { ...request, body: Buffer.from(encodeForm(decodeForm(request.body).map(withoutBadRows)), 'utf8') }
        : request,
    // The signature is over what was received.
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  }),
  variant(
    'credentials-elsewhere',
    'Without an Authorization header, OAuth parameters in the body or in the query are taken, if they verify',
    'A31',
    {
      takes: (reading, step) =>
        step === 'authorization' && authorizationLine(reading.request) === '' && verifiesElsewhere(reading),
    },
  ),
  variant('fields-in-query', 'Where the body lacks payload or day_close_request_id, the query may have it', 'A30', {
    reads: withFieldsOfQuery,
    // The signature is over what was received.
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  }),
  variant('half-a-range', 'amount-from or amount-to alone is taken as an amount', 'A15', {
    skips: ['amount'],
    refuses: (reading) => {
      if (reading.operation === 'close-day') return undefined;
      const batch = reading.batch();
      const [amounts = [], ...others] = ['amount', 'amount-from', 'amount-to', 'amount-sequence'].map(batch.column);
      return amounts.every((cell, at) => cell || others.some((cells) => cells[at])) ? undefined : 'a row has no amount';
    },
  }),
  variant(
    'lenient-form',
    'Any content type is taken for a form; repeated and further fields are taken, the first one counts',
    'A30',
    { skips: ['content-type', 'fields-once', 'payload-alone'] },
  ),
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
