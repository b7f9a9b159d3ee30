/** What one run determined and the other did not is neither fixed nor broken, and never makes a comparison safe. */
import type { Outcome } from '../../../src/record/result/result.ts';
import { plainText, textSections } from '../../../src/report/document.ts';
import { diffDocument } from '../../../src/verdict/diff/diff-document.ts';
import type { BehaviourChange, ChangedOutcome, Difference } from '../../../src/verdict/diff/difference.ts';
import { comparedInWords, verdictInWords } from '../../../src/verdict/diff/verdict.ts';
import { expect, test } from '../../engine.ts';
import { batchSentAgain } from '../report/all-outcomes.ts';
import { diff, resultOf } from './runs.ts';

const a = 'close-day/a';
const ids = (changes: readonly ChangedOutcome[]) => changes.map(({ id }) => id);
/** A run in which something else passes too: otherwise nothing could break. */
const run = (outcome: Outcome, more = {}) => resultOf({ [a]: outcome, 'close-day/other': 'pass' }, more);

const lists = ['newlyBroken', 'fixed', 'newlyUndetermined', 'newlyDetermined', 'added', 'retired'] as const;
const table: readonly (readonly [Outcome, Outcome, verdict: string, list: (typeof lists)[number] | undefined])[] = [
  ['pass', 'pass', 'safe', undefined],
  ['pass', 'fail', 'breaks', 'newlyBroken'],
  ['pass', 'inconclusive', 'not known', 'newlyUndetermined'],
  ['pass', 'error', 'not known', 'newlyUndetermined'],
  ['fail', 'pass', 'safe', 'fixed'],
  ['fail', 'fail', 'safe', undefined],
  ['fail', 'inconclusive', 'thin', 'newlyUndetermined'],
  ['inconclusive', 'pass', 'thin', 'newlyDetermined'],
  ['inconclusive', 'fail', 'not known', 'newlyDetermined'],
  ['inconclusive', 'inconclusive', 'thin', undefined],
  ['not-applicable', 'fail', 'not known', 'newlyDetermined'],
];
for (const [old, fresh, verdict, list] of table) {
  test(`${old} and then ${fresh} is ${verdict}${list === undefined ? '' : `, listed as ${list}`}`, () => {
    const difference = diff(run(old), run(fresh));
    expect(difference.verdict).toBe(verdict);
    for (const name of lists) expect([name, ids(difference[name])]).toEqual([name, name === list ? [a] : []]);
  });
}

const hazardous = { hazards: [batchSentAgain] };
const narrow = { scope: { only: ['close-day/*'] } };
for (const [what, old, fresh, verdict, list] of [
  ['that is new breaks', {}, hazardous, 'breaks', 'newlyBroken'],
  ['that is gone is fixed', hazardous, {}, 'safe', 'fixed'],
  ['in both runs changes nothing', hazardous, hazardous, 'safe', undefined],
  ['that a part of OLD did not show may be old', narrow, { ...narrow, ...hazardous }, 'not known', 'newlyDetermined'],
  ['that a part of NEW does not show is not known to be gone', hazardous, narrow, 'thin', 'newlyUndetermined'],
] as const) {
  test(`a hazard ${what}`, () => {
    const difference = diff(run('pass', old), run('pass', fresh));
    expect(difference.verdict).toBe(verdict);
    for (const name of lists)
      expect([name, ids(difference[name])]).toEqual([name, name === list ? [batchSentAgain.id] : []]);
    if (verdict === 'breaks') expect(difference.sentence).toContain('NEW has 1 hazard that OLD does not have: hazard/');
  });
}

