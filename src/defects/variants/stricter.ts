/** Gateways that take less than the mock does, where the document does not say that they have to take it. */
import { headerValues } from '../../exchange/exchange.ts';
import { column } from '../../mock/batch.ts';
import { firstValue, type Reading } from '../../mock/received.ts';
import type { World } from '../../mock/state.ts';
import type { Variant } from './variant.ts';

const knownColumns = [
  'client-orderid',
  'recurring-payment-id',
  'amount',
  'amount-from',
  'amount-to',
  'amount-sequence',
];

export const stricterVariants: readonly Variant[] = [
  {
    id: 'stricter-time',
    summary: 'A timestamp may be 30 seconds away from the clock and no more',
    openPoint: 'A3',
    alteration: { settings: { timestampWindowSeconds: 30 } },
  },
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
        const { columns = [] } = reading.batch().table ?? {};
        const inOrder = knownColumns.filter((name) => columns.includes(name));
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
        column(reading.batch(), 'client-orderid').some((cell = '') => Buffer.byteLength(cell) > 128)
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
        column(reading.batch(), 'recurring-payment-id').some((cell = '') => cell.length < 10)
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
        column(reading.batch(), 'amount').some((cell) => cell && !/^(?!0+(\.0*)?$)(0|[1-9]\d*)(\.\d{1,2})?$/.test(cell))
          ? 'an amount has another form'
          : undefined,
      ),
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

/** The further decision is the last one: a request that it lets through is accepted, and its id is used up. */
const usedIds = new WeakMap<World, Set<string>>();

function usedRequestId(reading: Reading, world: World): string | undefined {
  if (reading.operation !== 'close-day') return undefined;
  const used = usedIds.get(world) ?? new Set<string>();
  usedIds.set(world, used);
  const id = `${reading.endpointId} ${firstValue(reading.form, 'day_close_request_id')}`;
  if (used.has(id)) return 'the day_close_request_id was used before';
  used.add(id);
  return undefined;
}

function payloadText({ form }: Reading): string {
  return Buffer.from(firstValue(form, 'payload') ?? '', 'base64').toString('utf8');
}
