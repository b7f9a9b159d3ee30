/** Checks the table of known defects, and that runs with these defects give the same table. */
import { newCallCache, newRunCache, runClientInProcess, runInProcess } from '../../../src/app/prove/run-in-process.ts';
import { deriveWitnesses } from '../../../src/app/prove/witness-tables.ts';
import { mockDefects, usableClientDefects } from '../../../src/faults/index.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { acceptedKey, defectTable, noticedBy, type StoredDefects } from '../../../src/verdict/forecast/defect-table.ts';
import { withUnnoticed } from '../../../src/verdict/forecast/forecast.ts';
import table from '../../../src/verdict/forecast/shown-by.json' with { type: 'json' };
import { expect, test } from '../../engine.ts';
import { resultOf } from './runs.ts';

test('the table has every defect that a run can show, with the current summary and requirements', () => {
  const { gateway, client } = table as unknown as StoredDefects;
  expect(
    Object.entries(gateway).map(([id, { shows, ...rest }]) => ({ id, ...rest, breaks: Object.keys(shows) })),
  ).toEqual(mockDefects.map(({ id, operation, summary, breaks }) => ({ id, operation, summary, breaks: [...breaks] })));
  expect(Object.entries(client).map(([id, rest]) => ({ id, ...rest }))).toEqual(
    usableClientDefects.map(({ id, operation, breaks }) => ({ id, operation, breaks: [...breaks] })),
  );
});

const [first, second] = mockDefects;
const [row] = first!.breaks;
const key = (differsIn: string, about: string = row!) => `a/scenario|close-day|${about}||${differsIn}`;
const shownTable: ReturnType<typeof defectTable> = {
  cases: new Set(['direct', 'pair', 'rare', 'other'].map((name) => key(name))),
  defects: new Map([
    [first!.id, new Map([[row!, { direct: [key('direct')], withAccepted: [key('pair')], sometimes: [key('rare')] }]])],
    [second!.id, new Map()],
  ]),
};

function stateOf(sent: readonly string[], failing: readonly string[] = [row!]): string {
  const { noticed, notKnown, unnoticed } = noticedBy(new Set(sent), new Set(failing), shownTable);
  expect(unnoticed).toContain(second!.id);
  return noticed.includes(first!.id) ? 'noticed' : notKnown.includes(first!.id) ? 'not known' : 'unnoticed';
}

test('a case that shows a defect alone, or together with an accepted valid request, detects the defect', () => {
  expect(stateOf([key('direct')])).toBe('noticed');
  expect(stateOf([key('pair')])).toBe('unnoticed');
  expect(stateOf([key('pair'), acceptedKey('process-recurring-payments')])).toBe('unnoticed');
  expect(stateOf([key('pair'), acceptedKey('close-day')])).toBe('noticed');
  expect(stateOf([key('other')])).toBe('unnoticed');
});

test('a case that shows a defect only sometimes, or that is not in the table, leaves the defect unknown', () => {
  expect(stateOf([key('rare')])).toBe('not known');
  expect(stateOf([key('a drawn value')])).toBe('not known');
  expect(stateOf([key('a drawn value', 'close-day/another')])).toBe('unnoticed');
});

test('no case detects a defect whose requirement does not count', () => {
  expect(stateOf([key('direct'), key('rare')], [])).toBe('unnoticed');
});

test('the defects give the same table again', { tag: '@all' }, async () => {
  const sample = mockDefects.filter((_, place) => place % 80 === 7);
  const { cases, witnesses } = await deriveWitnesses(sample);
  expect(new Set(cases)).toEqual(defectTable().cases);
  expect([...witnesses]).toEqual(sample.map(({ id }) => [id, defectTable().defects.get(id)]));
});

function unnoticedIn({ unnoticed }: Pick<Result, 'unnoticed'>): string[] {
  return unnoticed?.groups.flatMap(({ defects }) => defects) ?? [];
}

const narrowed = {
  gateway: ['close-day/*-refused', 'recurring/success-body-empty'],
  client: ['close-day/path', 'recurring/decodes-*'],
};

for (const side of ['gateway', 'client'] as const) {
  const all = side === 'gateway' ? mockDefects : usableClientDefects;
  const sample = all.filter((_, at) => at % 80 === 7);
  const others = all.filter((_, at) => at % 4 === 3 && at % 80 !== 7);
  for (const defects of [sample, others]) {
    test(`a narrowed run of a ${side} misses exactly the defects that it names, of ${defects.length} defects`, {
      tag: defects === sample ? [] : '@all',
    }, async () => {
      const [repeated, repetition] = [newRunCache(), newCallCache()];
      const options = { seed: '1', cases: 10, only: narrowed[side], profile: 'strict', usesOracle: false } as const;
      // Only the conclusion of a run with a defect matters.
      const run = async (id?: string, outcomesOnly = id !== undefined): Promise<Result> => {
        const { result } = await (side === 'gateway'
          ? runInProcess(
              completeRunOptions({ ...options, defects: id === undefined ? [] : [id] }, Date.now(), '/nowhere'),
              { usesOracle: false, cache: repeated, outcomesOnly },
            )
          : runClientInProcess(
              { ...options, repetition, outcomesOnly },
              usableClientDefects.filter((one) => one.id === id).map(({ alteration }) => alteration),
            ));
        return result;
      };
      const unnoticed = unnoticedIn(await run());
      expect(unnoticed.length).toBeGreaterThan(all.length / 2);
      for (const { id } of defects) {
        const { conclusion } = await run(id);
        expect([id, conclusion === 'non-conformant']).toEqual([id, !unnoticed.includes(id)]);
      }
    });
  }
}

test('a known failure, an unscored requirement and an undetermined requirement detect no defect', () => {
  const [one] = mockDefects.filter(({ breaks }) => breaks.length === 1);
  const [id] = one!.breaks;
  const onTheMock = (row: object) => {
    const result = resultOf({ [id!]: row });
    return { ...result, subject: { ...result.subject, target: 'mock' } };
  };
  const isUnnoticed = (row: object) => unnoticedIn(withUnnoticed(onTheMock(row), [])).includes(one!.id);
  expect(isUnnoticed({ outcome: 'pass' })).toBe(false);
  expect(isUnnoticed({ outcome: 'fail' })).toBe(false);
  expect(isUnnoticed({ outcome: 'fail', known: { reason: 'known' } })).toBe(true);
  expect(isUnnoticed({ outcome: 'pass', notScored: true })).toBe(true);
  expect(isUnnoticed({ outcome: 'inconclusive' })).toBe(true);
  expect(isUnnoticed({ outcome: 'pass', kind: 'expected' })).toBe(true);
  const aborted = { ...onTheMock({ outcome: 'pass' }), unnoticed: undefined, aborted: 'gone' };
  expect(withUnnoticed(aborted, []).unnoticed).toBeUndefined();
});
