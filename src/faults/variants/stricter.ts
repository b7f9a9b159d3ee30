/** Gateways that take less than the mock does, where the document does not say that they have to take it. */

import { ruledColumns } from '../../mock/batch.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import type { MockGate, World } from '../../mock/world.ts';
import { headerValues } from '../../record/exchange.ts';
import { type Variant, variant } from './variant.ts';

export const stricterVariants: readonly Variant[] = [
  variant('stricter-time', 'A3', { settings: { timestampWindowSeconds: 30 } })`
    A timestamp may be 30 seconds away from the clock and no more`,
  variant('timestamps-never-go-back', 'A3', { refusesIf: earlierThanAccepted })`
    A timestamp before one that was accepted is refused`,

  variant('stricter-authorization', 'A4', {
    refusesIf: ({ request, oauth }) =>
      /\brealm=/i.test(headerValues(request.headers, 'authorization')[0] ?? '') ||
      firstValue(oauth, 'oauth_token') !== undefined,
  })`realm and an empty oauth_token are refused`,
  variant('request-id-once', 'A7', { refusesIf: usedRequestId })`
    A day_close_request_id that was accepted before is refused`,
  variant('stricter-csv', 'A12', {
    refusesIf: ofBatch((reading) => {
      const { columns = [] } = reading.batch().header ?? {};
      const inOrder = ruledColumns.filter((name) => columns.includes(name));
      return columns.join() !== inOrder.join() || payloadText(reading).includes('\r\n');
    }),
  })`CRLF, columns in another order and unknown columns are refused`,
  variant('lengths-in-bytes', 'A13', {
    refusesIf: unlessCells('client-orderid', (cell) => Buffer.byteLength(cell) <= 128),
  })`A client-orderid of more than 128 bytes is refused, whatever its characters`,
  variant('payment-id-of-exactly-10', 'A13', {
    refusesIf: unlessCells('recurring-payment-id', (cell) => cell.length >= 10),
  })`A recurring-payment-id of fewer than 10 characters is refused`,
  variant('stricter-amount', 'A14', {
    refusesIf: unlessCells('amount', (cell) => cell === '' || /^(?!0+(\.0*)?$)(0|[1-9]\d*)(\.\d{1,2})?$/.test(cell)),
  })`An amount of zero, with leading zeros or with more than two fractional digits is refused`,
  variant('amount-of-two-decimals', 'A14', { refusesIf: unlessCells('amount', (cell) => /^(\d+\.\d\d)?$/.test(cell)) })`
    An amount with other than two fractional digits is refused`,
  variant('one-form-of-amount', 'A15', {
    refusesIf: ofBatch(
      (reading) =>
        ['amount', 'amount-from', 'amount-sequence'].filter((name) => reading.batch().column(name).some(Boolean))
          .length > 1,
    ),
  })`A row with more than one form of the amount is refused`,
  variant('plain-order-ids', 'A37', {
    refusesIf: unlessCells('client-orderid', (cell) => /^[A-Za-z0-9-]*$/.test(cell)),
  })`A client-orderid with other characters than letters, digits and hyphens is refused`,
  variant('order-id-once', 'A7', { refusesIf: ofBatch((reading, world) => takenBefore(world, idsOf(reading))) })`
    A client-orderid that was accepted before is refused, in the same batch too`,
  variant('payment-once-in-a-batch', 'A7', {
    refusesIf: ofBatch((reading) => {
      const ids = reading.batch().column('recurring-payment-id');
      return new Set(ids).size < ids.length;
    }),
  })`A batch with the same recurring-payment-id twice is refused`,
  variant('batches-at-open-gates-only', 'A33', {
    refusesIf: ofBatch(
      ({ endpointId }, { endpoints }) =>
        endpoints.get(endpointId)?.gates.some(({ state }) => state !== 'open') === true,
    ),
  })`A batch for an endpoint whose gate is closing or locked is refused`,
  variant('ids-once-in-any-case', 'A7', {
    refusesIf: (reading, world) => takenBefore(world, idsOf(reading, { inAnyCase: true })),
  })`An id that was accepted before is refused, whatever the case of its letters, in the same batch too`,
  variant('payment-ids-of-digits', 'A33', {
    refusesIf: unlessCells('recurring-payment-id', (cell) => /^\d*$/.test(cell)),
  })`A recurring-payment-id with other characters than digits is refused: no profile has it`,
  variant('unquoted-cells', 'A12', {
    refusesIf: ofBatch((reading) => payloadText(reading).split('\n').slice(1).join('').includes('"')),
  })`A CSV with a quoted data cell is refused`,
  variant('two-rows', 'A23', { refusesIf: ofBatch((reading) => reading.batch().payments.count > 2) })`
    A batch of more than two rows is refused`,
  variant('ten-rows', 'A23', { refusesIf: ofBatch((reading) => reading.batch().payments.count > 10) })`
    A CSV of more than ten rows is refused`,
  variant('own-totals-only', 'A28', {
    refusesIf: ({ endpointId, form }, world) =>
      form.some(([name, value]) => name in totals && value !== ownTotal(totals[name]!, world, endpointId)),
  })`Totals that differ from those of the gateway are refused`,
  variant('counts-of-12-digits', 'A9', {
    refusesIf: ({ form }) => form.some(([name, value]) => name in totals && value.replace(/\D/g, '').length > 12),
  })`A count or a sum of more than 12 digits is refused`,
  variant('sums-of-two-decimals', 'A9', {
    refusesIf: ({ form }) =>
      form.some(([name, value]) => name in totals && !(name.endsWith('_sum') ? /^\d+\.\d\d$/ : /^\d+$/).test(value)),
  })`A sum with other than two fractional digits, and a count that is not a whole number, are refused`,
  variant('stricter-content-type', 'A30', {
    refusesIf: ({ request }) => headerValues(request.headers, 'content-type').some((value) => value.includes(';')),
  })`A content type with a parameter, such as a charset, is refused`,
];

