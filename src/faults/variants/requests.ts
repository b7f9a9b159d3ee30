/** Gateways that accept more or fewer requests than the mock. The document does not say which is correct. */
import type { OpenPointId } from '../../../contracts/open-points.ts';
import { ruledColumns } from '../../mock/batch.ts';
import { firstValue, type Reading, type Received } from '../../mock/decode-request.ts';
import type { MockGate, World } from '../../mock/world.ts';
import { decodeForm, encodeForm, type Pair } from '../../protocol/index.ts';
import { headerValues } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import { authorizationLine, rightSignature, type Variant, variant } from '../defect.ts';

const lenientVariants: readonly Variant[] = [
  variant('lenient-time', 'A3', { skips: ['timestamp-window'] })`Any timestamp is accepted, however old or new`,
  variant('lenient-authorization', 'A4', { skips: ['token', 'parameters-in-header', 'signature-base64'] })`
    An oauth_token, oauth_ parameters outside of the header, and a signature that is not valid base64 are accepted`,
  variant('lenient-version', 'A38', { skips: ['has-oauth_version'] })`oauth_version may be left out`,
  variant('endpoint-of-another-consumer', 'A30', { skips: ['endpoint-of-consumer'] })`
    A consumer may use the endpoint of another consumer`,
  variant('any-version', 'A30', {
    reads: (request) => ({
      ...request,
      target: request.target.replace(/\/v\d(?=\/close-day\/)/, '/v2').replace(/\/v\d(?=\/process-)/, '/v4'),
    }),
    // Verify the signature over the path as sent, not over the changed path.
    signs: (material, { target }) => ({ ...material, url: { ...material.url, target } }),
  })`The path may have another version, such as that of the other operation`,
  variant('lenient-request-id', 'A8', { skips: ['request-id-length', 'request-id-characters'] })`
    A day_close_request_id may have any length and any characters`,
  variant('lenient-csv', 'A12', {
    skips: ['csv-header-quotes', 'csv-cells', 'byte-order-mark'],
    settings: { csvDelimiters: [';', ',', '\t'] },
  })`The CSV may have commas or tabs as delimiters, unquoted column names, rows of different lengths and a byte-order mark`,
  variant('lenient-cells', 'A13', { skips: ['client-orderid-length', 'recurring-payment-id-length'] })`
    client-orderid and recurring-payment-id may have any length`,
  variant('lenient-amount', 'A14', { skips: ['amount-length', 'amount-numeric'] })`
    The amount may have any length and form`,
  variant('lenient-base64', 'A16', { skips: ['base64'] })`
    The payload may be base64url, may lack its padding and may have line breaks`,
  variant('stopped-payments-left-out', 'A33', { skips: ['profile'] })`
    A batch with a stopped recurring payment is accepted, but that payment is not started`,
  variant('partial-batches', 'A22', { csv: withoutBadRows })`
    If a batch has a valid row, its faulty rows are skipped`,
  variant('credentials-elsewhere', 'A31', {
    accepts: (reading, step) =>
      step === 'authorization' && authorizationLine(reading.request) === '' && isSignedElsewhere(reading),
  })`Without an Authorization header, signed OAuth parameters in the body or query are accepted`,
  variant('fields-in-query', 'A30', {
    reads: withQueryFields,
    // Verify the signature over the body as sent, without the fields from the query.
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  })`A payload or day_close_request_id that is not in the body is read from the query`,
  variant('half-a-range', 'A15', {
    skips: ['amount'],
    refusesIf: (reading) => {
      if (reading.operation === 'close-day') return false;
      const batch = reading.batch();
      const [amounts = [], ...others] = ['amount', 'amount-from', 'amount-to', 'amount-sequence'].map(batch.column);
      return amounts.some((cell, at) => !cell && !others.some((cells) => cells[at]));
    },
  })`A row may have only amount-from or only amount-to as its amount`,
  variant('lenient-form', 'A30', { skips: ['content-type', 'fields-once', 'payload-alone'] })`
    A body of any content type is read as a form. Additional fields are accepted. If a field occurs twice, the first one counts`,
];

function isSignedElsewhere(reading: Reading): boolean {
  const unsigned = (pairs: readonly Pair[]) => pairs.filter(([name]) => name !== 'oauth_signature');
  const signature = firstValue([...reading.form, ...reading.query], 'oauth_signature');
  return signature === rightSignature({ ...reading, form: unsigned(reading.form), query: unsigned(reading.query) });
}

