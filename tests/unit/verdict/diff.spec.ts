/** Comparison of two runs: outcomes, gaps, causes, and changes on the wire. */
import policySchema from '../../../schemas/files/diff-policy.json' with { type: 'json' };
import { validate } from '../../../schemas/index.ts';
import type { Outcome, Result, ResultRow } from '../../../src/record/result/result.ts';
import { plainText, textSections } from '../../../src/report/document.ts';
import { terminalText } from '../../../src/report/terminal.ts';
import { answerLines, diffDocument } from '../../../src/verdict/diff/diff-document.ts';
import {
  type BehaviourChange,
  type ChangedOutcome,
  changeTexts,
  type Difference,
} from '../../../src/verdict/diff/difference.ts';
import { defaultPolicy, formatCompared, formatVerdict } from '../../../src/verdict/diff/verdict.ts';
import { expect, test } from '../../engine.ts';
import { textOf } from '../../house/tree.ts';
import { batchSentAgain } from '../report/all-outcomes.ts';
import { answer, diff, resultOf } from './runs.ts';

const a = 'close-day/a';
const ids = (changes: readonly ChangedOutcome[]) => changes.map(({ id }) => id);
/** A run in which another row passes, because without a pass OLD kept nothing. */
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
    if (old === 'pass' && list === 'newlyUndetermined')
      expect([difference.gaps, difference.sentence]).toEqual([[a], expect.stringContaining(a)]);
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
    if (verdict === 'breaks') expect(difference.sentence).toContain('1 hazard that OLD does not have: hazard/');
    if (verdict === 'not known')
      expect(difference.sentence).toContain('1 hazard that OLD leaves undecided and NEW has');
  });
}

const unnoticedOf = (...defects: string[]) => {
  const groups = [{ operation: 'both' as const, dimension: 'behaviour' as const, defects }];
  return { unnoticed: { of: 400, count: defects.length, groups, notKnown: [], allowances: [] } };
};
const points = (...ids: string[]) => ({
  observations: ids.map((openPoint) => ({ openPoint, value: 'yes', exchanges: [] })),
});
const nothing = { 'closes-day': 0, 'starts-payments': 0 };
const unsent = { effects: { predicted: nothing, recorded: nothing, notSent: [{ reason: 'allowance', cases: 1 }] } };
const onMock = { subject: { kind: 'gateway', name: 'mock', target: 'mock' }, unnoticed: undefined } as const;
const full = 'both runs would notice every known defect';
for (const [what, old, fresh, verdict, words] of [
  ['of two whole runs is all', {}, {}, 'safe', `0 open points; ${full}`],
  [
    'of defects is what both would notice',
    unnoticedOf('a', 'b'),
    unnoticedOf('b', 'c'),
    'thin',
    '0 open points; both runs would notice 397 of 400 known defects',
  ],
  [
    'of defects may be unknown on a live target',
    {},
    { unnoticed: undefined },
    'thin',
    '0 open points; it is not known which defects both runs would notice',
  ],
  ['of defects is all on the mock', onMock, onMock, 'safe', `0 open points; ${full}`],
  [
    'of points lacks what one left out',
    points('A1', 'A3'),
    { ...points('A1'), ...unsent },
    'thin',
    `1 of 2 open points; ${full}`,
  ],
  ['of points lacks nothing that is new in NEW', points('A1'), points('A1', 'A3'), 'safe', `1 open point; ${full}`],
] as const) {
  test(`what is compared ${what}`, () => {
    const difference = diff(run('pass', old), run('pass', fresh));
    const all = `compared 2 of 2 requirements and ${words}`;
    expect([difference.verdict, formatCompared(difference.compared)]).toEqual([verdict, all]);
  });
}

test('two narrowed runs compare a part of the contract, and say which runs would compare more', () => {
  const { compared, sentence, verdict } = diff(run('pass', narrow), run('pass', narrow));
  expect([verdict, compared.requirements.both]).toEqual(['thin', 2]);
  expect(compared.requirements.of).toBeGreaterThan(60);
  expect(sentence).toContain('runs with a larger --allow and without --only or --except compare more');
});

