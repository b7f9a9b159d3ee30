/** Sums of decimal texts. */

import { addDecimals, isDecimal, newDecimalSum, twoFractionalDigits } from '../../../src/mock/decimal.ts';
import { expect, test } from '../../engine.ts';

test('two decimals are added without loss, in either order', () => {
  const sums = ['0 0 0', '0.1 0.2 0.3', '10.42 0.58 11.00', '1 0.001 1.001', '0.01 0 0.01', '007 1 8'];
  for (const row of [...sums, '9007199254740993 0.01 9007199254740993.01']) {
    const [a = '', b = '', sum] = row.split(' ');
    expect([addDecimals(a, b), addDecimals(b, a)]).toEqual([sum, sum]);
  }
});

test('a sum has the longest fraction of all, and of nothing is 0', () => {
  const sum = newDecimalSum();
  expect(sum.total()).toBe('0');
  for (const amount of ['1', '0.1', '0.01', '10.9', '99999999999999999999', '999999999999999', '.5', '1.', 'x', '']) {
    const text = Buffer.from(`7${amount}7`);
    expect(sum.add(text, 1, text.length - 1)).toBe(isDecimal(amount));
  }
  expect(sum.total()).toBe('100001000000000000010.01');
});

test('a decimal is printed with two fractional digits', () => {
  const printed = ['7', '7.1', '0.005', '0.0049', '99.999'].map(twoFractionalDigits);
  expect(printed).toEqual(['7.00', '7.10', '0.01', '0.00', '100.00']);
});

test('signs, exponents, white space and loose points are not decimals', () => {
  const texts = ['-1', '+1', '1e3', ' 1', '1.', '.5', '1.2.3', '', '١', '1\n'];
  expect(texts.filter(isDecimal)).toEqual([]);
});
