/** The in-toto Statement v1 (predicate test-result v0.1) of a certificate: makes it, and compares it with the run. */
import { createHash } from 'node:crypto';
import { pluralize } from '../../record/pluralize.ts';
import { exercisedIn } from '../../record/result/conclude.ts';
import type { Hazard, Outcome, Result } from '../../record/result/result.ts';
import { contractId } from '../../record/result/score.ts';
import { casesOf, type RecordedRun } from '../../record/run.ts';
import { CertificateError, certificateError } from './envelope.ts';
import { digestOf, type EvidenceDigest, requiredFiles, type Sha256 } from './evidence-digest.ts';

const statementType = 'https://in-toto.io/Statement/v1';
const predicateType = 'https://in-toto.io/attestation/test-result/v0.1';

export interface Statement {
  readonly _type: typeof statementType;
  /** The certified artifact, or the evidence if no artifact was given. */
  readonly subject: readonly { readonly name: string; readonly digest: Sha256 }[];
  readonly predicateType: typeof predicateType;
  readonly predicate: {
    readonly result: 'PASSED' | 'WARNED' | 'FAILED';
    /** The first entry is named `countersign/<profile>/<set>`. Its digest covers ids and texts of the requirements. */
    readonly configuration: readonly { readonly name: string; readonly digest: Sha256 }[];
    readonly passedTests: readonly string[];
    readonly warnedTests: readonly string[];
    readonly failedTests: readonly string[];
    /** Risks to money that no requirement forbids; absent if there are none. */
    readonly hazards?: readonly StatedHazard[];
    /** Facts for which in-toto defines no member. in-toto allows further members. */
    readonly countersign: Facts;
  };
}

/** Omits `known`, which comes from a baseline that third parties do not have. */
type StatedHazard = Omit<Hazard, 'known'>;

export interface Facts {
  readonly suite: Result['suite'];
  /** The oldest version of the suite that can check the certificate. */
  readonly minimumSuite: string;
  readonly tested: Result['subject'];
  readonly subjectIs: 'artifact' | 'evidence';
  readonly conclusion: 'conformant' | 'non-conformant';
  /** Testable `required` requirements: their number, and the ids of those without a case. Absent if all had a case. */
  readonly exercised?: { readonly required: number; readonly neverArose: readonly string[] };
  readonly profile: string;
  readonly set: string;
  readonly seed: string;
  readonly challenge?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly runId: string;
  readonly startedAt: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  /** Requirements without a verdict, and the reasons. */
  readonly untested: readonly { readonly id: string; readonly outcome: Outcome; readonly reason: string }[];
  readonly evidence: EvidenceDigest;
}

interface Issuance {
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly evidence: EvidenceDigest;
  readonly artifact?: { readonly name: string; readonly digest: Sha256 };
}

/** Makes the statement about a run. Throws CertificateError if the run is aborted, narrowed or partial. */
export function makeStatement(result: Result, { issuedAt, expiresAt, evidence, artifact }: Issuance): Statement {
  const conclusion = requireCertifiable(result);
  const set = requirementSetOf(result);
  const tests = testsOf(result);
  const hazards = hazardsOf(result);
  const { required, neverArose } = exercisedIn(result);
  const exercised = neverArose.length === 0 ? undefined : { required, neverArose: neverArose.map(({ id }) => id) };
  return {
    _type: statementType,
    subject: [artifact ?? { name: 'evidence', digest: evidence.digest }],
    predicateType,
    predicate: {
      result: resultOf({ ...tests, hazards, exercised }),
      configuration: [{ name: configurationName(result.profile, set.name), digest: { sha256: set.sha256 } }],
      ...tests,
      hazards,
      countersign: {
        suite: result.suite,
        minimumSuite: result.suite.version,
        tested: result.subject,
        subjectIs: artifact === undefined ? 'evidence' : 'artifact',
        conclusion,
        exercised,
        profile: result.profile,
        set: set.name,
        ...reportedFactsOf(result),
        issuedAt,
        expiresAt,
        untested: untestedIn(result),
        evidence,
      },
    },
  };
}

function configurationName(profile: string, set: string): string {
  return `countersign/${profile}/${set}`;
}