function withQueryFields(request: Received): Received {
  const form = decodeForm(request.body);
  const query = decodeForm(request.target.split('?')[1] ?? '');
  const missing = query.filter(
    ([name]) => /^(payload|day_close_request_id)$/.test(name) && !form.some(([found]) => found === name),
  );
  return missing.length === 0 ? request : { ...request, body: Buffer.from(encodeForm([...form, ...missing])) };
}

function withoutBadRows(csv: string): string {
  const [header, ...lines] = csv.split('\n');
  const validLines = lines.filter((line) => /^[\w-]{1,128};[^;]{1,10};\d+(\.\d+)?$/.test(line));
  const isPlain = header === '"client-orderid";"recurring-payment-id";"amount"';
  return isPlain && validLines.length > 0 ? [header, ...validLines, ''].join('\n') : csv;
}

const stricterVariants: readonly Variant[] = [
  variant('stricter-time', 'A3', { settings: { timestampWindowSeconds: 30 } })`
    A timestamp may differ from the clock by at most 30 seconds`,
  variant('timestamps-never-go-back', 'A3', { refusesIf: hasEarlierTimestamp })`
    A timestamp that is older than an accepted timestamp is refused`,

  variant('stricter-authorization', 'A4', {
    refusesIf: ({ request, oauth }) =>
      /\brealm=/i.test(headerValues(request.headers, 'authorization')[0] ?? '') ||
      firstValue(oauth, 'oauth_token') !== undefined,
  })`A request with a realm or an empty oauth_token is refused`,
  variant('request-id-once', 'A7', {
    refusesIf: (reading, world) => reading.operation === 'close-day' && reusesId(world, idsOf(reading)),
  })`A day_close_request_id that was accepted before is refused`,
  variant('stricter-csv', 'A12', {
    refusesIf: batchOnly((reading) => {
      const { columns = [] } = reading.batch().header ?? {};
      const inOrder = ruledColumns.filter((name) => columns.includes(name));
      return columns.join() !== inOrder.join() || payloadText(reading).includes('\r\n');
    }),
  })`A CSV with CRLF, unknown columns or columns in a different order is refused`,
  cellVariant('lengths-in-bytes', 'A13', 'client-orderid', (cell) => Buffer.byteLength(cell) <= 128)`
    A client-orderid of more than 128 bytes is refused, even if it has fewer characters`,
  cellVariant('payment-id-of-exactly-10', 'A13', 'recurring-payment-id', (cell) => cell.length >= 10)`
    A recurring-payment-id of fewer than 10 characters is refused`,
  cellVariant('stricter-amount', 'A14', 'amount', (cell) => /^(?!0+(\.0*)?$)((0|[1-9]\d*)(\.\d{1,2})?)?$/.test(cell))`
    An amount is refused if it is zero, has leading zeros or has more than two fractional digits`,
  cellVariant('amount-of-two-decimals', 'A14', 'amount', (cell) => /^(\d+\.\d\d)?$/.test(cell))`
    An amount without exactly two fractional digits is refused`,
  variant('one-form-of-amount', 'A15', {
    refusesIf: batchOnly((reading) => {
      const forms = ['amount', 'amount-from', 'amount-sequence'];
      return forms.filter((name) => reading.batch().column(name).some(Boolean)).length > 1;
    }),
  })`A row with more than one form of the amount is refused`,
  cellVariant('plain-order-ids', 'A37', 'client-orderid', (cell) => /^[A-Za-z0-9-]*$/.test(cell))`
    A client-orderid with characters other than letters, digits and hyphens is refused`,
  variant('order-id-once', 'A7', { refusesIf: batchOnly((reading, world) => reusesId(world, idsOf(reading))) })`
    A client-orderid that was accepted before, or occurs twice in a batch, is refused`,
  variant('payment-once-in-a-batch', 'A7', {
    refusesIf: batchOnly((reading) => {
      const ids = reading.batch().column('recurring-payment-id');
      return new Set(ids).size < ids.length;
    }),
  })`A batch with the same recurring-payment-id twice is refused`,
  variant('batches-at-open-gates-only', 'A33', {
    refusesIf: batchOnly(
      ({ endpointId }, { endpoints }) =>
        !(endpoints.get(endpointId)?.gates ?? []).every(({ state }) => state === 'open'),
    ),
  })`A batch for an endpoint whose gate is closing or locked is refused`,
  variant('ids-once-in-any-case', 'A7', {
    refusesIf: (reading, world) => reusesId(world, idsOf(reading), (id) => id.toLowerCase()),
  })`A repeated id is refused, also within one batch. Ids that differ only in upper and lower case count as equal`,
  cellVariant('payment-ids-of-digits', 'A33', 'recurring-payment-id', (cell) => /^\d*$/.test(cell))`
    A recurring-payment-id with characters other than digits is refused`,
  variant('unquoted-cells', 'A12', {
    refusesIf: batchOnly((reading) => payloadText(reading).split('\n').slice(1).join('').includes('"')),
  })`A CSV with a quoted data cell is refused`,
  variant('two-rows', 'A23', { refusesIf: batchOnly((reading) => reading.batch().payments.count > 2) })`
    A batch of more than two rows is refused`,
  variant('ten-rows', 'A23', { refusesIf: batchOnly((reading) => reading.batch().payments.count > 10) })`
    A CSV of more than ten rows is refused`,
  variant('own-totals-only', 'A28', {
    refusesIf: ({ endpointId, form }, { endpoints }) => {
      const [gate] = endpoints.get(endpointId)?.gates ?? [];
      return form.some(([name, value]) => name in totals && value !== (gate && totals[name]!(gate)));
    },
  })`Totals that differ from those of the gateway are refused`,
  variant('counts-of-12-digits', 'A9', {
    refusesIf: ({ form }) => form.some(([name, value]) => name in totals && value.replace(/\D/g, '').length > 12),
  })`A count or a sum of more than 12 digits is refused`,
  variant('sums-of-two-decimals', 'A9', {
    refusesIf: ({ form }) =>
      form.some(([name, value]) => name in totals && !(name.endsWith('_sum') ? /^\d+\.\d\d$/ : /^\d+$/).test(value)),
  })`A sum without exactly two fractional digits, or a count that is not a whole number, is refused`,
  variant('stricter-content-type', 'A30', {
    refusesIf: ({ request }) => headerValues(request.headers, 'content-type').some((value) => value.includes(';')),
  })`A content type with a parameter, such as a charset, is refused`,
];

