/** Findings of a long record are kept in few places, and say what each of them by itself would say. */

import { fail, inconclusive, pass } from '../../../src/checks/finding.ts';
import { newRowFindings } from '../../../src/conclusion/row-findings.ts';
import { expect, test } from '../../engine.ts';

test('findings on a row keep their order, their numbers, and the first text of each outcome', () => {
  const row = newRowFindings();
  const found = [pass(), pass(), fail('a', 'b'), fail('a', 'c'), pass('odd'), pass('odder'), fail('a', 'd')];
  for (const [index, finding] of found.entries()) row.add({ finding, exchanges: [index + 1] });
  expect(row.all).toEqual([
    { finding: { outcome: 'pass' }, exchanges: [1], times: 1 },
    { finding: { outcome: 'pass' }, exchanges: [2], times: 1 },
    { finding: fail('a', 'b'), exchanges: [3], times: 1 },
    { finding: { outcome: 'fail', blame: 'subject' }, exchanges: [4], times: 1 },
    { finding: pass('odd'), exchanges: [5], times: 1 },
    { finding: { outcome: 'pass' }, exchanges: [6], times: 1 },
    { finding: { outcome: 'fail', blame: 'subject' }, exchanges: [7], times: 1 },
  ]);
});

test('a finding that is made a thousand times is one, and who is to blame tells two apart', () => {
  const row = newRowFindings();
  for (let number = 1; number <= 1000; number += 1) row.add({ finding: pass(), exchanges: [number] });
  row.add({ finding: inconclusive('no key', 'configuration'), exchanges: [] });
  row.add({ finding: inconclusive('no answer'), exchanges: [] });
  expect(row.all.map(({ finding, times }) => [finding.actual, times])).toEqual([
    [undefined, 1],
    [undefined, 999],
    ['no key', 1],
    ['no answer', 1],
  ]);
});

test('two hundred thousand exchanges of one finding are taken: no call takes so many arguments', () => {
  const row = newRowFindings();
  const exchanges = Array.from({ length: 200_000 }, (_, at) => at + 1);
  for (let times = 0; times < 3; times += 1) row.add({ finding: pass(), exchanges });
  expect(row.all.map((one) => one.exchanges.length)).toEqual([200_000, 400_000]);
});
