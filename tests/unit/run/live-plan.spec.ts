/** The plan of a live run: order, skipped cases, and worst case. */
import { requirementById } from '../../../contracts/requirements/index.ts';
import { planText } from '../../../src/app/live/live-run.ts';
import { liveOptionsInMemory, runLiveInMemory } from '../../../src/app/prove/live-in-memory.ts';
import { headerValues } from '../../../src/record/exchange.ts';
import { classify } from '../../../src/rules/answers/acceptance.ts';
import { Effects } from '../../../src/run/allowance/budget.ts';
import { plannedCases } from '../../../src/run/gateway/planned-cases.ts';
import { orderSteps, planRun, scenarioOf, titleOf } from '../../../src/run/live/plan.ts';
import { expect, test } from '../../engine.ts';
import { run } from '../app/run-command.ts';
import { liveOptions, totals, writeConfig } from './guarded.ts';

/** The planned cases of a run in their order, each with its phase and scenario. */
function casesIn(options: ReturnType<typeof liveOptions>) {
  return orderSteps(options).flatMap(({ phase, scenario, numbers }) => {
    const plan = plannedCases(scenario, options);
    return numbers.map((number) => ({ ...plan[number]!, phase, scenario: scenario.id }));
  });
}

const countCases = ({ phases }: ReturnType<typeof planRun>) => phases.reduce((total, { cases }) => total + cases, 0);

test('phases follow each other, and no two steps have one title', () => {
  const steps = orderSteps(liveOptions());
  const order = steps.map(({ phase }) => phase).filter((phase, at, all) => phase !== all[at - 1]);
  expect(order).toEqual(['first refusals', 'refusals', 'first positives', 'positives', 'observations', 'last']);
  const titles = steps.map(titleOf);
  expect(new Set(titles).size).toBe(titles.length);
  expect(steps.every((step) => scenarioOf(titleOf(step)) === step.scenario.id)).toBe(true);
});

test('the first positives are right requests of both operations, and only repetitions are faults after them', () => {
  const cases = casesIn(liveOptions());
  const firstCases = cases.filter(({ phase }) => phase === 'first positives');
  expect(firstCases.map(({ scenario }) => scenario)).toEqual(['close-day/minimal', 'recurring/one-row']);
  const lateCases = cases.filter(({ phase }) => phase === 'positives' || phase === 'observations');
  const faults = lateCases
    .filter(({ label }) => label.intent === 'fault')
    .map(({ phase, scenario }) => `${phase} ${scenario}`);
  expect([...new Set(faults)]).toEqual(['positives close-day/reused-nonce', 'positives recurring/reused-nonce']);
});

test('a run that is narrowed to refusals keeps one right request for each operation', () => {
  const steps = orderSteps(liveOptions({}, { only: ['authentication/*-unsigned-refused'] }));
  expect(steps.filter(({ phase }) => phase === 'first positives').map(({ scenario }) => scenario.id)).toEqual([
    'close-day/signature-faults',
    'recurring/signature-faults',
  ]);
});

test('a run that is narrowed sends what its requirements are judged by, and no more', () => {
  const planned = (only: string[], days = 1000) => {
    const allow = { 'closes-day': days, 'starts-payments': { count: days, total: `${days}.00` } };
    const plan = planRun(liveOptions({ allow }, { only }));
    return { plan, cases: countCases(plan) };
  };
  const unsigned = planned(['authentication/close-day-unsigned-refused'], 2);
  expect(unsigned.cases).toBe(5);
  expect(unsigned.plan.predicted).toEqual({ 'closes-day': 1, 'starts-payments': { count: 0, total: '0.00' } });
  expect(unsigned.plan.shownByEveryAnswer).toBeUndefined();
  // The requests between the two uses of a nonce are sent, because a gateway may remember only the last three nonces.
  expect(planned(['authentication/close-day-reused-nonce-refused']).cases).toBe(11);
  const one = planned(['close-day/open-gate-reported']).plan;
  expect(planText(one, { path: '/l', reach: 'you' } as never)).toContain(', endpoint 1111: 1 case\n');
  // Every answer shows the requirement: one valid request, and one fault for each required row.
  for (const [only, max, days] of [
    ['close-day/gate-sale-amount-form', 1, 1],
    ['close-day/finished-has-gates', 1, 1],
    ['close-day/status-200', 20, 1],
    ['recurring/status-present', 25, 0],
  ] as const) {
    const { cases, plan } = planned([only]);
    expect([only, cases <= max, plan.predicted['closes-day']]).toEqual([only, true, days]);
  }
  const { plan } = planned(['close-day/status-200', 'close-day/content-type']);
  expect(planText(plan, { path: '/l', reach: 'you' } as never)).toContain(
    '\n  every answer    can test close-day/status-200 and 1 more, so a few requests are enough\n',
  );
});

