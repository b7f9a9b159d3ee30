/** What the reports for people say of runs that are special in one way: each has its part of golden/special-runs.txt. */
import { exercisedIn } from '../../../src/record/result/conclude.ts';
import type { Result, ResultRow } from '../../../src/record/result/result.ts';
import { annotations } from '../../../src/report/annotations.ts';
import { expect, test } from '../../engine.ts';
import { batchSentAgain, broken, held, resultOf, rows, unnoticed, unverified, written } from './all-outcomes.ts';
import { golden } from './golden.ts';

const row = (id: string, more: Partial<ResultRow> = {}): ResultRow => ({
  ...rows.find((one) => one.id === id)!,
  ...more,
});
const passes = row('authentication/passes');
const fails = row('authentication/fails');
const unclear = row('recurring/unclear', { reason: 'nothing was accepted' });
const none = { 'closes-day': 0, 'starts-payments': 0 };

/** Without what has no part in it. */
function runOf(chosen: readonly ResultRow[], more: Partial<Result> = {}): Result {
  const subject = { kind: 'gateway', name: 'shop', target: 'http://127.0.0.1:1/paynet' } as const;
  return resultOf(chosen, { observations: [], effects: { predicted: none, recorded: none }, subject, ...more });
}

const green = (more: Partial<Result> = {}) => runOf([passes], { profile: 'rfc5849', ...more });

const unseen = { outcome: 'not-applicable', reason: 'condition never observed' } as const;
const partly = runOf([
  passes,
  { ...passes, ...unseen, id: 'transport/https-served', hint: 'Run against an https base URL.' },
  { ...passes, ...unseen, id: 'close-day/totals-true' },
  { ...passes, ...unseen, id: 'recurring/keep-alive-kept', kind: 'expected' },
]);
const exercised = { ...partly, exercised: exercisedIn(partly) };
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
const ofEach = dimensions.map((dimension, at) => ({
  ...fails,
  id: `close-day/${dimension}`,
  dimension,
  exchanges: [at + 1],
}));
const oftenWrong = [
  { ...fails, id: 'close-day/seldom', dimension: 'signing' as const, exchanges: [1, 2, 3] },
  { ...fails, id: 'close-day/mostly', dimension: 'transport' as const, exchanges: [...Array(567).keys()] },
];

