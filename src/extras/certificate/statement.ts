/** The in-toto Statement v1 of a certificate (predicate test-result v0.1), and checks of its content. Pure. */
import { createHash } from 'node:crypto';
import { exercisedIn, formatConcluded } from '../../record/result/conclude.ts';
import type { ContractRow, Hazard, Outcome, Result } from '../../record/result/result.ts';
import { CertificateError, certificateError } from './envelope.ts';
import { type EvidenceDigest, judgedFiles, rootOf, type Sha256 } from './evidence-digest.ts';

const statementType = 'https://in-toto.io/Statement/v1';

const predicateType = 'https://in-toto.io/attestation/test-result/v0.1';

export interface Statement {
  readonly _type: typeof statementType;
  /** One entry: the certified artifact, or the evidence if no artifact was given. */
  readonly subject: readonly { readonly name: string; readonly digest: Sha256 }[];
  readonly predicateType: typeof predicateType;
  readonly predicate: {
    readonly result: 'PASSED' | 'WARNED' | 'FAILED';
    /** The first entry is named `countersign/<profile>/<set>`; its digest covers the requirements. */
    readonly configuration: readonly { readonly name: string; readonly digest: Sha256 }[];
    readonly passedTests: readonly string[];
    readonly warnedTests: readonly string[];
    readonly failedTests: readonly string[];
    /** Risks to money that no requirement forbids; absent if there are none. */
    readonly hazards?: readonly StatedHazard[];
    /** Facts that in-toto does not define. in-toto allows further members. */
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
  /** The number of `required` requirements, and the ids of those without an exchange; absent if each one had an exchange. */
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

interface Issue {
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly evidence: EvidenceDigest;
  readonly artifact?: { readonly name: string; readonly digest: Sha256 };
}

/** Throws CertificateError if the run is incomplete or has no verdict. */
export function statementOn(result: Result, { issuedAt, expiresAt, evidence, artifact }: Issue): Statement {
  const conclusion = certifiable(result);
  const set = requirementsOf(result);
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
        ...statedBy(result),
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

/** Passed, warned and failed tests: ids of requirements, and Pact interactions. */
export type Tests = Pick<Statement['predicate'], 'passedTests' | 'warnedTests' | 'failedTests'>;

type Findings = Tests & Pick<Statement['predicate'], 'hazards'> & Pick<Facts, 'exercised'>;

function resultOf({ failedTests, warnedTests, hazards = [], exercised }: Findings): Statement['predicate']['result'] {
  if (failedTests.length > 0) return 'FAILED';
  return warnedTests.length > 0 || hazards.length > 0 || exercised !== undefined ? 'WARNED' : 'PASSED';
}

export function conclusionOfPredicate({ countersign, hazards }: Statement['predicate']): string {
  return formatConcluded({ ...countersign, hazards });
}

type ReportedFacts = Pick<Facts, 'seed' | 'challenge' | 'labels' | 'runId' | 'startedAt'>;

/** Facts from the report that no judge can verify. */
export function statedBy({ seed, challenge, labels, runId, startedAt }: ReportedFacts): ReportedFacts {
  return { seed, challenge, labels, runId, startedAt };
}

export function testsOf({ results, contracts = [] }: Pick<Result, 'results' | 'contracts'>): Tests {
  const counted = results.filter(counts);
  const passed = counted.filter(({ outcome }) => outcome === 'pass');
  // On a `required` requirement, a remark is about an open point. It does not count as a warning.
  const isWarned = ({ kind, remark }: (typeof results)[number]) => kind === 'expected' && remark !== undefined;
  const interactions = (wanted: Outcome) =>
    contracts.filter((one) => counts(one) && one.outcome === wanted).map(nameOfContract);
  return {
    passedTests: [...passed.filter((row) => !isWarned(row)).map(({ id }) => id), ...interactions('pass')],
    warnedTests: passed.filter(isWarned).map(({ id }) => id),
    failedTests: [...counted.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id), ...interactions('fail')],
  };
}

/** The hazards of a result; undefined if there are none. */
export function hazardsOf({ hazards = [] }: Pick<Result, 'hazards'>): readonly StatedHazard[] | undefined {
  return hazards.length === 0 ? undefined : hazards.map(({ known: _, ...hazard }) => hazard);
}

export const pactPrefix = 'pact/';

function nameOfContract({ pact, interaction, state }: ContractRow): string {
  return `${pactPrefix}${pact}: ${interaction} (${state})`;
}

/** False for a requirement that is newer than the set of the run. */
function counts({ notScored }: { readonly notScored?: true }): boolean {
  return notScored !== true;
}

/** The requirements without a verdict, and the reasons. */
export function untestedIn({ results }: Pick<Result, 'results'>): Facts['untested'] {
  return results
    .filter((row) => counts(row) && row.outcome !== 'pass' && row.outcome !== 'fail')
    .map(({ id, outcome, reason, actual }) => ({ id, outcome, reason: reason ?? actual ?? 'no reason was recorded' }));
}

/** Throws CertificateError if the run was aborted, narrowed or partial, because third parties cannot rely on such a run. */
export function certifiable({ conclusion, scope, aborted, results }: Result): Facts['conclusion'] {
  const refused = (what: string, hint: string) => new CertificateError('not-certifiable', what, hint);
  if (conclusion === 'aborted') {
    throw refused(`the run was aborted: ${aborted ?? 'its report does not say why'}`, 'Run it again.');
  }
  if (scope !== undefined) {
    const { smoke, shard, only } = scope;
    if (smoke) throw refused('the run was a smoke run (scope in report.json)', 'Run it again without --smoke.');
    if (shard !== undefined) {
      const which = `shard ${shard.index} of ${shard.of} (scope in report.json)`;
      throw refused(`the run is ${which}`, 'Merge the shards with countersign merge, and certify the merged run.');
    }
    const narrowed = `the run was narrowed to ${only.join(', ') || 'nothing'} (scope in report.json)`;
    throw refused(narrowed, 'Run all requirements: remove --only, --except and --last-failed.');
  }
  if (conclusion !== 'partial') return conclusion;
  const open = results.filter((row) => counts(row) && row.outcome === 'inconclusive').map(({ id }) => id);
  const rest = open.length > 3 ? ` and ${open.length - 3} more` : '';
  const which = open.length === 0 ? 'binding requirements' : `${open.slice(0, 3).join(', ')}${rest}`;
  throw refused(
    `the run is partial: ${which} ${open.length === 1 ? 'has' : 'have'} no verdict`,
    'A certificate needs a verdict on every binding requirement. The report shows what to allow or change.',
  );
}

/** The name of the set, or else a name from the suite version, and a digest of the ids and statements of the requirements. */
function requirementsOf({ suite, set, results }: Pick<Result, 'suite' | 'set' | 'results'>) {
  const pinned = results
    .filter(counts)
    .map(({ id, statement }) => [id, statement])
    .sort(([a], [b]) => (a! < b! ? -1 : 1));
  return {
    name: set ?? `suite-${suite.version}`,
    sha256: createHash('sha256').update(JSON.stringify(pinned)).digest('hex'),
  };
}

/** Which optional checks passed. Signature, expiry and suite are always checked. */
export interface Checked {
  /** The evidence was present and unchanged, and gave the same outcomes again. */
  readonly evidence: boolean;
  readonly artifact: boolean;
  readonly challenge: boolean;
}

/**
 * The result of a check as an in-toto statement (predicate Simple Verification Result v0.1), which lists the properties that were verified.
 * `at` is in milliseconds since the Unix epoch.
 */
export function verificationResult(
  { subject, predicate }: Statement,
  checked: Checked,
  { at, suite }: { readonly at: number; readonly suite: Result['suite'] },
) {
  const { profile, set } = predicate.countersign;
  const held: readonly (readonly [boolean, string])[] = [
    [true, 'COUNTERSIGN_CERTIFICATE_GENUINE'],
    [predicate.result !== 'FAILED', `COUNTERSIGN_CONFORMANT:${configurationName(profile, set)}`],
    [predicate.result !== 'FAILED' && predicate.countersign.exercised === undefined, 'COUNTERSIGN_ALL_EXERCISED'],
    [checked.evidence, 'COUNTERSIGN_EVIDENCE_JUDGED_AGAIN'],
    [checked.artifact, 'COUNTERSIGN_ARTIFACT_MATCHES'],
    [checked.challenge, 'COUNTERSIGN_CHALLENGE_ANSWERED'],
  ];
  return {
    _type: statementType,
    subject,
    predicateType: 'https://in-toto.io/attestation/svr/v0.1',
    predicate: {
      verifier: { id: `urn:countersign:verify:${suite.version}` },
      timeCreated: new Date(at).toISOString(),
      properties: held.filter(([holds]) => holds).map(([, property]) => property),
    },
  };
}

/**
 * Parses a payload. Throws CertificateError.
 * @param name the file in errors
 * @param faultOf a sentence on how the statement violates its schema
 */
export function statementIn(payload: Buffer, name: string, faultOf: (value: unknown) => string | undefined): Statement {
  const unusable = (message: string, cause?: unknown) =>
    certificateError('not-a-certificate', cause)`
      ${name} is signed, but ${message}
      Ask for a certificate that countersign wrote.`;
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
    value = JSON.parse(text);
    // Refuse a payload with a repeated member, because programs differ in which of the two they read.
    if (JSON.stringify(value) !== text) throw unusable('its payload is not JSON in its shortest form');
  } catch (cause) {
    if (cause instanceof CertificateError) throw cause;
    throw unusable('its payload is not JSON in UTF-8', cause);
  }
  const fault = faultOf(value);
  if (fault !== undefined) throw unusable(`its statement cannot be used: ${fault}`);
  const statement = value as Statement;
  const contradiction = contradictionIn(statement);
  if (contradiction === undefined) return statement;
  throw new CertificateError('contradiction', `${name} contradicts itself: ${contradiction}`, 'Do not rely on it.');
}

/** A contradiction between members, which would mislead a reader who does not have the evidence. */
function contradictionIn({ subject, predicate }: Statement): string | undefined {
  const { result, countersign: facts } = predicate;
  const { conclusion, evidence, seed, challenge } = facts;
  const expected = resultOf({ ...predicate, exercised: facts.exercised });
  if (result !== expected) return `result is ${result}, but its tests and hazards give ${expected}`;
  if ((result === 'FAILED') !== (conclusion === 'non-conformant')) {
    return `result is ${result}, but conclusion is ${conclusion}`;
  }
  if (challenge !== undefined && challenge !== seed) return 'challenge and seed differ';
  if (rootOf(evidence.files) !== evidence.digest.sha256) return 'the digest of the evidence does not match its files';
  if (facts.subjectIs === 'evidence' && subject[0]!.digest.sha256 !== evidence.digest.sha256) {
    return 'the subject is not the evidence';
  }
  const missing = judgedFiles.find((name) => !evidence.files.some((file) => file.name === name));
  return missing === undefined ? contradictionOfTimes(facts) : `the evidence has no ${missing}`;
}

export const maxDays = 1000;
const dayMs = 24 * 60 * 60_000;

function contradictionOfTimes(facts: Facts): string | undefined {
  const [startedAt, issuedAt, expiresAt] = [facts.startedAt, facts.issuedAt, facts.expiresAt].map(Date.parse);
  // Negate the conditions, so that they refuse an invalid date: every comparison with an invalid date is false.
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
  /** SHA-256 and path of the file that must be certified. */
  readonly artifact?: { readonly path: string; readonly sha256: string };
}

const clockDifference = 5 * 60_000;

/** Throws CertificateError if the certificate does not meet the policy. */
export function refuseUnlessWanted({ subject, predicate }: Statement, policy: Policy): void {
  const { issuedAt, expiresAt, suite, minimumSuite, challenge, subjectIs } = predicate.countersign;
  const { at, artifact } = policy;
  if (Date.parse(expiresAt) <= at) {
    throw notValid(`expired at ${expiresAt}`, 'Ask for a new certificate, from a new run.');
  }
  if (Date.parse(issuedAt) > at + clockDifference) {
    throw notValid(`is issued at ${issuedAt}, in the future`, 'Check the clock of this machine, or --at.');
  }
  if (isOlder(policy.suite.version, minimumSuite)) {
    throw certificateError('old-suite')`
      the check needs version ${minimumSuite} of the suite, but this is ${policy.suite.version}
      Install that version or a later one.`;
  }
  if (policy.minimumSuite !== undefined && isOlder(suite.version, policy.minimumSuite)) {
    throw certificateError('old-suite')`
      version ${suite.version} of the suite issued the certificate; it is older than ${policy.minimumSuite}
      Ask for a certificate from a newer suite.`;
  }
  if (policy.challenge !== undefined && challenge !== policy.challenge) {
    const stated = challenge === undefined ? 'states no challenge' : `states the challenge ${challenge}`;
    throw certificateError('other-challenge')`
      the certificate ${stated}, but ${policy.challenge} is expected
      Ask for a run with --challenge.`;
  }
  if (artifact === undefined || artifact.sha256 === subject[0]!.digest.sha256) return;
  throw new CertificateError(
    'other-artifact',
    subjectIs === 'evidence'
      ? 'the certificate names no tested file: its subject is the evidence'
      : `${artifact.path} is not the file that was certified: its SHA-256 is ${artifact.sha256}, and subject[0] has ${subject[0]!.digest.sha256}`,
    'Give the file that was tested, or omit --artifact.',
  );
}

function notValid(what: string, hint: string): CertificateError {
  return new CertificateError('not-valid-now', `the certificate ${what}`, hint);
}

/** Whether `a` is an older version than `b` (Semantic Versioning 2.0, section 11). Labels are compared as strings. */
export function isOlder(a: string, b: string): boolean {
  const [[numbers, label], [others, otherLabel]] = [partsOf(a), partsOf(b)];
  const at = numbers.findIndex((number, index) => number !== others[index]);
  if (at !== -1) return numbers[at]! < others[at]!;
  if (label === undefined || otherLabel === undefined) return label !== undefined && otherLabel === undefined;
  return label < otherLabel;
}

function partsOf(version: string): readonly [readonly number[], string | undefined] {
  const [, numbers, label] = /^(\d+\.\d+\.\d+)(?:-([\w.-]+))?/.exec(version)!;
  return [numbers!.split('.').map(Number), label];
}