/** True if an earlier request had a later timestamp. OAuth Core 1.0 section 8 forbids this, RFC 5849 allows it. */
function hasEarlierTimestamp({ oauth }: Reading, world: World): boolean {
  const timestamp = Number(firstValue(oauth, 'oauth_timestamp'));
  const latest = latestTimestamps.get(world) ?? 0;
  latestTimestamps.set(world, Math.max(timestamp, latest));
  return timestamp < latest;
}

const latestTimestamps = new WeakMap<World, number>();

type Predicate = (reading: Reading, world: World) => boolean;

function batchOnly(condition: Predicate): Predicate {
  return (reading, world) => reading.operation === 'process-recurring-payments' && condition(reading, world);
}

function cellVariant(id: string, openPoint: OpenPointId, column: string, isAccepted: (cell: string) => boolean) {
  const isRefused = (cell = '') => !isAccepted(cell);
  return variant(id, openPoint, { refusesIf: batchOnly(({ batch }) => batch().column(column).some(isRefused)) });
}

const totals: Readonly<Record<string, (gate: MockGate) => string>> = {
  sale_approved_count: ({ totals }) => String(totals.saleApprovedCount),
  sale_approved_sum: ({ totals }) => totals.saleAmount,
  reversal_approved_count: ({ totals }) => String(totals.reversalApprovedCount),
  reversal_approved_sum: ({ totals }) => totals.reversalAmount,
};

/** Ids of the accepted requests. `reusesId` adds them, because it runs after all other checks. */
const usedIds = memoize((_: World) => new Set<string>());

function idsOf({ operation, endpointId, form, batch }: Reading): readonly string[] {
  if (operation === 'close-day') return [`${endpointId} ${firstValue(form, 'day_close_request_id')}`];
  return batch()
    .column('client-orderid')
    .map((id = '') => id);
}

function reusesId(world: World, sent: readonly string[], normalize = (id: string) => id): boolean {
  const used = usedIds(world);
  const ids = sent.map(normalize);
  if (ids.some((id, at) => used.has(id) || ids.indexOf(id) < at)) return true;
  for (const id of ids) used.add(id);
  return false;
}

function payloadText({ form }: Reading): string {
  return Buffer.from(firstValue(form, 'payload') ?? '', 'base64').toString('utf8');
}

export const requestVariants: readonly Variant[] = [...lenientVariants, ...stricterVariants];
