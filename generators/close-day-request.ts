/** The fields of a close-day request (section 2.1): one required, four optional. Absent and empty are different. */
import * as fc from 'fast-check';
import { type CloseDayFields, closeDayFieldNames } from '../src/protocol/close-day.ts';
import { counts, sums } from './counts-and-sums.ts';
import { dayCloseRequestIds } from './day-close-request-id.ts';
import { fault, type Labelled, open, relabel, valid } from './labelled.ts';

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

/** Ids near a length limit or with letters beyond ASCII, and totals of any size. */
const odd: fc.Arbitrary<Labelled<CloseDayFields>> = fc.oneof(
  dayCloseRequestIds.odd.map((one) => relabel(one, asRequest)),
  closeDayRequestWithTotals,
);

const faulty: fc.Arbitrary<Labelled<CloseDayFields>> = fc.oneof(
  { weight: 7, arbitrary: dayCloseRequestIds.faulty.map((one) => relabel(one, asRequest)) },
  { weight: 1, arbitrary: fc.constant(fault<CloseDayFields>('close-day/request-id-present', 'no-id', {})) },
);

export const closeDayRequests = { valid: right, odd, faulty };

function asRequest(id: string): CloseDayFields {
  return { day_close_request_id: id };
}

type Fields = readonly (readonly [name: string, value: string])[];

/**
 * Form fields to append to a valid close-day request, in this order. They reveal signing mistakes which ordinary values hide,
 * the most revealing first. The document defines none of them.
 */
export const discriminatingInputs: readonly Labelled<Fields>[] = [
  // Values of one name not sorted, sorted before encoding, or collapsed; text not read as UTF-8.
  open('A1', 'repeated-name-with-accent-and-z', [
    ['sale_approved_sum', 'z'],
    ['sale_approved_sum', '\u00e9'],
  ]),
  // Characters that encodeURIComponent does not escape.
  inSum('sub-delimiters', "!*'()"),
  // A space signed as +, or values trimmed before signing.
  inSum('spaces-at-the-edges', ' 1 0 '),
  // A plus read as a space.
  inSum('plus', '1+1'),
  // Values decoded once more before they are encoded.
  inSum('literal-percent-escape', '1%20000'),
  // Reserved characters that path and query encoders do not escape.
  inSum('slash-colon-at-comma-semicolon', 'a/b:c@d,e;f'),
  // Empty values left out.
  inSum('empty-value', ''),
  // Line ends rewritten after signing.
  inSum('line-end', '1\r\n2'),
  // Parameters sorted as joined texts, where - comes before =.
  open('A1', 'names-a-and-a-dash-b', [
    ['a', '2'],
    ['a-b', '1'],
  ]),
  // Names sorted without regard to case.
  open('A1', 'names-with-capitals', [
    ['a', '1'],
    ['B', '2'],
  ]),
];

function inSum(edge: string, value: string): Labelled<Fields> {
  return open('A9', edge, [['sale_approved_sum', value]]);
}
