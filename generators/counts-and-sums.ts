/** Generates the totals of a close-day request (2.1). The document defines no format, so no total is faulty. */
import * as fc from 'fast-check';
import { type Domain, decimal, type Labelled, open, valid } from './labelled.ts';

const validCount: fc.Arbitrary<Labelled<string>> = fc.nat().map((count) => valid(String(count)));
const validSum: fc.Arbitrary<Labelled<string>> = fc.nat().map((cents) => valid(decimal(cents)));

const countEdges: readonly Labelled<string>[] = [
  open('A28', 'zero', '0'),
  open('A28', 'ten-after-nine', '10'),
  open('A9', 'above-2-to-the-53', '9007199254740993'),
  open('A9', 'forty-digits', '9'.repeat(40)),
  ...oddTotals(),
];

const sumEdges: readonly Labelled<string>[] = [
  open('A28', 'zero', '0.00'),
  open('A28', 'trailing-zero', '0.10'),
  open('A28', 'whole-with-fraction', '100.00'),
  open('A9', 'above-2-to-the-53', '9007199254740993.01'),
  open('A9', 'no-fraction', '10'),
  open('A9', 'three-fraction-digits', '1.234'),
  open('A9', 'decimal-comma', '10,42'),
  open('A9', 'thousands-separator', '1,000.00'),
  ...oddTotals(),
];

export const counts = { valid: validCount, edges: countEdges } satisfies Domain<string>;
export const sums = { valid: validSum, edges: sumEdges } satisfies Domain<string>;

/** Unusual totals, none of which the document forbids. Such totals show how a client encodes and signs. */
function oddTotals(): Labelled<string>[] {
  return [
    open('A9', 'empty', ''),
    open('A9', 'minus', '-1'),
    open('A9', 'leading-zeros', '007'),
    open('A9', 'exponent', '1e3'),
    open('A9', 'space-inside', '1 000'),
    open('A9', 'spaces-at-the-edges', ' 1 '),
    open('A9', 'plus', '1+1'),
    open('A9', 'percent-escape', '1%20000'),
    open('A9', 'words', 'ten'),
    open('A9', 'reserved-characters', "!*'()/:@,;&=?#[]$"),
    open('A9', 'unreserved-characters', '-._~'),
    open('A9', 'line-end', '1\r\n2'),
    open('A9', 'non-ascii', '\u00e9\u6f22'),
    open('A9', 'combining', 'e\u0301'),
    open('A9', 'astral', '\u{1f600}'),
  ];
}
