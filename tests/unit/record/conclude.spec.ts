/** Which rows count, and the conclusion for all combinations of kind, outcome and profile. */
import { updateBaseline } from '../../../src/app/config/scoring-files.ts';
import { conclude, exitCode, type WeighedRow, weighContracts } from '../../../src/record/result/conclude.ts';
import {
  type BaselineEntry,
  type ContractRow,
  type Outcome,
  outcomes,
  type Result,
  type ResultRow,
} from '../../../src/record/result/result.ts';
import { type Scoring, score } from '../../../src/record/result/score.ts';
import { expect, test } from '../../engine.ts';
import { batchSentAgain, resultOf, rows } from '../report/all-outcomes.ts';

type Kind = ResultRow['kind'];

const binding = {
  error: ['aborted', 'aborted'],
  fail: ['non-conformant', 'non-conformant'],
  inconclusive: ['partial', 'partial'],
  pass: ['conformant', 'conformant'],
  'not-applicable': ['conformant', 'conformant'],
} as const;
type Conclusion = Result['conclusion'];

/** The conclusions of a run with this requirement and one that passes: [with profile rfc5849, with profile strict]. */
const made: Record<Kind, Record<Outcome, readonly [Conclusion, Conclusion]>> = {
  required: binding,
  expected: { ...binding, inconclusive: ['conformant', 'partial'] },
  probe: binding,
};

const passing: WeighedRow = { kind: 'required', outcome: 'pass' };
const profiles = ['rfc5849', 'strict'] as const;
const kinds = Object.keys(made) as Kind[];
const allRows = kinds.flatMap((kind) => outcomes.map((outcome) => ({ kind, outcome, reason: 'a reason' })));

for (const row of allRows) {
  for (const [index, profile] of profiles.entries()) {
    const expected = made[row.kind][row.outcome][index]!;
    test(`one ${row.kind} row with outcome ${row.outcome} under ${profile} is ${expected}`, () => {
      expect(conclude([row, passing], { profile })).toBe(expected);
    });
  }
}

test('the worse of two rows decides the conclusion, in either order', () => {
  const severity: Conclusion[] = ['aborted', 'non-conformant', 'partial', 'conformant'];
  const wrong = profiles.flatMap((profile) =>
    allRows.flatMap((a) =>
      allRows.flatMap((b) => {
        const each = [a, b].map((row) => conclude([row, passing], { profile }));
        const worse = severity.find((conclusion) => each.includes(conclusion));
        const both = conclude([a, b, passing], { profile });
        return both === worse ? [] : [{ profile, a, b, both, graver: worse }];
      }),
    ),
  );
  expect(wrong).toEqual([]);
});

test('a binding row that is not applicable without a reason is a gap', () => {
  const silent: WeighedRow[] = [{ kind: 'required', outcome: 'not-applicable' }];
  expect(conclude([passing, ...silent], { profile: 'rfc5849' })).toBe('partial');
  expect(conclude([passing, { ...silent[0]!, reason: ' ' }], { profile: 'rfc5849' })).toBe('partial');
  expect(conclude([passing, { ...silent[0]!, kind: 'expected' }], { profile: 'rfc5849' })).toBe('conformant');
});

test('a run without a pass is never conformant', () => {
  expect(conclude([], { profile: 'rfc5849' })).toBe('partial');
  for (const row of allRows.filter(({ outcome }) => outcome !== 'pass'))
    for (const profile of profiles) expect(conclude([row, row], { profile })).not.toBe('conformant');
  expect(conclude([{ ...passing, notScored: true }], { profile: 'rfc5849' })).toBe('partial');
});

test('under an unknown profile expected rows do not bind', () => {
  const open: WeighedRow = { kind: 'expected', outcome: 'inconclusive' };
  expect(conclude([open, passing], { profile: 'of-a-later-version' })).toBe('conformant');
});

const codes: Record<Conclusion, number> = { conformant: 0, partial: 1, 'non-conformant': 1, aborted: 3 };

test('each conclusion has its exit code', () => {
  for (const [conclusion, code] of Object.entries(codes) as [Conclusion, number][])
    expect([conclusion, exitCode({ conclusion, profile: 'strict', results: [] })]).toEqual([conclusion, code]);
});

test('a row with a fault of the suite makes the exit code 3, whatever the conclusion says', () => {
  const results = [fullRow({ outcome: 'error' })];
  for (const conclusion of Object.keys(codes) as Conclusion[])
    expect(exitCode({ conclusion, profile: 'strict', results })).toBe(3);
});

