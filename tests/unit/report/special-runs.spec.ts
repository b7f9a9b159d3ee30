/** Compares reports of special runs, hazards and Pact contracts with the files in golden/. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { conclude, exercisedIn, exitCode, weighContracts } from '../../../src/record/result/conclude.ts';
import type { ContractRow, Result, ResultRow } from '../../../src/record/result/result.ts';
import { annotations } from '../../../src/report/ci.ts';
import { formats } from '../../../src/report/formats.ts';
import { causesOf } from '../../../src/verdict/causes.ts';
import { expect, test } from '../../engine.ts';
import {
  batchSentAgain,
  broken,
  golden,
  passed,
  reported,
  resultOf,
  rows,
  unnoticed,
  unverified,
  withHazards,
  written,
} from './all-outcomes.ts';

test('the text of the sample equals the golden file', () => {
  const text = written.text(withHazards);
  expect(text).toBe(golden('all-outcomes.txt', text));
});

// The page has its own tests in report-page.spec.ts.
for (const { file, write } of formats.filter((format) => format.file !== 'report.html')) {
  test(`${file} of the sample equals the golden file`, async () => {
    const text = await write(reported(withHazards));
    const actual = file === 'ctrf.json' ? memberLines(text) : text;
    expect(actual).toBe(golden(`sample-${file}`, actual));
  });
}

function memberLines(ctrf: string): string {
  const { results, ...rest } = JSON.parse(ctrf);
  const { tests, ...others } = results;
  const members = [...Object.entries({ ...rest, ...others }).map(([name, value]) => ({ [name]: value })), ...tests];
  return members.map((member) => `${JSON.stringify(member)}\n`).join('');
}

const row = (id: string, more: Partial<ResultRow> = {}): ResultRow => ({
  ...rows.find((one) => one.id === id)!,
  ...more,
});
const passes = row('authentication/passes');
const fails = row('authentication/fails');
const unclear = row('recurring/unclear', { reason: 'nothing was accepted' });
const none = { 'closes-day': 0, 'starts-payments': 0 };

function runOf(chosen: readonly ResultRow[], more: Partial<Result> = {}): Result {
  const subject = { kind: 'gateway', name: 'shop', target: 'http://127.0.0.1:1/paynet' } as const;
  return resultOf(chosen, { observations: [], effects: { predicted: none, recorded: none }, subject, ...more });
}

const green = (more: Partial<Result> = {}) => runOf([passes], { profile: 'rfc5849', ...more });

const unseen = { outcome: 'not-applicable', reason: 'condition never observed' } as const;
const incomplete = runOf([
  passes,
  { ...passes, ...unseen, id: 'transport/https-served', hint: 'Run against an https base URL.' },
  { ...passes, ...unseen, id: 'close-day/totals-true' },
  { ...passes, ...unseen, id: 'recurring/keep-alive-kept', kind: 'expected' },
]);
const exercised = { ...incomplete, exercised: exercisedIn(incomplete) };
const failsToo = { ...fails, id: 'close-day/fails-too', hint: 'Mend the other.', expected: 'another' };
const wrongSecret = 'The consumer secret is wrong';
const right = `POST&${'x'.repeat(200)}&a%3D1%26oauth_nonce%3Dn`;
const explained = {
  exchange: 4,
  deviations: [{ id: 'body-left-out', summary: 'It is not signed.', fix: 'Sign it.', snippet: 'sign(\n  body)' }],
  facts: [],
  triedCount: 1,
  baseStrings: { right, signed: right.replace('a%3D1%26', '') },
};
const dimensions = ['behaviour', 'response-decoding', 'signing', 'transport'] as const;
const failingRows = dimensions.map((dimension, at) => ({
  ...fails,
  id: `close-day/${dimension}`,
  dimension,
  exchanges: [at + 1],
}));
const frequent = [
  { ...fails, id: 'close-day/seldom', dimension: 'signing' as const, exchanges: [1, 2, 3] },
  { ...fails, id: 'close-day/mostly', dimension: 'transport' as const, exchanges: [...Array(567).keys()] },
];

const runs: Readonly<Record<string, Result>> = {
  'the conclusion is the first line': runOf([passes, fails]),
  'an operation without a verdict is named': runOf([
    passes,
    row('recurring/unclear', { id: 'recurring/path', outcome: 'not-applicable', reason: 'not offered' }),
  ]),
  'requirements that never arose are listed with a hint': exercised,
  'on the mock the requirement of HTTPS is not listed as never arisen': {
    ...exercised,
    subject: { kind: 'gateway', name: 'built-in mock', target: 'mock' },
  },
  'known failures without a reason are counted': runOf(
    [{ ...fails, known: { reason: 'not explained yet; seen on 2026-01-31' } }],
    { baseline: { file: 'known.yaml', problems: [] } },
  ),
  'known failures have their reason': runOf([{ ...fails, known: { reason: 'GW-12' } }], {
    baseline: { file: 'known.yaml', problems: [] },
  }),
  'a conformant run with an outdated baseline entry is not green': runOf([passes], {
    baseline: { file: 'known.yaml', problems: [{ id: 'close-day/status-200', sentence: 'it passes' }] },
  }),
  'a cause of several inconclusive requirements is printed once': runOf([
    unclear,
    { ...unclear, id: 'close-day/other', reason: 'another cause' },
    { ...unclear, id: 'close-day/of-the-same-cause', kind: 'expected' },
  ]),
  'without causes, as in an older report, each requirement is a group': runOf(
    [unclear, { ...unclear, id: 'close-day/of-the-same-cause' }],
    { causes: undefined },
  ),
  'failures with the same answer in the same exchanges are one group': runOf([
    fails,
    failsToo,
    { ...failsToo, id: 'close-day/elsewhere', exchanges: [9] },
  ]),
  'a failure that may follow from another keeps its received value': runOf([fails, failsToo], {
    causes: causesOf([
      { row: fails },
      { row: failsToo, blocker: { text: 'it cannot be read', mayBreak: [fails.id as RequirementId], exchanges: [] } },
    ]),
  }),
  'a failure of signing comes first': runOf(failingRows),
  'the most frequent failure of a client comes first': runOf(frequent, {
    exchangeCount: 590,
    subject: { kind: 'client', name: 'shop', target: 'node shop.mjs' },
  }),
  'failures of a gateway are sorted by dimension, not by frequency': runOf(frequent, { exchangeCount: 590 }),
  'an explained wrong signature has both base strings and the fix': runOf([
    { ...fails, expected: 'AAAA=', actual: 'BBBB=', explanations: [explained] },
  ]),
  'the first step that differs is compared, and more effects than expected are explained': runOf(
    [{ ...fails, firstStage: { exchange: 4, stage: 'base string', expected: 'POST&a', actual: 'POST&b', offset: 5 } }],
    { effects: { predicted: none, recorded: { ...none, 'closes-day': 2 } } },
  ),
  'the reason of an aborted run is printed once': runOf(
    [row('service/answered-probe-unclear', { actual: `not sent: ${wrongSecret}` })],
    { conclusion: 'aborted', aborted: wrongSecret, notes: [`Not sent (2 cases): ${wrongSecret}.`] },
  ),
  'an aborted run without rows has no table': runOf([], {
    conclusion: 'aborted',
    aborted: 'The adapter did not answer hello.',
  }),
  'a refused valid request has its base string on one line': runOf([
    {
      ...fails,
      explanations: [
        { exchange: 4, deviations: [], facts: ['compare the base string.'], triedCount: 0, baseString: right },
      ],
    },
  ]),
  'a requirement without a request has the hint of the run': runOf([
    { ...fails, outcome: 'inconclusive', exchanges: [], actual: 'not sent', hint: 'Allow it.' },
  ]),
  'a hazard of a green run comes first': green({ hazards: [batchSentAgain] }),
  'two hazards share their hint': green({ hazards: [batchSentAgain, batchSentAgain] }),
  'a known hazard is listed with its reason': green({ hazards: [{ ...batchSentAgain, known: { reason: 'CL-7' } }] }),
  'a hazard that fails the run explains the exit code': green({ hazards: [batchSentAgain], failOn: 'hazard' }),
  'a hazard that fails a partial run explains the exit code': green({
    hazards: [batchSentAgain],
    failOn: 'hazard',
    conclusion: 'partial',
  }),
  'defects that the run would not notice are grouped, with options to notice more': runOf([passes], { unnoticed }),
  'a run that notices all defects says so': runOf([passes], {
    unnoticed: { ...unnoticed, count: 0, groups: [], notKnown: [], allowances: [] },
  }),
  'passed Pact interactions are counted': runOf([passes], { contracts: [passed, passed] }),
  'a failed Pact interaction has its mismatches': runOf([passes], {
    contracts: [passed, broken],
    conclusion: 'non-conformant',
  }),
  'an aborted run says why no Pact interaction could be verified': runOf([passes], {
    contracts: [unverified],
    conclusion: 'aborted',
  }),
};

function textsOf(result: Result): string {
  const heading = written.page(result).match(/<title>.*?<\/title>|<h1[\s\S]*?<\/h1>/g)!;
  const marks = written.junit(result).match(/<testsuites.*|<(?:failure|error|skipped|system-out)[^>]*>/g)!;
  const parts = [heading.slice(0, 2).join('\n'), written.text(result, 100), marks.join('\n'), annotations(result)];
  return parts.map((part) => part.trimEnd()).join('\n---\n');
}

const current = Object.entries(runs).map(([fact, result]) => `=== ${fact}\n${textsOf(result)}\n`);
const stored = golden('special-runs.txt', current.join('')).split(/^(?==== )/m);

for (const [at, fact] of Object.keys(runs).entries())
  test(fact, () => expect(current[at]).toBe(stored.find((part) => part.startsWith(`=== ${fact}\n`))));

test('every part of the golden file has a run', () => {
  expect(stored).toHaveLength(current.length);
});

const unanswered: ContractRow = { ...broken, outcome: 'inconclusive', blame: 'environment', mismatches: ['no answer'] };

const contractCases = [
  ['interactions that hold', [passed], 'conformant', 0],
  ['an interaction that does not hold', [passed, broken], 'non-conformant', 1],
  ['an interaction that was not answered', [passed, unanswered], 'partial', 1],
  ['an interaction that could not be verified', [broken, unverified], 'aborted', 3],
] as const;

for (const [what, contracts, conclusion, code] of contractCases) {
  test(`${what} in a run whose rows all pass: ${conclusion}, exit code ${code}`, () => {
    const result = resultWith(contracts);
    expect(result.conclusion).toBe(conclusion);
    expect(exitCode(result)).toBe(code);
  });
}

test('--accept-partial does not accept an unanswered Pact interaction', () => {
  expect(exitCode({ ...resultWith([unanswered]), acceptPartial: true })).toBe(1);
});

test('ctrf.json has a test for each Pact interaction', () => {
  const tests = JSON.parse(written.ctrf(resultWith([passed, broken]))).results.tests;
  expect(tests.slice(1)).toMatchObject([
    { name: passed.interaction, status: 'passed', suite: ['pact'], extra: { pact: passed.pact, state: passed.state } },
    { name: broken.interaction, status: 'failed', suite: ['pact'], message: expect.stringContaining('$.response') },
  ]);
});

function resultWith(contracts: readonly ContractRow[]): Result {
  const passing = rows.slice(0, 1);
  const conclusion = conclude([...passing, ...weighContracts(contracts)], { profile: 'strict' });
  return resultOf(passing, { contracts, conclusion });
}

const hazardous = (more: Partial<Result> = {}) => green({ hazards: [batchSentAgain], ...more });
const writers: Readonly<Record<string, (result: Result) => string>> = { ...written, annotations };

for (const [name, write] of Object.entries(writers)) {
  test(`the ${name} of a green run shows the hazard before any requirement`, () => {
    const told = write(hazardous());
    const [hazard, row] = [batchSentAgain.sentence, rows[0]!.id].map((one) => told.indexOf(one));
    expect(hazard).toBeGreaterThanOrEqual(0);
    if (row! >= 0) expect(hazard).toBeLessThan(row!);
    expect(told).not.toMatch(/nothing to fix/i);
    const { hazards: _, ...none } = hazardous();
    expect(write(none)).not.toMatch(/hazard\//);
  });
}

test('many hazards leave room in summary.md, and print their common hint once', () => {
  const [few, many] = [2, 500].map((count) =>
    written.summary(hazardous({ hazards: Array.from({ length: count }, () => batchSentAgain) })),
  );
  expect(few!.split(batchSentAgain.hint)).toHaveLength(2);
  expect(many).toMatch(/… and 497 more hazards\./);
  expect(many!.length).toBeLessThan(6_000);
});

const unsure: Result = { ...resultOf(rows.slice(0, 1)), unnoticed };
const sentence = 'This run would not notice 3 of 209 known defects of a gateway; for 1 more it is unknown';
const flags = '--allow closes-day=2 --allow starts-payments=1/1.00';

test('the page lists every unnoticed defect by group', () => {
  const page = written.page(unsure).replaceAll(/<\/?span[^>]*>/g, '');
  expect(page).toContain('<summary>close-day, signing: 2</summary>');
  expect(page).toContain('authentication/&lt;two>');
  expect(page).toContain('<summary>not known: 1</summary>');
  expect(page).toContain(flags);
});

test('report.json and ctrf.json have the unnoticed defects, junit.xml the sentence', () => {
  expect(JSON.parse(written.json(unsure)).unnoticed).toEqual(unnoticed);
  expect(JSON.parse(written.ctrf(unsure)).results.environment.extra.unnoticed).toEqual(unnoticed);
  expect(written.junit(unsure)).toContain(`<property name="notRuledOut" value="${sentence}"/>`);
});
