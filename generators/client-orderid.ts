/** Generates client-orderid, a cell of a CSV row (sections 2.3 and 8). Its limit is 128 characters or bytes (A13). */
import * as fc from 'fast-check';
import type { OpenPointId } from '../contracts/open-points.ts';
import { lettersAndDigits } from './alphabets.ts';
import { anyOf, type Domain, fault, type Labelled, open, textOf, valid, withInsert } from './labelled.ts';

const alphabet = [...lettersAndDigits, '-'];

/** Only ASCII letters, digits and hyphens. Other characters are open points (A12, A29, A37). */
const validOrderid: fc.Arbitrary<Labelled<string>> = textOf(alphabet, 1, 128).map((text) => valid(text));

const edges: readonly Labelled<string>[] = [
  valid('A', 'length-1'),
  valid('Ab1Cd', 'length-5'),
  valid('A'.repeat(127), 'length-127'),
  valid('A'.repeat(128), 'length-128'),
  fault('recurring/client-orderid-length', 'length-129', 'A'.repeat(129)),
  fault('recurring/client-orderid-length', 'length-512', 'A'.repeat(512)),
  open('A12', 'length-128-in-bytes-64-in-characters', '\u00df'.repeat(64)),
  open('A13', 'length-129-in-bytes-128-in-characters', `${'A'.repeat(127)}\u00df`),
  open('A13', 'length-128-in-characters-256-in-bytes', '\u00df'.repeat(128)),
  fault('recurring/client-orderid-length', 'length-129-in-two-byte-characters', '\u00df'.repeat(129)),
  open('A13', 'length-128-in-astral-characters', '\u{1f600}'.repeat(128)),
  open('A13', 'length-64-in-astral-characters-128-in-utf-16', '\u{1f600}'.repeat(64)),
  open('A13', 'length-128-in-code-points-64-with-accents', 'e\u0301'.repeat(64)),
  valid('order-42', 'hyphen'),
  valid('-42715386', 'hyphen-first'),
  valid('42715386-', 'hyphen-last'),
  valid('0000000042715386', 'leading-zeros'),
  valid('0', 'zero'),
  valid('427e15386', 'number-with-exponent'),
  valid('427153864271538642715', 'above-2-to-the-64'),
  valid('4271-05-13', 'date'),
  valid('null', 'null'),
  valid('0x42715386', 'hexadecimal-number'),
  valid('or-union-select-drop-42715386', 'words-of-sql'),
  open('A12', 'delimiter', 'order;42'),
  open('A12', 'delimiter-only', ';'),
  open('A29', 'quote', 'order \\"42"'),
  open('A29', 'quoted', '"42"'),
  open('A29', 'quote-only', '"'),
  open('A29', 'quote-and-delimiter', 'a";"b'),
  open('A12', 'carriage-return', 'order\r42'),
  open('A12', 'line-feed', 'order\n42'),
  open('A12', 'line-end', 'order\r\n42'),
  open('A37', 'tab', 'order\t42'),
  open('A37', 'comma', 'order,42'),
  open('A37', 'space-inside', 'order 42'),
  open('A37', 'spaces-at-the-edges', ' order 42 '),
  open('A37', 'underscore', 'order_42'),
  open('A37', 'formula', '=1+1'),
  open('A37', 'form-characters', 'a&b=c'),
  open('A37', 'percent-escape', '50%20off'),
  open('A37', 'plus-and-slash-in-base64', '>>>???'),
  open('A12', 'latin', 'Caf\u00e9-Stra\u00dfe'),
  open('A12', 'han', '\u6f22\u5b57'),
  open('A12', 'right-to-left', '\u05e9\u05dc\u05d5\u05dd'),
  open('A12', 'combining', 'Cafe\u0301'),
  open('A12', 'astral', 'order \u{1f600}'),
  open('A12', 'byte-order-mark', '\ufefforder'),
  fault('recurring/client-orderid-present', 'empty', ''),
];

const inserts: readonly (readonly [OpenPointId, string, readonly string[]])[] = [
  ['A37', 'punctuation-somewhere', [..." _.:/#&=+%?>~@,!*'()"]],
  ['A12', 'delimiter-somewhere', [';']],
  ['A29', 'quote-somewhere', ['"', '""', '"x"']],
  ['A12', 'line-end-somewhere', ['\n', '\r', '\r\n']],
  ['A12', 'non-ascii-somewhere', ['\u00df', '\u6f22', '\u05e9', 'e\u0301', '\u{1f600}']],
];

const odd: fc.Arbitrary<Labelled<string>> = fc.oneof(
  ...inserts.map(([openPoint, edge, texts]) =>
    withInsert(textOf(alphabet, 1, 100), texts).map((text) => open(openPoint, edge, text)),
  ),
  textOf(alphabet, 126, 130).map(labelByLength),
  withInsert(textOf(alphabet, 125, 129), ['\u00df']).map(labelByLength),
);

/** Order ids with spaces and punctuation, but without `"`. A client must be able to send such ids, even with `;`. */
export const printableClientOrderid: fc.Arbitrary<Labelled<string>> = fc.oneof(
  validOrderid,
  textOf([...alphabet, ..." _.:/#&=+%?>~@,;!*'()"], 1, 128).map((text) =>
    open('A37', 'printable', text.replace(/^ | $/g, 'A')),
  ),
);

const faulty: fc.Arbitrary<Labelled<string>> = fc.oneof(
  textOf(lettersAndDigits, 129, 256).map((text) => fault('recurring/client-orderid-length', 'too-long', text)),
  textOf(['\u00df', '\u00e9'], 129, 136).map((text) =>
    fault('recurring/client-orderid-length', 'too-long-two-byte', text),
  ),
  fc.constant(fault('recurring/client-orderid-present', 'empty', '')),
);

export const clientOrderids = {
  valid: validOrderid,
  edges,
  odd,
  edge: fc.oneof(anyOf(edges), odd),
  faulty,
} satisfies Domain<string>;

function labelByLength(text: string): Labelled<string> {
  const characters = text.length;
  const bytes = Buffer.byteLength(text);
  const edge = `${characters}-characters-in-${bytes}-bytes`;
  if (characters > 128) return fault('recurring/client-orderid-length', edge, text);
  if (characters === bytes) return valid(text, edge);
  return open(bytes > 128 ? 'A13' : 'A12', edge, text);
}
