/** Runs of the mock compared: another seed is safe, and a defect breaks exactly its requirements; variants.spec.ts has the variants. */

import { requirementById } from '../../contracts/requirements/index.ts';
import { ledgerInMemory, liveOptionsInMemory, runLiveInMemory } from '../../src/app/prove/live-in-memory.ts';
import { type InProcess, newRepeated, type Repeated, runInProcess } from '../../src/app/prove/run-in-process.ts';
import { gatewayDefects } from '../../src/faults/index.ts';
import { completeRunOptions, type RunOptions } from '../../src/run/options/run-options.ts';
import { type ConcludedRun, concludeRun } from '../../src/verdict/conclude.ts';
import { diffRuns } from '../../src/verdict/diff/diff-runs.ts';
import type { Difference } from '../../src/verdict/diff/difference.ts';
import { expect, test } from '../engine.ts';

/** What runs that send the same share. */
const shared = new Map<string, Repeated>();
let old: Promise<ConcludedRun> | undefined;

function run(
  { seed = '1', cases = 4, ...given }: Partial<RunOptions>,
  what: Pick<InProcess, 'outcomesAlone' | 'unframed'> = {},
): Promise<ConcludedRun> {
  const options = completeRunOptions({ profile: 'strict', seed, cases, ...given }, Date.now(), '/nowhere');
  const repeated = shared.get(`${seed} ${cases}`) ?? newRepeated();
  shared.set(`${seed} ${cases}`, repeated);
  return runInProcess(options, { secondVoice: false, repeated, ...what });
}

/** Against the mock without anything, with seed 1. */
async function compared(given: Partial<RunOptions>): Promise<Difference> {
  old ??= run({});
  return diffRuns(await old, await run({ seed: '2', ...given }));
}

const empty = {
  verdict: 'safe',
  newlyBroken: [],
  causes: [],
  fixed: [],
  newlyUndetermined: [],
  gaps: [],
  newlyDetermined: [],
  added: [],
  retired: [],
  renamed: [],
  kindChanged: [],
  stillBroken: [],
  determinedByNeither: [],
  answers: [],
  behaviour: [],
};

test('the mock with seeds 1 and 2 is safe, and every list is empty', { tag: '@all' }, async () => {
  expect(await compared({})).toMatchObject({ ...empty, unlike: [{ what: 'seed', old: '1', new: '2' }] });
});

test('so it is with other seeds, and with all the cases of a run', { tag: '@all' }, async () => {
  for (const seed of ['3', '4']) expect(await compared({ seed })).toMatchObject(empty);
  const [one, other] = [await run({ cases: 100 }), await run({ seed: '2', cases: 100 })];
  expect(diffRuns(one, other)).toMatchObject(empty);
});

test('a live run with a small allowance against a full one is not known, each gap by name, and nothing is fixed or broken @all', async () => {
  const live = async (days: number, payments: number): Promise<ConcludedRun> => {
    const allow = { 'closes-day': days, 'starts-payments': { count: payments, total: `${payments}.00` } };
    const runId = `days ${days}`;
    const performed = await runLiveInMemory(liveOptionsInMemory({ seed: '1', cases: 3, runId }, { allow }), []);
    const balance = ledgerInMemory().balance();
    return concludeRun(performed.options, performed.records, { now: Date.now(), live: { balance } });
  };
  const [small, full] = [await live(1, 1), await live(400, 1000)];
  const options = { statementOf: () => undefined };
  const ids = (outcome: string, { result }: ConcludedRun) =>
    result.results.flatMap((row) => (row.outcome === outcome ? [row.id] : []));
  const open = ids('pass', full).filter((id) => ids('inconclusive', small).includes(id));
  // What is merely expected binds nobody under this profile.
  const gaps = open.filter((id) => requirementById(id)?.kind === 'required');
  const lost = diffRuns(full, small, options);
  expect(gaps.length).toBeGreaterThan(20);
  expect(lost).toMatchObject({ verdict: 'not known', newlyBroken: [], fixed: [], retired: [], gaps });
  expect(lost.sentence).toContain(`NEW left undetermined what OLD kept, ${gaps.length} requirements: ${gaps[0]}`);
  expect(lost.unlike.map(({ what }) => what)).toEqual(['allowance']);
  expect(diffRuns(small, small, options)).toMatchObject({ verdict: 'thin', answers: [], behaviour: [], fixed: [] });
  // The other way about nothing is lost, and nothing was mended.
  const won = diffRuns(small, full, options);
  expect(won).toMatchObject({ newlyBroken: [], fixed: [], gaps: [], newlyUndetermined: [] });
  expect(won.newlyDetermined.map(({ id }) => id)).toEqual(expect.arrayContaining(open));
});

/** One in five. */
const shown = gatewayDefects.filter(({ reach }) => reach !== 'stored').filter((_, at) => at % 5 === 0);
/** Nothing but outcomes is compared: the kill matrix does without the rest too. */
const quick = { outcomesAlone: true, unframed: true };
let before: Promise<ConcludedRun> | undefined;
for (const { id, breaks } of shown) {
  test(`${id} breaks, exactly what it breaks`, { tag: '@all' }, async () => {
    before ??= run({}, quick);
    const now = await run({ seed: '2', defects: [id] }, quick);
    const { verdict, newlyBroken, fixed } = diffRuns(await before, now);
    expect(newlyBroken.map((one) => one.id).sort()).toEqual([...breaks].sort());
    expect([verdict, fixed]).toEqual(['breaks', []]);
  });
}

test('forty defects at least are tried', () => {
  expect(shown.length).toBeGreaterThanOrEqual(40);
});

test('a narrowed run against a whole one is not known, with each gap by name, and the other way about nothing is fixed @all', async () => {
  const narrowed = await run({ seed: '2', only: ['close-day/*'] });
  old ??= run({});
  const whole = await old;
  const options = { statementOf: () => undefined };
  const difference = diffRuns(whole, narrowed, options);
  const judged = new Set(narrowed.result.results.map(({ id }) => id));
  const left = whole.result.results.filter(({ id, outcome }) => outcome === 'pass' && !judged.has(id));
  expect(left.length).toBeGreaterThan(40);
  expect([...difference.gaps].sort()).toEqual(left.map(({ id }) => id).sort());
  expect(difference).toMatchObject({ verdict: 'not known', newlyBroken: [], fixed: [], retired: [] });
  expect(diffRuns(narrowed, whole, options)).toMatchObject({ verdict: 'thin', newlyBroken: [], fixed: [], added: [] });
});
