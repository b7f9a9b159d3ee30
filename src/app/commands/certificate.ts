/** `countersign certificate` judges a run again and signs its result. `countersign verify` checks certificates. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import {
  CertificateError,
  certificateError,
  keyId,
  newKeyPair,
  seal,
  signingKey,
  unseal,
  verifierKey,
} from '../../extras/certificate/envelope.ts';
import { compareEvidence, digestFile, digestFiles, requiredFiles } from '../../extras/certificate/evidence-digest.ts';
import {
  enforcePolicy,
  type Facts,
  isTestRunReport,
  makeStatement,
  maxDays,
  type PassedChecks,
  pactPrefix,
  refuseBailed,
  refuseOtherContracts,
  refuseOtherReport,
  refuseOtherSeed,
  refuseOtherStart,
  refuseOtherStatement,
  requireCertifiable,
  type Statement,
  statementIn,
  verificationResult,
} from '../../extras/certificate/statement.ts';
import { readPactFiles } from '../../extras/pact/contracts.ts';
import { isFolder, openInParts, readRegularFile } from '../../record/disk/files.ts';
import { pluralize } from '../../record/pluralize.ts';
import { formatConclusion } from '../../record/result/conclude.ts';
import { contractId } from '../../record/result/score.ts';
import { type Block, fact, named } from '../../report/document.ts';
import { formatPassed, formatSubject } from '../../report/phrases.ts';
import { blocksText } from '../../report/terminal.ts';
import { printedJson, visible } from '../../report/visible.ts';
import { shellWord } from '../../run/options/options.ts';
import { suite } from '../../run/options/suite-version.ts';
import { refuseIf, UsageError, usageError } from '../../run/options/usage-error.ts';
import { rejudgeRun, type StoredRun } from '../../verdict/conclude.ts';
import { noRequest, seedProblem } from '../../verdict/recordings/check-seed.ts';
import type { Input, Surroundings } from '../command.ts';
import { readPemFile } from '../config/keys.ts';
import { scoringOf } from '../config/scoring-flags.ts';
import { readRecordings, readStoredReport, requireReadable } from '../config/stored-runs.ts';
import { writeNew } from '../print.ts';
import { filesOfRun } from '../write-report.ts';

export const run = catchRefusals(async (folder: string | undefined, flags: Input<'certificate'>, surroundings) => {
  const { newKey, ...others } = flags;
  if (newKey !== undefined) return writeKeys(newKey === true ? defaultKey : newKey, folder, others, surroundings);
  if (folder === undefined || flags.key === undefined) {
    throw usageError()`${folder === undefined ? 'the folder of the run is missing' : '--key is missing'}
      Write \`countersign certificate reports/runs/RUN --key countersign-key.pem\`. \`countersign certificate --new-key\` writes a key.`;
  }
  const key = await readSigningKey(flags.key, '--key');
  const statement = await createStatement(folder, flags, Date.now());
  const path = flags.out ?? join(folder, 'certificate.json');
  await writeNew(path, seal(Buffer.from(JSON.stringify(statement), 'utf8'), key));
  const { result, countersign } = statement.predicate;
  const keyid = keyId(createPublicKey(key));
  const verifyCommand = [
    `npx countersign verify ${shellWord(path)} --key ${await publicKeyPath(flags.key, keyid)}`,
    ...(resolve(dirname(path)) === resolve(folder) ? [] : [`--run ${shellWord(folder)}`]),
    ...(countersign.challenge === undefined ? [] : [`--challenge ${shellWord(countersign.challenge)}`]),
    ...(flags.artifact === undefined ? [] : [`--artifact ${shellWord(flags.artifact)}`]),
  ].join(' ');
  const text = () => issuedText(statement, { path, keyid, verify: verifyCommand });
  surroundings.out(flags.json ? printedJson({ written: [path], result, keyid, verify: verifyCommand }) : text());
  return result === 'FAILED' ? 1 : 0;
});

async function publicKeyPath(privateFile: string, keyid: string): Promise<string> {
  const path = publicFileOf(privateFile);
  const found = await readPublicKey(path).then(keyId, () => undefined);
  return found === keyid ? shellWord(path) : 'PUBLIC.pem';
}

async function createStatement(folder: string, options: Input<'certificate'>, now: number): Promise<Statement> {
  const artifact = await readArtifact(options.artifact);
  requireFolder(folder, 'Name the folder of a run.');
  // An aborted run may have no exchanges. So check the report before reading the exchanges.
  requireCertifiable(await readStoredReport(folder));
  const stored = await readRun(folder);
  const path = join(folder, 'report.json');
  const { report, recordings } = stored;
  refuseBailed(recordings);
  const evidence = await digestFiles(
    folder,
    filesOfRun,
    (file, failure) => usageError(failure.cause)`${file} ${failure.unreadable}
      Name the folder of a whole run.`,
  );
  const expiresAt = expiryOf(options.expires, report.startedAt, now);
  const statement = makeStatement(report, { issuedAt: new Date(now).toISOString(), expiresAt, evidence, artifact });
  refuseOtherReport(report, rejudgeRun(stored), path);
  if (report.subject.target === 'mock' && isTestRunReport(report)) {
    const ids = (await readPactFiles()).flatMap(({ name, interactions }) =>
      interactions.map(({ description }) => contractId({ pact: name, interaction: description })),
    );
    refuseOtherContracts(report, ids, path);
  }
  refuseOtherStart(report, recordings, path);
  refuseOtherSeed(report, suite.version, seedCheckOf(stored));
  return statement;
}

async function readRun(folder: string): Promise<StoredRun> {
  const { stored, recordings } = await readRecordings([folder], undefined);
  const report = stored!;
  return { report, recordings, scoring: await scoringOf({ set: report.set }, report.subject.kind, report.require) };
}

function seedCheckOf(stored: StoredRun) {
  return { faultFor: (seed: string) => seedProblem(seed, stored), noRequest };
}

export const verify = catchRefusals(async (file: string, flags: Input<'verify'>, { out }) => {
  const { minimumSuite, challenge, svr } = flags;
  const at = timeOf(flags.at, Date.now());
  const isVersion = /^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[\w.-]{1,64})?$/.test(minimumSuite ?? '0.0.0');
  refuseIf(!isVersion)`--minimum-suite ${minimumSuite} is not a version
    Write it like 1.2.3.`;
  refuseIf(flags.svrKey !== undefined && svr === undefined)`--svr-key needs --svr
    Add --svr FILE: the key signs this file.`;
  const key = await readPublicKey(flags.key);
  const hint = 'Name a file that `countersign certificate` wrote.';
  const { bytes } = requireReadable(file, await readRegularFile(file, maxCertificateBytes), hint);
  const faultOf = (value: unknown) => validate('certificate', value)[0]?.sentence;
  const statement = statementIn(unseal(bytes, key, file), file, faultOf);
  const testedFile = await readArtifact(flags.artifact);
  const artifact = testedFile && { path: flags.artifact!, sha256: testedFile.digest.sha256 };
  enforcePolicy(statement, { at, suite, minimumSuite, challenge, artifact });
  const evidence = await checkEvidence(file, statement, flags.run);
  const checked = {
    evidence: evidence.folder !== undefined,
    artifact: artifact !== undefined,
    challenge: challenge !== undefined,
  };
  const result = verificationResult(statement, checked, { at, suite });
  if (svr !== undefined) {
    const text = JSON.stringify(result);
    const svrKey = flags.svrKey === undefined ? undefined : await readSigningKey(flags.svrKey, '--svr-key');
    await writeNew(svr, svrKey === undefined ? `${text}\n` : seal(Buffer.from(text, 'utf8'), svrKey));
  }
  out(flags.json ? printedJson(result) : checkedText(statement, { ...checked, ...evidence, keyid: keyId(key), at }));
  return statement.predicate.result === 'FAILED' ? 1 : 0;
});

interface CheckedEvidence {
  readonly folder?: string;
  readonly compared: number;
  readonly missing: readonly string[];
}

async function checkEvidence(file: string, statement: Statement, run: string | undefined): Promise<CheckedEvidence> {
  const folder = run ?? dirname(file);
  if (run !== undefined) requireFolder(run, 'Name the folder of the run with --run.');
  const { same, missing } = await compareEvidence(folder, statement.predicate.countersign.evidence);
  if (same.length === 0 && run === undefined) return { compared: 0, missing };
  const missingFile = requiredFiles.find((name) => missing.includes(name));
  if (missingFile !== undefined) {
    throw certificateError('changed-evidence')`
      ${join(folder, missingFile)} is missing, so the evidence cannot be judged
      Ask for the whole folder of the run.`;
  }
  const stored = await readRun(folder);
  const { labels } = stored.report;
  const compared = refuseOtherStatement(statement, { ...rejudgeRun(stored), labels });
  refuseOtherStart(stored.report, stored.recordings, join(folder, 'report.json'));
  const { challenge } = statement.predicate.countersign;
  refuseOtherSeed(stored.report, suite.version, seedCheckOf(stored), challenge);
  return { folder, compared, missing };
}

/** Limit in bytes: ten times the size of a certificate with a thousand requirements. */
const maxCertificateBytes = 4 * 1024 * 1024;
const maxArtifactBytes = 64 * 1024 ** 3;