const lets = (...defects: string[]) => {
  const groups = [{ operation: 'both' as const, dimension: 'behaviour' as const, defects }];
  return { unnoticed: { of: 400, count: defects.length, groups, notKnown: [], allowances: [] } };
};
const points = (...ids: string[]) => ({
  observations: ids.map((openPoint) => ({ openPoint, value: 'yes', exchanges: [] })),
});
const nothing = { 'closes-day': 0, 'starts-payments': 0 };
const unsent = { effects: { predicted: nothing, recorded: nothing, notSent: [{ reason: 'allowance', cases: 1 }] } };
const onMock = { subject: { kind: 'gateway', name: 'mock', target: 'mock' }, unnoticed: undefined } as const;
const every = 'both runs would notice every known defect';
for (const [what, old, fresh, verdict, words] of [
  ['of two whole runs is all', {}, {}, 'safe', `0 open points; ${every}`],
  [
    'of defects is what both would notice',
    lets('a', 'b'),
    lets('b', 'c'),
    'thin',
    '0 open points; both runs would notice 397 of 400 known defects',
  ],
  [
    'of defects may be unknown on a live target',
    {},
    { unnoticed: undefined },
    'thin',
    '0 open points; which defects both runs would notice is not known',
  ],
  ['of defects is all on the mock', onMock, onMock, 'safe', `0 open points; ${every}`],
  [
    'of points lacks what one left out',
    points('A1', 'A3'),
    { ...points('A1'), ...unsent },
    'thin',
    `1 of 2 open points; ${every}`,
  ],
  [
    'of open points lacks nothing that is new in NEW',
    points('A1'),
    points('A1', 'A3'),
    'safe',
    `1 open point; ${every}`,
  ],
] as const) {
  test(`what is compared ${what}`, () => {
    const difference = diff(run('pass', old), run('pass', fresh));
    const all = `compared 2 of 2 requirements and ${words}`;
    expect([difference.verdict, comparedInWords(difference.compared)]).toEqual([verdict, all]);
  });
}

test('two narrowed runs compare a part of the contract, and say what would compare more', () => {
  const { compared, sentence, verdict } = diff(run('pass', narrow), run('pass', narrow));
  expect([verdict, compared.requirements.both]).toEqual(['thin', 2]);
  expect(compared.requirements.of).toBeGreaterThan(60);
  expect(sentence).toContain('runs with a larger --allow and without --only or --except compare more');
});

test('a thin comparison says that no difference was seen only where none was', () => {
  const thin = { verdict: 'thin', answers: [], behaviour: [], fixed: [] } as const;
  expect(verdictInWords(thin)).toBe('no difference seen, thin');
  expect(verdictInWords({ ...thin, fixed: diff(run('fail'), run('pass')).fixed })).toBe('nothing broke, thin');
});

test('a requirement that does not apply any more, and says why, is no gap', () => {
  const gone = resultOf({ [a]: { outcome: 'not-applicable', reason: 'never seen' }, 'close-day/other': 'pass' });
  expect(diff(run('pass'), gone)).toMatchObject({ verdict: 'thin', gaps: [], newlyUndetermined: [{ id: a }] });
});

test('what is merely expected is no gap where the profile does not judge it', () => {
  const expected = (outcome: Outcome) => resultOf({ [a]: { outcome, kind: 'expected' }, 'close-day/other': 'pass' });
  expect(diff(expected('pass'), expected('inconclusive')).verdict).toBe('safe');
});

test('a gap is named in the sentence, and no gap is called fixed or broken', () => {
  const difference = diff(run('pass'), run('inconclusive'));
  expect(difference.sentence).toContain(a);
  expect(difference.gaps).toEqual([a]);
});

test('what --only left out of a run is undetermined there: neither retired nor added', () => {
  const narrowed = resultOf({ 'close-day/other': 'pass' }, { scope: { only: ['close-day/other'] } });
  expect(diff(run('pass'), narrowed)).toMatchObject({ verdict: 'not known', gaps: [a], retired: [] });
  expect(diff(narrowed, run('pass'))).toMatchObject({ verdict: 'thin', added: [], newlyDetermined: [{ id: a }] });
  const scope = { what: 'scope', old: 'close-day/other', new: 'all requirements' };
  expect(diff(narrowed, run('pass')).unlike).toContainEqual(scope);
});

