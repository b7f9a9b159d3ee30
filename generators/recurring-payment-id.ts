/** Generates recurring-payment-id, a cell of a CSV row (sections 2.3 and 8): exactly or at most 10 characters (A13). */
import * as fc from 'fast-check';
import { digits } from './alphabets.ts';
import { type Domain, fault, type Labelled, open, textOf, valid, withInsert } from './labelled.ts';

const validPaymentId: fc.Arbitrary<Labelled<string>> = textOf(digits, 10, 10).map((id) => valid(id));

const edges: readonly Labelled<string>[] = [
  valid('1234567890', 'length-10'),
  open('A13', 'length-9', '123456789'),
  open('A13', 'length-1', '1'),
  fault('recurring/recurring-payment-id-length', 'length-11', '12345678901'),
  fault('recurring/recurring-payment-id-length', 'length-40', '1234567890'.repeat(4)),
  valid('0000000042', 'leading-zeros'),
  valid('0000000000', 'zeros-only'),
  valid('9999999999', 'above-2-to-the-32'),
  valid('1111111111', 'one-digit-repeated'),
  // Gateways assign these ids, so a gateway may refuse ids that do not look like its own ids.
  open('A33', 'letters', 'ABCDEFGHIJ'),
  open('A33', 'number-with-exponent', '12345678e9'),
  open('A12', 'delimiter', '12345;7890'),
  open('A29', 'quote', '12345"7890'),
  open('A13', 'length-10-in-bytes-5-in-characters', '\u00df'.repeat(5)),
  open('A13', 'length-11-in-bytes-10-in-characters', '123456789\u00df'),
  open('A13', 'length-10-in-characters-20-in-bytes', '\u00df'.repeat(10)),
  fault('recurring/recurring-payment-id-length', 'length-11-in-two-byte-characters', '\u00df'.repeat(11)),
  open('A13', 'length-10-in-astral-characters', '\u{1f600}'.repeat(10)),
  open('A13', 'length-10-in-code-points-5-with-accents', 'e\u0301'.repeat(5)),
  fault('recurring/recurring-payment-id-present', 'empty', ''),
];

const odd: fc.Arbitrary<Labelled<string>> = fc.oneof(
  textOf(digits, 8, 12).map(labelByLength),
  withInsert(textOf(digits, 7, 11), ['\u00df']).map(labelByLength),
);

const faulty: fc.Arbitrary<Labelled<string>> = fc.oneof(
  textOf(digits, 11, 20).map((text) => fault('recurring/recurring-payment-id-length', 'too-long', text)),
  fc.constant(fault('recurring/recurring-payment-id-present', 'empty', '')),
);

export const recurringPaymentIds = { valid: validPaymentId, edges, odd, faulty } satisfies Domain<string>;

function labelByLength(text: string): Labelled<string> {
  const bytes = Buffer.byteLength(text);
  const edge = `${text.length}-characters-in-${bytes}-bytes`;
  if (text.length > 10) return fault('recurring/recurring-payment-id-length', edge, text);
  return text.length === 10 && bytes === 10 ? valid(text, edge) : open('A13', edge, text);
}