const runs: Readonly<Record<string, Result>> = {
  'the conclusion is the first line': runOf([passes, fails]),
  'nothing was examined of one operation': runOf([
    passes,
    row('recurring/unclear', { id: 'recurring/path', outcome: 'not-applicable', reason: 'not offered' }),
  ]),
  'what is required and never arose is named, with what would make it arise': exercised,
  'on the mock, which speaks plain HTTP, what never arose is no lack': {
    ...exercised,
    subject: { kind: 'gateway', name: 'built-in mock', target: 'mock' },
  },
  'known failures that nobody has explained are counted': runOf(
    [{ ...fails, known: { reason: 'not explained yet; seen on 2026-01-31' } }],
    { baseline: { file: 'known.yaml', problems: [] } },
  ),
  'known failures that are explained have their reason': runOf([{ ...fails, known: { reason: 'GW-12' } }], {
    baseline: { file: 'known.yaml', problems: [] },
  }),
  'no heading is green where an entry of the baseline no longer holds': runOf([passes], {
    baseline: { file: 'known.yaml', problems: [{ id: 'close-day/status-200', sentence: 'it passes' }] },
  }),
  'a cause that leaves several rows undetermined is said once': runOf([
    unclear,
    { ...unclear, id: 'close-day/other', reason: 'another cause' },
    { ...unclear, id: 'close-day/of-the-same-cause', kind: 'expected' },
  ]),
  'a result without causes, as an earlier version left it, shows every row by itself': runOf(
    [unclear, { ...unclear, id: 'close-day/of-the-same-cause' }],
    { causes: undefined },
  ),
  'failures with one answer in the same exchanges are told together': runOf([
    fails,
    failsToo,
    { ...failsToo, id: 'close-day/elsewhere', exchanges: [9] },
  ]),
  'of failures one on signing is what to fix first': runOf(ofEach),
  'what a client does wrong in most requests is what to fix first': runOf(oftenWrong, {
    exchangeCount: 590,
    subject: { kind: 'client', name: 'shop', target: 'node shop.mjs' },
  }),
  'what a gateway does wrong is put in order by its subject, not by its number': runOf(oftenWrong, {
    exchangeCount: 590,
  }),
  'of a wrong signature that is explained the base strings are compared, and the right lines follow': runOf([
    { ...fails, expected: 'AAAA=', actual: 'BBBB=', explanations: [explained] },
  ]),
  'why the run was aborted is said once, and rows and notes refer to it': runOf(
    [row('service/answered-probe-unclear', { actual: `not sent: ${wrongSecret}` })],
    { conclusion: 'aborted', aborted: wrongSecret, notes: [`Not sent (2 cases): ${wrongSecret}.`] },
  ),
  'an aborted run without rows has no table': runOf([], {
    conclusion: 'aborted',
    aborted: 'The adapter did not answer hello.',
  }),
  'a right request that was refused shows its base string whole on one line': runOf([
    {
      ...fails,
      explanations: [
        { exchange: 4, deviations: [], facts: ['compare the base string.'], triedCount: 0, baseString: right },
      ],
    },
  ]),
  'a row that nothing was sent for has the hint of the run, and not that of its requirement': runOf([
    { ...fails, outcome: 'inconclusive', exchanges: [], actual: 'not sent', hint: 'Allow it.' },
  ]),
  'a hazard of a green run stands before everything else, without an all-clear': green({ hazards: [batchSentAgain] }),
  'two hazards share their hint': green({ hazards: [batchSentAgain, batchSentAgain] }),
  'a known hazard is listed with its reason, and is no warning': green({
    hazards: [{ ...batchSentAgain, known: { reason: 'CL-7' } }],
  }),
  'a hazard that fails the run explains the exit code': green({ hazards: [batchSentAgain], failOn: 'hazard' }),
  'it does so where the run is partial, too': green({
    hazards: [batchSentAgain],
    failOn: 'hazard',
    conclusion: 'partial',
  }),
  'what a run would not notice is told in groups, with each allowance to copy': runOf([passes], { unnoticed }),
  'where all is noticed that is what is said': runOf([passes], {
    unnoticed: { ...unnoticed, count: 0, groups: [], notKnown: [], allowances: [] },
  }),
  'Pact interactions that hold are counted': runOf([passes], { contracts: [held, held] }),
  'each Pact interaction that does not hold is named with its mismatches': runOf([passes], {
    contracts: [held, broken],
    conclusion: 'non-conformant',
  }),
  'of an aborted run it is said why no Pact interaction could be verified': runOf([passes], {
    contracts: [unverified],
    conclusion: 'aborted',
  }),
};

/** The heading of the page, and the reports in text. */
function told(result: Result): string {
  const page = written.page(result);
  const heading = page
    .match(/<title>.*?<\/title>|<h1[\s\S]*?<\/h1>/g)!
    .slice(0, 2)
    .join('\n');
  const parts = [heading, written.text(result, 100), written.summary(result), written.junit(result)];
  return [...parts, annotations(result)].map((part) => part.trimEnd()).join('\n---\n');
}

const current = Object.entries(runs).map(([fact, result]) => `=== ${fact}\n${told(result)}\n`);
const kept = golden('special-runs.txt', current.join('')).split(/^(?==== )/m);

for (const [at, fact] of Object.keys(runs).entries()) {
  test(fact, () => expect(current[at]).toBe(kept.find((part) => part.startsWith(`=== ${fact}\n`))));
}

test('no part of the golden file is without a run', () => {
  expect(kept).toHaveLength(current.length);
});