type Tests = Pick<Statement['predicate'], 'passedTests' | 'warnedTests' | 'failedTests'>;
type ResultData = Tests & Pick<Statement['predicate'], 'hazards'> & Pick<Facts, 'exercised'>;

function resultOf({ failedTests, warnedTests, hazards = [], exercised }: ResultData): Statement['predicate']['result'] {
  if (failedTests.length > 0) return 'FAILED';
  return warnedTests.length > 0 || hazards.length > 0 || exercised !== undefined ? 'WARNED' : 'PASSED';
}

type ReportedFacts = Pick<Facts, 'seed' | 'challenge' | 'labels' | 'runId' | 'startedAt'>;

/** The facts that judges cannot verify, because only the report contains them. */
function reportedFactsOf({ seed, challenge, labels, runId, startedAt }: ReportedFacts): ReportedFacts {
  return { seed, challenge, labels, runId, startedAt };
}

function testsOf({ results, contracts = [] }: Pick<Result, 'results' | 'contracts'>): Tests {
  const scored = results.filter(isScored);
  const passed = scored.filter(({ outcome }) => outcome === 'pass');
  // Only a remark on an `expected` requirement is a warning. Remarks on `required` requirements concern open points.
  const isWarned = ({ kind, remark }: (typeof results)[number]) => kind === 'expected' && remark !== undefined;
  const pactTests = (wanted: Outcome) =>
    contracts
      .filter((one) => isScored(one) && one.outcome === wanted)
      .map(({ pact, interaction, state }) => `${pactPrefix}${pact}: ${interaction} (${state})`);
  return {
    passedTests: [...passed.filter((row) => !isWarned(row)).map(({ id }) => id), ...pactTests('pass')],
    warnedTests: passed.filter(isWarned).map(({ id }) => id),
    failedTests: [...scored.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id), ...pactTests('fail')],
  };
}

function hazardsOf({ hazards = [] }: Pick<Result, 'hazards'>): readonly StatedHazard[] | undefined {
  return hazards.length === 0 ? undefined : hazards.map(({ known: _, ...hazard }) => hazard);
}

export const pactPrefix = 'pact/';

function isScored({ notScored }: { readonly notScored?: true }): boolean {
  return notScored !== true;
}

function untestedIn({ results }: Pick<Result, 'results'>): Facts['untested'] {
  return results
    .filter((row) => isScored(row) && row.outcome !== 'pass' && row.outcome !== 'fail')
    .map(({ id, outcome, reason, actual }) => ({ id, outcome, reason: reason ?? actual ?? 'no reason was recorded' }));
}

/** Throws CertificateError for an aborted, narrowed or partial run, because third parties cannot rely on it. */
export function requireCertifiable({ conclusion, scope, aborted, results }: Result): Facts['conclusion'] {
  const refusal = (what: string, hint: string) => new CertificateError('not-certifiable', what, hint);
  if (conclusion === 'aborted') {
    throw refusal(`the run was aborted: ${aborted ?? 'its report does not say why'}`, 'Run it again.');
  }
  if (scope !== undefined) {
    const { smoke, shard, only } = scope;
    if (smoke) throw refusal('the run was a smoke run (see "scope" in report.json)', 'Run it again without --smoke.');
    if (shard !== undefined) {
      const part = `shard ${shard.index} of ${shard.of} (see "scope" in report.json)`;
      throw refusal(`the run is ${part}`, 'Merge the shards with "countersign merge", and certify the merged run.');
    }
    const narrowed = `the run was narrowed to ${only.join(', ') || 'nothing'} (see "scope" in report.json)`;
    throw refusal(narrowed, 'Run all requirements: remove --only, --except and --last-failed.');
  }
  if (conclusion !== 'partial') return conclusion;
  const undecided = results.filter((row) => isScored(row) && row.outcome === 'inconclusive').map(({ id }) => id);
  const rest = undecided.length > 3 ? ` and ${undecided.length - 3} more` : '';
  const namedIds = undecided.length === 0 ? 'binding requirements' : `${undecided.slice(0, 3).join(', ')}${rest}`;
  throw refusal(
    `the run is partial: ${namedIds} ${undecided.length === 1 ? 'has' : 'have'} no verdict`,
    'A certificate needs a verdict on every binding requirement. The report shows what to allow or change.',
  );
}

