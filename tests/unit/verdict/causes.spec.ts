/** Causes are found by exchanges and requirements, and every row has exactly one. */

import { createHmac } from 'node:crypto';
import { type RequirementId, requirementById } from '../../../contracts/requirements/index.ts';
import { newRunCache, runInProcess } from '../../../src/app/prove/run-in-process.ts';
import { explainMany } from '../../../src/autopsy/autopsy.ts';
import { deviationOf } from '../../../src/autopsy/index.ts';
import { mockDefects } from '../../../src/faults/index.ts';
import type { Alteration } from '../../../src/mock/index.ts';
import { gatewayScenarios } from '../../../src/plan/index.ts';
import { percentDecode, type SignatureMethod, type VerifyingKey, verifyRequest } from '../../../src/protocol/index.ts';
import type { Case, ClientCase } from '../../../src/record/case.ts';
import { headerValues } from '../../../src/record/exchange.ts';
import type { Outcome, Result, ResultRow } from '../../../src/record/result/result.ts';
import { causeGroups, formatCounterfactuals } from '../../../src/report/cause-groups.ts';
import { judgeAccepted } from '../../../src/rules/twins.ts';
import { performScenario } from '../../../src/run/gateway/perform-case.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { causesOf, type JudgedRow } from '../../../src/verdict/causes.ts';
import type { Evidence } from '../../../src/verdict/evidence.ts';
import { gatewayEvidence } from '../../../src/verdict/gateway-evidence.ts';
import { findingsOnSignatures, undoDeviations } from '../../../src/verdict/wrong-signatures.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';
import { choiceOf, type Draft, drawRequest, signWith } from '../autopsy/drawn.ts';
import { sampleCase } from '../rules/sample-cases.ts';

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
const open = (id: string, blocker: JudgedRow['blocker'], actual?: string): JudgedRow => ({
  row: row(id, 'inconclusive', [], actual),
  blocker,
});
const summaryOf = (judged: readonly JudgedRow[]) =>
  causesOf(judged).map(({ requirement, sentence, requirements }) => [requirement ?? sentence, ...requirements]);

test('a requirement that fails in every answer that leaves a row open is the cause', () => {
  const judged = [
    { row: row(body, 'fail', [1, 2, 3]) },
    { row: row('recurring/keep-alive-timeout', 'fail', [1, 2, 3, 4]) },
    open('a/one', unclear([1])),
    open('a/two', unclear([2, 3])),
    open('a/elsewhere', unclear([9])),
  ];
  expect(summaryOf(judged).slice(2)).toEqual([
    [body, 'a/one', 'a/two'],
    ['this', 'a/elsewhere'],
  ]);
  expect(causesOf(judged)[2]).toMatchObject({ outcome: 'inconclusive', exchanges: [1, 2, 3] });
});

test('if no requirement fails in all these answers, one that fails in some of them is the cause', () => {
  const judged = [{ row: row(status, 'fail', [1]) }, { row: row(body, 'fail', [2]) }];
  expect(summaryOf([...judged, open('a/one', unclear([1, 5]))])).toContainEqual([status, 'a/one']);
});

test('a requirement that passes, or that such an answer does not break, is never the cause', () => {
  const judged = [{ row: row(body, 'pass', [1]) }, { row: row('recurring/keep-alive-timeout', 'fail', [1]) }];
  expect(summaryOf([...judged, open('a/one', unclear([1]), 'that')]).at(-1)).toEqual(['that', 'a/one']);
});

test('a known deviation of a client is named instead of two signatures', () => {
  const deviation = { id: 'body-left-out', summary: 'The body is not signed.', fix: 'Sign it.' };
  const explanation = { exchange: 1, deviations: [deviation], facts: [], triedCount: 1 };
  const wrong = { ...row(body, 'fail', [1], 'T8moe'), expected: 'Fxvs' };
  const sentences = (explanations: ResultRow['explanations']) =>
    causesOf([{ row: { ...wrong, explanations } }, open('a/one', unclear([1]))]).map(({ sentence }) => sentence);
  expect(sentences([explanation])[1]).toBe(`${body} fails: The body is not signed. (body-left-out)`);
  expect(sentences([{ ...explanation, deviations: [] }])[1]).toBe(`${body} fails: expected Fxvs, received T8moe`);
});

