/** Gateways that take less than the mock does, where the document does not say that they have to take it. */

import { ruledColumns } from '../../mock/batch.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import type { MockGate, World } from '../../mock/world.ts';
import { headerValues } from '../../record/exchange.ts';
import { type Variant, variant } from './variant.ts';

export const stricterVariants: readonly Variant[] = [
  variant('stricter-time', 'A3', { settings: { timestampWindowSeconds: 30 } })`
    A timestamp may be 30 seconds away from the clock and no more`,
  variant('timestamps-never-go-back', 'A3', { refuses: earlierThanAccepted })`
    A timestamp before one that was accepted is refused`,

  variant('stricter-authorization', 'A4', {
    refuses: ({ request, oauth }) =>
      /\brealm=/i.test(headerValues(request.headers, 'authorization')[0] ?? '') ||
      firstValue(oauth, 'oauth_token') !== undefined
        ? 'only the six OAuth parameters are taken'
        : undefined,
  })`realm and an empty oauth_token are refused`,
  variant('request-id-once', 'A7', { refuses: usedRequestId })`
    A day_close_request_id that was accepted before is refused`,
  variant('stricter-csv', 'A12', {
    refuses: ofBatch((reading) => {
      const { columns = [] } = reading.batch().header ?? {};
      const inOrder = ruledColumns.filter((name) => columns.includes(name));
      if (columns.join() !== inOrder.join()) return 'the columns are not the known ones in their order';
      return payloadText(reading).includes('\r\n') ? 'a line ends with CRLF' : undefined;
    }),
  })`CRLF, columns in another order and unknown columns are refused`,
  variant('lengths-in-bytes', 'A13', {
    refuses: unlessCells('client-orderid', (cell) => Buffer.byteLength(cell) <= 128),
  })`A client-orderid of more than 128 bytes is refused, whatever its characters`,
  variant('payment-id-of-exactly-10', 'A13', {
    refuses: unlessCells('recurring-payment-id', (cell) => cell.length >= 10),
  })`A recurring-payment-id of fewer than 10 characters is refused`,
  variant('stricter-amount', 'A14', {
    refuses: unlessCells('amount', (cell) => cell === '' || /^(?!0+(\.0*)?$)(0|[1-9]\d*)(\.\d{1,2})?$/.test(cell)),
  })`An amount of zero, with leading zeros or with more than two fractional digits is refused`,
  variant('amount-of-two-decimals', 'A14', { refuses: unlessCells('amount', (cell) => /^(\d+\.\d\d)?$/.test(cell)) })`
    An amount with other than two fractional digits is refused`,
  variant('one-form-of-amount', 'A15', {
    refuses: ofBatch((reading) =>
      ['amount', 'amount-from', 'amount-sequence'].filter((name) => reading.batch().column(name).some(Boolean)).length >
      1
        ? 'more than one form of the amount'
        : undefined,
    ),
  })`A row with more than one form of the amount is refused`,
  variant('plain-order-ids', 'A37', { refuses: unlessCells('client-orderid', (cell) => /^[A-Za-z0-9-]*$/.test(cell)) })`
    A client-orderid with other characters than letters, digits and hyphens is refused`,
  variant('order-id-once', 'A7', {
    refuses: (reading, world) =>
      reading.operation === 'process-recurring-payments' ? takenBefore(world, idsOf(reading)) : undefined,
  })`A client-orderid that was accepted before is refused, in the same batch too`,
  variant('payment-once-in-a-batch', 'A7', {
    refuses: ofBatch((reading) => {
      const ids = reading.batch().column('recurring-payment-id');
      return new Set(ids).size < ids.length ? 'a recurring payment is in the batch twice' : undefined;
    }),
  })`A batch with the same recurring-payment-id twice is refused`,
  variant('batches-at-open-gates-only', 'A33', {
    refuses: ({ operation, endpointId }, world) =>
      operation === 'process-recurring-payments' &&
      world.endpoints.get(endpointId)?.gates.some(({ state }) => state !== 'open') === true
        ? 'a gate of the endpoint is not open'
        : undefined,
  })`A batch for an endpoint whose gate is closing or locked is refused`,
  variant('ids-once-in-any-case', 'A7', {
    refuses: (reading, world) =>
      takenBefore(
        world,
        idsOf(reading).map((id) => id?.toLowerCase()),
      ),
  })`An id that was accepted before is refused, whatever the case of its letters, in the same batch too`,
  variant('payment-ids-of-digits', 'A33', {
    refuses: unlessCells('recurring-payment-id', (cell) => /^\d*$/.test(cell)),
  })`A recurring-payment-id with other characters than digits is refused: no profile has it`,
  variant('unquoted-cells', 'A12', {
    refuses: ofBatch((reading) =>
      payloadText(reading).split('\n').slice(1).join('').includes('"') ? 'a data cell is quoted' : undefined,
    ),
  })`A CSV with a quoted data cell is refused`,
  variant('two-rows', 'A23', {
    refuses: ofBatch((reading) => (reading.batch().payments.count > 2 ? 'too many rows' : undefined)),
  })`A batch of more than two rows is refused`,
  variant('ten-rows', 'A23', {
    refuses: ofBatch((reading) => (reading.batch().payments.count > 10 ? 'too many rows' : undefined)),
  })`A CSV of more than ten rows is refused`,
  variant('own-totals-only', 'A28', {
    refuses: ({ endpointId, form }, world) =>
      form.some(([name, value]) => name in totals && value !== ownTotal(totals[name]!, world, endpointId))
        ? 'the totals differ'
        : undefined,
  })`Totals that differ from those of the gateway are refused`,
  variant('counts-of-12-digits', 'A9', {
    refuses: ({ form }) =>
      form.some(([name, value]) => name in totals && value.replace(/\D/g, '').length > 12)
        ? 'a total is too long'
        : undefined,
  })`A count or a sum of more than 12 digits is refused`,
  variant('sums-of-two-decimals', 'A9', {
    refuses: ({ form }) =>
      form.some(([name, value]) => name in totals && !(name.endsWith('_sum') ? /^\d+\.\d\d$/ : /^\d+$/).test(value))
        ? 'a total has another form'
        : undefined,
  })`A sum with other than two fractional digits, and a count that is not a whole number, are refused`,
  variant('stricter-content-type', 'A30', {
    refuses: ({ request }) =>
      headerValues(request.headers, 'content-type').some((value) => value.includes(';'))
        ? 'the content type has a parameter'
        : undefined,
  })`A content type with a parameter, such as a charset, is refused`,
];