function requirementSetOf({ suite, set, results }: Pick<Result, 'suite' | 'set' | 'results'>) {
  const idsAndTexts = results
    .filter(isScored)
    .map(({ id, statement }) => [id, statement])
    .sort(([a], [b]) => (a! < b! ? -1 : 1));
  return {
    name: set ?? `suite-${suite.version}`,
    sha256: createHash('sha256').update(JSON.stringify(idsAndTexts)).digest('hex'),
  };
}

/** The optional checks that passed. Signature, expiry and suite are always checked. */
export interface PassedChecks {
  /** True if the evidence is present and unchanged, and judging it again gave the same outcomes. */
  readonly evidence: boolean;
  readonly artifact: boolean;
  readonly challenge: boolean;
}

/** Returns an in-toto statement (Simple Verification Result v0.1). `at` is in milliseconds since the Unix epoch. */
export function verificationResult(
  { subject, predicate }: Statement,
  passedChecks: PassedChecks,
  { at, suite }: { readonly at: number; readonly suite: Result['suite'] },
) {
  const { profile, set } = predicate.countersign;
  const properties: readonly (readonly [isVerified: boolean, property: string])[] = [
    [true, 'COUNTERSIGN_CERTIFICATE_GENUINE'],
    [predicate.result !== 'FAILED', `COUNTERSIGN_CONFORMANT:${configurationName(profile, set)}`],
    [predicate.result !== 'FAILED' && predicate.countersign.exercised === undefined, 'COUNTERSIGN_ALL_EXERCISED'],
    [passedChecks.evidence, 'COUNTERSIGN_EVIDENCE_JUDGED_AGAIN'],
    [passedChecks.artifact, 'COUNTERSIGN_ARTIFACT_MATCHES'],
    [passedChecks.challenge, 'COUNTERSIGN_CHALLENGE_ANSWERED'],
  ];
  return {
    _type: statementType,
    subject,
    predicateType: 'https://in-toto.io/attestation/svr/v0.1',
    predicate: {
      verifier: { id: `urn:countersign:verify:${suite.version}` },
      timeCreated: new Date(at).toISOString(),
      properties: properties.filter(([isVerified]) => isVerified).map(([, property]) => property),
    },
  };
}

/** Parses a signed payload from the file `name`. `faultOf` describes a schema violation. Throws CertificateError. */
export function statementIn(payload: Buffer, name: string, faultOf: (value: unknown) => string | undefined): Statement {
  const unusable = (message: string, cause?: unknown) =>
    certificateError('not-a-certificate', cause)`
      ${name} is signed, but ${message}
      Ask for a certificate that countersign wrote.`;
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
    value = JSON.parse(text);
    // This also refuses a repeated member name, because programs disagree about the value that counts.
    if (JSON.stringify(value) !== text) throw unusable('its payload is not compact JSON, or a member occurs twice');
  } catch (cause) {
    if (cause instanceof CertificateError) throw cause;
    throw unusable('its payload is not JSON in UTF-8', cause);
  }
  const fault = faultOf(value);
  if (fault !== undefined) throw unusable(`its statement cannot be used: ${fault}`);
  const statement = value as Statement;
  const contradiction = contradictionIn(statement);
  if (contradiction === undefined) return statement;
  throw new CertificateError('contradiction', `${name} contradicts itself: ${contradiction}`, doNotRelyHint);
}

function contradictionIn({ subject, predicate }: Statement): string | undefined {
  const { result, countersign: facts } = predicate;
  const { conclusion, evidence, seed, challenge } = facts;
  const expected = resultOf({ ...predicate, exercised: facts.exercised });
  if (result !== expected) return `"result" is ${result}, but its tests and hazards give ${expected}`;
  if ((result === 'FAILED') !== (conclusion === 'non-conformant')) {
    return `"result" is ${result}, but "conclusion" is ${conclusion}`;
  }
  if (challenge !== undefined && challenge !== seed) return '"challenge" and "seed" differ';
  if (digestOf(evidence.files) !== evidence.digest.sha256) return 'the digest of the evidence does not match its files';
  if (facts.subjectIs === 'evidence' && subject[0]!.digest.sha256 !== evidence.digest.sha256) {
    return '"subjectIs" is "evidence", but "subject" and "evidence" have different digests';
  }
  const missing = requiredFiles.find((name) => !evidence.files.some((file) => file.name === name));
  return missing === undefined ? contradictionOfTimes(facts) : `the evidence has no ${missing}`;
}

