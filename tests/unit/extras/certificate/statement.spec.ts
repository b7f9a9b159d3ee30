/** The statement of a certificate about a result, and statements that contradict themselves. */
import { validate } from '../../../../schemas/index.ts';
import { issuedText } from '../../../../src/app/commands/certificate.ts';
import { digestOf, type EvidenceFile } from '../../../../src/extras/certificate/evidence-digest.ts';
import {
  isOlder,
  makeStatement,
  refuseOtherContracts,
  refuseOtherStatement,
  type Statement,
  statementIn,
  verificationResult,
} from '../../../../src/extras/certificate/statement.ts';
import { formatConclusion } from '../../../../src/record/result/conclude.ts';
import type { Result, ResultRow } from '../../../../src/record/result/result.ts';
import { expect, test } from '../../../engine.ts';
import { batchSentAgain } from '../../report/all-outcomes.ts';
import { resultOf } from '../../verdict/runs.ts';

const row = (id: string, more: Partial<ResultRow> = {}): ResultRow => resultOf({ [id]: more }).results[0]!;

const result: Result = {
  ...resultOf({
    'close-day/path': 'pass',
    'close-day/method': { kind: 'expected', remark: 'expected: POST; received: PUT' },
    'close-day/body-is-form': { remark: 'the client declines an unusual input' },
    'close-day/totals-true': { outcome: 'not-applicable', reason: 'nobody can see it' },
    'close-day/later': { outcome: 'fail', notScored: true },
  }),
  ...{ runId: 'r1', seed: 'theirs', challenge: 'theirs', unnoticed: undefined },
  contracts: [{ pact: 'a.json', interaction: 'a day is closed', state: 'open', outcome: 'pass', mismatches: [] }],
};

const annotations = { bytes: 300, blockBytes: 256, blocks: '0123456789abcdef' };
const file = (name: string): EvidenceFile => ({ name, digest: { sha256: 'ab'.repeat(32) }, annotations });
const files = [file('exchanges.har'), file('report.json')];
const evidence = { digest: { sha256: digestOf(files) }, files };
const issue = { issuedAt: '2026-02-01T00:00:00.000Z', expiresAt: '2026-05-01T00:00:00.000Z', evidence };
const statement = makeStatement(result, issue);
const faultOf = (value: unknown) => validate('certificate', value)[0]?.sentence;
const read = (value: unknown) => statementIn(Buffer.from(JSON.stringify(value)), 'c.json', faultOf);

test('the statement is a test result of in-toto, and matches its schema', () => {
  expect(validate('certificate', statement)).toEqual([]);
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'evidence', digest: { sha256: digestOf(files) } }],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: 'WARNED',
      configuration: [{ name: 'countersign/rfc5849/suite-0.1.0' }],
      passedTests: ['close-day/path', 'close-day/body-is-form', 'pact/a.json: a day is closed (open)'],
      warnedTests: ['close-day/method'],
      failedTests: [],
      countersign: {
        challenge: 'theirs',
        minimumSuite: '0.1.0',
        subjectIs: 'evidence',
        untested: [{ id: 'close-day/totals-true', outcome: 'not-applicable', reason: 'nobody can see it' }],
      },
    },
  });
});

test('the configuration has the name of the frozen set, and its digest covers the statements', () => {
  const digest = (changed: Partial<Result>) =>
    makeStatement({ ...result, ...changed }, issue).predicate.configuration[0]!;
  expect(digest({ set: '2026-11' }).name).toBe('countersign/rfc5849/2026-11');
  expect(digest({ set: '2026-11' }).digest).toEqual(digest({}).digest);
  expect(digest({ results: result.results.toReversed() }).digest).toEqual(digest({}).digest);
  expect(digest({ results: result.results.slice(1) }).digest).not.toEqual(digest({}).digest);
});

test('the result is FAILED after a failure, and PASSED only if every test passed', () => {
  const predicateOf = (results: readonly ResultRow[], conclusion: Result['conclusion']) =>
    makeStatement({ ...result, results, conclusion }, issue).predicate;
  const failed = [row('close-day/path', { outcome: 'fail' }), ...result.results.slice(1)];
  expect(predicateOf(failed, 'non-conformant')).toMatchObject({ result: 'FAILED', failedTests: ['close-day/path'] });
  expect(predicateOf(result.results.slice(0, 1), 'conformant')).toMatchObject({ result: 'PASSED', warnedTests: [] });
});

