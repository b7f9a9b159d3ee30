/** The fields of a close-day request (section 2.1): one required, four optional. Absent and empty are different. */
import * as fc from 'fast-check';
import { type CloseDayFields, closeDayFieldNames } from '../src/protocol/close-day.ts';
import { countEdges, sumEdges, validCount, validSum } from './counts-and-sums.ts';
import { dayCloseRequestIdEdges, faultyDayCloseRequestId, validDayCloseRequestId } from './day-close-request-id.ts';
import { drawn, fault, type Labelled, relabel, valid } from './labelled.ts';

const totals = fc.tuple(fc.nat({ max: 15 }), validCount, validSum, validCount, validSum).map(([present, ...values]) => {
  const fields: Record<string, string> = {};
  values.forEach(({ value }, at) => {
    // Bit n of `present` says whether optional field n is sent: all sixteen subsets are equally likely.
    if ((present >> at) & 1) fields[closeDayFieldNames[at + 1]!] = value;
  });
  return fields as CloseDayFields;
});

/** A right id and any subset of the totals, each in its plausible form. */
export const validCloseDayRequest: fc.Arbitrary<Labelled<CloseDayFields>> = fc
  .tuple(validDayCloseRequestId, totals)
  .map(([id, fields]) => valid({ day_close_request_id: id.value, ...fields }));

const id = { day_close_request_id: 'a1b2c3d4' };

/** Every edge of every field, and of the set of fields, once. */
export const closeDayRequestEdges: readonly Labelled<CloseDayFields>[] = [
  valid(id, 'id-only'),
  valid(
    {
      ...id,
      sale_approved_count: '2',
      sale_approved_sum: '10.42',
      reversal_approved_count: '1',
      reversal_approved_sum: '0.94',
    },
    'all-fields',
  ),
  ...inField('day_close_request_id', dayCloseRequestIdEdges),
  ...inField('sale_approved_count', countEdges),
  ...inField('sale_approved_sum', sumEdges),
  ...inField('reversal_approved_count', countEdges),
  ...inField('reversal_approved_sum', sumEdges),
];

export const edgeCloseDayRequest: fc.Arbitrary<Labelled<CloseDayFields>> = drawn(closeDayRequestEdges);

/** One fault: a wrong id, or none. */
export const faultyCloseDayRequest: fc.Arbitrary<Labelled<CloseDayFields>> = fc
  .tuple(fc.nat({ max: 7 }), faultyDayCloseRequestId, totals)
  .map(([draw, wrongId, fields]) =>
    draw === 7
      ? fault('close-day/request-id-present', 'no-id', fields)
      : relabel(wrongId, (value): CloseDayFields => ({ day_close_request_id: value, ...fields })),
  );

function inField(
  name: (typeof closeDayFieldNames)[number],
  edges: readonly Labelled<string>[],
): Labelled<CloseDayFields>[] {
  return edges.map((edge) => ({
    ...relabel(edge, (value) => ({ ...id, [name]: value })),
    edge: `${name}:${edge.edge}`,
  }));
}
