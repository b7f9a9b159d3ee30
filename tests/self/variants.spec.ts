/** Every variant is a gateway that conforms: what it does otherwise shows as a remark or an observation, or means nothing at all. */

import type { ConcludedRun } from '../../src/conclusion/conclude-gateway.ts';
import { variants } from '../../src/defects/variants.ts';
import { diffRuns } from '../../src/diff/diff-runs.ts';
import { completeRunOptions } from '../../src/options/run-options.ts';
import { matchesAny } from '../../src/options/selection.ts';
import { newRepeated, type Repeated } from '../../src/prove/perform-in-memory.ts';
import { concludeInProcess } from '../../src/prove/run-in-process.ts';
import type { Result } from '../../src/result/result.ts';
import { expect, test } from '../engine.ts';

let plain: Promise<ConcludedRun> | undefined;
let earlier: Promise<ConcludedRun> | undefined;

/** The gates of the mock are drawn, so nobody knows what their order was. */
const invisible = ['gates-in-another-order'];

for (const { id, meaningless } of variants) {
  test(`${id} is conformant${meaningless === undefined ? ' and shows' : ', and the report is the same'}; compared with the mock it never breaks, and is named`, {
    tag: '@all',
  }, async () => {
    plain ??= performed([]);
    const run = await performed([id]);
    const [mock, variant] = [(await plain).result, run.result];
    const undecided = variant.results.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable');
    expect(undecided.map(({ id: row, outcome, actual }) => `${row}: ${outcome}, ${actual}`)).toEqual([]);
    expect(variant.conclusion).toBe('conformant');
    const differences = differing(seen(mock), seen(variant));
    if (meaningless === undefined) expect(differences).not.toEqual([]);
    else expect(differences).toEqual([]);

    earlier ??= performed([], '1');
    const told = diffRuns(await earlier, run, { selects: matchesAny, statementOf: () => undefined });
    expect(told.newlyBroken).toEqual([]);
    expect(told.verdict).not.toBe('breaks');
    expect(told.answers.length + told.behaviour.length > 0).toBe(!invisible.includes(id));
  });
}

test('every variant has an id of its own', () => {
  expect(new Set(variants.map(({ id }) => id)).size).toBe(variants.length);
});

/** What runs of one seed share. */
const shared = new Map<string, Repeated>();

function performed(ids: readonly string[], seed = 'self-test'): Promise<ConcludedRun> {
  // With a variant that is the profile by itself.
  const profile = ids.length === 0 ? 'rfc5849' : undefined;
  const given = { profile, variants: ids, seed, cases: 3 } as const;
  if (!shared.has(seed)) shared.set(seed, newRepeated());
  // What is sent is that of the plain run, where every signature is computed twice.
  const mock = { secondVoice: ids.length === 0, repeated: shared.get(seed)! };
  return concludeInProcess(completeRunOptions(given, 1_800_000_000_000, '/nowhere'), mock);
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