test('a thin comparison says that it saw no difference only if there is none', () => {
  const thin = { verdict: 'thin', answers: [], behaviour: [], fixed: [] } as const;
  expect(formatVerdict(thin)).toBe('no difference found, thin');
  expect(formatVerdict({ ...thin, fixed: diff(run('fail'), run('pass')).fixed })).toBe('nothing broke, thin');
});

const other = 'close-day/other';
const of = (row: Outcome | Partial<ResultRow>) => resultOf({ [a]: row, [other]: 'pass' });
const expected = (outcome: Outcome) => of({ outcome, kind: 'expected' });
const unscored = (outcome: Outcome) => of({ outcome, notScored: true });
const newer = { suite: { name: 'countersign', version: '0.2.0' } };
const without = resultOf({ [other]: 'pass' });
const narrowed = resultOf({ [other]: 'pass' }, { scope: { only: [other] } });
const aborted = { conclusion: 'aborted', aborted: 'why' } as const;
const call = { pact: 'p.json', interaction: 'a call', state: 's', mismatches: [] };
const contract = (outcome: Outcome) => run('pass', { contracts: [{ ...call, outcome }] });
const unknown = { verdict: 'not known' };
const gap = { ...unknown, gaps: [a], retired: [] };
const scopeChange = { what: 'scope', old: other, new: 'all requirements' };
const sentence = (what: string) => ({ ...unknown, sentence: `1 Pact interaction that OLD ${what}: p.json: a call.` });
const compared: readonly (readonly [what: string, old: Result, fresh: Result, found: Record<string, unknown>])[] = [
  [
    'a requirement that no longer applies for a stated reason is no gap',
    run('pass'),
    of({ outcome: 'not-applicable', reason: 'never seen' }),
    { verdict: 'thin', gaps: [], newlyUndetermined: [{ id: a }] },
  ],
  ['an expected requirement is no gap', expected('pass'), expected('inconclusive'), { verdict: 'safe' }],
  ['an expected requirement that became binding is a gap', expected('pass'), of('inconclusive'), { gaps: [a] }],
  ['a requirement that --only left out in NEW is not retired', run('pass'), narrowed, gap],
  [
    'a requirement that --only left out in OLD is not added',
    narrowed,
    run('pass'),
    { verdict: 'thin', added: [], newlyDetermined: [{ id: a }], unlike: expect.arrayContaining([scopeChange]) },
  ],
  ['a new requirement is added', without, run('pass'), { verdict: 'safe', added: [{ id: a, new: 'pass' }] }],
  ['an added requirement may fail', without, run('fail'), unknown],
  [
    'a requirement that a newer suite lacks is retired',
    run('pass'),
    { ...without, ...newer },
    { verdict: 'safe', retired: [{ id: a, old: 'pass' }], gaps: [] },
  ],
  ['a requirement that the same suite lacks is a gap', run('pass'), without, gap],
  ['NEW was aborted', run('pass'), run('pass', aborted), unknown],
  ['OLD was aborted', run('pass', aborted), run('pass'), unknown],
  ['a failure counts in an aborted run too', run('pass'), run('fail', aborted), { verdict: 'breaks' }],
  ['OLD passes no requirement', resultOf({}), run('pass'), unknown],
  ['the suite failed in NEW', run('pass'), of('error'), unknown],
  ['a requirement outside the set', unscored('pass'), unscored('fail'), { verdict: 'safe', newlyBroken: [] }],
  ['a Pact interaction breaks', contract('pass'), contract('fail'), { verdict: 'breaks' }],
  ['a Pact interaction was not verified', contract('pass'), run('pass'), sentence('kept and NEW leaves undecided')],
  ['a Pact interaction is new', run('pass'), contract('fail'), sentence('leaves undecided and NEW breaks')],
  ['a new Pact interaction passes', run('pass'), contract('pass'), { verdict: 'safe' }],
  ['the Pact files lack a call', contract('pass'), run('pass', { contracts: [], ...newer }), { verdict: 'safe' }],
  [
    'a changed kind is named',
    resultOf({ [a]: { outcome: 'pass', kind: 'expected' } }),
    resultOf({ [a]: 'pass' }),
    { kindChanged: [{ id: a, old: 'expected', new: 'required' }] },
  ],
];
for (const [what, old, fresh, found] of compared) test(what, () => expect(diff(old, fresh)).toMatchObject(found));