test('a requirement that one suite alone has is added or retired, and one that is added and fails makes not known', () => {
  const without = resultOf({ 'close-day/other': 'pass' });
  expect(diff(without, run('pass'))).toMatchObject({ verdict: 'safe', added: [{ id: a, new: 'pass' }] });
  expect(diff(without, run('fail')).verdict).toBe('not known');
  const newer = { ...without, suite: { name: 'countersign', version: '0.2.0' } };
  expect(diff(run('pass'), newer)).toMatchObject({ verdict: 'safe', retired: [{ id: a, old: 'pass' }], gaps: [] });
  // The same suite retires nothing: what its report leaves out was not determined.
  expect(diff(run('pass'), without)).toMatchObject({ verdict: 'not known', retired: [], gaps: [a] });
});

test('a renamed requirement is compared with what it was', () => {
  const old = resultOf({ 'close-day/was': 'pass' });
  const renamed = { ids: { 'close-day/was': a } };
  const broken = { verdict: 'breaks', newlyBroken: [{ id: a, renamedFrom: 'close-day/was' }], added: [], retired: [] };
  const difference = diff(old, resultOf({ [a]: 'fail' }), { renamed });
  expect(difference).toMatchObject({ ...broken, renamed: [{ old: 'close-day/was', new: a }] });
});

test('another kind is named', () => {
  const old = resultOf({ [a]: { outcome: 'pass', kind: 'expected' } });
  expect(diff(old, resultOf({ [a]: 'pass' })).kindChanged).toEqual([{ id: a, old: 'expected', new: 'required' }]);
});

test('a run that was aborted, and one that kept nothing, leave everything open', () => {
  const aborted = { conclusion: 'aborted', aborted: 'why' } as const;
  expect(diff(run('pass'), run('pass', aborted)).verdict).toBe('not known');
  expect(diff(run('pass', aborted), run('pass')).verdict).toBe('not known');
  expect(diff(resultOf({}), run('pass')).verdict).toBe('not known');
  // What is broken is broken in a run that was aborted too.
  expect(diff(run('pass'), run('fail', aborted)).verdict).toBe('breaks');
});

test('Pact interactions that one run alone verified are undetermined in the other', () => {
  const call = { pact: 'p.json', interaction: 'a call', state: 's', mismatches: [] };
  const contract = (outcome: Outcome) => ({ contracts: [{ ...call, outcome }] });
  expect(diff(run('pass', contract('pass')), run('pass', contract('fail'))).verdict).toBe('breaks');
  expect(diff(run('pass', contract('pass')), run('pass')).verdict).toBe('not known');
  expect(diff(run('pass'), run('pass', contract('fail'))).verdict).toBe('not known');
  expect(diff(run('pass'), run('pass', contract('pass'))).verdict).toBe('safe');
  // An interaction that the Pact files no longer have is no gap.
  const newer = { contracts: [], suite: { name: 'countersign', version: '0.2.0' } };
  expect(diff(run('pass', contract('pass')), run('pass', newer)).verdict).toBe('safe');
});

test('runs without a verdict in common, and a fault of the suite in NEW, make not known', () => {
  expect(diff(run('pass'), resultOf({ 'close-day/other': 'pass' })).verdict).toBe('not known');
  expect(diff(run('pass'), resultOf({ [a]: 'error', 'close-day/other': 'pass' })).verdict).toBe('not known');
  const early = resultOf({ [a]: { outcome: 'pass', kind: 'expected' }, 'close-day/other': 'pass' });
  const binding = resultOf({ [a]: { outcome: 'inconclusive', kind: 'required' }, 'close-day/other': 'pass' });
  expect(diff(early, binding)).toMatchObject({ verdict: 'not known', gaps: [a] });
});

test('what the set of requirements does not have counts in neither run', () => {
  const later = (outcome: Outcome) => resultOf({ [a]: { outcome, notScored: true }, 'close-day/other': 'pass' });
  expect(diff(later('pass'), later('fail'))).toMatchObject({ verdict: 'safe', newlyBroken: [] });
});

