/** What of a run counts: known failures, entries of a baseline that no longer hold, and frozen sets. */
import { updateBaseline } from '../../../src/app/config/scoring-flags.ts';
import { conclude, exitCode } from '../../../src/record/result/conclude.ts';
import type { BaselineEntry, ContractRow, Outcome, Result, ResultRow } from '../../../src/record/result/result.ts';
import { type Scoring, score } from '../../../src/record/result/score.ts';
import { expect, test } from '../../engine.ts';
import { resultOf, rows } from '../report/all-outcomes.ts';

const id = 'close-day/status-200';
const other = 'authentication/recurring-other-method-refused';
const why = 'GW-12, mended in 4.13';

test('a failure with a reason is known, and the run may end with 0 although it stays non-conformant', () => {
  const run = judged([failing(id)], [{ id, reason: why, expires: '2026-01-31' }]);
  expect(run.results[0]!.known).toEqual({ reason: why, expires: '2026-01-31' });
  expect([run.conclusion, exitCode(run), run.baseline!.problems]).toEqual(['non-conformant', 0, []]);
});

test('a failure that nobody listed stays a failure', () => {
  const run = judged([failing(id), failing(other)], [{ id, reason: why }]);
  expect(run.results.map(({ known }) => known !== undefined)).toEqual([true, false]);
  expect(exitCode(run)).toBe(1);
});

/** Each of them is a finding, and says what would be right. */
const stale: Record<string, readonly [BaselineEntry, Outcome, RegExp, BaselineEntry | undefined]> = {
  'passes by now': [{ id, reason: why }, 'pass', /^it passes$/, undefined],
  'has expired': [
    { id, reason: why, expires: '2026-01-30' },
    'fail',
    /expired on 2026-01-30/,
    { id, reason: why, expires: '2026-03-02' },
  ],
  'has an id of nobody': [{ id: 'close-day/no-such', reason: why }, 'fail', /nothing .* has this id/, undefined],
  'has an id of the other side': [{ id: 'close-day/path', reason: why }, 'fail', /nothing .* has this id/, undefined],
  'has no reason': [{ id }, 'fail', /no reason/, { id, reason: 'not explained yet; seen on 2026-01-31' }],
  'has a blank for a reason': [
    { id, reason: ' ' },
    'fail',
    /no reason/,
    { id, reason: 'not explained yet; seen on 2026-01-31' },
  ],
  'pins another value': [
    { id, reason: why, received: 'status 202' },
    'fail',
    /status 201, and not status 202/,
    { id, reason: why, received: 'status 201' },
  ],
};

for (const [what, [entry, outcome, sentence, corrected]] of Object.entries(stale)) {
  test(`an entry that ${what} makes the exit code 1, and the corrected one is accepted`, () => {
    const found = { ...failing(id), outcome };
    const run = judged([found], [entry]);
    expect(run.baseline!.problems).toEqual([
      { id: entry.id, sentence: expect.stringMatching(sentence), ...(corrected === undefined ? {} : { corrected }) },
    ]);
    expect(run.results.map(({ known }) => known)).toEqual([undefined]);
    expect(exitCode(run)).toBe(1);
    const again = judged([found], corrected === undefined ? [] : [corrected]);
    expect(again.baseline!.problems).toEqual([]);
    expect(exitCode(again)).toBe(corrected === undefined && outcome === 'fail' ? 1 : 0);
  });
}

test('an entry that the run did not examine is left alone', () => {
  const entries = [
    { id: other, reason: why },
    { id: 'some.json: an interaction', reason: why },
  ];
  for (const outcome of ['inconclusive', 'not-applicable'] as const) {
    const run = judged(
      [
        { ...failing(id), outcome: 'pass' },
        { ...failing(other), outcome, reason: 'r' },
      ],
      entries,
    );
    expect(run.baseline!.problems).toEqual([]);
  }
  expect(judged([{ ...failing(id), outcome: 'pass' }], entries).baseline!.problems).toEqual([]);
});