async function readSigningKey(path: string, option: string): Promise<KeyObject> {
  const found = signingKey(await readPemFile(path, option, 'private key'));
  if (typeof found !== 'string') return found;
  throw usageError()`the file ${path} ${found}
    ${option} needs an Ed25519 key as PKCS#8 PEM. \`countersign certificate --new-key\` writes one.`;
}

async function readPublicKey(path: string): Promise<KeyObject> {
  const found = verifierKey(await readPemFile(path, '--key', 'public key'));
  if (typeof found !== 'string') return found;
  throw usageError()`the file ${path} ${found}
    --key needs the public Ed25519 key of the issuer as PEM.`;
}

async function readArtifact(path: string | undefined) {
  if (path === undefined) return undefined;
  const hint = 'Name the tested file with --artifact.';
  const opened = requireReadable(path, await openInParts(path, maxArtifactBytes), hint);
  try {
    if (opened.length === 0) throw new UsageError(`${path} is empty`, hint);
    const { name, digest } = digestFile(basename(path), opened, 4 * 1024 * 1024);
    return { name, digest };
  } finally {
    await opened.close();
  }
}

function requireFolder(path: string, hint: string): void {
  if (isFolder(path)) return;
  const isRunFile = /^(?:report\.json|exchanges\.har)$/.test(basename(path));
  const folderHint = isRunFile ? `Give the folder of the run: ${dirname(path)}` : hint;
  throw new UsageError(`${path} is not a folder`, folderHint);
}