test('a hazard changes the result PASSED to WARNED, and a baseline does not hide the hazard', () => {
  const hazards = [{ ...batchSentAgain, known: { reason: 'CL-7' } }];
  const warned = makeStatement({ ...result, results: result.results.slice(0, 1), hazards }, issue);
  expect(validate('certificate', warned)).toEqual([]);
  expect(warned.predicate).toMatchObject({ result: 'WARNED', warnedTests: [], hazards: [batchSentAgain] });
  expect(read(warned)).toEqual(warned);
  expect(warned.predicate.hazards![0]).not.toHaveProperty('known');
  const text = issuedText(warned, { path: 'c.json', keyid: 'k', verify: 'v' });
  expect(text).toMatch(/Its result is WARNED \(conformant, with 1 hazard\)\.\n\nHAZARD {5}A batch was sent 3 times/);
  const passed = { ...warned, predicate: { ...warned.predicate, result: 'PASSED' } };
  expect(() => read(passed)).toThrow(/hazards give WARNED/);
});

const unseen = { outcome: 'not-applicable', reason: 'condition never observed' } as const;
const results = [row('close-day/path'), row('transport/https-served', unseen), row('close-day/totals-true', unseen)];
const incomplete = makeStatement({ ...result, results }, issue);

test('a required requirement without an exchange is named, and the result is WARNED', () => {
  expect(incomplete.predicate).toMatchObject({
    result: 'WARNED',
    warnedTests: [],
    countersign: { exercised: { required: 2, neverArose: ['transport/https-served'] } },
  });
  expect(validate('certificate', incomplete)).toEqual([]);
  expect(read(incomplete)).toEqual(incomplete);
  expect(formatConclusion(incomplete.predicate.countersign)).toBe(
    'conformant as far as exercised: 1 of 2 required; 1 untested',
  );
});

test('a certificate that omits requirements without an exchange is refused', () => {
  const judged = { ...result, results: [row('close-day/path'), row('transport/https-served', unseen)] };
  const { predicate } = makeStatement(judged, issue);
  const claims = { ...predicate, countersign: { ...predicate.countersign, exercised: undefined } };
  expect(() => refuseOtherStatement({ ...makeStatement(judged, issue), predicate: claims }, judged)).toThrow(
    'countersign.exercised is nothing, but judged again {"required":2,"neverArose":["transport/https-served"]}',
  );
});

const refused: readonly (readonly [changed: Partial<Result>, says: RegExp])[] = [
  [{ conclusion: 'aborted', aborted: 'the gateway is gone' }, /the run was aborted: the gateway is gone/],
  [{ scope: { only: ['close-day/*'] } }, /narrowed to close-day\/\* \(see "scope" in report\.json\)/],
  [{ scope: { only: ['close-day/path'], smoke: true } }, /^the run was a smoke run \(see "scope" in report\.json\)$/],
  [{ conclusion: 'partial', results: [row('a/b', { outcome: 'inconclusive' })] }, /partial: a\/b has no verdict/],
  [{ conclusion: 'partial', acceptPartial: true }, /the run is partial/],
];

test('no certificate is issued for an aborted, narrowed or partial run', () => {
  for (const [changed, text] of refused) expect(() => makeStatement({ ...result, ...changed }, issue)).toThrow(text);
});

const contradictions: readonly (readonly [change: (predicate: Changeable) => void, says: RegExp])[] = [
  [(p) => Object.assign(p, { result: 'PASSED' }), /"result" is PASSED, but its tests and hazards give WARNED/],
  [
    (p) => Object.assign(p, { result: 'FAILED', failedTests: ['x'] }),
    /"result" is FAILED, but "conclusion" is conformant/,
  ],
  // An unknown member in `countersign` does not replace a member of the predicate with the same name.
  [(p) => Object.assign(p, { failedTests: ['x'], countersign: { ...p.countersign, failedTests: [] } }), /give FAILED/],
  [(p) => Object.assign(p.countersign, { seed: 'ours' }), /"challenge" and "seed" differ/],
  [
    (p) => Object.assign(p.countersign.evidence, { files: files.toReversed() }),
    /digest of the evidence does not match/,
  ],
  [(p) => Object.assign(p.countersign, { expiresAt: issue.issuedAt }), /expiresAt is not after issuedAt/],
  [(p) => Object.assign(p.countersign, { issuedAt: '2026-01-31T11:59:59.999Z' }), /issuedAt is before startedAt/],
  [
    (p) => Object.assign(p.countersign, { expiresAt: '2029-10-27T12:00:00.001Z' }),
    /expiresAt is more than 1000 days after/,
  ],
  [(p) => Object.assign(p.countersign, { minimumSuite: 'any' }), /must be a version such as 1\.2\.3/],
  [(p) => Object.assign(p.countersign.evidence.files[0]!, { name: '../x' }), /must be the name of a file of a run/],
];