test('an interaction is known by its file and its description, and unknown where the contracts were verified without it', () => {
  const entries = [
    { id: 'a.json: closes', reason: why },
    { id: 'a.json: opens', reason: why },
  ];
  const run = judged([], entries, { contracts: [contract] });
  expect(run.contracts![0]!.known).toEqual({ reason: why });
  expect(run.baseline!.problems.map((problem) => problem.id)).toEqual(['a.json: opens']);
});

test('an updated baseline lists what failed and nothing else, and keeps what was said of it', () => {
  const entries = [
    { id, reason: why, expires: '2026-12-31' },
    { id: 'close-day/content-type', reason: why },
  ];
  const passing = { ...failing('close-day/content-type'), outcome: 'pass' as const };
  const run = judged([failing(id), failing(other), passing], entries, { update: true, contracts: [contract] });
  expect(run.baseline!.updated).toEqual([
    entries[0],
    { id: other, reason: 'not explained yet; seen on 2026-01-31' },
    { id: 'a.json: closes', reason: 'not explained yet; seen on 2026-01-31' },
  ]);
  expect([run.baseline!.problems, exitCode(run)]).toEqual([[], 0]);
});

test('a baseline that leaves the exit code at 1 says so when it is written, and what makes it 0', async () => {
  const file = test.info().outputPath('known.yaml');
  const said = async (result: Result): Promise<string[]> => {
    const all: string[] = [];
    await updateBaseline({ ...result, baseline: { ...result.baseline!, file } }, (sentence) => all.push(sentence));
    return all;
  };
  const now = expect.stringMatching(/known\.yaml lists 1 known failure now\.$/);
  expect(await said(judged([failing(id)], [], { update: true }))).toEqual([now]);
  const open = { ...failing(other), outcome: 'inconclusive' as const };
  const stays = (end: RegExp) =>
    expect.stringMatching(new RegExp(`^With this baseline the exit code stays 1: ${end.source}`));
  const left = judged([failing(id), open], [], { update: true });
  expect(exitCode(left)).toBe(1);
  expect(await said(left)).toEqual([now, stays(/.* 1 that binds is inconclusive, and .* failures\.$/)]);
  const byConfiguration = judged([failing(id), { ...open, blame: 'configuration' }], [], { update: true });
  expect(await said(byConfiguration)).toEqual([now, stays(/.* --accept-partial makes it 0\.$/)]);
});

test('what a set does not have is judged and does not count, as a failure or as a gap', () => {
  const set = { name: '2026-11', ids: [id] };
  const passing = { ...failing(id), outcome: 'pass' as const };
  for (const outcome of ['fail', 'inconclusive'] as const) {
    const run = scored([passing, { ...failing(other), outcome }], { set }, [contract]);
    expect(run.results.map(({ notScored }) => notScored)).toEqual([undefined, true]);
    expect([run.set, run.conclusion, exitCode(run)]).toEqual(['2026-11', 'conformant', 0]);
  }
  expect(scored([failing(other)], { set }).conclusion).toBe('partial');
  expect(scored([{ ...failing(other), outcome: 'error' }], { set }).conclusion).toBe('aborted');
});

const contract: ContractRow = {
  pact: 'a.json',
  interaction: 'closes',
  state: 'open',
  outcome: 'fail',
  mismatches: ['status 201'],
};

function failing(of: string): ResultRow {
  return { ...rows[0]!, id: of, outcome: 'fail', expected: 'status 200', actual: 'status 201', exchanges: [] };
}

function judged(
  results: readonly ResultRow[],
  known: readonly BaselineEntry[],
  { update, contracts }: { readonly update?: true; readonly contracts?: readonly ContractRow[] } = {},
): Result {
  const baseline = { file: 'known.yaml', known, ...(update === undefined ? {} : { update }) };
  return scored(results, { baseline }, contracts);
}

function scored(results: readonly ResultRow[], scoring: Scoring, contracts?: readonly ContractRow[]): Result {
  const whole = resultOf(results, { profile: 'rfc5849', startedAt: '2026-01-31T12:00:00.000Z' });
  const parts = score({ ...whole, ...(contracts === undefined ? {} : { contracts }) }, scoring);
  const weighed = [...parts.results, ...(parts.contracts ?? []).map((row) => ({ ...row, kind: 'required' as const }))];
  return { ...whole, ...parts, conclusion: conclude(weighed, { profile: whole.profile }) };
}