test('several symptoms that name the same member are one cause', () => {
  const contracts = (outcome: Outcome) =>
    ['a call', 'another call', 'a third'].map((interaction, at) => ({
      pact: 'p.json',
      interaction,
      state: 's',
      outcome: at === 2 ? ('pass' as const) : outcome,
      mismatches: outcome === 'pass' || at === 2 ? [] : ['$: missing the following keys: theRequestSerialNumber'],
    }));
  const statementOf = (id: string) =>
    id === 'close-day/c' ? 'The status is 200.' : 'theRequestSerialNumber is there.';
  const results = (outcome: Outcome) => ({ [a]: outcome, 'close-day/b': outcome, 'close-day/c': outcome });
  const difference = diff(
    resultOf(results('pass'), { contracts: contracts('pass') }),
    resultOf(results('fail'), { contracts: contracts('fail') }),
    { statementOf },
  );
  const interactions = ['p.json: a call', 'p.json: another call'];
  const cause = { about: 'theRequestSerialNumber', requirements: [a, 'close-day/b'], interactions, ofInteractions: 3 };
  expect(difference.causes).toEqual([cause]);
});

test('what both runs fail, and what neither determined, is counted in the sentence', () => {
  const both = () => resultOf({ [a]: 'fail', 'close-day/b': 'inconclusive', 'close-day/other': 'pass' });
  expect(diff(both(), both()).sentence).toBe(
    'NEW keeps what both runs determined; 1 fails in both; 1 binding requirement was determined by neither; runs with a larger --allow compare more.',
  );
});

test('a gateway that takes what it refused is told of in words', () => {
  const head = { change: 'meaning', class: 'risky', operations: ['close-day'] } as const;
  const meaning = (old: string, fresh: string, times: number): BehaviourChange => ({
    ...head,
    old: [old],
    new: [fresh],
    seen: { times, exchanges: [1] },
  });
  const behaviour = [meaning('refused', 'accepted', 97), meaning('accepted', 'unclear', 1)];
  expect(linesOf({ ...diff(run('pass'), run('pass')), behaviour })).toEqual([
    'Risky changes of behaviour (2)',
    '97 requests that were refused are now accepted (meaning): close-day',
    '1 request that was accepted is now answered unclearly (meaning): close-day',
  ]);
});

test('what is not determined for one reason is one line', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'].map((id) => `close-day/${id}`);
  const all = (outcome: Outcome) =>
    Object.fromEntries(ids.map((id) => [id, { outcome, actual: id.endsWith('e') ? 'no answer' : 'no twin' }]));
  expect(linesOf(diff(resultOf(all('pass')), resultOf(all('inconclusive'))))).toEqual([
    'Not determined in NEW, kept in OLD (5)',
    'close-day/a, close-day/b, close-day/c and 1 more: pass -> inconclusive (no twin)',
    'close-day/e: pass -> inconclusive (no answer)',
  ]);
});

test('a value that is empty in one run is told so', () => {
  const head = { change: 'reason-phrase', class: 'allowed', name: 'HTTP 400', operations: ['close-day'] } as const;
  const phrase = { ...head, old: ['Bad Request'], new: [''], seen: { times: 7, exchanges: [1] } };
  expect(linesOf({ ...diff(run('pass'), run('pass')), behaviour: [phrase] })).toEqual([
    'Allowed changes of behaviour (1)',
    'other words behind HTTP 400 (reason-phrase): Bad Request -> (empty) (7 exchanges of close-day, first in exchange 1)',
  ]);
});

/** The headings and lines of a text. */
function linesOf(difference: Difference): string[] {
  return textSections(diffDocument(difference), 'terminal').flatMap(({ title, count, blocks }) => [
    `${title} (${count})`,
    ...blocks.flatMap((block) => ('list' in block ? block.list : [])).map((line) => plainText(line, 200)),
  ]);
}
