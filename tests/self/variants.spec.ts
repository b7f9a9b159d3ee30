/** Every variant is a gateway that conforms: what it does otherwise shows as a remark or an observation, or means nothing at all. */
import { expect, test } from '@playwright/test';
import { variants } from '../../src/defects/variants.ts';
import { completeRunOptions } from '../../src/options/run-options.ts';
import { runInProcess } from '../../src/prove/run-in-process.ts';
import type { Result } from '../../src/result/result.ts';

let plain: Promise<Result> | undefined;

for (const [at, { id, meaningless }] of variants.entries()) {
  // npm test has two.
  const tag = at % 48 === 0 ? [] : ['@all'];
  test(`${id} is conformant${meaningless === undefined ? ' and shows' : ', and the report is the same'}`, {
    tag,
  }, async () => {
    plain ??= run([]);
    const [mock, variant] = [await plain, await run([id])];
    const undecided = variant.results.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable');
    expect(undecided.map(({ id: row, outcome, actual }) => `${row}: ${outcome}, ${actual}`)).toEqual([]);
    expect(variant.conclusion).toBe('conformant');
    const differences = differing(seen(mock), seen(variant));
    if (meaningless === undefined) expect(differences).not.toEqual([]);
    else expect(differences).toEqual([]);
  });
}

test('every variant has an id of its own', () => {
  expect(new Set(variants.map(({ id }) => id)).size).toBe(variants.length);
});

function run(ids: readonly string[]): Promise<Result> {
  // With a variant that is the profile by itself.
  const profile = ids.length === 0 ? 'rfc5849' : undefined;
  const given = { profile, variants: ids, seed: 'self-test', cases: 3 } as const;
  // What is sent is that of the plain run, where every signature is computed twice.
  return runInProcess(completeRunOptions(given, 1_800_000_000_000, '/nowhere'), { secondVoice: ids.length === 0 });
}

/** Remarks and observations of a run, one line each, without the numbers of exchanges. */
function seen({ results, observations }: Result): string[] {
  return [
    ...results.flatMap(({ id, remark }) => (remark === undefined ? [] : [`${id}: ${remark}`])),
    ...observations.map(({ openPoint, value }) => `${openPoint}: ${value}`),
  ];
}

function differing(one: readonly string[], other: readonly string[]): string[] {
  return [...one.filter((line) => !other.includes(line)), ...other.filter((line) => !one.includes(line))];
}