function publicFileOf(privateFile: string): string {
  return `${privateFile.replace(/\.(?:pem|key)$/i, '')}.pub.pem`;
}

const defaultKey = 'countersign-key.pem';

/** `path` is the path of the private key, or the folder for both keys. */
async function writeKeys(
  path: string,
  run: string | undefined,
  { json, ...others }: Input<'certificate'>,
  { out, remark }: Pick<Surroundings, 'out' | 'remark'>,
): Promise<0> {
  refuseIf(run !== undefined || Object.keys(others).length > 0)`--new-key only writes keys
    Sign the run with a second command.`;
  const inFolder = /[/\\]$/.test(path) || isFolder(path);
  const privateFile = inFolder ? join(path, defaultKey) : path;
  const publicFile = publicFileOf(privateFile);
  refuseIf(/\.pub\.pem$/i.test(privateFile))`--new-key ${path} names a private key, but .pub.pem is for public keys
    Write it like shop.pem: the public key becomes shop.pub.pem.`;
  const { privateKey, publicKey } = newKeyPair();
  await writeNew(publicFile, publicKey);
  try {
    await writeNew(privateFile, privateKey, { mode: 0o600 });
  } catch (cause) {
    await rm(publicFile, { force: true });
    throw cause;
  }
  if (json) out(printedJson({ written: [privateFile, publicFile] }));
  else
    remark(
      `${privateFile} is the private key. Keep it secret.\n` +
        `${publicFile} is the public key. Give it to those who check your certificates.`,
    );
  return 0;
}

const dayMs = 24 * 60 * 60_000;

