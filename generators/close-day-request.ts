/** Generates the fields of a close-day request (section 2.1): one is required, four are optional and may be empty. */
import * as fc from 'fast-check';
import { operations } from '../contracts/operations.ts';
import { counts, sums } from './counts-and-sums.ts';
import { dayCloseRequestIds } from './day-close-request-id.ts';
import { fault, type Labelled, open, relabel, valid } from './labelled.ts';

const { fields: names } = operations['close-day'];

type CloseDayFields = { readonly [Name in (typeof names)[number]]?: string };

/** These requests have no totals, because a gateway may refuse totals (A28). */
const validRequest: fc.Arbitrary<Labelled<CloseDayFields>> = dayCloseRequestIds.valid.map((id) =>
  relabel(id, asRequest),
);

/** A valid id and up to 4 valid totals. A client must be able to send this request; a gateway may refuse it (A28). */
export const closeDayRequestWithTotals: fc.Arbitrary<Labelled<CloseDayFields>> = fc
  .tuple(dayCloseRequestIds.valid, fc.nat({ max: 15 }), counts.valid, sums.valid, counts.valid, sums.valid)
  .map(([{ value: id }, mask, ...values]) => {
    const fields: Record<string, string> = { day_close_request_id: id };
    values.forEach(({ value }, at) => {
      // Bit n of `mask` selects optional field n, so all sixteen subsets are equally likely.
      if ((mask >> at) & 1) fields[names[at + 1]!] = value;
    });
    return mask === 0 ? valid(fields) : open('A28', 'drawn-totals', fields);
  });

const odd: fc.Arbitrary<Labelled<CloseDayFields>> = fc.oneof(
  dayCloseRequestIds.odd.map((one) => relabel(one, asRequest)),
  closeDayRequestWithTotals,
);

const faulty: fc.Arbitrary<Labelled<CloseDayFields>> = fc.oneof(
  { weight: 7, arbitrary: dayCloseRequestIds.faulty.map((one) => relabel(one, asRequest)) },
  { weight: 1, arbitrary: fc.constant(fault<CloseDayFields>('close-day/request-id-present', 'no-id', {})) },
);

export const closeDayRequests = { valid: validRequest, odd, faulty };

function asRequest(id: string): CloseDayFields {
  return { day_close_request_id: id };
}

type Fields = readonly (readonly [name: string, value: string])[];

/** Fields to add to a valid close-day request. They reveal signing mistakes that ordinary values hide. */
export const discriminatingInputs: readonly Labelled<Fields>[] = [
  // Reveals a signer that drops a value, misreads UTF-8, or does not sort the encoded values of a name.
  open('A1', 'repeated-name-with-accent-and-z', [
    ['sale_approved_sum', 'z'],
    ['sale_approved_sum', '\u00e9'],
  ]),
  // Reveals a signer that uses encodeURIComponent, which does not escape these characters.
  sumEdge('sub-delimiters', "!*'()"),
  // Reveals a signer that signs a space as +, or trims values.
  sumEdge('spaces-at-the-edges', ' 1 0 '),
  // Reveals a signer that reads a plus as a space.
  sumEdge('plus', '1+1'),
  // Reveals a signer that decodes values before encoding.
  sumEdge('literal-percent-escape', '1%20000'),
  // Reveals a signer with an encoder for paths or queries, which does not escape these characters.
  sumEdge('slash-colon-at-comma-semicolon', 'a/b:c@d,e;f'),
  // Reveals a signer that leaves out empty values.
  sumEdge('empty-value', ''),
  // Reveals a library that rewrites line ends after signing.
  sumEdge('line-end', '1\r\n2'),
  // Reveals a signer that sorts whole `name=value` texts: the character `-` sorts before `=`.
  open('A1', 'names-a-and-a-dash-b', [
    ['a', '2'],
    ['a-b', '1'],
  ]),
  // Reveals a signer that sorts names without regard to case.
  open('A1', 'names-with-capitals', [
    ['a', '1'],
    ['B', '2'],
  ]),
];

function sumEdge(edge: string, value: string): Labelled<Fields> {
  return open('A9', edge, [['sale_approved_sum', value]]);
}