test('the cause of most rows comes first, and rows with one text share a cause', () => {
  const because = { text: 'a request was not sent: nothing is allowed', exchanges: [] };
  const judged = [open('a/alone', undefined, 'its own'), open('a/one', because, 'x'), open('a/two', because, 'y')];
  expect(summaryOf(judged)).toEqual([
    [because.text, 'a/one', 'a/two'],
    ['its own', 'a/alone'],
  ]);
});

test('an open point that decides is a member of the cause', () => {
  const id = 'authentication/recurring-valid-accepted';
  const right = sampleCase('process-recurring-payments', { status: 403 }, { about: id });
  const label = { intent: 'open', openPoint: 'A12', differsIn: 'CRLF' } as const;
  const inForm = sampleCase('process-recurring-payments', { status: 200 }, label);
  const because = judgeAccepted({ id, cases: [right, inForm, inForm], twinOf: () => right })[0]!.finding.because!;
  const judged = ['a/one', 'a/two'].map((one) => open(one, { ...because, exchanges: [] }));
  expect(causesOf(judged)).toMatchObject([{ openPoint: 'A12', requirements: ['a/one', 'a/two'] }]);
});

test('failures with the same text in the same exchanges share a cause, others do not', () => {
  const judged = [row('a/one', 'fail', [1]), row('a/two', 'fail', [1]), row('a/three', 'fail', [2])];
  expect(summaryOf(judged.map((one) => ({ row: one })))).toEqual([
    ['this', 'a/one', 'a/two'],
    ['this', 'a/three'],
  ]);
});

const form = 'recurring/payload-only';
const escaped: JudgedRow['blocker'] = { text: 'the body is not a form', mayBreak: [form], exchanges: [] };

for (const [fact, exchanges, blocker, following] of [
  ['in the same exchanges, a failure is folded under the one it follows from', [1, 2], escaped, true],
  ['a failure in another exchange too stands for itself', [1, 9], escaped, false],
  ['a failure that its judge ascribes to no other stands for itself', [1, 2], undefined, false],
] as const) {
  test(fact, () => {
    const judged = [{ row: row(form, 'fail', [1, 2, 3], 'JSON') }, { row: row('a/one', 'fail', exchanges), blocker }];
    expect(summaryOf(judged)).toEqual([
      ['JSON', form],
      [following ? form : 'this', 'a/one'],
    ]);
    const groups = causeGroups({ results: judged.map((one) => one.row), causes: causesOf(judged) }, 'fail');
    expect(groups.map((group) => followersOf(group))).toEqual(following ? ['a/one'] : [undefined, undefined]);
  });
}

