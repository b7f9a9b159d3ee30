/** What changed on the wire although both runs pass, and what is drawn anew in each run and never a change. */
import policySchema from '../../../schemas/files/diff-policy.json' with { type: 'json' };
import { validate } from '../../../schemas/index.ts';
import type { Latency } from '../../../src/record/result/result.ts';
import { terminalText } from '../../../src/report/terminal.ts';
import { answerLines, diffDocument } from '../../../src/verdict/diff/diff-document.ts';
import { changeNames } from '../../../src/verdict/diff/difference.ts';
import { defaultPolicy } from '../../../src/verdict/diff/policy.ts';
import { expect, test } from '../../engine.ts';
import { textOf } from '../../house/tree.ts';
import { answer, diff, resultOf } from './runs.ts';

const kept = () => resultOf({ 'close-day/a': 'pass' });
const serial = '0000000a-0000-0000-0000-00000000000b';
const finished = `{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"${serial}"}`;
const refused = '{"response":{"status":"error","errorCode":"1"}}';
const run = (...cases: ReturnType<typeof answer>[]) => ({ result: kept(), cases });
const changes = (old: ReturnType<typeof answer>, fresh: ReturnType<typeof answer>) =>
  diff(run(old), run(fresh)).behaviour.map(({ change, name = '', renamedTo, old: then, new: now }) =>
    [change, renamedTo === undefined ? name : `${name} > ${renamedTo}`, then.join(), now.join()].join('|'),
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
  'a body where there was none': [
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

test('what is drawn for each answer is no change: serial numbers, dates, cookies, request ids, times', () => {
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

test('a name that is gone from all answers to one request and from some to another is one change', () => {
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

test('four changes are told once each, in words, the worst first', () => {
  const member = 'close-day/serial-present';
  const seen = (...answers: readonly (readonly [string, string])[]) =>
    answers.map(([openPoint, value]) => ({ openPoint, value, exchanges: [2] }));
  const again = (body: string, headers: readonly (readonly [string, string])[]) => {
    const one = answer(body, { special: 'again', headers });
    return { ...one, label: { ...one.label, openPoint: 'A7' } };
  };
  const length = ['Content-Length', '9'] as const;
  const chunked = Object.entries({ 'Transfer-Encoding': 'chunked', Server: 'x' });
  const old = {
    result: resultOf(
      { [member]: 'pass', 'close-day/a': 'pass' },
      { observations: seen(['A7', 'an id used before: accepted']) },
    ),
    cases: [header(length), again(finished, [length])],
  };
  const renamed = finished.replace('theRequestSerialNumber', 'serial');
  const fresh = {
    result: resultOf(
      { [member]: { outcome: 'fail', expected: 'the member theRequestSerialNumber' }, 'close-day/a': 'pass' },
      {
        observations: seen(
          ['A7', 'an id used before: refused'],
          ['A6', "status error, errorCode 400, 'used'"],
          ['A41', 'members of the body: further ones, serial'],
        ),
      },
    ),
    cases: [answer(renamed, { headers: chunked }), again(refused, chunked)],
  };
  const status = { openPoint: 'A6', value: 'status finished', exchanges: [1, 2] };
  const earlier = seen(['A41', 'members of the body: the documented ones']);
  old.result = { ...old.result, observations: [...old.result.observations, ...earlier, status] };
  fresh.result = { ...fresh.result, observations: [...fresh.result.observations, { ...status, exchanges: [1] }] };
  const text = terminalText(diffDocument(diff(old, fresh)), { colour: false, width: 200 });
  const lines = text
    .slice(text.indexOf('Newly broken'))
    .split('\n')
    .filter((line) => line.startsWith('  '));
  expect(lines).toEqual([
    '  1 requirement fails: member $.theRequestSerialNumber is renamed to serial',
    "  an id used before: refused, was accepted (A7): risky; answered with status error, errorCode 400, 'used'",
    '  header transfer-encoding in place of content-length (header-went): 1 exchange of close-day, first in exchange 1',
    '  header server is new (header-came): never there -> always there (1 exchange of close-day, first in exchange 1)',
  ]);
  expect(text).toMatch(
    /^breaks - compared 2 of 2 requirements and 3 open points; both runs would notice every known d/,
  );
});

test('a new name that leaves refusals unclear is one change, and a used id that is refused with it is another', () => {
  const by = (cases: Answered[], openAnswer: string, outcome: 'pass' | 'inconclusive') => {
    const member = { outcome: outcome === 'pass' ? outcome : ('fail' as const), expected: 'an object named response' };
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

test('cases are found by their labels, whatever their numbers; one that a run alone has is not compared', () => {
  const [plain, other] = [answer(finished), answer('', { special: 'other' })];
  const [moved, extra] = [{ ...plain, number: 7 }, answer('x', { special: 'extra' })];
  expect(diff(run(other, plain), run(extra, moved))).toMatchObject({ behaviour: [], comparedExchanges: 1 });
});

test('without exchanges verdicts are compared alone', () => {
  expect(diff(kept(), run(answer(finished))).comparedExchanges).toBeUndefined();
});

test('an open point has another answer only where both runs gave one', () => {
  const seen = (...values: string[]) => {
    const pairs = values.map((value) => value.split('=') as [string, string]);
    const observations = pairs.map(([openPoint, value]) => ({ openPoint, value, exchanges: [1] }));
    return resultOf({ 'close-day/a': 'pass' }, { observations });
  };
  const answers = (old: string[], fresh: string[]) =>
    diff(seen(...old), seen(...fresh)).answers.map(({ name, old: then, new: now }) => [name, then.join(), now.join()]);
  expect(answers(['A10=string'], ['A10=long'])).toEqual([['A10', 'string', 'long']]);
  expect(answers(['A9=count: x: accepted'], ['A9=count: x: refused'])).toEqual([
    ['A9', 'count: x: accepted', 'count: x: refused'],
  ]);
  expect(answers(['A9=count: x: accepted'], ['A9=count: y: refused'])).toEqual([]);
  expect(answers(['A9=count: x: accepted'], ['A9=count: x: undetermined, since its twin was not accepted'])).toEqual(
    [],
  );
  // One run gave both answers to the same question: something else decided.
  expect(answers(['A3=x: accepted'], ['A3=x: accepted', 'A3=x: refused'])).toEqual([]);
  // A gateway's words may repeat what was sent.
  expect(answers(["A6=status error, errorCode 4, 'id: 17'"], ["A6=status error, errorCode 4, 'id: 23'"])).toEqual([]);
  expect(answers(['A6=status finished'], ['A6=status finished', "A6=status error, errorCode 4, 'no'"])).toEqual([
    ['A6', '', "status error, errorCode 4, 'no'"],
  ]);
});

test('an operation is slower where a percentile more than doubled by 50 ms or more, in 20 answers or more, and never on the mock', () => {
  const timed = (more: Partial<Latency>, target = 'https://gateway.example') => {
    const latency = [{ operation: 'close-day' as const, count: 20, p50Ms: 10, p95Ms: 60, ...more }];
    return resultOf({ 'close-day/a': 'pass' }, { subject: { kind: 'gateway', name: 'g', target }, latency });
  };
  const found = (more: Partial<Latency>, target?: string) =>
    diff(timed({}, target), timed(more, target)).behaviour.map((change) => `${change.change} ${change.class}`);
  expect(found({ p95Ms: 121 })).toEqual(['slower risky']);
  expect(found({ p50Ms: 61 })).toEqual(['slower risky']);
  expect(found({ p95Ms: 120 })).toEqual([]);
  expect(found({ p50Ms: 59 })).toEqual([]);
  expect(found({ p95Ms: 9 })).toEqual(['faster allowed']);
  expect(found({ p95Ms: 999, count: 19 })).toEqual([]);
  expect(found({ p95Ms: 999 }, 'mock')).toEqual([]);
});

test('the policy classes a change by its first rule that fits; a forbidden one breaks, a risky one does not', () => {
  const [old, fresh] = [run(header(['Server', 'a'])), run(header())];
  const verdict = (...rules: object[]) => {
    const policy = { formatVersion: 1, rules } as typeof defaultPolicy;
    expect(validate('diff-policy', policy)).toEqual([]);
    const { verdict: said, behaviour } = diff(old, fresh, { policy });
    return `${said}: ${behaviour[0]!.class}`;
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
  const ofBatches = { change: 'header-went', operation: 'process-recurring-payments', is: 'forbidden' };
  expect(verdict(ofBatches)).toBe('safe: risky');
});

test('why a rule is there is printed, and a rule that fits nothing in either run is named', () => {
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
  expect(text).toContain('A rule of the policy fits nothing in either run: header-went Keep-Alife\n');
  expect(text).toMatch(
    /header server is gone .*: always there -> never there \(.*, because the settlement job relies on it\)\n/,
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
  expect(defaultPolicy.rules.map(({ change }) => change)).toEqual([...changeNames]);
  expect(defaultPolicy.rules.filter((rule) => rule.is === 'forbidden')).toEqual([]);
  const table = [...textOf('docs/reference/changes.md').matchAll(/^\| `([a-z-]+)` \| (allowed|risky|forbidden) \|/gm)];
  expect(table.map(([, change, is]) => ({ change, is }))).toEqual(defaultPolicy.rules);
  expect(policySchema.properties.rules.items.properties.change.enum).toEqual(['*', ...changeNames]);
});
