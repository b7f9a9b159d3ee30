/** Sums of decimal texts. */

import { addDecimals, isDecimal, newDecimalSum, twoFractionalDigits } from '../../../src/mock/decimal.ts';
import { expect, test } from '../../engine.ts';

for (const [a, b, sum] of [
  ['0', '0', '0'],
  ['0.1', '0.2', '0.3'],
  ['10.42', '0.58', '11.00'],
  ['1', '0.001', '1.001'],
  ['0.01', '0', '0.01'],
  ['9007199254740993', '0.01', '9007199254740993.01'],
  ['007', '1', '8'],
] as const) {
  test(`${a} and ${b} are ${sum}`, () => {
    expect([addDecimals(a, b), addDecimals(b, a)]).toEqual([sum, sum]);
  });
}

test('a sum has the longest fraction of all, and of nothing is 0', () => {
  const sum = newDecimalSum();
  expect(sum.total()).toBe('0');
  for (const amount of ['1', '0.1', '0.01', '10.9', '99999999999999999999', '999999999999999', '.5', '1.', 'x', '']) {
    const text = Buffer.from(`7${amount}7`);
    expect(sum.add(text, 1, text.length - 1)).toBe(isDecimal(amount));
  }
  expect(sum.total()).toBe('100001000000000000010.01');
});

for (const [amount, printed] of [
  ['7', '7.00'],
  ['7.1', '7.10'],
  ['0.005', '0.01'],
  ['0.0049', '0.00'],
  ['99.999', '100.00'],
] as const) {
  test(`${amount} with two fractional digits is ${printed}`, () => {
    expect(twoFractionalDigits(amount)).toBe(printed);
  });
}

test('signs, exponents, white space and loose points are not decimals', () => {
  const texts = ['-1', '+1', '1e3', ' 1', '1.', '.5', '1.2.3', '', '١', '1\n'];
  expect(texts.filter(isDecimal)).toEqual([]);
});
