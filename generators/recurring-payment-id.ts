/** recurring-payment-id of a CSV row (sections 2.3 and 8): text of 10 characters; whether fewer will do is open. */
import * as fc from 'fast-check';
import { drawn, fault, type Labelled, made, open, valid } from './labelled.ts';
import { digits, textFromSeed } from './text-from-seed.ts';

/** Ten digits, with leading zeros. */
export const validRecurringPaymentId: fc.Arbitrary<Labelled<string>> = fc
  .maxSafeNat()
  .map((number) => valid(String(number % 10_000_000_000).padStart(10, '0')));

/** Every named edge once. */
export const recurringPaymentIdEdges: readonly Labelled<string>[] = [
  valid('1234567890', 'length-10'),
  open('A13', 'length-9', '123456789'),
  open('A13', 'length-1', '1'),
  fault('recurring/recurring-payment-id-length', 'length-11', '12345678901'),
  valid('0000000042', 'leading-zeros'),
  valid('0000000000', 'zeros-only'),
  valid('9999999999', 'above-2-to-the-32'),
  valid('ABCDEFGHIJ', 'letters'),
  valid('12345678e9', 'number-with-exponent'),
  valid('12345;7890', 'delimiter'),
  open('A29', 'quote', '12345"7890'),
  open('A13', 'length-10-in-bytes-5-in-characters', '\u00df'.repeat(5)),
  open('A13', 'length-11-in-bytes-10-in-characters', '123456789\u00df'),
  open('A13', 'length-10-in-characters-20-in-bytes', '\u00df'.repeat(10)),
  fault('recurring/recurring-payment-id-length', 'length-11-in-two-byte-characters', '\u00df'.repeat(11)),
  open('A13', 'length-10-in-astral-characters', '\u{1f600}'.repeat(10)),
  open('A13', 'length-10-in-code-points-5-with-accents', 'e\u0301'.repeat(5)),
  fault('recurring/recurring-payment-id-present', 'empty', ''),
];

export const edgeRecurringPaymentId: fc.Arbitrary<Labelled<string>> = drawn(recurringPaymentIdEdges);

/** Ids that are too long in every reading, or empty. */
export const faultyRecurringPaymentId: fc.Arbitrary<Labelled<string>> = made<string>([
  (seed) => fault('recurring/recurring-payment-id-length', 'too-long', textFromSeed(digits, 11 + (seed % 10), seed)),
  () => fault('recurring/recurring-payment-id-present', 'empty', ''),
]);