test('a renamed requirement is compared with what it was', () => {
  const old = resultOf({ 'close-day/was': 'pass' });
  const renamed = { ids: { 'close-day/was': a } };
  const broken = { verdict: 'breaks', newlyBroken: [{ id: a, renamedFrom: 'close-day/was' }], added: [], retired: [] };
  const difference = diff(old, resultOf({ [a]: 'fail' }), { renamed });
  expect(difference).toMatchObject({ ...broken, renamed: [{ old: 'close-day/was', new: a }] });
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
  const about = ['close-day/serial-present', 'close-day/serial-type'];
  const results = (outcome: Outcome) => Object.fromEntries([...about, a].map((id) => [id, outcome]));
  const difference = diff(
    resultOf(results('pass'), { contracts: contracts('pass') }),
    resultOf(results('fail'), { contracts: contracts('fail') }),
  );
  const interactions = ['p.json: a call', 'p.json: another call'];
  const cause = { about: 'theRequestSerialNumber', requirements: about, interactions, ofInteractions: 3 };
  expect(difference.causes).toEqual([cause]);
});

test('the sentence counts failures of both runs and requirements that neither run decided', () => {
  const both = () => resultOf({ [a]: 'fail', 'close-day/b': 'inconclusive', 'close-day/other': 'pass' });
  expect(diff(both(), both()).sentence).toBe(
    'NEW keeps what both runs decided; failing in both runs: 1; binding, undecided in both runs: 1; runs with a larger --allow compare more.',
  );
});

