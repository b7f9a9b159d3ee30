/** Fields that reveal signing mistakes which ordinary values hide, the most revealing first. The document defines none of them. */
import { type Labelled, open } from './labelled.ts';

type Fields = readonly (readonly [name: string, value: string])[];

/** Form fields to append to a valid close-day request, in this order. */
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