test('what --except leaves out is not sent, unless something else builds on it', () => {
  const abouts = (only: string[]) => casesIn(liveOptions({}, { only })).map(({ label }) => label.about);
  const row = 'authentication/close-day-wrong-signature-refused';
  const remaining = abouts([`!${row}`]);
  expect(abouts([]).filter((about) => about !== row)).toEqual(remaining);
  expect(remaining.length).toBeLessThan(abouts([]).length);
});

test('the same run has the same plan in every process, and another one other order ids', () => {
  const bodies = (runId: string) =>
    casesIn(liveOptions({}, { runId })).find(({ scenario }) => scenario === 'recurring/one-row')!.request.body[0]![1];
  expect(bodies('a')).toBe(bodies('a'));
  expect(bodies('a')).not.toBe(bodies('b'));
  expect(Buffer.from(bodies('a'), 'base64').toString()).toMatch(/\ncs[0-9a-f]{10}-.*;1234567890;1\.00\n$/);
});

test('without an allowance nothing is predicted, and every reason is named', () => {
  const plan = planRun(liveOptions({ unknownEndpointId: '9' }));
  expect(plan.atMost).toEqual({ 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } });
  expect(countCases(plan)).toBe(2);
  expect(plan.notSent.map(({ reason }) => reason)).toEqual(
    expect.arrayContaining([
      'the request could close a day, and allow has no closes-day',
      'the request could start payments, and allow has no starts-payments',
      'the batch names a recurring payment that the configuration does not list',
      'a row charges more than the configured amount',
    ]),
  );
});

const oneDay = { 'closes-day': 1, 'starts-payments': { count: 0, total: '0.00' } };

test('with one close-day allowed, one valid request and as many faults as refusals are trusted are sent', () => {
  for (const trustRefusals of [0, 10, 11, 100]) {
    const plan = planRun(liveOptions({ allow: oneDay, trustRefusals }));
    const cases = (phase: string) => plan.phases.find((found) => found.phase === phase)?.cases ?? 0;
    if (trustRefusals < 100) expect(cases('first refusals') + cases('refusals')).toBe(trustRefusals);
    expect([cases('first positives'), cases('positives'), cases('observations')]).toEqual([1, 0, 0]);
    expect([plan.predicted, plan.atMost].map((effects) => effects['closes-day'])).toEqual([1, 1]);
    expect(plan.ifRefusalsAreUntrue['closes-day']).toBe(1 + trustRefusals);
    const reason =
      `only ${trustRefusals} refusals of close-day are trusted (trust-refusals), ` +
      'and the rest of the allowance is reserved for valid requests';
    expect(plan.notSent.some((left) => left.reason === reason)).toBe(trustRefusals < 100);
  }
});

test('room to spare lets refusals be sent that are not believed, and 500 days and 800 payments bring further faults', () => {
  const planned = (days: number) =>
    planRun(liveOptions({ allow: { 'closes-day': days, 'starts-payments': { count: 900, total: '900.00' } } }));
  expect(planned(400).notSent.filter(({ reason }) => reason.includes('trusted'))).toEqual([]);
  expect(countCases(planned(500))).toBeGreaterThan(countCases(planned(499)) + 40);
});

test('the signature of an accepted request is sent once more, with another nonce, to both operations', async () => {
  const allow = { 'closes-day': 500, 'starts-payments': { count: 800, total: '800.00' } };
  const only = ['authentication/*-wrong-signature-refused'];
  const { cases } = await runLiveInMemory(liveOptionsInMemory({ seed: '7', only }, { allow }), []);
  const repeated = cases.filter(({ label }) => label.differsIn === 'the signature of an accepted request');
  expect(repeated.map(({ label }) => label.operation)).toEqual(['close-day', 'process-recurring-payments']);
  for (const testCase of repeated) {
    const { scenario, number } = testCase.label.twin!;
    const twin = cases.find((one) => one.scenario === scenario && one.number === number)!;
    const [reused, first] = [testCase, twin].map(
      ({ exchanges: [exchange] }) => headerValues(exchange.request.headers, 'authorization')[0],
    );
    const of = (name: string, line = '') => new RegExp(`${name}="([^"]+)"`).exec(line)![1];
    expect(of('oauth_signature', reused)).toBe(of('oauth_signature', first));
    expect(of('oauth_nonce', reused)).not.toBe(of('oauth_nonce', first));
    expect([testCase, twin].map(classify)).toEqual(['refused', 'accepted']);
  }
});

