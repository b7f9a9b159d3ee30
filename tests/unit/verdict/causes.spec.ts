/** What is behind several rows is found by exchanges and requirements, and every row has exactly one cause. */

import { createHmac } from 'node:crypto';
import { runInProcess } from '../../../src/app/prove/run-in-process.ts';
import { gatewayScenarios } from '../../../src/plan/index.ts';
import { percentDecode } from '../../../src/protocol/index.ts';
import { headerValues } from '../../../src/record/exchange.ts';
import type { ResultRow } from '../../../src/record/result/result.ts';
import { type CauseGroup, causeGroups } from '../../../src/report/cause-groups.ts';
import { openForm } from '../../../src/rules/because.ts';
import { performScenario } from '../../../src/run/gateway/run-scenario.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { causesOf, type JudgedRow } from '../../../src/verdict/causes.ts';
import { explainRefusal } from '../../../src/verdict/gateway-evidence.ts';
import { expect, test } from '../../engine.ts';

const common = {
  operation: 'process-recurring-payments',
  dimension: 'behaviour',
  kind: 'required',
  section: '4.2',
  basis: 'document',
  provenBy: [],
} as const;

function row(id: string, outcome: ResultRow['outcome'], exchanges: readonly number[], actual = 'this'): ResultRow {
  return { ...common, id, outcome, exchanges, actual };
}

const body = 'recurring/success-body-empty';
const status = 'recurring/success-status-200';
const unclear = (exchanges: readonly number[]) => ({ text: 'unclear', mayBreak: [status, body], exchanges }) as const;
const open = (id: string, because: JudgedRow['because'], actual?: string): JudgedRow => ({
  row: row(id, 'inconclusive', [], actual),
  because,
});
const told = (judged: readonly JudgedRow[]) =>
  causesOf(judged).map(({ requirement, sentence, requirements }) => [requirement ?? sentence, ...requirements]);

test('a requirement that fails in every answer that is in the way is what is named', () => {
  const judged = [
    { row: row(body, 'fail', [1, 2, 3]) },
    { row: row('recurring/keep-alive-timeout', 'fail', [1, 2, 3, 4]) },
    open('a/one', unclear([1])),
    open('a/two', unclear([2, 3])),
    open('a/elsewhere', unclear([9])),
  ];
  expect(told(judged).slice(2)).toEqual([
    [body, 'a/one', 'a/two'],
    ['this', 'a/elsewhere'],
  ]);
  expect(causesOf(judged)[2]).toMatchObject({ outcome: 'inconclusive', exchanges: [1, 2, 3] });
});

test('one that fails in some of these answers is named where none fails in all', () => {
  const judged = [{ row: row(status, 'fail', [1]) }, { row: row(body, 'fail', [2]) }];
  expect(told([...judged, open('a/one', unclear([1, 5]))])).toContainEqual([status, 'a/one']);
});

test('a requirement that passes, or that such an answer does not break, is never named', () => {
  const judged = [{ row: row(body, 'pass', [1]) }, { row: row('recurring/keep-alive-timeout', 'fail', [1]) }];
  expect(told([...judged, open('a/one', unclear([1]), 'that')]).at(-1)).toEqual(['that', 'a/one']);
});

test('where a deviation of a client is known, it is named in place of two signatures', () => {
  const deviation = { id: 'body-left-out', summary: 'The body is not signed.', fix: 'Sign it.' };
  const explanation = { exchange: 1, deviations: [deviation], facts: [], triedCount: 1 };
  const wrong = { ...row(body, 'fail', [1], 'T8moe'), expected: 'Fxvs' };
  const sentences = (explanations: ResultRow['explanations']) =>
    causesOf([{ row: { ...wrong, explanations } }, open('a/one', unclear([1]))]).map(({ sentence }) => sentence);
  expect(sentences([explanation])[1]).toBe(`${body} fails: The body is not signed. (body-left-out)`);
  expect(sentences([{ ...explanation, deviations: [] }])[1]).toBe(`${body} fails: expected Fxvs, received T8moe`);
});

test('the cause behind most comes first, and one text is one cause', () => {
  const because = { text: 'a request was not sent: nothing is allowed', exchanges: [] };
  const judged = [open('a/alone', undefined, 'its own'), open('a/one', because, 'x'), open('a/two', because, 'y')];
  expect(told(judged)).toEqual([
    [because.text, 'a/one', 'a/two'],
    ['its own', 'a/alone'],
  ]);
});

test('an open point that decides is a member of the cause', () => {
  const { text, openPoint } = openForm('CRLF');
  const judged = ['a/one', 'a/two'].map((id) => open(id, { text, openPoint, exchanges: [] }));
  expect(causesOf(judged)).toMatchObject([{ openPoint: 'A12', requirements: ['a/one', 'a/two'] }]);
});

test('failures with the same words in the same exchanges are one, others are not', () => {
  const judged = [row('a/one', 'fail', [1]), row('a/two', 'fail', [1]), row('a/three', 'fail', [2])];
  expect(told(judged.map((one) => ({ row: one })))).toEqual([
    ['this', 'a/one', 'a/two'],
    ['this', 'a/three'],
  ]);
});

const form = 'recurring/payload-only';
const escaped: JudgedRow['because'] = { text: 'the body is not a form', mayBreak: [form], exchanges: [] };

