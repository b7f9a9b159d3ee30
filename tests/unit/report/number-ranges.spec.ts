/** Exchange numbers as ranges. */

import { numberRanges, rangesText } from '../../../src/report/words.ts';
import { expect, test } from '../../engine.ts';

test('three or more neighbours become a range, two stay two numbers', () => {
  expect(rangesText([1, 2, 3, 5, 7, 8, 10, 11, 12, 13])).toBe('1–3, 5, 7, 8, 10–13');
});

test('order and repetition do not show', () => {
  expect(rangesText([3, 1, 2, 3])).toBe('1–3');
});

test('no numbers give no ranges', () => {
  expect(numberRanges([])).toEqual([]);
  expect(rangesText([])).toBe('');
});

test('every number of the input is in some range, and no other is', () => {
  const numbers = [1, 2, 4, 5, 6, 9, 100, 101, 103];
  const covered = numberRanges(numbers).flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
  expect(covered).toEqual(numbers);
});