/** The expiry in ISO 8601. `expires`: date, or days after the run's start. Throws UsageError, and CertificateError. */
export function expiryOf(expires: string | undefined, startedAt: string, now: number): string {
  const start = Date.parse(startedAt);
  if (start > now) {
    throw certificateError('not-certifiable')`
      the run began at ${startedAt}, which is in the future
      Check the clock of this machine.`;
  }
  const expiry = requestedExpiry(expires, start);
  // Count the maximum from today, not from the start of the run, because `rekey` moves the start into the past.
  if (expiry === undefined || expiry > now + maxDays * dayMs) {
    throw usageError()`
      --expires ${expires} is neither a date in the next ${maxDays} days nor a number of days up to ${maxDays}
      Write it like 2027-01-31 or 90.`;
  }
  const expiresAt = new Date(expiry).toISOString();
  if (expiry > now) return expiresAt;
  throw certificateError('not-certifiable')`
    the run began at ${startedAt}, so its certificate would have expired at ${expiresAt}
    Start the run again, or write a later date with --expires.`;
}

/** The expiry in milliseconds since the Unix epoch; undefined if `expires` is neither a date nor a valid number. */
function requestedExpiry(expires = '90', start: number): number | undefined {
  if (!/^\d{1,4}$/.test(expires)) return isDay(expires) ? Date.parse(expires) + dayMs - 1 : undefined;
  const days = Number(expires);
  return days > 0 && days <= maxDays ? start + days * dayMs : undefined;
}

/** Parses a date, or a time with its zone, to milliseconds since the Unix epoch. Throws UsageError. */
function timeOf(text: string | undefined, now: number): number {
  if (text === undefined) return now;
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = Date.parse(text);
  if (isTime && isDay(text.slice(0, 10)) && !Number.isNaN(time)) return time;
  throw usageError()`--at ${text} is not a date
    Write it like 2027-01-31 or 2027-01-31T12:00:00Z.`;
}

/** True if the date exists. `Date.parse` also accepts 2026-02-30 and reads it as a day in March. */
function isDay(date: string): boolean {
  const start = Date.parse(date);
  return /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(start) && new Date(start).toISOString().startsWith(date);
}

/** Wraps `act`: prints a CertificateError and returns an exit code: 2 for an unreadable or wrong file, else 1. */
export function catchRefusals<Operand, Flags extends { readonly json?: true | undefined }>(
  act: (operand: Operand, flags: Flags, surroundings: Pick<Surroundings, 'out' | 'remark'>) => Promise<0 | 1>,
) {
  return async (operand: Operand, flags: Flags, surroundings: Pick<Surroundings, 'out' | 'remark'>) => {
    try {
      return await act(operand, flags, surroundings);
    } catch (cause) {
      if (!(cause instanceof CertificateError)) throw cause;
      const { code, message, hint } = cause;
      if (flags.json) surroundings.out(printedJson({ refused: code, because: message, hint }));
      surroundings.remark(`refused: ${message}.\n${hint}`);
      return code === 'not-a-certificate' || code === 'unreadable-evidence' ? 2 : 1;
    }
  };
}

/** The terminal text of an issued certificate. */
export function issuedText(
  statement: Statement,
  { path, keyid, verify }: Readonly<Record<'path' | 'keyid' | 'verify', string>>,
): string {
  const headline = `Certificate written to ${visible(path)}. Its result is ${resultText(statement)}.`;
  return `${headline}\n\n${factsText(factsOf(statement, keyid))}\ncheck it with: ${visible(verify)}\n`;
}

type CheckedFacts = PassedChecks & CheckedEvidence & { readonly keyid: string; readonly at: number };

function checkedText(statement: Statement, checked: CheckedFacts): string {
  const { result, countersign } = statement.predicate;
  const headline =
    result === 'FAILED'
      ? 'genuine, but its result is FAILED: do not rely on the tested subject'
      : `genuine: ${resultText(statement)}`;
  const facts = [
    ...factsOf(statement, checked.keyid),
    ...fact('checked', `signature, form, expiry at ${new Date(checked.at).toISOString()}, version of the suite`),
    ...fact('evidence', formatEvidence(countersign, checked)),
  ];
  return `${headline}\n\n${factsText(facts)}\n${factsText(proofBlocks(statement.predicate, checked))}`;
}

/** Prints each fact on one line. Shortens long names, because the issuer of a certificate can choose any length. */
function factsText(blocks: readonly Block[]): string {
  return blocksText(blocks, { width: Number.POSITIVE_INFINITY, limit: 1_000 });
}

