/** Generates amount, a cell of a CSV row (sections 2.3 and 8): numeric, length 10. */
import * as fc from 'fast-check';
import { digits, letters } from './alphabets.ts';
import { type Domain, decimal, fault, type Labelled, open, textOf, valid } from './labelled.ts';

/** 0.01 to 9999999.99 with two decimals: at most 10 characters, including the point. */
const validAmount: fc.Arbitrary<Labelled<string>> = fc
  .integer({ min: 1, max: 999_999_999 })
  .map((cents) => valid(decimal(cents)));
const edges: readonly Labelled<string>[] = [
  valid('0.01', 'smallest'),
  valid('0.10', 'trailing-zero'),
  valid('100.00', 'whole-with-fraction'),
  valid('1234.50', 'thousands-without-separator'),
  valid('123456.78', 'length-9'),
  valid('1234567.89', 'length-10'),
  valid('9999999.99', 'biggest'),
  valid('1000000.00', 'one-digit-and-zeros'),
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
  fault('recurring/amount-length', 'length-40-digits', '1234567890'.repeat(4)),
  fault('recurring/amount-numeric', 'letters', 'abc'),
  fault('recurring/amount-numeric', 'decimal-comma', '12,50'),
  fault('recurring/amount-numeric', 'thousands-comma', '1,000.00'),
  fault('recurring/amount-numeric', 'space-inside', '1 000.00'),
  fault('recurring/amount-numeric', 'two-points', '1.00.0'),
  fault('recurring/amount-numeric', 'currency-code', '1.00EUR'),
  fault('recurring/amount-numeric', 'not-a-number', 'NaN'),
  fault('recurring/amount-numeric', 'hexadecimal', '0x10'),
];

const odd: fc.Arbitrary<Labelled<string>> = textOf(digits, 7, 10).map((text) => {
  const count = text.length + 1;
  const amount = `1${text.slice(2)}.${text.slice(0, 2)}`;
  const edge = `${count}-digits-in-${amount.length}-characters`;
  if (count > 10) return fault('recurring/amount-length', edge, amount);
  return amount.length > 10 ? open('A14', edge, amount) : valid(amount, edge);
});

/** 0.01 to 999.99: short enough to add three characters without exceeding the limit of 10. */
const smallAmounts = fc.integer({ min: 1, max: 99_999 }).map(decimal);

const faulty: fc.Arbitrary<Labelled<string>> = fc.oneof(
  textOf(digits, 10, 19).map((text) => fault('recurring/amount-length', 'too-many-digits', `1${text}`)),
  textOf(digits, 8, 17).map((text) => fault('recurring/amount-length', 'too-long-with-fraction', `1${text}.00`)),
  textOf(letters, 1, 10).map((text) => fault('recurring/amount-numeric', 'letters', text)),
  smallAmounts.map((text) => fault('recurring/amount-numeric', 'decimal-comma', text.replace('.', ','))),
  smallAmounts.map((text) => fault('recurring/amount-numeric', 'thousands-comma', `1,${text.padStart(6, '0')}`)),
  smallAmounts.map((text) => fault('recurring/amount-numeric', 'space-inside', `1 ${text.padStart(6, '0')}`)),
  smallAmounts.map((text) => fault('recurring/amount-numeric', 'two-points', `${text}.0`)),
  smallAmounts.map((text) => fault('recurring/amount-numeric', 'currency-code', `${text}EUR`)),
  fc.constant(fault('recurring/amount-numeric', 'not-a-number', 'NaN')),
  fc.constant(fault('recurring/amount-numeric', 'hexadecimal', '0x10')),
);

export const amounts = { valid: validAmount, edges, odd, faulty } satisfies Domain<string>;