test('a statement that contradicts itself is refused, although its signature is correct', () => {
  expect(read(statement)).toEqual(statement);
  for (const [change, text] of contradictions) {
    const changed = structuredClone(statement);
    change(changed.predicate as unknown as Changeable);
    expect(() => read(changed)).toThrow(text);
  }
});

test('a payload that programs can read in two ways is refused', () => {
  const text = JSON.stringify(statement);
  const twice = text.replace('{"_type"', '{"subject":[],"_type"');
  const escaped = text.replace('WARNED', '\\u0057ARNED');
  for (const payload of [twice, ` ${text}`, `\ufeff${text}`, escaped, '['.repeat(100_000), '\xff'])
    expect(() => statementIn(Buffer.from(payload, 'latin1'), 'c.json', faultOf)).toThrow(/its payload is/);
});

test('a certificate is refused if the run has other facts, also with another version of the suite', () => {
  const { challenge: _, ...unchallenged } = result;
  const labelled = { ...result, labels: { gateway: '4' } };
  const others: readonly (readonly [certified: Result, run: Result, says: RegExp])[] = [
    [result, { ...result, runId: 'r2' }, /runId is "r1", but judged again "r2"/],
    [result, unchallenged, /challenge is "theirs", but judged again nothing/],
    [unchallenged, result, /challenge is nothing/],
    [result, labelled, /labels is nothing/],
    [labelled, result, /labels is {"gateway":"4"}/],
  ];
  const later = (run: Result) => ({ ...run, suite: { ...run.suite, version: '0.2.0' } });
  expect(refuseOtherStatement(statement, result)).toBe(4);
  expect(refuseOtherStatement(statement, later(result))).toBe(4);
  for (const [certified, run, says] of others) {
    for (const judged of [run, later(run)])
      expect(() => refuseOtherStatement(makeStatement(certified, issue), judged)).toThrow(says);
  }
  expect(() => refuseOtherStatement(statement, { ...result, set: '2026-11' })).toThrow(
    /suite-0\.1\.0", but judged again/,
  );
  const failing = { ...result, results: [row('close-day/path', { outcome: 'fail' }), ...result.results.slice(1)] };
  expect(() => refuseOtherStatement(statement, failing)).toThrow(/close-day\/path passed, but .* finds that it failed/);
});

test('a report is refused if a Pact interaction is missing or occurs twice', () => {
  const refused = (contracts: Result['contracts'], says: RegExp) =>
    expect(() => refuseOtherContracts({ ...result, contracts }, ['a.json: a day is closed'], 'r')).toThrow(says);
  const [row] = result.contracts!;
  refuseOtherContracts(result, ['a.json: a day is closed'], 'r');
  refused(undefined, /r: contracts lacks a\.json: a day is closed/);
  refused([row!, row!], /r: contracts has a\.json: a day is closed, which occurs twice or is not in the Pact files/);
});

test('versions are compared by Semantic Versioning', () => {
  const pairs = Object.entries({ '0.9.0': '0.10.0', '1.0.0-rc.1': '1.0.0', '1.0.0-a': '1.0.0-b' });
  expect(pairs.map(([a, b]) => [isOlder(a, b), isOlder(b, a), isOlder(a, a)])).toEqual(
    pairs.map(() => [true, false, false]),
  );
});

test('the result of a check lists the verified properties, without a verdict if the run failed', () => {
  const properties = (checked: Statement, valid: boolean) =>
    verificationResult(checked, { evidence: valid, artifact: valid, challenge: valid }, { at: 0, suite: result.suite })
      .predicate;
  expect(properties(statement, true)).toEqual({
    verifier: { id: 'urn:countersign:verify:0.1.0' },
    timeCreated: '1970-01-01T00:00:00.000Z',
    properties: [
      'COUNTERSIGN_CERTIFICATE_GENUINE',
      'COUNTERSIGN_CONFORMANT:countersign/rfc5849/suite-0.1.0',
      'COUNTERSIGN_ALL_EXERCISED',
      'COUNTERSIGN_EVIDENCE_JUDGED_AGAIN',
      'COUNTERSIGN_ARTIFACT_MATCHES',
      'COUNTERSIGN_CHALLENGE_ANSWERED',
    ],
  });
  const failed = { ...statement, predicate: { ...statement.predicate, result: 'FAILED' as const } };
  expect(properties(failed, false).properties).toEqual(['COUNTERSIGN_CERTIFICATE_GENUINE']);
});

interface Changeable {
  readonly passedTests: string[];
  readonly countersign: { readonly evidence: { readonly files: EvidenceFile[] } };
}
