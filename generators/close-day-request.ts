/** The fields of a close-day request (section 2.1): one required, four optional. Absent and empty are different. */
import * as fc from 'fast-check';
import { type CloseDayFields, closeDayFieldNames } from '../src/protocol/close-day.ts';
import { countEdges, sumEdges, validCount, validSum } from './counts-and-sums.ts';
import {
  dayCloseRequestIdEdges,
  faultyDayCloseRequestId,
  oddDayCloseRequestId,
  validDayCloseRequestId,
} from './day-close-request-id.ts';
import { drawn, fault, type Labelled, open, relabel, valid } from './labelled.ts';

/** A right id and nothing else: what every reading of the document takes. */
export const validCloseDayRequest: fc.Arbitrary<Labelled<CloseDayFields>> = validDayCloseRequestId.map((id) =>
  relabel(id, asRequest),
);

/** A right id and any subset of the totals, each in its plausible form: right for a client to send; open (A28) for a gateway. */
export const closeDayRequestWithTotals: fc.Arbitrary<Labelled<CloseDayFields>> = fc
  .tuple(validDayCloseRequestId, fc.nat({ max: 15 }), validCount, validSum, validCount, validSum)
  .map(([{ value: id }, present, ...values]) => {
    const fields: Record<string, string> = { day_close_request_id: id };
    values.forEach(({ value }, at) => {
      // Bit n of `present` says whether optional field n is sent: all sixteen subsets are equally likely.
      if ((present >> at) & 1) fields[closeDayFieldNames[at + 1]!] = value;
    });
    return present === 0 ? valid(fields) : open('A28', 'drawn-totals', fields);
  });

const id = { day_close_request_id: 'a1b2c3d4' };

/** Every edge of every field, and of the set of fields, once. */
export const closeDayRequestEdges: readonly Labelled<CloseDayFields>[] = [
  valid(id, 'id-only'),
  open('A28', 'all-fields', {
    ...id,
    sale_approved_count: '2',
    sale_approved_sum: '10.42',
    reversal_approved_count: '1',
    reversal_approved_sum: '0.94',
  }),
  ...inField('day_close_request_id', dayCloseRequestIdEdges),
  ...inField('sale_approved_count', countEdges),
  ...inField('sale_approved_sum', sumEdges),
  ...inField('reversal_approved_count', countEdges),
  ...inField('reversal_approved_sum', sumEdges),
];

/** Drawn edges alone: ids about as long as a bound or with letters beyond ASCII, and totals of any size. */
export const oddCloseDayRequest: fc.Arbitrary<Labelled<CloseDayFields>> = fc.oneof(
  oddDayCloseRequestId.map((one) => relabel(one, asRequest)),
  closeDayRequestWithTotals,
);

export const edgeCloseDayRequest: fc.Arbitrary<Labelled<CloseDayFields>> = fc.oneof(
  drawn(closeDayRequestEdges),
  oddCloseDayRequest,
);

/** One fault: a wrong id, or none. */
export const faultyCloseDayRequest: fc.Arbitrary<Labelled<CloseDayFields>> = fc.oneof(
  { weight: 7, arbitrary: faultyDayCloseRequestId.map((one) => relabel(one, asRequest)) },
  { weight: 1, arbitrary: fc.constant(fault<CloseDayFields>('close-day/request-id-present', 'no-id', {})) },
);

function asRequest(id: string): CloseDayFields {
  return { day_close_request_id: id };
}

function inField(
  name: (typeof closeDayFieldNames)[number],
  edges: readonly Labelled<string>[],
): Labelled<CloseDayFields>[] {
  return edges.map((edge) => ({
    ...relabel(edge, (value) => ({ ...id, [name]: value })),
    edge: `${name}:${edge.edge}`,
  }));
}