export const maxDays = 1000;
const dayMs = 24 * 60 * 60_000;

function contradictionOfTimes(facts: Facts): string | undefined {
  const [startedAt, issuedAt, expiresAt] = [facts.startedAt, facts.issuedAt, facts.expiresAt].map(Date.parse);
  // An invalid date becomes NaN. Comparisons with NaN are false, so these checks also refuse an invalid date.
  if (!(startedAt! <= issuedAt!)) return 'issuedAt is before startedAt';
  if (!(issuedAt! < expiresAt!)) return 'expiresAt is not after issuedAt';
  return expiresAt! <= issuedAt! + maxDays * dayMs
    ? undefined
    : `expiresAt is more than ${maxDays} days after issuedAt`;
}

interface Policy {
  readonly at: number;
  readonly suite: Result['suite'];
  readonly minimumSuite?: string;
  readonly challenge?: string;
  readonly artifact?: { readonly path: string; readonly sha256: string };
}

const clockToleranceMs = 5 * 60_000;

/** Throws CertificateError if the certificate does not meet the policy. */
export function enforcePolicy({ subject, predicate }: Statement, policy: Policy): void {
  const { issuedAt, expiresAt, suite, minimumSuite, challenge, subjectIs } = predicate.countersign;
  const { at, artifact } = policy;
  if (Date.parse(expiresAt) <= at) {
    throw notValid(`expired at ${expiresAt}`, 'Ask for a new certificate, from a new run.');
  }
  if (Date.parse(issuedAt) > at + clockToleranceMs) {
    throw notValid(`is issued at ${issuedAt}, in the future`, 'Check the clock of this machine, or --at.');
  }
  if (isOlder(policy.suite.version, minimumSuite)) {
    throw certificateError('old-suite')`
      only version ${minimumSuite} or later of the suite can check the certificate, but this is ${policy.suite.version}
      Install version ${minimumSuite} or later.`;
  }
  if (policy.minimumSuite !== undefined && isOlder(suite.version, policy.minimumSuite)) {
    throw certificateError('old-suite')`
      version ${suite.version} of the suite issued the certificate; it is older than ${policy.minimumSuite}
      Ask for a certificate from a newer suite.`;
  }
  if (policy.challenge !== undefined && challenge !== policy.challenge) {
    const challengeText = challenge === undefined ? 'states no challenge' : `states the challenge ${challenge}`;
    throw certificateError('other-challenge')`
      the certificate ${challengeText}, but ${policy.challenge} is expected
      Ask for a run with --challenge.`;
  }
  if (artifact === undefined || artifact.sha256 === subject[0]!.digest.sha256) return;
  throw new CertificateError(
    'other-artifact',
    subjectIs === 'evidence'
      ? 'the certificate names no tested file, because its subject is the evidence'
      : `${artifact.path} is not the file that was certified: its SHA-256 is ${artifact.sha256}, and subject[0] has ${subject[0]!.digest.sha256}`,
    'Give the file that was tested, or omit --artifact.',
  );
}

function notValid(what: string, hint: string): CertificateError {
  return new CertificateError('not-valid-now', `the certificate ${what}`, hint);
}

/** True if `version` is older than `other` (Semantic Versioning 2.0 section 11). Compares prerelease labels as text. */
export function isOlder(version: string, other: string): boolean {
  const [[numbers, label], [otherNumbers, otherLabel]] = [versionParts(version), versionParts(other)];
  const at = numbers.findIndex((number, index) => number !== otherNumbers[index]);
  if (at !== -1) return numbers[at]! < otherNumbers[at]!;
  if (label === undefined || otherLabel === undefined) return label !== undefined && otherLabel === undefined;
  return label < otherLabel;
}

function versionParts(version: string): readonly [readonly number[], string | undefined] {
  const [, numbers, label] = /^(\d+\.\d+\.\d+)(?:-([\w.-]+))?/.exec(version)!;
  return [numbers!.split('.').map(Number), label];
}

