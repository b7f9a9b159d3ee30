/** What would become of a client's failures if it signed rightly is told as it is: some would pass, some would still fail, some stay open. */
import type { Outcome, ResultRow } from '../../../src/record/result/result.ts';
import { counterfactualsInWords } from '../../../src/report/cause-groups.ts';
import type { Evidence } from '../../../src/verdict/evidence.ts';
import { findingsOnSignatures } from '../../../src/verdict/wrong-signatures.ts';
import { expect, test } from '../../engine.ts';

const verifies = 'authentication/signature-verifies';
const port = 'authentication/uri-default-port';
const columns = 'recurring/csv-columns';

test('what would be right is one sentence: a requirement that would lack evidence does not pass', () => {
  expect(wordsWhere({ [verifies]: 'pass', [port]: 'inconclusive', [columns]: 'fail' })).toEqual([
    'With default-port-kept fixed, 1 of 1 wrong signature would be right, and 1 of 3 failures would pass.',
  ]);
  expect(wordsWhere({ [verifies]: 'pass', [port]: 'pass', [columns]: 'pass' })).toEqual([
    'With default-port-kept fixed, 1 of 1 wrong signature would be right, and 3 of 3 failures would pass.',
  ]);
});

test('the signatures that would be right are counted, of all that are wrong', () => {
  const cause = (deviations: string[], exchanges: number[]) =>
    ({ outcome: 'fail', sentence: '', deviations, requirements: [verifies], exchanges }) as const;
  const undone = { deviations: ['a', 'b'], failing: 3, wouldPass: [verifies], remain: [], signedAgain: 3 };
  const causes = [cause(['a'], [1, 2]), cause(['a', 'b'], [3]), cause([], [4])];
  expect(counterfactualsInWords({ counterfactuals: [undone, { ...undone, deviations: ['a'] }], causes })).toEqual([
    'With a + b fixed, 3 of 4 wrong signatures would be right, and 1 of 3 failures would pass.',
  ]);
});

test('of signatures that nothing explains only those are counted that fail', () => {
  const sentence = (explained: readonly object[]) => {
    const found = { explained, unexplained: [1, 2, 3, 4, 5], unsearched: [2, 3, 4, 5] };
    const evidence = { signatures: () => ({ found, without: () => ({ evidence: {}, mended: [], unmended: 1 }) }) };
    const rows = [{ id: verifies, outcome: 'fail', exchanges: [1, 2, 9] }] as unknown as ResultRow[];
    return findingsOnSignatures(rows, evidence as unknown as Evidence, () => rows).causes.at(-1)?.sentence;
  };
  const shown = { deviations: [], facts: [], triedCount: 1, baseString: '' };
  expect(sentence([])).toBe('nothing explains 2 of 2 wrong signatures, of which 1 was searched');
  expect(sentence([{ ids: ['default-port-kept'], alternatives: [], numbers: [9], shown, shownNumber: 9 }])).toBe(
    'nothing explains 2 of 3 wrong signatures, 1 of them tried with what explains others alone',
  );
});

/** `again`: the outcomes once the signatures are right; all of these fail before. */
function wordsWhere(again: Readonly<Record<string, Outcome>>): string[] {
  const shown = { deviations: [], facts: [], triedCount: 1, baseString: '' };
  const explained = [{ ids: ['default-port-kept'], alternatives: [], numbers: [1], shown, shownNumber: 1 }];
  const evidence = {
    signatures: () => ({
      found: { explained, unexplained: [], unsearched: [] },
      without: () => ({ evidence: {}, mended: [1], unmended: 0 }),
    }),
  } as unknown as Evidence;
  const rows = (outcomes: Readonly<Record<string, Outcome>>) =>
    Object.entries(outcomes).map(([id, outcome]) => ({ id, outcome, exchanges: [1] }) as unknown as ResultRow);
  const before = Object.fromEntries(Object.keys(again).map((id): [string, Outcome] => [id, 'fail']));
  return counterfactualsInWords(findingsOnSignatures(rows(before), evidence, () => rows(again)));
}
