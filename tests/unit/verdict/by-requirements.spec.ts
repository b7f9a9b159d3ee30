/** What runs on the mock and with a client are said to let through, held against runs with those defects. */
import { newRepeated, runClientInProcess, runInProcess } from '../../../src/app/prove/run-in-process.ts';
import { usableClientDefects } from '../../../src/faults/client/index.ts';
import { mockDefects } from '../../../src/faults/index.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { withUnnoticed } from '../../../src/verdict/forecast/by-requirements.ts';
import { expect, test } from '../../engine.ts';
import { resultOf } from './runs.ts';

function unnoticedIn({ unnoticed }: Pick<Result, 'unnoticed'>): string[] {
  return unnoticed?.groups.flatMap(({ defects }) => defects) ?? [];
}

const narrowed = {
  gateway: ['close-day/*-refused', 'recurring/success-body-empty'],
  client: ['close-day/path', 'recurring/decodes-*'],
};

for (const side of ['gateway', 'client'] as const) {
  const all = side === 'gateway' ? mockDefects : usableClientDefects;
  for (const defects of [all.filter((_, at) => at % 40 === 7), all.filter((_, at) => at % 4 === 3)]) {
    const isSample = defects.length < 10;
    test(`a narrowed run of a ${side} lets through what it says, of ${defects.length} defects`, {
      tag: isSample ? [] : '@all',
    }, async () => {
      const [repeated, repetition] = [newRepeated(), { made: new Map(), at: Date.now() }];
      const given = { seed: '1', cases: 10, only: narrowed[side], profile: 'strict', secondVoice: false } as const;
      // Of a run with a defect the conclusion is all that is asked for.
      const run = (id?: string, outcomesAlone = id !== undefined): Promise<Result> =>
        side === 'gateway'
          ? runInProcess(
              completeRunOptions({ ...given, defects: id === undefined ? [] : [id] }, Date.now(), '/nowhere'),
              { secondVoice: false, repeated, outcomesAlone },
            )
          : runClientInProcess(
              { ...given, repetition, outcomesAlone },
              usableClientDefects.filter((one) => one.id === id).map(({ alteration }) => alteration),
            );
      const said = unnoticedIn(await run());
      expect(said.length).toBeGreaterThan(all.length / 2);
      for (const { id } of defects) {
        const { conclusion } = await run(id);
        expect([id, conclusion === 'non-conformant']).toEqual([id, !said.includes(id)]);
      }
    });
  }
}

test('a known failure, a requirement that is not scored and one that nobody determined notice nothing', () => {
  const [one] = mockDefects.filter(({ breaks }) => breaks.length === 1);
  const [id] = one!.breaks;
  const says = (row: object) => unnoticedIn(withUnnoticed(resultOf({ [id!]: row }))).includes(one!.id);
  expect(says({ outcome: 'pass' })).toBe(false);
  expect(says({ outcome: 'fail' })).toBe(false);
  expect(says({ outcome: 'fail', known: { reason: 'known' } })).toBe(true);
  expect(says({ outcome: 'pass', notScored: true })).toBe(true);
  expect(says({ outcome: 'inconclusive' })).toBe(true);
  expect(says({ outcome: 'pass', kind: 'expected' })).toBe(true);
  const aborted = { ...resultOf({ [id!]: { outcome: 'pass' } }), unnoticed: undefined, aborted: 'gone' };
  expect(withUnnoticed(aborted).unnoticed).toBeUndefined();
});
