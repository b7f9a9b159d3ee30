/** amount of a CSV row (sections 2.3 and 8): numeric, length 10. */
import * as fc from 'fast-check';
import { drawn, fault, type Labelled, made, open, valid } from './labelled.ts';
import { digits, letters, textFromSeed } from './text-from-seed.ts';

/** 0.01 to 9999999.99 with two fractional digits: inside the bound whether the point counts or not. */
export const validAmount: fc.Arbitrary<Labelled<string>> = fc
  .integer({ min: 1, max: 999_999_999 })
  .map((cents) => valid(decimal(cents)));

/** Every named edge once. */
export const amountEdges: readonly Labelled<string>[] = [
  valid('0.01', 'smallest'),
  valid('0.10', 'trailing-zero'),
  valid('100.00', 'whole-with-fraction'),
  valid('1234.50', 'thousands-without-separator'),
  valid('123456.78', 'length-9'),
  valid('1234567.89', 'length-10'),
  open('A14', 'length-11-with-point-10-digits', '12345678.90'),
  fault('recurring/amount-length', 'length-11-digits', '12345678901'),
  fault('recurring/amount-length', 'length-12-with-point-11-digits', '123456789.01'),
  open('A14', 'ten-digits', '1234567890'),
  open('A14', 'no-fraction', '100'),
  open('A14', 'one-fraction-digit', '1.5'),
  open('A14', 'three-fraction-digits', '1.234'),
  open('A14', 'zero', '0.00'),
  open('A14', 'zero-without-fraction', '0'),
  open('A14', 'leading-zeros', '0001.00'),
  open('A14', 'point-first', '.50'),
  open('A14', 'point-last', '5.'),
  open('A14', 'minus', '-1.00'),
  open('A14', 'plus', '+1.00'),
  open('A14', 'exponent', '1e3'),
  open('A14', 'arabic-indic-digits', '\u0661\u0660.\u0660\u0660'),
];

export const edgeAmount: fc.Arbitrary<Labelled<string>> = drawn(amountEdges);

/** Amounts that are not numeric, or numeric and too long in every reading of the bound; never both. */
export const faultyAmount: fc.Arbitrary<Labelled<string>> = made<string>([
  (seed) => fault('recurring/amount-length', 'too-many-digits', `1${textFromSeed(digits, 10 + (seed % 10), seed)}`),
  (seed) =>
    fault('recurring/amount-length', 'too-long-with-fraction', `1${textFromSeed(digits, 8 + (seed % 10), seed)}.00`),
  (seed) => fault('recurring/amount-numeric', 'letters', textFromSeed(letters, 1 + (seed % 10), seed)),
  (seed) => fault('recurring/amount-numeric', 'decimal-comma', decimal(cents(seed)).replace('.', ',')),
  (seed) => fault('recurring/amount-numeric', 'thousands-comma', `1,${decimal(cents(seed)).padStart(6, '0')}`),
  (seed) => fault('recurring/amount-numeric', 'space-inside', `1 ${decimal(cents(seed)).padStart(6, '0')}`),
  (seed) => fault('recurring/amount-numeric', 'two-points', `${decimal(cents(seed))}.0`),
  (seed) => fault('recurring/amount-numeric', 'currency-code', `${decimal(cents(seed))}EUR`),
  () => fault('recurring/amount-numeric', 'not-a-number', 'NaN'),
  () => fault('recurring/amount-numeric', 'hexadecimal', '0x10'),
]);

/** 0.01 to 999.99: room for one more character or three within the length of 10. */
function cents(seed: number): number {
  return 1 + (seed % 99_999);
}

function decimal(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
