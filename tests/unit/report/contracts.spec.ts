/** The interactions of the Pact contracts in the reports, and their weight in the conclusion. */
import { conclude, exitCode, weighContracts } from '../../../src/record/result/conclude.ts';
import type { ContractRow, Result } from '../../../src/record/result/result.ts';
import { expect, test } from '../../engine.ts';
import { broken, held, resultOf, rows, unverified, written } from './all-outcomes.ts';

const unanswered: ContractRow = { ...broken, outcome: 'inconclusive', blame: 'environment', mismatches: ['no answer'] };

const cases = [
  ['interactions that hold', [held], 'conformant', 0],
  ['an interaction that does not hold', [held, broken], 'non-conformant', 1],
  ['an interaction that was not answered', [held, unanswered], 'partial', 1],
  ['an interaction that could not be verified', [broken, unverified], 'aborted', 3],
] as const;

for (const [what, contracts, conclusion, code] of cases) {
  test(`${what} in a run whose rows all pass: ${conclusion}, exit code ${code}`, () => {
    const result = resultWith(contracts);
    expect(result.conclusion).toBe(conclusion);
    expect(exitCode(result)).toBe(code);
  });
}

test('a gap of the environment in the contracts is not excused by --accept-partial', () => {
  expect(exitCode({ ...resultWith([unanswered]), acceptPartial: true })).toBe(1);
});

test('ctrf.json has a test for each', () => {
  const tests = JSON.parse(written.ctrf(resultWith([held, broken]))).results.tests;
  expect(tests.slice(1)).toMatchObject([
    { name: held.interaction, status: 'passed', suite: ['pact'], extra: { pact: held.pact, state: held.state } },
    { name: broken.interaction, status: 'failed', suite: ['pact'], message: expect.stringContaining('$.response') },
  ]);
});

function resultWith(contracts: readonly ContractRow[]): Result {
  const passing = rows.slice(0, 1);
  const conclusion = conclude([...passing, ...weighContracts(contracts)], { profile: 'strict' });
  return resultOf(passing, { contracts, conclusion });
}
