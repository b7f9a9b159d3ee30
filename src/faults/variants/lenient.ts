/** Gateways that take more than the mock does: steps that are left out, and settings that are wider. */
import { firstValue, type Reading, type Received } from '../../mock/received.ts';
import { decodeForm, encodeForm, type Pair } from '../../protocol/index.ts';
import { authorizationLine, rightSignature } from '../forged/takes.ts';
import { type Variant, variant } from './variant.ts';

export const lenientVariants: readonly Variant[] = [
  variant('lenient-time', 'A3', { skips: ['timestamp-window'] })`A timestamp may be any distance from the clock`,
  variant('lenient-authorization', 'A4', { skips: ['token', 'parameters-in-header', 'signature-base64'] })`
    A token, oauth_ parameters outside of the header and a signature in lax base64 are taken, if they verify`,
  variant('lenient-version', 'A38', { skips: ['has-oauth_version'] })`oauth_version may be left out`,
  variant('endpoint-of-another-consumer', 'A30', { skips: ['endpoint-of-consumer'] })`
    The endpoint of another consumer may be used`,
  variant('any-version', 'A30', {
    reads: (request) => ({
      ...request,
      target: request.target.replace(/\/v\d(?=\/close-day\/)/, '/v2').replace(/\/v\d(?=\/process-)/, '/v4'),
    }),
    // Signed is the path that was sent.
    signs: (material, { target }) => ({ ...material, url: { ...material.url, target } }),
  })`The version in the path may be that of the other operation`,
  variant('lenient-request-id', 'A8', { skips: ['request-id-length', 'request-id-characters'] })`
    A day_close_request_id may have any length and any characters`,
  variant('lenient-csv', 'A12', {
    skips: ['csv-header-quotes', 'csv-cells', 'byte-order-mark'],
    settings: { csvDelimiters: [';', ',', '\t'] },
  })`The CSV may have commas, bare column names, uneven rows and a byte-order mark`,
  variant('lenient-cells', 'A13', { skips: ['client-orderid-length', 'recurring-payment-id-length'] })`
    client-orderid and recurring-payment-id may have any length`,
  variant('lenient-amount', 'A14', { skips: ['amount-length', 'amount-numeric'] })`
    The amount may have any length and form`,
  variant('lenient-base64', 'A16', { skips: ['base64'] })`
    The payload may be base64url, without padding, or broken into lines`,
  variant('stopped-payments-left-out', 'A33', { skips: ['profile'] })`
    A batch with a stopped recurring payment is taken, and that one is not started`,
  variant('partial-batches', 'A22', {
    reads: (request) =>
      request.target.includes('/process-recurring-payments/') && request.body.length > 0
        ? { ...request, body: Buffer.from(encodeForm(decodeForm(request.body).map(withoutBadRows)), 'utf8') }
        : request,
    // The signature is over what was received.
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  })`Bad rows of a batch are left out as long as there is a right one`,
  variant('credentials-elsewhere', 'A31', {
    takes: (reading, step) =>
      step === 'authorization' && authorizationLine(reading.request) === '' && verifiesElsewhere(reading),
  })`Without an Authorization header, OAuth parameters in the body or in the query are taken, if they verify`,
  variant('fields-in-query', 'A30', {
    reads: withFieldsOfQuery,
    // The signature is over what was received.
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  })`Where the body lacks payload or day_close_request_id, the query may have it`,
  variant('half-a-range', 'A15', {
    skips: ['amount'],
    refusesIf: (reading) => {
      if (reading.operation === 'close-day') return false;
      const batch = reading.batch();
      const [amounts = [], ...others] = ['amount', 'amount-from', 'amount-to', 'amount-sequence'].map(batch.column);
      return amounts.some((cell, at) => !cell && !others.some((cells) => cells[at]));
    },
  })`amount-from or amount-to alone is taken as an amount`,
  variant('lenient-form', 'A30', { skips: ['content-type', 'fields-once', 'payload-alone'] })`
    Any content type is taken for a form; repeated and further fields are taken, the first one counts`,
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
