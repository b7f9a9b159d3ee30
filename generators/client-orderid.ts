/** client-orderid of a CSV row (sections 2.3 and 8): text of up to 128 characters, or bytes: that is open. */
import * as fc from 'fast-check';
import { drawn, fault, type Labelled, made, open, valid } from './labelled.ts';
import { lettersAndDigits, textFromSeed } from './text-from-seed.ts';

/** Letters and digits come twice and first: more readable, and where shrinking ends. */
const printable = [...lettersAndDigits, ...lettersAndDigits, ..." -_.:/#&=+%?>~@,;!*'()"];

/** 1 to 128 printable ASCII characters, `;` among them, without `"` (its escaping is open) and without blanks at the ends. */
export const validClientOrderid: fc.Arbitrary<Labelled<string>> = fc
  .tuple(fc.integer({ min: 1, max: 128 }), fc.nat())
  .map(([length, seed]) => valid(textFromSeed(printable, length, seed).replace(/^ | $/g, 'A')));

/** Every named edge once. */
export const clientOrderidEdges: readonly Labelled<string>[] = [
  valid('A', 'length-1'),
  valid('A'.repeat(127), 'length-127'),
  valid('A'.repeat(128), 'length-128'),
  fault('recurring/client-orderid-length', 'length-129', 'A'.repeat(129)),
  open('A12', 'length-128-in-bytes-64-in-characters', '\u00df'.repeat(64)),
  open('A13', 'length-129-in-bytes-128-in-characters', `${'A'.repeat(127)}\u00df`),
  open('A13', 'length-128-in-characters-256-in-bytes', '\u00df'.repeat(128)),
  fault('recurring/client-orderid-length', 'length-129-in-two-byte-characters', '\u00df'.repeat(129)),
  open('A13', 'length-128-in-astral-characters', '\u{1f600}'.repeat(128)),
  open('A13', 'length-64-in-astral-characters-128-in-utf-16', '\u{1f600}'.repeat(64)),
  open('A13', 'length-128-in-code-points-64-with-accents', 'e\u0301'.repeat(64)),
  valid('order;42', 'delimiter'),
  valid(';', 'delimiter-only'),
  valid('order,42', 'comma'),
  open('A29', 'quote', 'order "42"'),
  open('A29', 'quoted', '"42"'),
  open('A29', 'quote-only', '"'),
  open('A29', 'quote-and-delimiter', 'a";"b'),
  open('A12', 'carriage-return', 'order\r42'),
  open('A12', 'line-feed', 'order\n42'),
  open('A12', 'line-end', 'order\r\n42'),
  open('A12', 'tab', 'order\t42'),
  valid('order 42', 'space-inside'),
  valid(' order 42 ', 'spaces-at-the-edges'),
  valid('0000000042', 'leading-zeros'),
  valid('=1+1', 'formula'),
  valid('1e21', 'number-with-exponent'),
  valid('a&b=c', 'form-characters'),
  valid('50%20off', 'percent-escape'),
  valid('>>>???', 'plus-and-slash-in-base64'),
  open('A12', 'latin', 'Stra\u00dfe'),
  open('A12', 'han', '\u6f22\u5b57'),
  open('A12', 'right-to-left', '\u05e9\u05dc\u05d5\u05dd'),
  open('A12', 'combining', 'Cafe\u0301'),
  open('A12', 'astral', 'order \u{1f600}'),
  open('A12', 'byte-order-mark', '\ufefforder'),
  fault('recurring/client-orderid-present', 'empty', ''),
];

export const edgeClientOrderid: fc.Arbitrary<Labelled<string>> = drawn(clientOrderidEdges);

/** Order ids that are too long in every reading, or empty. */
export const faultyClientOrderid: fc.Arbitrary<Labelled<string>> = made<string>([
  (seed) =>
    fault('recurring/client-orderid-length', 'too-long', textFromSeed(lettersAndDigits, 129 + (seed % 128), seed)),
  (seed) =>
    fault(
      'recurring/client-orderid-length',
      'too-long-two-byte',
      textFromSeed(['\u00df', '\u00e9'], 129 + (seed % 8), seed),
    ),
  () => fault('recurring/client-orderid-present', 'empty', ''),
]);