test('the allowance that a plan names for a whole run is the smallest that omits no case', () => {
  for (const input of [{}, { only: ['close-day/status-200'] }, { only: ['authentication/recurring-*'] }]) {
    const { wholeRun, requests, aboutSeconds } = planRun(liveOptions({}, input));
    expect([requests, aboutSeconds]).toEqual([0, 0]);
    const plan = planRun(liveOptions({ allow: wholeRun, rate: 2 }, input));
    expect(plan.notSent.filter(({ reason }) => reason.includes('allow'))).toEqual([]);
    expect(plan.requests).toBeGreaterThan(countCases(plan));
    expect(plan.aboutSeconds).toBe(Math.ceil(6 + plan.requests / 2));
    expect(plan.wholeRun).toEqual(wholeRun);
  }
  const { wholeRun } = planRun(liveOptions());
  const { count, total } = wholeRun['starts-payments'];
  const smaller = planRun(liveOptions({ allow: { ...wholeRun, 'starts-payments': { count: count - 1, total } } }));
  expect(smaller.notSent.some(({ reason }) => reason.includes('allow.starts-payments'))).toBe(true);
});

test('a required row that can be refused has its first refusal before any other refusal is sent', () => {
  const refusals = casesIn(liveOptions()).filter(({ phase }) => phase === 'first refusals' || phase === 'refusals');
  const first = refusals.filter(({ phase }) => phase === 'first refusals').map(({ label }) => label.about!);
  // First come all refusals of core rows, and one of each other row.
  const others = first.filter((about) => !/-(?:unsigned|wrong-key|altered-body)-refused$/.test(about));
  expect(new Set(others).size).toBe(others.length);
  const required = refusals.map(({ label }) => label.about!).filter((id) => requirementById(id)?.kind === 'required');
  expect(new Set(first)).toEqual(new Set(required));
});

test('requests to the endpoint that is named as unknown are part of the worst, and of nothing else', () => {
  const effects = ({ atMost, ifRefusalsAreUntrue }: ReturnType<typeof planRun>) => [atMost, ifRefusalsAreUntrue];
  const none = { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } };
  expect(effects(planRun(liveOptions()))).toEqual([none, none]);
  // Doctor sends one request for each operation, and so does the run.
  expect(effects(planRun(liveOptions({ unknownEndpointId: '9' })))).toEqual([
    none,
    { 'closes-day': 2, 'starts-payments': { count: 2, total: '2.00' } },
  ]);
});

/** Joins the lines of each fact of a plan. */
const unwrap = (plan: string) => plan.replace(/\n {10,}/g, ' ');

test('what an earlier run left is taken from the allowance', () => {
  const allow = { 'closes-day': 2, 'starts-payments': { count: 2, total: '2.00' } };
  const plan = planRun(liveOptions({ allow }), {
    carried: new Effects(1, 2, 200),
    byDoctor: new Effects(1, 0, 0),
    refusals: { closesDay: 0, payments: 0 },
  });
  expect(plan.atMost).toEqual({ 'closes-day': 1, 'starts-payments': { count: 0, total: '0.00' } });
  expect(plan.carried).toEqual({ 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } });
  expect(plan.carriedByDoctor).toEqual({ 'closes-day': 1, 'starts-payments': { count: 0, total: '0.00' } });
  const text = unwrap(planText(plan, { path: 'ledger', reach: 'this user' }));
  expect(text).toContain('starts-payments 2 with a total of 2.00 by doctor and unfinished runs; --forget-unfinished');
  expect(text).toContain(
    'closes-day 1, starts-payments 0 with a total of 0.00 by doctor, just before this run; the rest of the allowance remains',
  );
});

test('a plan says that nothing is encrypted on the way to another machine', () => {
  const textFor = (target: string) =>
    planText({ ...planRun(liveOptions()), target }, { path: 'ledger', reach: 'this user' });
  expect(textFor('http://gateway.example.com')).toContain('\n  not encrypted   plain HTTP: others on the network');
  for (const target of ['https://gateway.example.com', 'http://127.0.0.1:8080', 'http://[::1]/prefix'])
    expect(textFor(target), target).not.toContain('not encrypted');
});

test('before a run the plan names what may happen, and --dry-run has the reasons', () => {
  const plan = planRun(liveOptions({ allow: { 'closes-day': 1, 'starts-payments': { count: 1, total: '1.00' } } }));
  const text = unwrap(planText(plan, { path: 'ledger', reach: 'this user' }, { isBrief: true }));
  expect(text.match(/^ {2}[a-z ]+?(?= {2})/gm)).toEqual(
    ['allowed', 'expected', 'at worst', 'requests', 'ledger', 'not sent'].map((label) => `  ${label}`),
  );
  expect(text).toMatch(/\n {2}not sent +\d+ cases: --dry-run says why\n$/);
});