test('the first failure of a chain is the cause of all, and of two origins the one of more exchanges counts', () => {
  const after = (...mayBreak: string[]) => ({ ...escaped, mayBreak }) as unknown as JudgedRow['blocker'];
  const judged = [
    { row: row('a/other-form', 'fail', [4], 'XML') },
    { row: row('a/form', 'fail', [1, 2], 'JSON') },
    { row: row('a/rows', 'fail', [1, 2]), blocker: after('a/form', 'a/everywhere') },
    { row: row('a/cell', 'fail', [2]), blocker: after('a/rows') },
    { row: row('a/both', 'fail', [1, 2, 4]), blocker: after('a/other-form', 'a/form') },
    { row: row('a/circle', 'fail', [5]), blocker: after('a/round') },
    { row: row('a/round', 'fail', [5]), blocker: after('a/circle') },
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
  expect(summaryOf(judged).at(-1)).toEqual(['a/form', 'a/open']);
});

test('a failure that a known mistake explains only in some exchanges has its own cause', () => {
  const mistake = {
    outcome: 'fail',
    sentence: '',
    defects: ['a'],
    requirements: [form, 'a/one'],
    exchanges: [1, 2],
  } as const;
  const leads = (exchanges: readonly number[]) =>
    causesOf([{ row: row(form, 'fail', [1, 2]) }, { row: row('a/one', 'fail', exchanges, 'that') }], [mistake]).map(
      ({ requirement }) => requirement,
    );
  expect([leads([2]), leads([2, 3])]).toEqual([
    [undefined, form],
    [undefined, undefined],
  ]);
});

test('a failure whose origin is tolerated is still listed', () => {
  const judged = [{ row: row(form, 'fail', [1]) }, { row: row('a/one', 'fail', [1]), blocker: escaped }];
  const groups = causeGroups({ results: [judged[1]!.row], causes: causesOf(judged) }, 'fail');
  expect(groups.map(({ rows: [{ id }] }) => id)).toEqual(['a/one']);
});

const id = 'authentication/close-day-valid-accepted';
const optionsWith = (defects: readonly string[]) =>
  completeRunOptions({ seed: '7', defects, only: [id] }, 0, '/nowhere');

/** The cases of the smallest scenario, and what the evidence says of the first one. */
async function minimalCases(...defects: readonly string[]) {
  const scenario = gatewayScenarios.find((one) => one.id === 'close-day/minimal')!;
  return (await performScenario(scenario, optionsWith(defects))).cases;
}
const explained = (cases: readonly Case[], row: RequirementId = id) =>
  gatewayEvidence([{ cases }]).explain!(requirementById(row)!, [1], 'fail').explanations?.[0];

test('a refused valid request has its base string, and an advice how to find the reason', async () => {
  const cases = await minimalCases('authentication/body-left-out');
  const { baseString, facts } = explained(cases)!;
  const header = headerValues(cases[0]!.exchanges[0].request.headers, 'authorization')[0]!;
  const sent = percentDecode(/oauth_signature="([^"]*)"/.exec(header)![1]!);
  expect(createHmac('sha1', 'published-secret-for-tests-only&').update(baseString!).digest('base64')).toBe(sent);
  expect(facts.join()).toContain('countersign autopsy exchanges.har --entry 1');
  expect(facts.join()).toContain('If the base strings are equal, the keys differ');
  expect(explained(cases, 'authentication/close-day-unsigned-refused')).toBeUndefined();
  const [fact] = explained([...cases, ...(await minimalCases())])!.facts;
  expect(fact).toContain('Other correct requests of this operation were accepted, so the key is correct');
  expect(fact).not.toContain('the keys differ');
});

test('a report has this explanation for refused valid requests, and not for accepted ones', async () => {
  const rowOf = async (defects: readonly string[]) =>
    (await runInProcess(optionsWith(defects), { usesOracle: false })).result.results.find((row) => row.id === id)!;
  const refused = await rowOf(['authentication/first-parameter-dropped']);
  expect(refused).toMatchObject({ outcome: 'fail', actual: 'HTTP 200 with error 403 "oauth_consumer_key is missing"' });
  expect(refused.explanations).toHaveLength(1);
  expect(refused.explanations?.[0]?.baseString).toMatch(/^POST&http%3A%2F%2F127\.0\.0\.1/);
  expect((await rowOf([])).explanations).toBeUndefined();
});

function followersOf({ followers }: ReturnType<typeof causeGroups>[number]): string | undefined {
  return followers?.map(({ id }) => id).join(', ');
}

