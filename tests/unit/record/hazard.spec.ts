/** What a hazard weighs: in the exit code, and in a baseline. */
import { profileByName } from '../../../contracts/profiles.ts';
import { exitCode } from '../../../src/record/result/conclude.ts';
import type { BaselineEntry, Result } from '../../../src/record/result/result.ts';
import { score } from '../../../src/record/result/score.ts';
import { expect, test } from '../../engine.ts';
import { batchSentAgain, resultOf } from '../report/all-outcomes.ts';

const { id } = batchSentAgain;
const known = { ...batchSentAgain, known: { reason: 'CL-7' } };
const run = (more: Partial<Result>): Result =>
  resultOf([], {
    conclusion: 'conformant',
    profile: 'rfc5849',
    subject: { kind: 'client', name: 'c', target: 'local gateway' },
    startedAt: '2026-01-31T12:00:00.000Z',
    ...more,
  });

for (const [what, more, code] of [
  ['fails no run by itself', { hazards: [batchSentAgain] }, 0],
  ['fails a run under strict', { hazards: [batchSentAgain], profile: 'strict' }, 1],
  ['fails a run with --fail-on hazard', { hazards: [batchSentAgain], failOn: 'hazard' }, 1],
  ['that is known fails no run', { hazards: [known], profile: 'strict', failOn: 'hazard' }, 0],
  ['that is known excuses no other', { hazards: [known, batchSentAgain], failOn: 'hazard' }, 1],
  ['that is absent fails no run', { failOn: 'hazard' }, 0],
] as const) {
  test(`a hazard ${what}`, () => expect(exitCode(run(more))).toBe(code));
}

test('strict alone fails by a hazard', () => {
  expect(['rfc5849', 'strict'].map((name) => profileByName(name)!.hazardFails)).toEqual([false, true]);
});

const entry: BaselineEntry = { id, reason: 'CL-7', expires: '2026-12-31' };
const said = (sentence: string) => [expect.objectContaining({ sentence: expect.stringContaining(sentence) })];
const gone = [{ id, sentence: 'it no longer occurs' }];
for (const [what, more, entries, problems] of [
  ['an entry with a reason makes a hazard known', { hazards: [batchSentAgain] }, [entry], []],
  ['an entry without a reason', { hazards: [batchSentAgain] }, [{ id }], said('it has no reason')],
  [
    'an expired entry',
    { hazards: [batchSentAgain] },
    [{ ...entry, expires: '2026-01-30' }],
    said('it expired on 2026-01'),
  ],
  [
    'another sentence',
    { hazards: [batchSentAgain] },
    [{ ...entry, received: 'twice' }],
    said(`it occurs with another value: `),
  ],
  ['an entry whose hazard no longer occurs is a problem', {}, [entry], gone],
  ['a part of a run says nothing of a hazard that it does not show', { scope: { only: ['x/*'] } }, [entry], []],
  [
    'a recording says nothing of what it does not show',
    { subject: { kind: 'client', name: 'c', target: 'recording' } },
    [entry],
    [],
  ],
  [
    'a hazard of a client at a gateway',
    { subject: { kind: 'gateway', name: 'g', target: 'mock' } },
    [entry],
    said('of a gateway has this'),
  ],
  ['a misspelt hazard', {}, [{ ...entry, id: 'hazard/batch-send-again' }], said(`the nearest is ${id}`)],
] as const satisfies readonly (readonly [string, Partial<Result>, readonly BaselineEntry[], unknown])[]) {
  test(what, () => {
    const parts = score(run(more), { baseline: { file: 'known.yaml', known: entries } });
    expect(parts.baseline!.problems).toEqual(problems);
    const believed = problems.length === 0 ? { reason: 'CL-7', expires: '2026-12-31' } : undefined;
    for (const hazard of parts.hazards ?? []) expect(hazard.known).toEqual(believed);
  });
}

test('an updated baseline lists each hazard once and drops one that is gone', () => {
  const updated = (hazards: Result['hazards'], entries: readonly BaselineEntry[]) =>
    score(run(hazards === undefined ? {} : { hazards }), { baseline: { file: 'k', known: entries, update: true } });
  const added = updated([batchSentAgain, batchSentAgain], []);
  expect(added.baseline!.updated).toEqual([{ id, reason: 'not explained yet; seen on 2026-01-31' }]);
  expect(exitCode(run({ ...added, failOn: 'hazard' }))).toBe(0);
  expect(updated(undefined, [entry]).baseline!.updated).toEqual([]);
});
