/** What a certificate says, and whether that may be relied on at a given time: everything but its signature and its evidence. Pure. */
import type { Result } from '../../record/result/result.ts';
import { CertificateError, certificateError } from './certificate-error.ts';
import { judgedFiles, mostBlocks, rootOf } from './evidence-digest.ts';
import { configurationName, requirementsOf, type Statement, stampOf, statedBy } from './statement.ts';

/**
 * The statement in a payload. Throws CertificateError.
 * @param name how errors call the file
 * @param faultOf what is wrong with a statement by its schema, in a sentence
 */
export function statementIn(payload: Buffer, name: string, faultOf: (value: unknown) => string | undefined): Statement {
  const unusable = (message: string, cause?: unknown) =>
    certificateError('not-a-certificate', cause)`
      ${name} is signed, and ${message}
      Ask for a certificate that countersign wrote.`;
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
    value = JSON.parse(text);
    // Twice the same member, or another spelling of a value, could be read in two ways.
    if (JSON.stringify(value) !== text) throw unusable('its payload is JSON in another form than the shortest');
  } catch (cause) {
    // Also of JSON that is nested too deeply.
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

function contradictionIn({ subject, predicate }: Statement): string | undefined {
  const { result, configuration, passedTests, warnedTests, failedTests, countersign: facts } = predicate;
  const { conclusion, exercised, profile, set, evidence, untested, seed, challenge } = facts;
  const names = [...passedTests, ...warnedTests, ...failedTests, ...untested.map(({ id }) => id)];
  const met = new Set<string>();
  const twice = names.find((id) => met.size === met.add(id).size);
  const expected = stampOf(predicate);
  const shown = exercised?.neverArose.find((id) => !untested.some((one) => one.id === id));
  if (twice !== undefined) return `${twice} has two outcomes`;
  if (shown !== undefined) return `${shown} never arose, and is not among the untested`;
  if (result !== expected) return `result is ${result}, and its tests and hazards make ${expected}`;
  if ((result === 'FAILED') !== (conclusion === 'non-conformant'))
    return `result is ${result}, and conclusion ${conclusion}`;
  if (result !== 'FAILED' && passedTests.length + warnedTests.length === 0)
    return `result is ${result}, and no test passed`;
  if (configuration[0]?.name !== configurationName(profile, set))
    return 'configuration[0].name is not that of profile and set';
  if (challenge !== undefined && challenge !== seed) return 'the challenge is not the seed';
  if (rootOf(evidence.files) !== evidence.digest.sha256) return 'the digest of the evidence is not that of its files';
  if (facts.subjectIs === 'evidence' && subject[0]!.digest.sha256 !== evidence.digest.sha256) {
    return 'the subject is not the evidence';
  }
  const missing = judgedFiles.find((name) => !evidence.files.some((file) => file.name === name));
  if (missing !== undefined) return `the evidence has no ${missing}`;
  if (evidence.files.some(({ annotations: { bytes, blockBytes } }) => bytes > blockBytes * mostBlocks)) {
    return 'a file of the evidence has too many blocks';
  }
  return contradictionOfTimes(facts) ?? contradictionOfVersions(facts);
}

/** Days for which a certificate is valid at most. */
export const mostDays = 1000;
const dayMs = 24 * 60 * 60_000;

function contradictionOfTimes(facts: Statement['predicate']['countersign']): string | undefined {
  const [startedAt, issuedAt, expiresAt] = [facts.startedAt, facts.issuedAt, facts.expiresAt].map(Date.parse) as [
    number,
    number,
    number,
  ];
  // A time that cannot be read compares with nothing.
  if (!(startedAt <= issuedAt)) return 'it was issued before the run started';
  if (!(issuedAt < expiresAt)) return 'it expires before it was issued';
  return expiresAt <= issuedAt + mostDays * dayMs
    ? undefined
    : `it expires more than ${mostDays} days after it was issued`;
}

const firstSuite = '0.1.0';

function contradictionOfVersions({ suite, minimumSuite }: Statement['predicate']['countersign']): string | undefined {
  if (isOlder(minimumSuite, firstSuite)) return `minimumSuite is ${minimumSuite}, which never was`;
  return isOlder(suite.version, minimumSuite)
    ? `minimumSuite is ${minimumSuite}, which is later than the suite that judged`
    : undefined;
}

/** What somebody who relies on a certificate demands of it. */
interface Policy {
  /** The time that counts, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly suite: Result['suite'];
  /** The oldest suite whose verdict counts. */
  readonly minimumSuite?: string;
  readonly challenge?: string;
  /** SHA-256 of the file that it has to be about, and its path. */
  readonly artifact?: { readonly path: string; readonly sha256: string };
}

/** Milliseconds by which the clock of the issuer may be ahead. */
const clockDifference = 5 * 60_000;

/** Throws CertificateError for the first thing that the policy does not bear. */
export function refuseUnlessWanted({ subject, predicate }: Statement, policy: Policy): void {
  const { issuedAt, expiresAt, suite, minimumSuite, challenge, subjectIs } = predicate.countersign;
  const { at, artifact } = policy;
  if (Date.parse(expiresAt) <= at) {
    throw notValid(`expired at ${expiresAt}`, 'Ask for a new one: it takes a new run.');
  }
  if (Date.parse(issuedAt) > at + clockDifference) {
    throw notValid(`is issued at ${issuedAt}, which is not yet`, 'Check the clock of this machine, or --at.');
  }
  if (isOlder(policy.suite.version, minimumSuite)) {
    throw certificateError('old-suite')`
      the certificate needs version ${minimumSuite} of the suite to be checked, and this is ${policy.suite.version}
      Install that version or a later one.`;
  }
  if (policy.minimumSuite !== undefined && isOlder(suite.version, policy.minimumSuite)) {
    throw certificateError('old-suite')`
      the certificate was issued by version ${suite.version} of the suite, which is older than ${policy.minimumSuite}
      Ask for one that a newer suite issued.`;
  }
  if (policy.challenge !== undefined && challenge !== policy.challenge) {
    const stated = challenge === undefined ? 'states no challenge' : `states the challenge ${challenge}`;
    throw certificateError('other-challenge')`
      the certificate ${stated}, and ${policy.challenge} is expected
      Ask for a run with --challenge.`;
  }
  if (artifact === undefined || artifact.sha256 === subject[0]!.digest.sha256) return;
  throw new CertificateError(
    'other-artifact',
    subjectIs === 'evidence'
      ? 'the certificate names no tested file: its subject is the evidence'
      : `${artifact.path} is not the file that was certified: its SHA-256 is ${artifact.sha256}, and subject[0] has ${subject[0]!.digest.sha256}`,
    'Give the file that was tested, or leave --artifact out.',
  );
}

function notValid(what: string, hint: string): CertificateError {
  return new CertificateError('not-valid-now', `the certificate ${what}`, hint);
}

/** Whether version `a` comes before version `b` (Semantic Versioning 2.0, section 11; labels of releases to come by their letters). */
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

/** Throws CertificateError where the report beside the certificate is that of another run. */
export function refuseOtherRun({ predicate }: Statement, report: Result, path: string): void {
  const { countersign } = predicate;
  const { suite, subject: tested, conclusion, profile } = report;
  const { name: set } = requirementsOf(report);
  // Both name what only one of them may have.
  const absent = { challenge: undefined, labels: undefined };
  const told = { suite, tested, conclusion, profile, set, ...absent, ...statedBy(report) };
  const stated = countersign as unknown as Record<string, unknown>;
  const member = Object.entries(told).find(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(stated[name]),
  )?.[0];
  if (member === undefined) return;
  throw certificateError('contradiction')`
    countersign.${member} of the certificate is not what ${path} says
    Do not rely on it.`;
}