test.describe('a known mistake of a gateway', () => {
  // Runs with another number of cases share nothing.
  const repeatedOf = { 4: newRunCache(), 100: newRunCache() };

  async function judged(alterations: readonly Alteration[], only: string[] = [], cases: 4 | 100 = 4): Promise<Result> {
    const repeated = repeatedOf[cases];
    const options = completeRunOptions({ seed: '1', cases, only }, Date.now(), '.');
    return (await runInProcess(options, { alterations, usesOracle: false, cache: repeated, unframed: true })).result;
  }

  function mistakesIn({ causes = [] }: Result): (readonly string[])[] {
    return causes.flatMap(({ defects }) => (defects === undefined ? [] : [defects]));
  }

  function alterationOf(id: string): Alteration {
    return mockDefects.find((one) => one.id === id)!.alteration;
  }

  test('ten failures of a gateway that accepts any signature are one cause, with a number of requests', async () => {
    const { causes = [], results } = await judged([alterationOf('authentication/signature-not-checked')]);
    const failing = results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    expect(causes).toHaveLength(3);
    expect(causes[0]).toMatchObject({ outcome: 'fail', defects: ['authentication/signature-not-checked'] });
    expect(causes[0]!.sentence).toMatch(
      /Any signature is accepted, .* The mistake affects \d+ of \d+ requests about these requirements\.$/,
    );
    expect([...causes[0]!.requirements].sort()).toEqual([...failing].sort());
    expect(causes.find(({ requirement }) => requirement === causes[0]!.requirements[0])?.requirements).toHaveLength(9);
  });

  test('two mistakes at once are two causes', async () => {
    const ids = ['authentication/signature-over-no-body-taken', 'close-day/date-as-number'];
    const result = await judged(ids.map(alterationOf), ['authentication/*', 'close-day/*']);
    expect(mistakesIn(result).flat().sort()).toEqual(ids);
  });

  test('two mistakes that no request of the run distinguishes are both named', async () => {
    const { causes = [] } = await judged([alterationOf('close-day/error-message-twice')], ['close-day/*']);
    expect(causes[0]!.defects).toEqual(['close-day/error-message-twice', 'close-day/error-cut-off']);
    expect(causes[0]!.sentence).toContain('No request of the suite distinguishes these mistakes.');
  });

  test('an unknown mistake is not named, although known mistakes have some of its failures', async () => {
    const unknown: Alteration = { accepts: ({ form }, step) => step === 'signature' && form.length % 2 === 0 };
    const result = await judged([unknown]);
    expect(result.conclusion).toBe('non-conformant');
    expect(mistakesIn(result)).toEqual([]);
  });

  test('no gateway of every twentieth defect gets the name of another mistake @all', async () => {
    const sample = mockDefects.filter((defect, at) => at % 20 === 0 && defect.reach === undefined);
    let count = 0;
    for (const { id, alteration } of sample) {
      const result = await judged([alteration], [], 100);
      const mistakes = mistakesIn(result);
      if (mistakes.length > 0) expect(mistakes, id).toEqual([expect.arrayContaining([id])]);
      const failing = result.results.filter(({ outcome }) => outcome === 'fail');
      // A single failure needs no cause.
      if (mistakes.length === 1 || failing.length === 1) count += 1;
    }
    expect(sample.length).toBeGreaterThanOrEqual(20);
    expect(count / sample.length).toBeGreaterThanOrEqual(0.9);
  });
});