/** OAuth Core 1.0 section 8 asks for it, RFC 5849 does not. */
function earlierThanAccepted({ oauth }: Reading, world: World): string | undefined {
  const timestamp = Number(firstValue(oauth, 'oauth_timestamp'));
  const latest = latestTimestamps.get(world) ?? 0;
  if (timestamp < latest) return 'the timestamp is before one that was accepted';
  latestTimestamps.set(world, timestamp);
  return undefined;
}

const latestTimestamps = new WeakMap<World, number>();

type Refuses = (reading: Reading, world: World) => string | undefined;

function ofBatch(refuses: (reading: Reading) => string | undefined): Refuses {
  return (reading) => (reading.operation === 'process-recurring-payments' ? refuses(reading) : undefined);
}

function unlessCells(name: string, isTaken: (cell: string) => boolean): Refuses {
  return ofBatch((reading) => {
    const cells = reading.batch().column(name);
    return cells.every((cell = '') => isTaken(cell)) ? undefined : `a cell of ${name} is wrong`;
  });
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

function usedRequestId(reading: Reading, world: World): string | undefined {
  return reading.operation === 'close-day' ? takenBefore(world, idsOf(reading)) : undefined;
}

function idsOf(reading: Reading): readonly (string | undefined)[] {
  if (reading.operation !== 'close-day') return reading.batch().column('client-orderid');
  return [`${reading.endpointId} ${firstValue(reading.form, 'day_close_request_id')}`];
}

function takenBefore(world: World, ids: readonly (string | undefined)[]): string | undefined {
  const used = usedIds.get(world) ?? new Set<string>();
  usedIds.set(world, used);
  if (ids.some((id, at) => used.has(id!) || ids.indexOf(id) < at)) return 'an id was used before';
  for (const id of ids) used.add(id!);
  return undefined;
}

function payloadText({ form }: Reading): string {
  return Buffer.from(firstValue(form, 'payload') ?? '', 'base64').toString('utf8');
}
