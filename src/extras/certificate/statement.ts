/**
 * What a certificate states: an in-toto Statement v1 with the predicate test-result v0.1. What that predicate has no member for
 * is in `countersign`, a member that the parsing rules of in-toto leave to producers. Pure.
 */
import { createHash } from 'node:crypto';
import { concludedInWords, exercisedIn } from '../../record/result/conclude.ts';
import type { ContractRow, Hazard, Outcome, Result } from '../../record/result/result.ts';
import { CertificateError } from './certificate-error.ts';
import type { EvidenceDigest, Sha256 } from './evidence-digest.ts';

const statementType = 'https://in-toto.io/Statement/v1';

const predicateType = 'https://in-toto.io/attestation/test-result/v0.1';

export interface Statement {
  readonly _type: typeof statementType;
  /** One entry: what was certified, or the evidence where no file of that was given. */
  readonly subject: readonly { readonly name: string; readonly digest: Sha256 }[];
  readonly predicateType: typeof predicateType;
  readonly predicate: {
    readonly result: 'PASSED' | 'WARNED' | 'FAILED';
    /** The first entry is named `countersign/<profile>/<set>`; its digest pins the requirements. */
    readonly configuration: readonly { readonly name: string; readonly digest: Sha256 }[];
    readonly passedTests: readonly string[];
    readonly warnedTests: readonly string[];
    readonly failedTests: readonly string[];
    /** What endangers money although no requirement forbids it; absent where nothing was found. */
    readonly hazards?: readonly StatedHazard[];
    readonly countersign: Facts;
  };
}

/** A baseline excuses nothing to a stranger. */
type StatedHazard = Omit<Hazard, 'known'>;

export interface Facts {
  /** The suite that judged. */
  readonly suite: Result['suite'];
  /** The oldest version that can judge the evidence alike. */
  readonly minimumSuite: string;
  readonly tested: Result['subject'];
  /** What `subject` is a digest of. */
  readonly subjectIs: 'artifact' | 'evidence';
  readonly conclusion: 'conformant' | 'non-conformant';
  /** Set where required requirements never arose: their ids, and how many are required. */
  readonly exercised?: { readonly required: number; readonly neverArose: readonly string[] };
  readonly profile: string;
  readonly set: string;
  readonly seed: string;
  readonly challenge?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly runId: string;
  /** These three: ISO 8601, UTC. */
  readonly startedAt: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  /** Requirements without a verdict, and why. */
  readonly untested: readonly { readonly id: string; readonly outcome: Outcome; readonly reason: string }[];
  readonly evidence: EvidenceDigest;
}

interface Issue {
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly evidence: EvidenceDigest;
  /** The file that was tested, where it is at hand. */
  readonly artifact?: { readonly name: string; readonly digest: Sha256 };
}