test.describe('wrong signatures of a client', () => {
  const verifies = 'authentication/signature-verifies';
  const port = 'authentication/uri-default-port';
  const columns = 'recurring/csv-columns';

  const fixed = (id: string, signatures: string, passing: number) =>
    `After a fix of ${id}, ${signatures} would be correct, and ${passing} of 3 failures would pass. What to change: countersign explain ${id}.`;

  test('a prediction without deviations is one text, and a row without evidence does not pass', () => {
    expect(counterfactual({ [verifies]: 'pass', [port]: 'inconclusive', [columns]: 'fail' })).toEqual([
      fixed('default-port-kept', '1 of 1 wrong signature', 1),
    ]);
    expect(counterfactual({ [verifies]: 'pass', [port]: 'pass', [columns]: 'pass' })).toEqual([
      fixed('default-port-kept', '1 of 1 wrong signature', 3),
    ]);
  });

  test('the prediction counts the wrong signatures that would be correct', () => {
    const cause = (deviations: string[], exchanges: number[]) =>
      ({ outcome: 'fail', sentence: '', deviations, requirements: [verifies], exchanges }) as const;
    const entry = { deviations: ['a', 'b'], failing: 3, wouldPass: [verifies], remain: [], signedAgain: 3 };
    const causes = [cause(['a'], [1, 2]), cause(['a', 'b'], [3]), cause([], [4])];
    expect(formatCounterfactuals({ counterfactuals: [entry, { ...entry, deviations: ['a'] }], causes })).toEqual([
      'After a fix of a + b, 3 of 4 wrong signatures would be correct, and 1 of 3 failures would pass. What to change: countersign explain a, countersign explain b.',
    ]);
  });

  const sample = { deviations: [], facts: [], triedCount: 1, baseString: '' };
  const explainedBy = (id: string, ...numbers: number[]) => [
    { ids: [id], alternatives: [], numbers, example: sample, exampleNumber: numbers[0] },
  ];
  const causesIn = (found: object, failing: Readonly<Record<string, readonly number[]>>) => {
    const evidence = {
      signatures: () => ({ autopsies: found, undo: () => ({ evidence: {}, signedAgain: [], notSignedAgain: 1 }) }),
    };
    const rows = Object.entries(failing).map(([id, exchanges]) => ({ id, outcome: 'fail', exchanges }));
    return findingsOnSignatures(rows as never, evidence as never, () => rows as never).causes;
  };

  test('only failing signatures count as unexplained', () => {
    const unexplained = { unexplained: [1, 2, 3, 4, 5], unsearched: [2, 3, 4, 5] };
    const sentence = (explained: readonly object[]) =>
      causesIn({ explained, ...unexplained }, { [verifies]: [1, 2, 9] }).at(-1)?.sentence;
    expect(sentence([])).toBe('nothing explains 2 of 2 wrong signatures that are judged; 1 of them was searched');
    expect(sentence(explainedBy('default-port-kept', 9))).toBe(
      'nothing explains 2 of 3 wrong signatures that are judged; 1 of them was tested only for deviations that explain other signatures',
    );
  });

  test('signatures that fail only other requirements are named in the sentence', () => {
    const found = { explained: explainedBy('port-left-out', 1, 2, 3), unexplained: [], unsearched: [] };
    const [cause] = causesIn(found, { [verifies]: [1, 2], [port]: [3] });
    expect(cause!.requirements).toEqual([verifies, port]);
    expect(cause!.sentence).toBe(
      `port-left-out explains 3 of 3 wrong signatures that are judged: 2 fail ${verifies}, the others fail only other requirements`,
    );
  });

  /** `again`: the outcomes after the signatures are mended. Before, all these rows fail. */
  function counterfactual(after: Readonly<Record<string, Outcome>>): string[] {
    const found = { explained: explainedBy('default-port-kept', 1), unexplained: [], unsearched: [] };
    const without = () => ({ evidence: {}, signedAgain: [1], notSignedAgain: 0 });
    const evidence = { signatures: () => ({ autopsies: found, undo: without }) } as unknown as Evidence;
    const rows = (outcomes: Readonly<Record<string, Outcome>>) =>
      Object.entries(outcomes).map(([id, outcome]) => ({ id, outcome, exchanges: [1] }) as unknown as ResultRow);
    const before = Object.fromEntries(Object.keys(after).map((id): [string, Outcome] => [id, 'fail']));
    return formatCounterfactuals(findingsOnSignatures(rows(before), evidence, () => rows(after)));
  }

  const choice = choiceOf(5);

  for (const [method, again] of [
    ['HMAC-SHA1', 3],
    ['RSA-SHA256', 0],
  ] as const) {
    test(`of three signatures by ${method} with a key of its own ${again} can be made again`, () => {
      const { calls, cases, keysOf, wrong } = recorded(method);
      const found = explainMany(wrong);
      expect(found.explained.map(({ ids, numbers }) => [...ids, numbers.length])).toEqual([['method-lower-case', 3]]);
      const entry = undoDeviations(['method-lower-case'], found, calls, cases, keysOf);
      expect([entry.signedAgain.length, entry.notSignedAgain]).toEqual([again, 3 - again]);
      for (const [at, call] of entry.calls.entries()) {
        const { request } = call.exchanges[0]!;
        const before = cases[at]!.exchanges[0].request;
        expect(verifyRequest(request, () => keysOf().slice()).ok).toBe(again > 0);
        expect({ ...request, headers: [] }).toEqual({ ...before, headers: [] });
        const rest = (one: typeof request) =>
          one.headers.map(([name, value]) => [name, value.replace(/oauth_signature="[^"]*"/, '')]);
        expect(rest(request)).toEqual(rest(before));
      }
    });
  }

  test('the simplest request comes first, and right requests are left out', () => {
    const { wrong } = recorded('HMAC-SHA1');
    const right = recorded('HMAC-SHA1', []).wrong.map((one) => ({ ...one, number: one.number + 10 }));
    const { explained, unexplained } = explainMany([...wrong, ...right]);
    const lengthOf = (number: number) => {
      const { request } = wrong.find((one) => one.number === number)!;
      return request.target.length + request.headers.flat().join('').length + request.body.length;
    };
    const lengths = explained.flatMap(({ numbers }) => numbers).map(lengthOf);
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
    expect([lengths.length, unexplained]).toEqual([3, []]);
  });

  test('a signature that several sets of deviations explain belongs to the simplest set', () => {
    const [lower, version] = [deviationOf('method-lower-case'), deviationOf('version-left-out-of-base-string')];
    const one = ordinary('HMAC-SHA1');
    const credentials = one.credentials.filter(([name]) => name !== 'oauth_version');
    const versioned: Draft = { ...one, credentials: [...credentials, ['oauth_version', '1.0']] };
    const plain: Draft = { ...one, credentials };
    const wrong = (
      [
        [plain, [lower]],
        [plain, [lower]],
        [versioned, [lower, version]],
        [versioned, [lower]],
      ] as const
    ).map(([drawn, set], at) => ({
      number: at + 1,
      request: signWith(drawn, set, shopKeys.privateKey),
      keys: { consumerSecret: one.consumerSecret, publicKey: shopKeys.publicKey },
    }));
    expect(explainMany(wrong).explained.map(({ ids, numbers }) => [ids, [...numbers].sort()])).toEqual([
      [['method-lower-case'], [1, 2, 4]],
      [['version-left-out-of-base-string', 'method-lower-case'], [3]],
    ]);
  });

  test('half a million characters without a result end the search', { tag: '@all' }, () => {
    const one = ordinary('HMAC-SHA1');
    // An autopsy of so many parameters tries only the correct signature.
    const body = 'a&'.repeat(200_001);
    const request = { ...signWith(one, []), body: Buffer.from(body) };
    const wrong = [1, 2, 3].map((number) => ({ number, request, keys: { consumerSecret: one.consumerSecret } }));
    const { unexplained, unsearched } = explainMany(wrong, undefined, Number.POSITIVE_INFINITY);
    expect([unexplained, unsearched]).toEqual([[1, 2, 3], [3]]);
  });

  function recorded(method: SignatureMethod, set = [deviationOf('method-lower-case')]) {
    const drawn = [0, 1, 2].map(() => ordinary(method));
    const exchanges = drawn.map((one) => ({
      request: signWith(one, set, shopKeys.privateKey),
      startedAt: 0,
      durationMs: 0,
    }));
    const cases = exchanges.map((exchange) => ({ exchanges: [exchange] })) as unknown as Case[];
    const calls = cases as unknown as ClientCase[];
    const [{ consumerSecret }] = drawn as [Draft];
    const keysOf = (): readonly VerifyingKey[] => [
      { method: 'HMAC-SHA1', consumerSecret },
      { method: 'RSA-SHA256', publicKey: shopKeys.publicKey },
    ];
    const keys = { consumerSecret, publicKey: shopKeys.publicKey };
    return { calls, cases, keysOf, wrong: exchanges.map(({ request }, at) => ({ number: at + 1, request, keys })) };
  }

  /** A request with the secret of the others, and without a token. */
  function ordinary(method: SignatureMethod): Draft {
    const one = drawRequest(choice, method);
    const credentials = one.credentials.filter(([name]) => name !== 'oauth_token');
    return { ...one, credentials, consumerSecret: 'a secret of all requests', tokenSecret: '' };
  }
});