test('a partial run is accepted on request only if every gap was chosen by the configuration, and no failure is', () => {
  const chosen = fullRow({ outcome: 'inconclusive', blame: 'configuration' });
  const required = fullRow({ outcome: 'inconclusive', blame: 'environment' });
  const partialRun = (results: ResultRow[]) => ({ conclusion: 'partial' as const, profile: 'rfc5849', results });
  expect(exitCode(partialRun([chosen]))).toBe(1);
  expect(exitCode({ ...partialRun([chosen]), acceptPartial: true })).toBe(0);
  expect(exitCode({ ...partialRun([chosen, required]), acceptPartial: true })).toBe(1);
  expect(exitCode({ ...partialRun([]), acceptPartial: true })).toBe(1);
  // A requirement that --require names binds, even with --accept-partial.
  const demanded = { ...chosen, kind: 'expected', demanded: true } as const;
  expect(conclude([fullRow({ outcome: 'pass' }), demanded], { profile: 'rfc5849' })).toBe('partial');
  expect(exitCode({ ...partialRun([demanded]), acceptPartial: true })).toBe(1);
  const failed = partialRun([fullRow({ outcome: 'fail', blame: 'configuration' })]);
  expect(exitCode({ ...failed, conclusion: 'non-conformant', acceptPartial: true })).toBe(1);
});

test('a crash of the target makes the run partial with exit code 1, also with --accept-partial', () => {
  const gone = { outcome: 'inconclusive', sentence: 'gone', fatal: true, requirements: [], exchanges: [1] } as const;
  const causes = [gone];
  const results = [fullRow({ outcome: 'pass' }), fullRow({ outcome: 'inconclusive', kind: 'expected' })];
  const conclusion = conclude(results, { profile: 'rfc5849', causes });
  expect(conclusion).toBe('partial');
  expect(exitCode({ conclusion, profile: 'rfc5849', results, causes, acceptPartial: true })).toBe(1);
});

test('the exit code of a shard is 0 if a row passes and no row fails or is open', () => {
  const scope = { only: [], shard: { index: 1, of: 2 } };
  const of = (...outcomes: (ResultRow['outcome'] | 'left-to-others')[]) => {
    const results = outcomes.map((outcome) =>
      outcome === 'left-to-others'
        ? fullRow({ outcome: 'inconclusive', blame: 'configuration' })
        : fullRow({ outcome, blame: 'environment' }),
    );
    const conclusion = conclude(results, { profile: 'rfc5849', isShard: true });
    return [conclusion, exitCode({ conclusion, profile: 'rfc5849', results, scope })];
  };
  expect(of('pass')).toEqual(['partial', 0]);
  expect(of('pass', 'left-to-others')).toEqual(['partial', 0]);
  expect(of('left-to-others')).toEqual(['partial', 1]);
  expect(of()).toEqual(['partial', 1]);
  expect(of('pass', 'inconclusive')).toEqual(['partial', 1]);
  expect(of('pass', 'fail')).toEqual(['non-conformant', 1]);
  expect(of('pass', 'error')).toEqual(['aborted', 3]);
});

function fullRow(row: Pick<ResultRow, 'outcome'> & Partial<ResultRow>): ResultRow {
  return { ...rows[0]!, reason: undefined, blame: undefined, ...row } as ResultRow;
}

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
] as const)
  test(`a hazard ${what}`, () => expect(exitCode(run(more))).toBe(code));

const entry: BaselineEntry = { id, reason: 'CL-7', expires: '2026-12-31' };
const withSentence = (sentence: string) => [expect.objectContaining({ sentence: expect.stringContaining(sentence) })];
const gone = [{ id, sentence: 'it no longer occurs' }];
for (const [what, more, entries, problems] of [
  ['an entry with a reason makes a hazard known', { hazards: [batchSentAgain] }, [entry], []],
  [
    'another sentence',
    { hazards: [batchSentAgain] },
    [{ ...entry, received: 'twice' }],
    withSentence(`it occurs with another value: `),
  ],
  ['an entry whose hazard no longer occurs is a problem', {}, [entry], gone],
  ['a part of a run says nothing of a hazard that it does not show', { scope: { only: ['x/*'] } }, [entry], []],
  ['a recording proves no absence', { subject: { kind: 'client', name: 'c', target: 'recording' } }, [entry], []],
  [
    'a hazard of a client at a gateway',
    { subject: { kind: 'gateway', name: 'g', target: 'mock' } },
    [entry],
    withSentence('of a gateway has this'),
  ],
  ['a misspelt hazard', {}, [{ ...entry, id: 'hazard/batch-send-again' }], withSentence(`the nearest is ${id}`)],
] as const satisfies readonly (readonly [string, Partial<Result>, readonly BaselineEntry[], unknown])[]) {
  test(what, () => {
    const parts = score(run(more), { baseline: { file: 'known.yaml', known: entries } });
    expect(parts.baseline!.problems).toEqual(problems);
    const expectedKnown = problems.length === 0 ? { reason: 'CL-7', expires: '2026-12-31' } : undefined;
    for (const hazard of parts.hazards ?? []) expect(hazard.known).toEqual(expectedKnown);
  });
}