/** The statement on a result, or a CertificateError where none can be made: only whole runs with a verdict are certified. */
export function statementOn(result: Result, { issuedAt, expiresAt, evidence, artifact }: Issue): Statement {
  const conclusion = certifiable(result);
  const set = requirementsOf(result);
  const tests = testsOf(result);
  const hazards = hazardsOf(result);
  const exercised = exercisedOf(result);
  return {
    _type: statementType,
    subject: [artifact ?? { name: 'evidence', digest: evidence.digest }],
    predicateType,
    predicate: {
      result: stampOf({ ...tests, hazards, countersign: { exercised } }),
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

export function configurationName(profile: string, set: string): string {
  return `countersign/${profile}/${set}`;
}

/** What the tests of a certificate come to: it warns of what is only expected, of hazards, and of what never arose. */
export function stampOf({
  failedTests,
  warnedTests,
  hazards = [],
  countersign: { exercised },
}: Pick<Statement['predicate'], 'failedTests' | 'warnedTests' | 'hazards'> & {
  readonly countersign: Pick<Facts, 'exercised'>;
}): Statement['predicate']['result'] {
  if (failedTests.length > 0) return 'FAILED';
  return warnedTests.length > 0 || hazards.length > 0 || exercised !== undefined ? 'WARNED' : 'PASSED';
}

export function exercisedOf(result: Pick<Result, 'subject' | 'results'>): Facts['exercised'] {
  const { required, neverArose } = exercisedIn(result);
  return neverArose.length === 0 ? undefined : { required, neverArose: neverArose.map(({ id }) => id) };
}

/** The conclusion that a certificate states, as reports write it. */
export function conclusionOfPredicate({ countersign, hazards }: Statement['predicate']): string {
  return concludedInWords({ ...countersign, hazards });
}

/** What the report of the run says of it and no judge can find out again. */
export function statedBy(result: Result): Pick<Facts, 'seed' | 'challenge' | 'labels' | 'runId' | 'startedAt'> {
  const { seed, challenge, labels, runId, startedAt } = result;
  return { seed, challenge, labels, runId, startedAt };
}

/** Names of what passed, passed with a warning and failed: ids of requirements, and interactions of the Pact files. */
export function testsOf({
  results,
  contracts = [],
}: Pick<Result, 'results' | 'contracts'>): Pick<Statement['predicate'], 'passedTests' | 'warnedTests' | 'failedTests'> {
  const counted = results.filter(counts);
  const passed = counted.filter(({ outcome }) => outcome === 'pass');
  // A remark beside a required one is on what the document leaves to the subject: no warning.
  const isWarned = ({ kind, remark }: (typeof results)[number]) => kind === 'expected' && remark !== undefined;
  const interactions = (wanted: Outcome) =>
    contracts
      .filter(counts)
      .filter(({ outcome }) => outcome === wanted)
      .map(nameOfContract);
  return {
    passedTests: [...passed.filter((row) => !isWarned(row)).map(({ id }) => id), ...interactions('pass')],
    warnedTests: passed.filter(isWarned).map(({ id }) => id),
    failedTests: [...counted.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id), ...interactions('fail')],
  };
}

/** The hazards of a run as a certificate states them; undefined where there are none. */
export function hazardsOf({ hazards = [] }: Pick<Result, 'hazards'>): readonly StatedHazard[] | undefined {
  return hazards.length === 0 ? undefined : hazards.map(({ known: _, ...hazard }) => hazard);
}

/** How names of interactions begin; ids of requirements never do. */
export const pactPrefix = 'pact/';

function nameOfContract({ pact, interaction, state }: ContractRow): string {
  return `${pactPrefix}${pact}: ${interaction} (${state})`;
}

/** What came after the set that a run was judged by is not certified. */
function counts({ notScored }: { readonly notScored?: true }): boolean {
  return notScored !== true;
}

/** Requirements that neither passed nor failed. */
export function untestedIn({ results }: Pick<Result, 'results'>): Facts['untested'] {
  return results
    .filter(counts)
    .filter(({ outcome }) => outcome !== 'pass' && outcome !== 'fail')
    .map(({ id, outcome, reason, actual }) => ({ id, outcome, reason: reason ?? actual ?? 'no reason was recorded' }));
}

/** Throws CertificateError: a run that was cut short, narrowed or left open says nothing that a stranger could rely on. */
export function certifiable({ conclusion, scope, aborted, results }: Result): Facts['conclusion'] {
  const refused = (what: string, hint: string) => new CertificateError('not-certifiable', what, hint);
  if (conclusion === 'aborted') {
    throw refused(`the run was aborted: ${aborted ?? 'its report does not say why'}`, 'Run it again.');
  }
  if (scope !== undefined) {
    throw refused(
      scope.shard === undefined
        ? `the run was narrowed to ${scope.only.join(', ') || 'nothing'} (scope in report.json)`
        : `the run is shard ${scope.shard.index} of ${scope.shard.of} (scope in report.json)`,
      scope.shard === undefined ? 'Run it again without --only.' : 'Put the shards together with countersign merge.',
    );
  }
  if (conclusion !== 'partial') return conclusion;
  const open = results
    .filter(counts)
    .filter(({ outcome }) => outcome === 'inconclusive')
    .map(({ id }) => id);
  const named =
    open.length === 0
      ? 'binding requirements have no verdict'
      : `${open.slice(0, 3).join(', ')}${open.length > 3 ? ` and ${open.length - 3} more` : ''} ${open.length === 1 ? 'has' : 'have'} no verdict`;
  throw refused(
    `the run is partial: ${named}`,
    'A certificate states a verdict on every requirement that binds: the report says what to allow or to change.',
  );
}

/** What the result was judged by: the name of a frozen set or of the suite's version, and a digest of [id, statement] by id. */
export function requirementsOf({ suite, set, results }: Pick<Result, 'suite' | 'set' | 'results'>) {
  const pinned = results
    .filter(counts)
    .map(({ id, statement }) => [id, statement])
    .sort(([a], [b]) => (a! < b! ? -1 : 1));
  return {
    name: set ?? `suite-${suite.version}`,
    sha256: createHash('sha256').update(JSON.stringify(pinned)).digest('hex'),
  };
}

/** What was checked and held, beside signature, expiry and suite. */
export interface Checked {
  /** Whether the evidence was there, unchanged, and judged again with the same outcomes. */
  readonly evidence: boolean;
  /** Whether the file that was tested was there. */
  readonly artifact: boolean;
  /** Whether the challenge was the expected one. */
  readonly challenge: boolean;
}

/**
 * The outcome of a check for programs: an in-toto statement with the predicate Simple Verification Result v0.1. A property is named
 * only where it holds; of a failure none is about the verdict. `at` is in milliseconds since the Unix epoch.
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