/** OAuth Core 1.0 section 8 asks for it, RFC 5849 does not. */
function earlierThanAccepted({ oauth }: Reading, world: World): boolean {
  const timestamp = Number(firstValue(oauth, 'oauth_timestamp'));
  const latest = latestTimestamps.get(world) ?? 0;
  latestTimestamps.set(world, Math.max(timestamp, latest));
  return timestamp < latest;
}

const latestTimestamps = new WeakMap<World, number>();

type Predicate = (reading: Reading, world: World) => boolean;

function ofBatch(is: Predicate): Predicate {
  return (reading, world) => reading.operation === 'process-recurring-payments' && is(reading, world);
}

function unlessCells(name: string, isTaken: (cell: string) => boolean): Predicate {
  return ofBatch(
    (reading) =>
      !reading
        .batch()
        .column(name)
        .every((cell = '') => isTaken(cell)),
  );
}

/** What the gateway has of each total that a request may carry, at one gate. */
const totals: Readonly<Record<string, (gate: MockGate) => string>> = {
  sale_approved_count: ({ totals }) => String(totals.saleApprovedCount),
  sale_approved_sum: ({ totals }) => totals.saleAmount,
  reversal_approved_count: ({ totals }) => String(totals.reversalApprovedCount),
  reversal_approved_sum: ({ totals }) => totals.reversalAmount,
};

/** Of an endpoint with one gate, such as all totals are sent to. */
function ownTotal(total: (gate: MockGate) => string, world: World, endpointId: string): string | undefined {
  const [gate] = world.endpoints.get(endpointId)?.gates ?? [];
  return gate && total(gate);
}

/** The further decision is the last one: a request that it lets through is accepted, and its ids are used up. */
const usedIds = new WeakMap<World, Set<string>>();

function usedRequestId(reading: Reading, world: World): boolean {
  return reading.operation === 'close-day' && takenBefore(world, idsOf(reading));
}

function idsOf({ operation, endpointId, form, batch }: Reading, { inAnyCase = false } = {}): readonly string[] {
  const ids =
    operation === 'close-day'
      ? [`${endpointId} ${firstValue(form, 'day_close_request_id')}`]
      : batch().column('client-orderid');
  return ids.map((id = '') => (inAnyCase ? id.toLowerCase() : id));
}

function takenBefore(world: World, ids: readonly string[]): boolean {
  const used = usedIds.get(world) ?? new Set<string>();
  usedIds.set(world, used);
  if (ids.some((id, at) => used.has(id) || ids.indexOf(id) < at)) return true;
  for (const id of ids) used.add(id);
  return false;
}

function payloadText({ form }: Reading): string {
  return Buffer.from(firstValue(form, 'payload') ?? '', 'base64').toString('utf8');
}
