/** Exchange numbers as ranges. */

import { rangesText } from '../../../src/report/number-ranges.ts';
import { expect, test } from '../../engine.ts';

for (const [numbers, text] of [
  [[1, 2, 3, 5, 7, 8, 10, 11, 12, 13], '1–3, 5, 7, 8, 10–13'],
  [[3, 1, 2, 3], '1–3'],
  [[], ''],
] as const) {
  test(`${numbers.join(' ')} is told as "${text}"`, () => {
    expect(rangesText(numbers)).toBe(text);
  });
}