function factsOf({ subject, predicate }: Statement, keyid: string): Block[] {
  const { countersign: facts, configuration, passedTests, warnedTests, failedTests, hazards = [] } = predicate;
  const { tested, untested, exercised } = facts;
  const untestedIds = untested.map(({ id }) => id);
  const labels = Object.entries(facts.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  const digest = subject[0]!.digest.sha256;
  const pacts = passedTests.filter((name) => name.startsWith(pactPrefix)).length;
  const tests = [
    formatPassed(passedTests.length - pacts, pacts),
    ...(warnedTests.length === 0 ? [] : [`${pluralize(warnedTests.length, 'deviation')} from expected requirements`]),
    `${failedTests.length} failed`,
    `${untested.length} not tested`,
  ];
  const subjectText = facts.subjectIs === 'artifact' ? `the file ${subject[0]!.name}` : 'the evidence';
  return [
    ...hazards.flatMap(({ sentence }) => fact('HAZARD', sentence)),
    ...fact('tested', `${formatSubject(tested)}, ${facts.startedAt}, seed ${facts.seed}`),
    ...fact('labels', labels.join(', ')),
    ...fact('by', `${configuration[0]!.name}, ${facts.suite.name} ${facts.suite.version}`),
    ...fact('tests', tests.join(', ')),
    ...fact('failed', named(failedTests, maxNamed)),
    ...fact('warned', named(warnedTests, maxNamed)),
    ...fact('never tested', exercised && named(exercised.neverArose, maxNamed)),
    ...fact('not tested', named(untestedIds, maxNamed)),
    ...fact('challenge', facts.challenge),
    ...fact('subject', `${subjectText}, SHA-256 ${digest}`),
    ...fact('valid', `from ${facts.issuedAt} to ${facts.expiresAt}`),
    ...fact('key', keyid),
  ];
}

function resultText({ predicate: { result, countersign, hazards } }: Statement): string {
  const conclusion = formatConclusion({ ...countersign, hazards });
  return conclusion === countersign.conclusion ? result : `${result} (${conclusion})`;
}

const maxNamed = 8;

function formatEvidence({ evidence, untested }: Facts, { folder, compared, missing }: CheckedFacts): string {
  if (folder === undefined) return 'missing, so nothing was judged again (name the folder of the run with --run)';
  const missingText = missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`;
  const untestedText = untested.length === 0 ? '' : ` (${untested.length} not tested)`;
  return `${evidence.files.length - missing.length} files unchanged in ${folder}; ${pluralize(compared, 'requirement')}${untestedText} judged again with the same outcome${missingText}`;
}

function proofBlocks(
  { countersign: { challenge, tested }, passedTests, failedTests }: Statement['predicate'],
  checked: CheckedFacts,
): Block[] {
  const hasPacts = [...passedTests, ...failedTests].some((name) => name.startsWith(pactPrefix));
  const seedOrigin = challenge === undefined ? ': the signer chose the seed' : challengeHint;
  const target = tested.target === 'mock' ? formatSubject(tested) : `${tested.name} at ${tested.target}`;
  const listIf = (isTrue: boolean, sentence: string) => (isTrue ? [sentence] : []);
  const proven = [
    'the holder of this key signed the certificate, and nobody has changed it',
    ...listIf(checked.evidence, 'this machine judged the exchanges again, with the same outcomes'),
    ...listIf(checked.artifact, 'the certificate names the file of --artifact as tested'),
    ...listIf(checked.challenge, checked.evidence ? challengeProof : 'the certificate names your challenge'),
  ];
  const unproven = [
    ...listIf(!checked.evidence, 'that the outcomes follow from the exchanges: the evidence is missing'),
    `that the exchanges came from ${target}: only the signer says so`,
    ...listIf(hasPacts && checked.evidence, 'the Pact interactions: their outcomes are copied from the run'),
    ...listIf(!checked.challenge, `that the exchanges were not prepared in advance${seedOrigin}`),
    'that a later version, or another installation, behaves the same',
  ];
  return [
    { label: 'proves', list: proven },
    { label: 'does not prove', list: unproven },
  ];
}

const challengeProof = 'your challenge is the seed of the requests, so the run is newer than the challenge';
const challengeHint = ', unless you chose the challenge: add --challenge to compare it';