for (const [fact, exchanges, because, following] of [
  ['in the same exchanges, a failure is folded under the one it follows from', [1, 2], escaped, true],
  ['a failure in another exchange too stands for itself', [1, 9], escaped, false],
  ['a failure that its judge ascribes to no other stands for itself', [1, 2], undefined, false],
] as const) {
  test(fact, () => {
    const judged = [{ row: row(form, 'fail', [1, 2, 3], 'JSON') }, { row: row('a/one', 'fail', exchanges), because }];
    expect(told(judged)).toEqual(
      following
        ? [
            ['JSON', form],
            [form, 'a/one'],
          ]
        : [
            ['JSON', form],
            ['this', 'a/one'],
          ],
    );
    const groups = causeGroups({ results: judged.map((one) => one.row), causes: causesOf(judged) }, 'fail');
    expect(groups.map((group) => followersOf(group))).toEqual(following ? ['a/one'] : [undefined, undefined]);
  });
}

test('of a chain of failures the first has all, and one that two explain together follows from the one behind more', () => {
  const after = (...mayBreak: string[]) => ({ ...escaped, mayBreak }) as unknown as JudgedRow['because'];
  const judged = [
    { row: row('a/other-form', 'fail', [4], 'XML') },
    { row: row('a/form', 'fail', [1, 2], 'JSON') },
    { row: row('a/rows', 'fail', [1, 2]), because: after('a/form', 'a/everywhere') },
    { row: row('a/cell', 'fail', [2]), because: after('a/rows') },
    { row: row('a/both', 'fail', [1, 2, 4]), because: after('a/other-form', 'a/form') },
    { row: row('a/circle', 'fail', [5]), because: after('a/round') },
    { row: row('a/round', 'fail', [5]), because: after('a/circle') },
    { row: row('a/everywhere', 'fail', [1, 2, 4, 5, 6], 'no CSV') },
    open('a/open', { text: '', mayBreak: ['a/rows'] as never, exchanges: [2] }),
  ];
  const groups = causeGroups({ results: judged.map((one) => one.row), causes: causesOf(judged) }, 'fail');
  expect(groups.map((group) => [group.rows[0].id, followersOf(group)])).toEqual([
    ['a/other-form', undefined],
    ['a/form', 'a/rows, a/cell, a/both'],
    ['a/everywhere', undefined],
    ['a/circle', undefined],
    ['a/round', undefined],
  ]);
  expect(told(judged).at(-1)).toEqual(['a/form', 'a/open']);
});

test('a failure whose origin is tolerated is still listed', () => {
  const judged = [{ row: row(form, 'fail', [1]) }, { row: row('a/one', 'fail', [1]), because: escaped }];
  const groups = causeGroups({ results: [judged[1]!.row], causes: causesOf(judged) }, 'fail');
  expect(groups.map(({ rows: [{ id }] }) => id)).toEqual(['a/one']);
});

const id = 'authentication/close-day-valid-accepted';
const optionsWith = (defects: readonly string[]) =>
  completeRunOptions({ seed: '7', defects, only: [id] }, 0, '/nowhere');

test('the base string of a refused right request is the one that its signature is made over', async () => {
  const scenario = gatewayScenarios.find((one) => one.id === 'close-day/minimal')!;
  const { cases } = await performScenario(scenario, optionsWith(['authentication/body-left-out']));
  const explained = explainRefusal({ id }, [1], cases).explanations?.[0];
  const header = headerValues(cases[0]!.exchanges[0].request.headers, 'authorization')[0]!;
  const sent = percentDecode(/oauth_signature="([^"]*)"/.exec(header)![1]!);
  const made = createHmac('sha1', 'published-secret-for-tests-only&').update(explained!.baseString!).digest('base64');
  expect(made).toBe(sent);
  expect(explained?.facts.join()).toContain('countersign autopsy exchanges.har --entry 1');
  expect(explainRefusal({ id: 'authentication/close-day-unsigned-refused' }, [1], cases)).toEqual({});
});

test('where another right request was accepted the key is right, and nothing says that it may differ', async () => {
  const scenario = gatewayScenarios.find((one) => one.id === 'close-day/minimal')!;
  const { cases } = await performScenario(scenario, optionsWith(['authentication/body-left-out']));
  const { cases: right } = await performScenario(scenario, optionsWith([]));
  const said = (others: typeof cases) =>
    explainRefusal({ id }, [1], [...cases, ...others]).explanations?.[0]?.facts.join();
  expect(said([])).toContain('where they are equal, the keys differ');
  expect(said(right)).toContain('Other right requests of this operation were accepted, so that the key is right');
  expect(said(right)).not.toContain('the keys differ');
});

test('a report of refused right requests has it, and one of accepted ones does not', async () => {
  const rowOf = async (defects: readonly string[]) =>
    (await runInProcess(optionsWith(defects), { secondVoice: false })).result.results.find((row) => row.id === id)!;
  const refused = await rowOf(['authentication/first-parameter-dropped']);
  expect(refused).toMatchObject({ outcome: 'fail', actual: 'HTTP 200 with error 403 "oauth_consumer_key is missing"' });
  expect(refused.explanations).toHaveLength(1);
  expect(refused.explanations?.[0]?.baseString).toMatch(/^POST&http%3A%2F%2F127\.0\.0\.1/);
  expect((await rowOf([])).explanations).toBeUndefined();
});

function followersOf({ followers }: CauseGroup): string | undefined {
  return followers?.map(({ id }) => id).join(', ');
}
