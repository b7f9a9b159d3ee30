/** The fields of a close-day request (section 2.1): one required, four optional. Absent and empty are different. */
import * as fc from 'fast-check';
import { type CloseDayFields, closeDayFieldNames } from '../src/protocol/close-day.ts';
import { counts, sums } from './counts-and-sums.ts';
import { dayCloseRequestIds } from './day-close-request-id.ts';
import { type Domain, fault, type Labelled, open, relabel, valid } from './labelled.ts';

/** Only a valid id: accepted in every reading of the document. */
const right: fc.Arbitrary<Labelled<CloseDayFields>> = dayCloseRequestIds.valid.map((id) => relabel(id, asRequest));

/** A valid id and any subset of the totals in plausible form. A client must be able to send it; for a gateway it is open (A28). */
export const closeDayRequestWithTotals: fc.Arbitrary<Labelled<CloseDayFields>> = fc
  .tuple(dayCloseRequestIds.valid, fc.nat({ max: 15 }), counts.valid, sums.valid, counts.valid, sums.valid)
  .map(([{ value: id }, present, ...values]) => {
    const fields: Record<string, string> = { day_close_request_id: id };
    values.forEach(({ value }, at) => {
      // Bit n of `present` selects optional field n, so all sixteen subsets are equally likely.
      if ((present >> at) & 1) fields[closeDayFieldNames[at + 1]!] = value;
    });
    return present === 0 ? valid(fields) : open('A28', 'drawn-totals', fields);
  });

const id = { day_close_request_id: 'a1b2c3d4' };

const edges: readonly Labelled<CloseDayFields>[] = [
  valid(id, 'id-only'),
  open('A28', 'all-fields', {
    ...id,
    sale_approved_count: '2',
    sale_approved_sum: '10.42',
    reversal_approved_count: '1',
    reversal_approved_sum: '0.94',
  }),
  ...inField('day_close_request_id', dayCloseRequestIds.edges),
  ...inField('sale_approved_count', counts.edges),
  ...inField('sale_approved_sum', sums.edges),
  ...inField('reversal_approved_count', counts.edges),
  ...inField('reversal_approved_sum', sums.edges),
];

/** Only drawn edges: ids near a length limit or with letters beyond ASCII, and totals of any size. */
const odd: fc.Arbitrary<Labelled<CloseDayFields>> = fc.oneof(
  dayCloseRequestIds.odd.map((one) => relabel(one, asRequest)),
  closeDayRequestWithTotals,
);

const faulty: fc.Arbitrary<Labelled<CloseDayFields>> = fc.oneof(
  { weight: 7, arbitrary: dayCloseRequestIds.faulty.map((one) => relabel(one, asRequest)) },
  { weight: 1, arbitrary: fc.constant(fault<CloseDayFields>('close-day/request-id-present', 'no-id', {})) },
);

export const closeDayRequests = { valid: right, edges, odd, faulty } satisfies Domain<CloseDayFields>;

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