test('totals are sent where the configuration says what the gateway has, and nowhere else', () => {
  const judged = (config: Parameters<typeof liveOptions>[0], only: string[] = []) =>
    casesIn(liveOptions(config, { only })).filter(
      ({ label }) => label.about?.startsWith('close-day/accepts-') || label.differsIn === 'all four totals',
    );
  expect(judged({})).toEqual([]);
  // The case with all totals counts only if each total alone is accepted, so one requirement selects all these cases.
  expect(judged({ totals }, ['close-day/accepts-sale-approved-sum'])).toEqual(judged({ totals }));
  expect(judged({ totals }).map(({ request }) => request.body.slice(1))).toEqual([
    Object.entries(totals),
    ...Object.entries(totals).map((total) => [total]),
  ]);
});

test('tests of remembered timestamps come last, after the replays of the first requests', () => {
  const steps = orderSteps(
    liveOptions({ allow: { 'closes-day': 500, 'starts-payments': { count: 900, total: '900.00' } } }),
  );
  const lastSteps = steps.slice(steps.findIndex(({ phase }) => phase === 'last'));
  expect(lastSteps.map(({ scenario, phase }) => `${scenario.id} (${phase})`)).toEqual([
    'close-day/reused-nonce (last)',
    'recurring/reused-nonce (last)',
    'close-day/header-forms (last)',
    'recurring/header-forms (last)',
  ]);
});

test('the other forms of a refused batch are in what may happen at most, and in nothing that is expected', () => {
  const allow = { 'closes-day': 0, 'starts-payments': { count: 50, total: '9999999999.00' } };
  const plan = planRun(liveOptions({ allow }, { only: ['authentication/recurring-valid-accepted'] }));
  expect(plan.predicted['starts-payments'].count).toBe(1);
  // One batch, and five other forms that are sent twice each.
  expect(plan.atMost['starts-payments'].count).toBe(11);
  expect(plan.notSent).toEqual([]);
});

test('a narrowed run that can send nothing says which key of the configuration it needs', () => {
  const bare = { states: {}, totals: undefined };
  const nothing = (only: string) => planRun(liveOptions(bare as never, { only: [only] })).whyNothing;
  expect(nothing('close-day/closing-gate-error')).toContain('states.closing (');
  expect(nothing('close-day/locked-gate-reported')).toContain('states.locked (');
  expect(nothing('close-day/lock-removal')).toContain('control-url (');
  expect(nothing('close-day/accepts-sale-approved-sum')).toContain("totals (the gateway's own)");
  expect(nothing('close-day/one-result-per-gate')).toBeUndefined();
  expect(nothing('close-day/status-200')).toBeUndefined();
});

const oneEach = { 'closes-day': 1, 'starts-payments': { count: 1, total: '1.00' } };

test('one request is enough for the gates of the endpoint, which has no other with several', () => {
  const plan = planRun(liveOptions({ gates: 2, allow: oneEach }, { only: ['close-day/one-result-per-gate'] }));
  expect(plan.phases.map(({ phase, cases }) => [phase, cases])).toEqual([['first positives', 1]]);
});

test('a dry run prints the plan as text and JSON, and opens no connection', async () => {
  // No process listens on this port.
  const { config, env: secrets } = writeConfig(
    'http://127.0.0.1:1/paynet',
    'recurring: [{ id: "1234567890", amount: "1.00", saved-amount: "1.00" }]',
    'unknown-endpoint-id: "999999999"',
    'allow: { closes-day: 1, starts-payments: { count: 2, total: "2.00" } }',
  );
  const env = { XDG_STATE_HOME: test.info().outputPath('state'), ...secrets };
  const { exitCode, out: printed } = await run(['gateway', '--config', config, '--dry-run'], env);
  expect(exitCode).toBe(0);
  const text = unwrap(printed);
  expect(text).toMatch(
    /^ {2}requests {8}about \d+, including requests that check if the target answers, in about \d+ s or longer if the target is slow$/m,
  );
  expect(text).toMatch(
    /^ {2}a whole run {5}needs --allow closes-day=\d+ --allow starts-payments=\d+\/\d+\.00 with --seed \S+$/m,
  );
  expect(text).toContain('booked at most  closes-day 1, starts-payments 2 with a total of 2.00');
  expect(text).toContain(
    'at worst        closes-day 13, starts-payments 14 with a total of 14.00 if refused requests take effect anyway',
  );
  const narrowed = ['gateway', '--config', config, '--dry-run', '--only', 'authentication/*'];
  const { out } = await run([...narrowed, '--json', '--allow', 'closes-day=3'], env);
  const plan = JSON.parse(out);
  expect(plan.allow).toEqual({ 'closes-day': 3, 'starts-payments': { count: 0, total: '0.00' } });
  expect(plan.atMost).toEqual({ 'closes-day': 3, 'starts-payments': { count: 0, total: '0.00' } });
  expect(plan.notSent.map(({ reason }: { reason: string }) => reason)).toContain(
    'the request could start payments, and allow has no starts-payments',
  );
});
