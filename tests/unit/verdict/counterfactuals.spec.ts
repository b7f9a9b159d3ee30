/** What would become of a client's failures if it signed rightly is told as it is: some would pass, some would still fail, some stay open. */

import { deviationOf, explainMany } from '../../../src/autopsy/index.ts';
import { type SignatureMethod, type VerifyingKey, verifyRequest } from '../../../src/protocol/index.ts';
import type { Case, ClientCase } from '../../../src/record/case.ts';
import type { Outcome, ResultRow } from '../../../src/record/result/result.ts';
import { counterfactualsInWords } from '../../../src/report/cause-groups.ts';
import type { Evidence } from '../../../src/verdict/evidence.ts';
import { findingsOnSignatures, undoDeviations } from '../../../src/verdict/wrong-signatures.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';
import { choiceOf, type Drawn, drawRequest, signedWith } from '../autopsy/drawn.ts';

const verifies = 'authentication/signature-verifies';
const port = 'authentication/uri-default-port';
const columns = 'recurring/csv-columns';

test('what would be right is one sentence: a requirement that would lack evidence does not pass', () => {
  expect(wordsWhere({ [verifies]: 'pass', [port]: 'inconclusive', [columns]: 'fail' })).toEqual([
    'With default-port-kept fixed, 1 of 1 wrong signature would be right, and 1 of 3 failures would pass.',
  ]);
  expect(wordsWhere({ [verifies]: 'pass', [port]: 'pass', [columns]: 'pass' })).toEqual([
    'With default-port-kept fixed, 1 of 1 wrong signature would be right, and 3 of 3 failures would pass.',
  ]);
});

test('the signatures that would be right are counted, of all that are wrong', () => {
  const cause = (deviations: string[], exchanges: number[]) =>
    ({ outcome: 'fail', sentence: '', deviations, requirements: [verifies], exchanges }) as const;
  const undone = { deviations: ['a', 'b'], failing: 3, wouldPass: [verifies], remain: [], signedAgain: 3 };
  const causes = [cause(['a'], [1, 2]), cause(['a', 'b'], [3]), cause([], [4])];
  expect(counterfactualsInWords({ counterfactuals: [undone, { ...undone, deviations: ['a'] }], causes })).toEqual([
    'With a + b fixed, 3 of 4 wrong signatures would be right, and 1 of 3 failures would pass.',
  ]);
});

test('of signatures that nothing explains only those are counted that fail', () => {
  const sentence = (explained: readonly object[]) => {
    const found = { explained, unexplained: [1, 2, 3, 4, 5], unsearched: [2, 3, 4, 5] };
    const evidence = { signatures: () => ({ found, without: () => ({ evidence: {}, mended: [], unmended: 1 }) }) };
    const rows = [{ id: verifies, outcome: 'fail', exchanges: [1, 2, 9] }] as unknown as ResultRow[];
    return findingsOnSignatures(rows, evidence as unknown as Evidence, () => rows).causes.at(-1)?.sentence;
  };
  const shown = { deviations: [], facts: [], triedCount: 1, baseString: '' };
  expect(sentence([])).toBe('nothing explains 2 of 2 wrong signatures that are judged, of which 1 was searched');
  expect(sentence([{ ids: ['default-port-kept'], alternatives: [], numbers: [9], shown, shownNumber: 9 }])).toBe(
    'nothing explains 2 of 3 wrong signatures that are judged, 1 of them tried with what explains others alone',
  );
});

/** `again`: the outcomes once the signatures are right; all of these fail before. */
function wordsWhere(again: Readonly<Record<string, Outcome>>): string[] {
  const shown = { deviations: [], facts: [], triedCount: 1, baseString: '' };
  const explained = [{ ids: ['default-port-kept'], alternatives: [], numbers: [1], shown, shownNumber: 1 }];
  const evidence = {
    signatures: () => ({
      found: { explained, unexplained: [], unsearched: [] },
      without: () => ({ evidence: {}, mended: [1], unmended: 0 }),
    }),
  } as unknown as Evidence;
  const rows = (outcomes: Readonly<Record<string, Outcome>>) =>
    Object.entries(outcomes).map(([id, outcome]) => ({ id, outcome, exchanges: [1] }) as unknown as ResultRow);
  const before = Object.fromEntries(Object.keys(again).map((id): [string, Outcome] => [id, 'fail']));
  return counterfactualsInWords(findingsOnSignatures(rows(before), evidence, () => rows(again)));
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
    const undone = undoDeviations(['method-lower-case'], found, { calls, cases, keysOf });
    expect([undone.mended.length, undone.unmended]).toEqual([again, 3 - again]);
    for (const [at, call] of undone.calls.entries()) {
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

test('the plainest request comes first, and right ones are left out', () => {
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

test('a signature that several sets explain is in the simplest of them', () => {
  const [lower, version] = [deviationOf('method-lower-case'), deviationOf('version-left-out-of-base-string')];
  const one = ordinary('HMAC-SHA1');
  const credentials = one.credentials.filter(([name]) => name !== 'oauth_version');
  const versioned: Drawn = { ...one, credentials: [...credentials, ['oauth_version', '1.0']] };
  const plain: Drawn = { ...one, credentials };
  const wrong = (
    [
      [plain, [lower]],
      [plain, [lower]],
      [versioned, [lower, version]],
      [versioned, [lower]],
    ] as const
  ).map(([drawn, set], at) => ({
    number: at + 1,
    request: signedWith(drawn, set, shopKeys.privateKey),
    keys: { consumerSecret: one.consumerSecret, publicKey: shopKeys.publicKey },
  }));
  expect(explainMany(wrong).explained.map(({ ids, numbers }) => [ids, [...numbers].sort()])).toEqual([
    [['method-lower-case'], [1, 2, 4]],
    [['version-left-out-of-base-string', 'method-lower-case'], [3]],
  ]);
});

function recorded(method: SignatureMethod, set = [deviationOf('method-lower-case')]) {
  const drawn = [0, 1, 2].map(() => ordinary(method));
  const exchanges = drawn.map((one) => ({
    request: signedWith(one, set, shopKeys.privateKey),
    startedAt: 0,
    durationMs: 0,
  }));
  const cases = exchanges.map((exchange) => ({ exchanges: [exchange] })) as unknown as Case[];
  const calls = cases as unknown as ClientCase[];
  const [{ consumerSecret }] = drawn as [Drawn];
  const keysOf = (): readonly VerifyingKey[] => [
    { method: 'HMAC-SHA1', consumerSecret },
    { method: 'RSA-SHA256', publicKey: shopKeys.publicKey },
  ];
  const keys = { consumerSecret, publicKey: shopKeys.publicKey };
  return { calls, cases, keysOf, wrong: exchanges.map(({ request }, at) => ({ number: at + 1, request, keys })) };
}

/** One with the secret of the others, and no token. */
function ordinary(method: SignatureMethod): Drawn {
  const one = drawRequest(choice, method);
  const credentials = one.credentials.filter(([name]) => name !== 'oauth_token');
  return { ...one, credentials, consumerSecret: 'a secret of all requests', tokenSecret: '' };
}