test('a sentence says which requests a gateway accepts now and refused before', () => {
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

test('requirements that are undecided for one reason share a line', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'].map((id) => `close-day/${id}`);
  const all = (outcome: Outcome) =>
    Object.fromEntries(ids.map((id) => [id, { outcome, actual: id.endsWith('e') ? 'no answer' : 'no twin' }]));
  expect(linesOf(diff(resultOf(all('pass')), resultOf(all('inconclusive'))))).toEqual([
    'Undecided in NEW, passed in OLD (5)',
    'close-day/a, close-day/b, close-day/c and 1 more: pass -> inconclusive (no twin)',
    'close-day/e: pass -> inconclusive (no answer)',
  ]);
});

test('an empty value is named as empty', () => {
  const head = { change: 'reason-phrase', class: 'allowed', name: 'HTTP 400', operations: ['close-day'] } as const;
  const phrase = { ...head, old: ['Bad Request'], new: [''], seen: { times: 7, exchanges: [1] } };
  expect(linesOf({ ...diff(run('pass'), run('pass')), behaviour: [phrase] })).toEqual([
    'Allowed changes of behaviour (1)',
    'another reason phrase of HTTP 400 (reason-phrase): Bad Request -> (empty) (7 exchanges of close-day, first in exchange 1)',
  ]);
});

/** The headings and lines of a text. */
function linesOf(difference: Difference): string[] {
  return textSections(diffDocument(difference), 'terminal').flatMap(({ title, count, blocks }) => [
    `${title} (${count})`,
    ...blocks.flatMap((block) => ('list' in block ? block.list : [])).map((line) => plainText(line, 200)),
  ]);
}

test.describe('on the wire', () => {
  const passing = () => resultOf({ 'close-day/a': 'pass' });
  const serial = '0000000a-0000-0000-0000-00000000000b';
  const finished = `{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"${serial}"}`;
  const refused = '{"response":{"status":"error","errorCode":"1"}}';
  const run = (...cases: ReturnType<typeof answer>[]) => ({ result: passing(), cases });
  const changes = (old: ReturnType<typeof answer>, fresh: ReturnType<typeof answer>) =>
    diff(run(old), run(fresh)).behaviour.map(({ change, name = '', renamedTo, old: before, new: after }) =>
      [change, renamedTo === undefined ? name : `${name} > ${renamedTo}`, before.join(), after.join()].join('|'),
    );
  const header = (...headers: readonly (readonly [string, string])[]) => answer(finished, { headers });

  type Answered = ReturnType<typeof answer>;
  const changed = (from: string | RegExp, to: string) => answer(finished.replace(from, to));
  const wire: Readonly<Record<string, readonly [Answered, Answered, readonly string[]]>> = {
    'the same answer': [answer(finished), answer(finished), []],
    'a header that came': [header(), header(['Server', 'x']), ['header-came|server|never|always']],
    'a header that went': [header(['Keep-Alive', 'timeout=60']), header(), ['header-went|keep-alive|always|never']],
    'another header': [
      header(['Keep-Alive', 'timeout=60']),
      header(['Keep-Alive', 'timeout=5']),
      ['header-value|keep-alive|timeout=60|timeout=5'],
    ],
    'another order': [header(['A', '1'], ['B', '2']), header(['B', '2'], ['A', '1']), ['header-order||a, b|b, a']],
    'another spelling': [header(['Date', 'x']), header(['date', 'y']), ['header-spelling|date|Date|date']],
    'another type of a member': [
      answer(finished),
      changed('"finished","gates":[]', '"finished","n":1,"gates":null'),
      ['member-type|$.response.gates|list|null', 'member-came|$.response.n|never|always'],
    ],
    'a serial number in capitals': [
      answer(finished),
      changed(serial, serial.toUpperCase()),
      ['value-form|$.theRequestSerialNumber, its letters|small letters|capitals'],
    ],
    'another layout': [answer(finished), changed(',', ', '), ['body-layout|white space|none|between tokens']],
    'another status': [
      answer(refused),
      answer(refused, { status: 401 }),
      ['status||refused with HTTP 200|refused with HTTP 401'],
    ],
    'another meaning': [answer(finished), answer(refused), ['meaning||accepted|refused']],
    'a body that is chunked': [
      header(['Content-Length', '8']),
      header(['Transfer-Encoding', 'chunked']),
      ['header-went|content-length > transfer-encoding|always|never'],
    ],
    'another name': [
      answer(finished),
      changed('theRequestSerialNumber', 'serial'),
      ['member-went|$.theRequestSerialNumber > $.serial|always|never'],
    ],
    'a member of another kind in place of one': [
      answer(finished),
      changed(/"theRequestSerialNumber":".*"/, '"n":1'),
      ['member-went|$.theRequestSerialNumber|always|never', 'member-came|$.n|never|always'],
    ],
    'no body now': [
      answer('{}', { status: 401 }),
      answer('', { status: 401 }),
      ['body-kind||refused with JSON|refused with an empty body'],
    ],
    'a body instead of an empty body': [
      answer('', { status: 401 }),
      answer(' ', { status: 401 }),
      ['body-where-empty||refused with an empty body|refused with a body of blanks'],
    ],
  };
  for (const [what, [old, fresh, expected]] of Object.entries(wire)) {
    test(`${what} is ${expected.length === 0 ? 'no change' : 'named'}`, () => {
      expect(changes(old, fresh).sort()).toEqual([...expected].sort());
    });
  }

  test('drawn values are no change: serial numbers, dates, cookies, request ids, times', () => {
    const drawn = (seed: number) =>
      Array.from({ length: 6 }, (_, at) =>
        answer(finished.replace('0000000a', `0000${seed}${at}a0`), {
          headers: [
            ['Date', `Sat, 31 Jan 2026 12:00:0${at} GMT, ${seed}`],
            ['Set-Cookie', `route=${seed}${at}`],
            ['X-Trace', `${seed}-${at}`],
            ['Content-Length', String(100 + seed + at)],
          ],
        }),
      );
    expect(diff(run(...drawn(1)), run(...drawn(2)))).toMatchObject({ behaviour: [], verdict: 'safe' });
  });

  test('a name that is gone from all answers to one request, and from some answers to another, is one change', () => {
    const refused = (server: boolean, special: string) =>
      answer('{"response":{"status":"error"}}', { special, headers: server ? [['Server', 'x']] : [] });
    const [old, fresh] = [true, false].map((has) =>
      run(header(...(has ? [['Server', 'x'] as const] : [])), refused(has, 'one'), refused(true, 'two')),
    ) as [ReturnType<typeof run>, ReturnType<typeof run>];
    const { behaviour } = diff(old, fresh);
    expect(behaviour.map(({ change, name, new: now, seen }) => [change, name, now, seen?.times])).toEqual([
      ['header-went', 'server', ['sometimes'], 2],
    ]);
  });

  test('each of four changes is one line, the worst first', () => {
    const member = 'close-day/serial-present';
    const seen = (...answers: readonly (readonly [string, string])[]) =>
      answers.map(([openPoint, value]) => ({ openPoint, value, exchanges: [2] }));
    const repeated = (body: string, headers: readonly (readonly [string, string])[]) => {
      const one = answer(body, { special: 'again', headers });
      return { ...one, label: { ...one.label, openPoint: 'A7' } };
    };
    const length = ['Content-Length', '9'] as const;
    const chunked = Object.entries({ 'Transfer-Encoding': 'chunked', Server: 'x' });
    const finishedIn = (...exchanges: number[]) => ({ openPoint: 'A6', value: 'status finished', exchanges });
    const before = seen(['A7', 'an id used before: accepted'], ['A41', 'members of the body: the documented ones']);
    const old = {
      result: resultOf({ [member]: 'pass', [a]: 'pass' }, { observations: [...before, finishedIn(1, 2)] }),
      cases: [header(length), repeated(finished, [length])],
    };
    const renamed = finished.replace('theRequestSerialNumber', 'serial');
    const after = seen(
      ['A7', 'an id used before: refused'],
      ['A6', "status error, errorCode 400, 'used'"],
      ['A41', 'members of the body: further ones, serial'],
    );
    const broken = { outcome: 'fail', expected: 'the member theRequestSerialNumber' } as const;
    const fresh = {
      result: resultOf({ [member]: broken, [a]: 'pass' }, { observations: [...after, finishedIn(1)] }),
      cases: [answer(renamed, { headers: chunked }), repeated(refused, chunked)],
    };
    const text = terminalText(diffDocument(diff(old, fresh)), { colour: false, width: 200 });
    const lines = text
      .slice(text.indexOf('Newly broken'))
      .split('\n')
      .filter((line) => line.startsWith('  '));
    expect(lines).toEqual([
      '  1 requirement fails: member $.theRequestSerialNumber is renamed to serial',
      "  an id used before: refused, was accepted (A7): risky; answered with status error, errorCode 400, 'used'",
      '  header transfer-encoding instead of content-length (header-went): 1 exchange of close-day, first in exchange 1',
      '  header server is new (header-came): never present -> always present (1 exchange of close-day, first in exchange 1)',
    ]);
    expect(text).toMatch(
      /^breaks - compared 2 of 2 requirements and 3 open points; both runs would notice every known d/,
    );
  });

  test('a new name that makes refusals unclear is one change, and a refused used id is another change', () => {
    const by = (cases: Answered[], openAnswer: string, outcome: 'pass' | 'inconclusive') => {
      const member = {
        outcome: outcome === 'pass' ? outcome : ('fail' as const),
        expected: 'an object named response',
      };
      const rows = { 'close-day/response-member': member, 'close-day/wrong-refused': { outcome, exchanges: [2] } };
      const value = `an id used before: ${openAnswer}`;
      const observations = [{ openPoint: 'A7', value, exchanges: [3], confidence: 'low' as const }];
      return { result: resultOf(rows, { observations }), cases };
    };
    const sent = (...bodies: string[]) => bodies.map((body, at) => answer(body, { special: `case ${at}` }));
    const renamed = refused.replace('response', 'result');
    const found = diff(
      by(sent(finished, refused, finished), 'accepted', 'pass'),
      by(sent(finished, renamed, renamed), 'unclear', 'inconclusive'),
    );
    expect(found.behaviour).toContainEqual(expect.objectContaining({ change: 'member-went', renamedTo: '$.result' }));
    expect(found.behaviour.filter(({ new: now }) => now.includes('unclear'))).toEqual([]);
    expect(found.answers.map(({ old, new: now }) => [...old, ...now])).toEqual([
      ['an id used before: accepted', 'an id used before: refused'],
    ]);
    expect(found.causes).toMatchObject([{ requirements: ['close-day/response-member', 'close-day/wrong-refused'] }]);
  });

  test('cases are matched by label and not by number, and a case of only one run is not compared', () => {
    const [plain, other] = [answer(finished), answer('', { special: 'other' })];
    const [moved, extra] = [{ ...plain, number: 7 }, answer('x', { special: 'extra' })];
    expect(diff(run(other, plain), run(extra, moved))).toMatchObject({ behaviour: [], comparedExchanges: 1 });
  });

  test('without exchanges only verdicts are compared', () => {
    expect(diff(passing(), run(answer(finished))).comparedExchanges).toBeUndefined();
  });

  test('an open point has another answer only if both runs answered it', () => {
    const seen = (...values: string[]) => {
      const pairs = values.map((value) => value.split('=') as [string, string]);
      const observations = pairs.map(([openPoint, value]) => ({ openPoint, value, exchanges: [1] }));
      return resultOf({ 'close-day/a': 'pass' }, { observations });
    };
    const answers = (old: string[], fresh: string[]) =>
      diff(seen(...old), seen(...fresh)).answers.map(({ name, old: then, new: now }) => [name, `${then}`, `${now}`]);
    expect(answers(['A10=string'], ['A10=long'])).toEqual([['A10', 'string', 'long']]);
    expect(answers(['A9=count: x: accepted'], ['A9=count: x: refused'])).toEqual([
      ['A9', 'count: x: accepted', 'count: x: refused'],
    ]);
    expect(answers(['A9=count: x: accepted'], ['A9=count: y: refused'])).toEqual([]);
    expect(answers(['A9=count: x: accepted'], ['A9=count: x: undetermined, since its twin was not accepted'])).toEqual(
      [],
    );
    // If a run gave both answers to the question, something else decided.
    expect(answers(['A3=x: accepted'], ['A3=x: accepted', 'A3=x: refused'])).toEqual([]);
    // The gateway may quote the request.
    expect(answers(["A6=status error, errorCode 4, 'id: 17'"], ["A6=status error, errorCode 4, 'id: 23'"])).toEqual([]);
    expect(answers(['A6=status finished'], ['A6=status finished', "A6=status error, errorCode 4, 'no'"])).toEqual([
      ['A6', '', "status error, errorCode 4, 'no'"],
    ]);
  });

  test('an operation is slower if a percentile of 20 answers more than doubled by at least 50 ms, except on the mock', () => {
    const timed = (more: Partial<NonNullable<Result['latency']>[number]>, target = 'https://gateway.example') => {
      const latency = [{ operation: 'close-day' as const, count: 20, p50Ms: 10, p95Ms: 60, ...more }];
      return resultOf({ 'close-day/a': 'pass' }, { subject: { kind: 'gateway', name: 'g', target }, latency });
    };
    const found = (more: Partial<NonNullable<Result['latency']>[number]>, target?: string) =>
      diff(timed({}, target), timed(more, target)).behaviour.map((change) => `${change.change} ${change.class}`);
    expect(found({ p95Ms: 121 })).toEqual(['slower risky']);
    expect(found({ p50Ms: 61 })).toEqual(['slower risky']);
    expect(found({ p95Ms: 120 })).toEqual([]);
    expect(found({ p50Ms: 59 })).toEqual([]);
    expect(found({ p95Ms: 9 })).toEqual(['faster allowed']);
    expect(found({ p95Ms: 999, count: 19 })).toEqual([]);
    expect(found({ p95Ms: 999 }, 'mock')).toEqual([]);
  });

  test('the first rule of the policy that matches classifies a change: forbidden breaks, risky does not', () => {
    const [old, fresh] = [run(header(['Server', 'a'])), run(header())];
    const verdict = (...rules: object[]) => {
      const policy = { formatVersion: 1, rules } as typeof defaultPolicy;
      expect(validate('diff-policy', policy)).toEqual([]);
      const { verdict: overall, behaviour } = diff(old, fresh, { policy });
      return `${overall}: ${behaviour[0]!.class}`;
    };
    expect(verdict()).toBe('safe: risky');
    expect(verdict({ change: 'header-went', is: 'forbidden' })).toBe('breaks: forbidden');
    expect(verdict({ change: '*', name: 'S*v*r', is: 'forbidden' })).toBe('breaks: forbidden');
    const [first, second] = [
      { change: 'header-went', name: 'server', is: 'allowed' },
      { change: '*', is: 'forbidden' },
    ];
    expect(verdict(first!, second!)).toBe('safe: allowed');
    expect(verdict({ change: 'header-went', name: 'serve', is: 'forbidden' })).toBe('safe: risky');
    const batchRule = { change: 'header-went', operation: 'process-recurring-payments', is: 'forbidden' };
    expect(verdict(batchRule)).toBe('safe: risky');
  });

  test('the reason of a rule is printed, and a rule that matches nothing in either run is named', () => {
    const [old, fresh] = [run(header(['Server', 'a'], ['Via', 'b'])), run(header(['Via', 'b']))];
    const rules = [
      { change: 'header-went', name: 'server', is: 'forbidden', because: 'the settlement job relies on it' },
      { change: 'header-went', name: 'via', is: 'forbidden' },
      { change: 'header-went', name: 'Keep-Alife', is: 'forbidden' },
      { change: 'member-came', name: '$.answer.*', is: 'risky' },
      { change: 'open-answer', name: 'A10', is: 'risky' },
      { change: 'slower', name: 'of-late', is: 'risky' },
    ] as const;
    const found = diff(old, fresh, { policy: { formatVersion: 1, rules } });
    expect(validate('diff', found)).toEqual([]);
    expect(found.idleRules).toEqual(['header-went Keep-Alife', 'member-came $.answer.*', 'open-answer A10']);
    const text = terminalText(diffDocument(found), { colour: false, width: 200 });
    expect(text).toContain('The name in a rule of the policy occurs in neither run: header-went Keep-Alife\n');
    expect(text).toMatch(
      /header server is gone .*: always present -> never present \(.*, because the settlement job relies on it\)\n/,
    );
    const answered = {
      ...found.behaviour[0]!,
      change: 'open-answer',
      name: 'A10',
      old: ['text'],
      new: ['number'],
    } as const;
    expect(answerLines([answered])).toMatchObject([
      {
        name: 'Is errorCode text or a number: number, was text (A10)',
        text: expect.stringMatching(/^forbidden, because/),
      },
    ]);
  });

  test('the default names each kind of change once and forbids none; the schema of a policy and the page on it name the same', () => {
    expect(validate('diff-policy', defaultPolicy)).toEqual([]);
    expect(defaultPolicy.rules.map(({ change }) => change)).toEqual(Object.keys(changeTexts));
    expect(defaultPolicy.rules.filter((rule) => rule.is === 'forbidden')).toEqual([]);
    const table = [...textOf('docs/reference/changes.md').matchAll(/^- `([a-z-]+)` \((allowed|risky|forbidden)\):/gm)];
    expect(table.map(([, change, is]) => ({ change, is }))).toEqual(defaultPolicy.rules);
    expect(policySchema.properties.rules.items.properties.change.enum).toEqual(['*', ...Object.keys(changeTexts)]);
  });
});
