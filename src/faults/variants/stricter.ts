/** Gateways that take less than the mock does, where the document does not say that they have to take it. */

import { ruledColumns } from '../../mock/batch.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import type { MockGate, World } from '../../mock/world.ts';
import { headerValues } from '../../record/exchange.ts';
import type { Variant } from './variant.ts';

export const stricterVariants: readonly Variant[] = [
  {
    id: 'stricter-authorization',
    summary: 'realm and an empty oauth_token are refused',
    openPoint: 'A4',
    alteration: {
      refuses: ({ request, oauth }) =>
        /\brealm=/i.test(headerValues(request.headers, 'authorization')[0] ?? '') ||
        firstValue(oauth, 'oauth_token') !== undefined
          ? 'only the six OAuth parameters are taken'
          : undefined,
    },
  },
  {
    id: 'request-id-once',
    summary: 'A day_close_request_id that was accepted before is refused',
    openPoint: 'A7',
    alteration: { refuses: usedRequestId },
  },
  {
    id: 'stricter-csv',
    summary: 'CRLF, columns in another order and unknown columns are refused',
    openPoint: 'A12',
    alteration: {
      refuses: ofBatch((reading) => {
        const { columns = [] } = reading.batch().header ?? {};
        const inOrder = ruledColumns.filter((name) => columns.includes(name));
        if (columns.join() !== inOrder.join()) return 'the columns are not the known ones in their order';
        return payloadText(reading).includes('\r\n') ? 'a line ends with CRLF' : undefined;
      }),
    },
  },
  {
    id: 'lengths-in-bytes',
    summary: 'A client-orderid of more than 128 bytes is refused, whatever its characters',
    openPoint: 'A13',
    alteration: {
      refuses: ofBatch((reading) =>
        reading
          .batch()
          .column('client-orderid')
          .some((cell = '') => Buffer.byteLength(cell) > 128)
          ? 'a client-orderid is too long'
          : undefined,
      ),
    },
  },
  {
    id: 'payment-id-of-exactly-10',
    summary: 'A recurring-payment-id of fewer than 10 characters is refused',
    openPoint: 'A13',
    alteration: {
      refuses: ofBatch((reading) =>
        reading
          .batch()
          .column('recurring-payment-id')
          .some((cell = '') => cell.length < 10)
          ? 'a recurring-payment-id is too short'
          : undefined,
      ),
    },
  },
  {
    id: 'stricter-amount',
    summary: 'An amount of zero, with leading zeros or with more than two fractional digits is refused',
    openPoint: 'A14',
    alteration: {
      refuses: ofBatch((reading) =>
        reading
          .batch()
          .column('amount')
          .some((cell) => cell && !/^(?!0+(\.0*)?$)(0|[1-9]\d*)(\.\d{1,2})?$/.test(cell))
          ? 'an amount has another form'
          : undefined,
      ),
    },
  },
  {
    id: 'amount-of-two-decimals',
    summary: 'An amount with other than two fractional digits is refused',
    openPoint: 'A14',
    alteration: { refuses: unlessCells('amount', /^(\d+\.\d\d)?$/) },
  },
  {
    id: 'one-form-of-amount',
    summary: 'A row with more than one form of the amount is refused',
    openPoint: 'A15',
    alteration: {
      refuses: ofBatch((reading) =>
        ['amount', 'amount-from', 'amount-sequence'].filter((name) => reading.batch().column(name).some(Boolean))
          .length > 1
          ? 'more than one form of the amount'
          : undefined,
      ),
    },
  },
  {
    id: 'plain-order-ids',
    summary: 'A client-orderid with other characters than letters, digits and hyphens is refused',
    openPoint: 'A37',
    alteration: { refuses: unlessCells('client-orderid', /^[A-Za-z0-9-]*$/) },
  },
  {
    id: 'order-id-once',
    summary: 'A client-orderid that was accepted before is refused, in the same batch too',
    openPoint: 'A7',
    alteration: {
      refuses: (reading, world) =>
        reading.operation === 'process-recurring-payments' ? takenBefore(world, idsOf(reading)) : undefined,
    },
  },
  {
    id: 'payment-once-in-a-batch',
    summary: 'A batch with the same recurring-payment-id twice is refused',
    openPoint: 'A7',
    alteration: {
      refuses: ofBatch((reading) => {
        const ids = reading.batch().column('recurring-payment-id');
        return new Set(ids).size < ids.length ? 'a recurring payment is in the batch twice' : undefined;
      }),
    },
  },
  {
    id: 'batches-at-open-gates-only',
    summary: 'A batch for an endpoint whose gate is closing or locked is refused',
    openPoint: 'A33',
    alteration: {
      refuses: ({ operation, endpointId }, world) =>
        operation === 'process-recurring-payments' &&
        world.endpoints.get(endpointId)?.gates.some(({ state }) => state !== 'open') === true
          ? 'a gate of the endpoint is not open'
          : undefined,
    },
  },
  {
    id: 'ids-once-in-any-case',
    summary: 'An id that was accepted before is refused, whatever the case of its letters, in the same batch too',
    openPoint: 'A7',
    alteration: {
      refuses: (reading, world) =>
        takenBefore(
          world,
          idsOf(reading).map((id) => id?.toLowerCase()),
        ),
    },
  },
  {
    id: 'payment-ids-of-digits',
    summary: 'A recurring-payment-id with other characters than digits is refused: no profile has it',
    openPoint: 'A33',
    alteration: { refuses: unlessCells('recurring-payment-id', /^\d*$/) },
  },
  {
    id: 'unquoted-cells',
    summary: 'A CSV with a quoted data cell is refused',
    openPoint: 'A12',
    alteration: {
      refuses: ofBatch((reading) =>
        payloadText(reading).split('\n').slice(1).join('').includes('"') ? 'a data cell is quoted' : undefined,
      ),
    },
  },
  {
    id: 'two-rows',
    summary: 'A batch of more than two rows is refused',
    openPoint: 'A23',
    alteration: {
      refuses: ofBatch((reading) => (reading.batch().payments.count > 2 ? 'too many rows' : undefined)),
    },
  },
  {
    id: 'ten-rows',
    summary: 'A CSV of more than ten rows is refused',
    openPoint: 'A23',
    alteration: {
      refuses: ofBatch((reading) => (reading.batch().payments.count > 10 ? 'too many rows' : undefined)),
    },
  },
  {
    id: 'own-totals-only',
    summary: 'Totals that differ from those of the gateway are refused',
    openPoint: 'A28',
    alteration: {
      refuses: ({ endpointId, form }, world) =>
        form.some(([name, value]) => name in totals && value !== ownTotal(totals[name]!, world, endpointId))
          ? 'the totals differ'
          : undefined,
    },
  },
  {
    id: 'counts-of-12-digits',
    summary: 'A count or a sum of more than 12 digits is refused',
    openPoint: 'A9',
    alteration: {
      refuses: ({ form }) =>
        form.some(([name, value]) => name in totals && value.replace(/\D/g, '').length > 12)
          ? 'a total is too long'
          : undefined,
    },
  },
  {
    id: 'sums-of-two-decimals',
    summary: 'A sum with other than two fractional digits, and a count that is not a whole number, are refused',
    openPoint: 'A9',
    alteration: {
      refuses: ({ form }) =>
        form.some(([name, value]) => name in totals && !(name.endsWith('_sum') ? /^\d+\.\d\d$/ : /^\d+$/).test(value))
          ? 'a total has another form'
          : undefined,
    },
  },
  {
    id: 'stricter-content-type',
    summary: 'A content type with a parameter, such as a charset, is refused',
    openPoint: 'A30',
    alteration: {
      refuses: ({ request }) =>
        headerValues(request.headers, 'content-type').some((value) => value.includes(';'))
          ? 'the content type has a parameter'
          : undefined,
    },
  },
];

type Refuses = (reading: Reading, world: World) => string | undefined;

function ofBatch(refuses: (reading: Reading) => string | undefined): Refuses {
  return (reading) => (reading.operation === 'process-recurring-payments' ? refuses(reading) : undefined);
}

function unlessCells(name: string, form: RegExp): Refuses {
  return ofBatch((reading) =>
    reading
      .batch()
      .column(name)
      .every((cell = '') => form.test(cell))
      ? undefined
      : `a cell of ${name} is wrong`,
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