const comparedMembers = [
  ...(['statement', 'operation', 'dimension', 'kind', 'section', 'outcome', 'basis', 'remark'] as const),
  ...(['blame', 'expected', 'actual', 'reason', 'exchanges', 'notScored'] as const),
];

function comparedPart(result: Result): object {
  const { conclusion, dimensions, observations, exchangeCount, results, contracts = [] } = result;
  return {
    requirements: Object.fromEntries(
      results.map((row) => [row.id, Object.fromEntries(comparedMembers.map((name) => [name, row[name]]))]),
    ),
    contracts: contracts.map(({ known: _, ...row }) => row),
    hazards: hazardsOf(result),
    conclusion,
    dimensions,
    observations,
    exchangeCount,
    rows: results.length,
  };
}

/** Throws CertificateError if the report (file `path`) is from another suite version, or differs from `judged`. */
export function refuseOtherReport(report: Result, judged: Result, path: string): void {
  const { name, version } = report.suite;
  if (name !== judged.suite.name || version !== judged.suite.version) {
    throw certificateError('old-suite')`
      the run was judged by ${name} ${version}, but this is ${judged.suite.name} ${judged.suite.version}
      Judge the run again with countersign judge RUN --out DIR, and certify DIR.`;
  }
  const difference = differenceIn(comparedPart(report), comparedPart(judged));
  if (difference === undefined) return;
  throw certificateError('other-outcome')`
    ${path} differs from what its exchanges show: ${difference}
    Certify the original files of the run.`;
}

/** Throws CertificateError if --bail skipped a scenario, because third parties cannot rely on such a run. */
export function refuseBailed(recordings: readonly Pick<RecordedRun, 'leftOut'>[]): void {
  const count = recordings.flatMap(({ leftOut = [] }) => leftOut).length;
  if (count === 0) return;
  throw certificateError('not-certifiable')`
    --bail ended the run: it did not perform ${pluralize(count, 'scenario')}
    Run it again without --bail.`;
}

/** Throws CertificateError unless the Pact interactions in the report are exactly those in `ids`, each once. */
export function refuseOtherContracts({ contracts = [] }: Result, ids: readonly string[], path: string): void {
  const refusal = (fault: string) =>
    new CertificateError('other-outcome', `${path}: ${fault}`, 'Certify the original files of the run.');
  const remaining = new Set(ids);
  for (const id of contracts.map(contractId)) {
    if (!remaining.delete(id)) throw refusal(`contracts has ${id}, which occurs twice or is not in the Pact files`);
  }
  const [missing] = remaining;
  if (missing !== undefined) throw refusal(`contracts lacks ${missing}`);
}

/** Throws CertificateError unless `startedAt` (it sets the expiry) is 0 to `durationMs` before the first exchange. */
export function refuseOtherStart(
  report: Result,
  recordings: readonly (RecordedRun & { readonly isForeign?: true })[],
  path: string,
): void {
  const firstAt = recordings
    .filter(({ isForeign }) => !isForeign)
    .flatMap((run) => casesOf(run).flatMap(({ exchanges }) => exchanges))
    .reduce((earliest, { startedAt }) => Math.min(earliest, startedAt), Number.POSITIVE_INFINITY);
  if (firstAt === Number.POSITIVE_INFINITY) return;
  const startedAt = Date.parse(report.startedAt);
  if (startedAt <= firstAt && firstAt - startedAt <= report.durationMs) return;
  const how =
    startedAt > firstAt ? 'startedAt is later' : `the difference is more than the ${report.durationMs} ms of the run`;
  throw certificateError('other-outcome')`
    ${path} has startedAt ${report.startedAt}, but the first exchange was at ${new Date(firstAt).toISOString()}: ${how}
    Certify the original folder of the run.`;
}

interface SeedCheck {
  /** Describes a request that is not from `seed`, if any. Returns `noRequest` if no request depends on a seed. */
  faultFor(seed: string): string | undefined;
  readonly noRequest: string;
}