test('an updated baseline lists each hazard once and drops one that is gone', () => {
  const update = (hazards: Result['hazards'], entries: readonly BaselineEntry[]) =>
    score(run(hazards === undefined ? {} : { hazards }), { baseline: { file: 'k', known: entries, update: true } });
  const added = update([batchSentAgain, batchSentAgain], []);
  expect(added.baseline!.updated).toEqual([{ id, reason: 'not explained yet; seen on 2026-01-31' }]);
  expect(exitCode(run({ ...added, failOn: 'hazard' }))).toBe(0);
  expect(update(undefined, [entry]).baseline!.updated).toEqual([]);
});

test.describe('what counts', () => {
  const id = 'close-day/status-200';
  const other = 'authentication/recurring-other-method-refused';
  const reason = 'GW-12, mended in 4.13';

  test('a failure with a reason is known, and the run may end with 0 although it stays non-conformant', () => {
    const run = judged([failing(id)], [{ id, reason, expires: '2026-01-31' }]);
    expect(run.results[0]!.known).toEqual({ reason, expires: '2026-01-31' });
    expect([run.conclusion, exitCode(run), run.baseline!.problems]).toEqual(['non-conformant', 0, []]);
  });

  test('an unlisted failure stays a failure', () => {
    const run = judged([failing(id), failing(other)], [{ id, reason }]);
    expect(run.results.map(({ known }) => known !== undefined)).toEqual([true, false]);
    expect(exitCode(run)).toBe(1);
  });

  const entryWith = (more: Partial<BaselineEntry> = {}) => ({ id, reason, ...more });
  const newReason = 'not explained yet; seen on 2026-01-31';
  const fault = /status 201, and not status 202/;
  const unknown = /no requirement, .* has this id/;
  const stale: Record<string, readonly [BaselineEntry, Outcome, RegExp, BaselineEntry?]> = {
    'passes by now': [entryWith(), 'pass', /^it passes$/],
    'has expired': [
      entryWith({ expires: '2026-01-30' }),
      'fail',
      /expired on 2026-01-30/,
      entryWith({ expires: '2026-03-02' }),
    ],
    'has an id of nobody': [entryWith({ id: 'close-day/no-such' }), 'fail', unknown],
    'has an id of the other side': [entryWith({ id: 'close-day/path' }), 'fail', unknown],
    'has no reason': [{ id }, 'fail', /no reason/, { id, reason: newReason }],
    'has a blank for a reason': [{ id, reason: ' ' }, 'fail', /no reason/, { id, reason: newReason }],
    'pins another text': [entryWith({ received: 'status 202' }), 'fail', fault, entryWith({ received: 'status 201' })],
  };

  for (const [what, [entry, outcome, sentence, corrected]] of Object.entries(stale)) {
    test(`an entry that ${what} makes the exit code 1, and the corrected one is accepted`, () => {
      const found = judgedRow(id, outcome);
      const run = judged([found], [entry]);
      expect(run.baseline!.problems).toEqual([
        { id: entry.id, sentence: expect.stringMatching(sentence), ...(corrected === undefined ? {} : { corrected }) },
      ]);
      expect(run.results.map(({ known }) => known)).toEqual([undefined]);
      expect(exitCode(run)).toBe(1);
      const rejudged = judged([found], corrected === undefined ? [] : [corrected]);
      expect(rejudged.baseline!.problems).toEqual([]);
      expect(exitCode(rejudged)).toBe(corrected === undefined && outcome === 'fail' ? 1 : 0);
    });
  }

  test('an entry that the run did not examine is left alone', () => {
    const entries = [other, 'some.json: an interaction'].map((one) => entryWith({ id: one }));
    const unclear = (['inconclusive', 'not-applicable'] as const).map((outcome) => judgedRow(other, outcome));
    for (const rows of [[], ...unclear.map((row) => [{ ...row, reason: 'r' }])])
      expect(judged([judgedRow(id, 'pass'), ...rows], entries).baseline!.problems).toEqual([]);
  });

  test('an interaction is known by its file and its description, and unknown where the contracts were verified without it', () => {
    const entries = ['a.json: closes', 'a.json: opens'].map((one) => entryWith({ id: one }));
    const run = judged([], entries, { contracts: [contract] });
    expect(run.contracts![0]!.known).toEqual({ reason });
    expect(run.baseline!.problems.map((problem) => problem.id)).toEqual(['a.json: opens']);
  });

  test('an updated baseline lists exactly the failures, and keeps their reasons', () => {
    const entries = [entryWith({ expires: '2026-12-31' }), entryWith({ id: 'close-day/content-type' })];
    const found = [failing(id), failing(other), judgedRow('close-day/content-type', 'pass')];
    const run = judged(found, entries, { update: true, contracts: [contract] });
    const added = [other, 'a.json: closes'].map((one) => ({ id: one, reason: newReason }));
    expect(run.baseline!.updated).toEqual([entries[0], ...added]);
    expect([run.baseline!.problems, exitCode(run)]).toEqual([[], 0]);
  });

  test('a written baseline that leaves exit code 1 comes with the change that makes it 0', async () => {
    const file = test.info().outputPath('known.yaml');
    const output = async (result: Result): Promise<string[]> => {
      const all: string[] = [];
      await updateBaseline({ ...result, baseline: { ...result.baseline!, file } }, (sentence) => all.push(sentence));
      return all;
    };
    const listed = expect.stringMatching(/known\.yaml now lists 1 known failure\.$/);
    expect(await output(judged([failing(id)], [], { update: true }))).toEqual([listed]);
    const open = judgedRow(other, 'inconclusive');
    const red = (end: RegExp) => expect.stringMatching(new RegExp(`^The exit code stays 1: ${end.source}`));
    const updated = judged([failing(id), open], [], { update: true });
    expect(exitCode(updated)).toBe(1);
    expect(await output(updated)).toEqual([listed, red(/.*1 requirement is inconclusive, and .* failures\.$/)]);
    const byConfiguration = judged([failing(id), { ...open, blame: 'configuration' }], [], { update: true });
    expect(await output(byConfiguration)).toEqual([listed, red(/[\s\S]* with --accept-partial the exit code is 0\.$/)]);
  });

  test('a requirement outside the set is judged, but counts neither as a failure nor as a gap', () => {
    const set = { name: '2026-11', ids: [id] };
    for (const outcome of ['fail', 'inconclusive'] as const) {
      const run = scored([judgedRow(id, 'pass'), judgedRow(other, outcome)], { set }, [contract]);
      expect(run.results.map(({ notScored }) => notScored)).toEqual([undefined, true]);
      expect([run.set, run.conclusion, exitCode(run)]).toEqual(['2026-11', 'conformant', 0]);
    }
    expect(scored([failing(other)], { set }).conclusion).toBe('partial');
    expect(scored([judgedRow(other, 'error')], { set }).conclusion).toBe('aborted');
  });

  const contract: ContractRow = {
    pact: 'a.json',
    interaction: 'closes',
    state: 'open',
    outcome: 'fail',
    mismatches: ['status 201'],
  };

  function judgedRow(id: string, outcome: Outcome): ResultRow {
    return { ...rows[0]!, id, outcome, expected: 'status 200', actual: 'status 201', exchanges: [] };
  }

  function failing(id: string): ResultRow {
    return judgedRow(id, 'fail');
  }

  function judged(
    results: readonly ResultRow[],
    known: readonly BaselineEntry[],
    { update, contracts }: { readonly update?: true; readonly contracts?: readonly ContractRow[] } = {},
  ): Result {
    return scored(results, { baseline: { file: 'known.yaml', known, update } }, contracts);
  }

  function scored(results: readonly ResultRow[], scoring: Scoring, contracts?: readonly ContractRow[]): Result {
    const whole = resultOf(results, { profile: 'rfc5849', startedAt: '2026-01-31T12:00:00.000Z' });
    const parts = score({ ...whole, contracts }, scoring);
    const weighed = [...parts.results, ...weighContracts(parts.contracts)];
    return { ...whole, ...parts, conclusion: conclude(weighed, { profile: whole.profile }) };
  }
});