/** Throws CertificateError if requests have another challenge or seed. Checks seeds only in test runs of `version`. */
export function refuseOtherSeed(
  report: Result,
  version: string,
  { faultFor, noRequest }: SeedCheck,
  challenge = report.challenge,
): void {
  const challengeFault = challenge === undefined ? undefined : faultFor(challenge);
  if (challengeFault !== undefined) {
    throw certificateError('other-challenge')`
      the run states the challenge ${challenge}, but ${challengeFault}
      Start the run with --challenge, and do not change its files.`;
  }
  const canCheckSeed = isTestRunReport(report) && report.suite.version === version;
  const seedFault = canCheckSeed ? faultFor(report.seed) : undefined;
  if (seedFault === undefined || seedFault === noRequest) return;
  throw certificateError('other-outcome')`
    the report names the seed ${report.seed}, but ${seedFault}
    Certify the original files of the run.`;
}

/** True if a test run wrote the report. False for reports of the commands `judge` and `rekey`. */
export function isTestRunReport({ reproduce, subject }: Result): boolean {
  return /^npx countersign (?:gateway|client) /.test(reproduce) && subject.target !== 'recording';
}

/**
 * Throws CertificateError if this suite would issue a different statement. Returns the number of compared requirements.
 * If another suite version issued the certificate, compares only outcomes, seed, challenge, labels, run id and start.
 * @param judged the new result; its seed, challenge, labels, run id and start come from the report
 */
export function refuseOtherStatement({ subject, predicate }: Statement, judged: Result): number {
  const { suite, issuedAt, expiresAt, evidence, untested, subjectIs } = predicate.countersign;
  const isSameSuite = suite.version === judged.suite.version;
  const statedOutcomes = outcomesIn({ ...predicate, untested });
  const newOutcomes = outcomesIn({ ...testsOf(judged), untested: untestedIn(judged) });
  const mismatch = [...statedOutcomes].find(([id, outcome]) => newOutcomes.get(id) !== outcome);
  if (mismatch !== undefined) {
    const [id, outcome] = mismatch;
    const newOutcome = newOutcomes.get(id);
    const newVerdict = `${judged.suite.name} ${judged.suite.version} ${newOutcome === undefined ? 'does not judge it' : `finds that it ${newOutcome}`}`;
    const hint = `Version ${suite.version} issued this certificate. Ask for one that version ${judged.suite.version} issued.`;
    throw certificateError('other-outcome')`
      the certificate says that ${id} ${outcome}, but ${newVerdict}
      ${isSameSuite ? doNotRelyHint : hint}`;
  }
  const artifact = subjectIs === 'artifact' ? subject[0] : undefined;
  const difference = isSameSuite
    ? differenceIn(predicate, makeStatement(judged, { issuedAt, expiresAt, evidence, artifact }).predicate)
    : differenceIn(reportedFactsOf(predicate.countersign), reportedFactsOf(judged));
  if (difference === undefined) return judged.results.filter(({ id }) => statedOutcomes.has(id)).length;
  throw certificateError('contradiction')`
    the certificate does not match the run: ${difference}
    ${doNotRelyHint}`;
}

const doNotRelyHint = 'Do not rely on this certificate.';

function outcomesIn({ untested, ...tests }: Tests & Pick<Facts, 'untested'>): ReadonlyMap<string, string> {
  const { passedTests, warnedTests, failedTests } = tests;
  return new Map([
    ...passedTests.map((id) => [id, 'passed'] as const),
    ...warnedTests.map((id) => [id, 'passed with a warning'] as const),
    ...failedTests.map((id) => [id, 'failed'] as const),
    ...untested.map(({ id, outcome }) => [id, `is ${outcome}`] as const),
  ]);
}

function differenceIn(before: unknown, now: unknown, path: readonly string[] = []): string | undefined {
  if (typeof before !== 'object' || typeof now !== 'object' || before === null || now === null) {
    return before === now ? undefined : `${path.join('.')} is ${shorten(before)}, but judged again ${shorten(now)}`;
  }
  const [members, others] = [before, now].map((value) => value as Readonly<Record<string, unknown>>);
  const names = [...new Set([before, now].flatMap(Object.keys))];
  return names.map((name) => differenceIn(members![name], others![name], [...path, name])).find(Boolean);
}

function shorten(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
