/** `countersign certificate`: signs what a run found, after its evidence was judged again. */

import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CertificateError, certificateError } from '../../extras/certificate/certificate-error.ts';
import { mostDays } from '../../extras/certificate/check-statement.ts';
import { checkingKey, keyId, newKeyPair, seal, signingKey } from '../../extras/certificate/envelope.ts';
import { evidenceIn } from '../../extras/certificate/evidence-digest.ts';
import {
  isAsWritten,
  refuseOtherContracts,
  refuseOtherReport,
  refuseOtherSeed,
  refuseOtherStart,
  refuseUnanswered,
} from '../../extras/certificate/judged-again.ts';
import { certifiable, type Statement, statementOn } from '../../extras/certificate/statement.ts';
import { readPactFiles } from '../../extras/pact/contracts.ts';
import { isFolder, openInParts, readRegularFile } from '../../record/disk/files.ts';
import { contractId } from '../../record/result/score.ts';
import { printedJson, visible } from '../../report/visible.ts';
import { shellWord } from '../../run/options/options.ts';
import { suite } from '../../run/options/suite-version.ts';
import { refuseIf, UsageError, usageError } from '../../run/options/usage-error.ts';
import { judgeRunAgain, type StoredRun } from '../../verdict/conclude.ts';
import { noRequest, strangerTo } from '../../verdict/recordings/drawn-from-seed.ts';
import { defineCommand, type Given, type Surroundings } from '../command.ts';
import { readPemFile } from '../config/keys.ts';
import { scoringOf } from '../config/scoring-flags.ts';
import { readable, readRecordings, readStoredReport } from '../config/stored-runs.ts';
import { writeNew } from '../given-files.ts';
import { issuedText } from '../text/certificate-text.ts';
import { filesOfRun } from '../write-report.ts';

/** Days for which a run says something, where nobody says otherwise. */
const usualDays = 90;

type GivenOptions = Given<'certificate'>;

export const command = defineCommand({
  name: 'certificate',
  description:
    'Judges a run again and signs what it found. A partial, aborted or narrowed run gets no certificate; a failed one gets one that says so.',
  operands: [{ takes: '[run]', help: 'folder of the run' }],
  examples: [
    'countersign certificate --new-key keys/shop.pem',
    'countersign certificate reports/runs/RUN --key keys/shop.pem --artifact client.jar',
  ],
  exits: '0 passed, 1 failed or refused, 2 wrong use.',
  run: (run: string | undefined, given: GivenOptions, surroundings: Surroundings) =>
    orRefused(surroundings, given.json, () => certificate(run, given, surroundings)),
});

async function certificate(run: string | undefined, given: GivenOptions, { out, err }: Surroundings): Promise<0 | 1> {
  if (given.newKey !== undefined) {
    const { newKey, json, ...others } = given;
    refuseIf(run !== undefined || Object.keys(others).length > 0)`--new-key writes keys and nothing else
      Name the run in a second command.`;
    const { privateFile, publicFile } = await writeNewKey(newKey === true ? 'countersign-key.pem' : newKey);
    if (json) out(printedJson({ written: [privateFile, publicFile] }));
    else
      err(
        `countersign: ${privateFile} is the private key: keep it, and give it to nobody. ` +
          `${publicFile} is the public key: who checks your certificates needs it.\n`,
      );
    return 0;
  }
  if (run === undefined || given.key === undefined) {
    throw new UsageError(
      run === undefined ? 'no run was named' : 'no key to sign with was named',
      'Write it as in: countersign certificate reports/runs/RUN --key countersign-key.pem. ' +
        'countersign certificate --new-key makes such a key.',
    );
  }
  const key = await readSigningKey(given.key, '--key');
  const statement = await stated(run, given, Date.now());
  const path = given.out ?? join(run, 'certificate.json');
  await writeNew(path, seal(Buffer.from(JSON.stringify(statement), 'utf8'), key));
  const { result, countersign } = statement.predicate;
  const { challenge } = countersign;
  const keyid = keyId(createPublicKey(key));
  const verify = [
    `npx countersign verify ${shellWord(path)} --key ${await publicKeyBeside(given.key, keyid)}`,
    ...(resolve(dirname(path)) === resolve(run) ? [] : [`--run ${shellWord(run)}`]),
    ...(challenge === undefined ? [] : [`--challenge ${shellWord(challenge)}`]),
    ...(given.artifact === undefined ? [] : [`--artifact ${shellWord(given.artifact)}`]),
  ].join(' ');
  out(
    given.json
      ? printedJson({ written: [path], result, keyid, verify })
      : issuedText(statement, { path, keyid, verify }),
  );
  return result === 'FAILED' ? 1 : 0;
}

/** The file of the public key as a shell takes it, where it is beside the private one; whoever signs may keep it elsewhere. */
async function publicKeyBeside(privateFile: string, keyid: string): Promise<string> {
  const path = publicFileOf(privateFile);
  try {
    return keyId(await readCheckingKey(path)) === keyid ? shellWord(path) : 'PUBLIC.pem';
  } catch {
    return 'PUBLIC.pem';
  }
}

/** The statement on the run, once its report was found to be what its exchanges show. */
async function stated(run: string, given: GivenOptions, now: number): Promise<Statement> {
  const artifact = given.artifact === undefined ? undefined : await readArtifact(given.artifact);
  refuseNoFolder(run, 'Give the folder of a run.');
  // A run that was aborted may have no exchanges.
  certifiable(await readStoredReport(run));
  const read = await readRecordings([run], undefined);
  const report = read.stored!;
  const { recordings } = read;
  const evidence = await evidenceIn(
    run,
    filesOfRun,
    (path, why) => usageError(why.cause)`${path} ${why.unreadable}
      Give the folder of a whole run.`,
  );
  const expiresAt = expiryOf(given.expires, report.startedAt, now);
  const statement = statementOn(report, { issuedAt: new Date(now).toISOString(), expiresAt, evidence, artifact });
  const stored: StoredRun = {
    report,
    recordings,
    scoring: await scoringOf({ set: report.set }, report.subject.kind, report.require),
  };
  const path = join(run, 'report.json');
  refuseOtherReport(report, judgeRunAgain(stored, suite), path);
  if (report.subject.target === 'mock' && isAsWritten(report)) {
    const files = await readPactFiles();
    const ids = files.flatMap(({ name, interactions }) =>
      interactions.map(({ description }) => contractId({ pact: name, interaction: description })),
    );
    refuseOtherContracts(report, ids, path);
  }
  const certified = { ...stored, strangerTo: (seed: string) => strangerTo(seed, stored) };
  refuseOtherStart(certified, path);
  refuseUnanswered(certified);
  refuseOtherSeed(certified, path, noRequest);
  return statement;
}

/** Bytes of a certificate: one of a thousand requirements has a tenth of them. */
const largestCertificate = 4 * 1024 * 1024;

const largestArtifact = 64 * 1024 ** 3;

/** Throws UsageError. */
export async function readCertificate(path: string): Promise<Buffer> {
  const found = await readRegularFile(path, largestCertificate);
  return readable(path, found, 'Give a file that countersign certificate wrote.').bytes;
}

/** Throws UsageError. */
export async function readSigningKey(path: string, option: string): Promise<KeyObject> {
  return usable(path, signingKey(await readPemFile({ path, option }, 'private key')), {
    hint: `Give an Ed25519 key as PKCS#8 PEM to ${option}: countersign certificate --new-key writes one.`,
  });
}

/** Throws UsageError. */
export async function readCheckingKey(path: string): Promise<KeyObject> {
  return usable(path, checkingKey(await readPemFile({ path, option: '--key' }, 'public key')), {
    hint: 'Give the public Ed25519 key of the issuer, as PEM, to --key.',
  });
}

function usable(path: string, found: KeyObject | string, { hint }: { readonly hint: string }): KeyObject {
  if (typeof found !== 'string') return found;
  throw new UsageError(`the file ${path} ${found}`, hint);
}

/** Name and SHA-256 of a tested file. Throws UsageError. */
export async function readArtifact(
  path: string,
): Promise<{ readonly name: string; readonly digest: { readonly sha256: string } }> {
  const wanted = 'Give the file that was tested to --artifact.';
  const opened = readable(path, await openInParts(path, largestArtifact), wanted);
  if (opened.length === 0) await opened.close();
  if (opened.length === 0) throw new UsageError(`${path} is empty`, wanted);
  const hash = createHash('sha256');
  const step = 4 * 1024 * 1024;
  try {
    for (let at = 0; at < opened.length; at += step) hash.update(opened.read(at, Math.min(at + step, opened.length)));
  } finally {
    await opened.close();
  }
  return { name: basename(path), digest: { sha256: hash.digest('hex') } };
}

/** Throws UsageError. */
export function refuseNoFolder(path: string, hint: string): void {
  if (isFolder(path)) return;
  const isOfRun = /^(?:report\.json|exchanges\.har)$/.test(basename(path));
  const wanted = isOfRun ? `Give the folder that it is in: ${dirname(path)}` : hint;
  throw new UsageError(`${path} is not a folder`, wanted);
}

/** The file of the public key beside that of the private one. */
function publicFileOf(privateFile: string): string {
  return `${privateFile.replace(/\.(?:pem|key)$/i, '')}.pub.pem`;
}

/** Where a pair was written. `place` is a folder, or the file of the private key. Throws UsageError; nothing is replaced. */
async function writeNewKey(place: string): Promise<{ readonly privateFile: string; readonly publicFile: string }> {
  const inFolder = /[/\\]$/.test(place) || isFolder(place);
  const privateFile = inFolder ? join(place, 'countersign-key.pem') : place;
  const publicFile = publicFileOf(privateFile);
  refuseIf(/\.pub\.pem$/i.test(privateFile))`--new-key ${place} has the name of a public key, and names the private one
    Name it as in shop.pem: the public key is then written to shop.pub.pem.`;
  const { privateKey, publicKey } = newKeyPair();
  await writeNew(publicFile, publicKey, { mode: 0o644 });
  try {
    await writeNew(privateFile, privateKey, { mode: 0o600 });
  } catch (cause) {
    await rm(publicFile, { force: true });
    throw cause;
  }
  return { privateFile, publicFile };
}

const dayMs = 24 * 60 * 60_000;

/**
 * When a certificate of a run expires, ISO 8601: a date counts to its end, days from the start of the run, since it is the
 * run that grows old. Throws UsageError, and CertificateError where that is over at `now`.
 */
export function expiryOf(given: string | undefined, startedAt: string, now: number): string {
  if (Date.parse(startedAt) > now) {
    throw certificateError('not-certifiable')`
      the run began at ${startedAt}, which is not yet
      Check the clock of this machine; a run is certified as it was written.`;
  }
  const days = given === undefined ? usualDays : /^\d{1,4}$/.test(given) ? Number(given) : undefined;
  const at = days === undefined ? endOfDay(given!) : Date.parse(startedAt) + days * dayMs;
  // A re-keyed copy began years ago: a date is held against today.
  if (at === undefined || days === 0 || (days ?? 0) > mostDays || at > now + mostDays * dayMs) {
    throw usageError()`
      --expires ${given} is neither a date such as 2027-01-31, at most ${mostDays} days from now, nor a number of days from 1 to ${mostDays}`;
  }
  const expiresAt = new Date(at).toISOString();
  if (at > now) return expiresAt;
  throw certificateError('not-certifiable')`
    the run began at ${startedAt}, and its certificate would have expired at ${expiresAt}
    Run it again, or name a later date with --expires.`;
}

/** Milliseconds since the Unix epoch of a date, or of a date with time and zone; `now` where none is given. Throws UsageError. */
export function timeOf(flag: string, given: string | undefined, now: number): number {
  if (given === undefined) return now;
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.test(given);
  const at = isTime && isDay(given.slice(0, 10)) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw usageError()`${flag} ${given} is no date such as 2027-01-31 or 2027-01-31T12:00:00Z`;
}

function endOfDay(date: string): number | undefined {
  return isDay(date) ? Date.parse(date) + dayMs - 1 : undefined;
}

/** Date.parse moves 2026-02-30 on to March. */
function isDay(date: string): boolean {
  const start = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(date);
}

/**
 * What `act` returns; a refusal is said in one sentence, with `json` on standard output as an object too, and has exit code 2 for
 * what is no certificate at all, or evidence that may not be read, and 1 otherwise.
 */
export async function orRefused<T>(
  { out, err }: Pick<Surroundings, 'out' | 'err'>,
  json: boolean | undefined,
  act: () => Promise<T>,
): Promise<T | 1 | 2> {
  try {
    return await act();
  } catch (cause) {
    if (!(cause instanceof CertificateError)) throw cause;
    const { code, message, hint } = cause;
    if (json) out(printedJson({ refused: code, because: message, hint }));
    err(`countersign: refused: ${visible(message)}. ${hint}\n`);
    return code === 'not-a-certificate' || code === 'unreadable-evidence' ? 2 : 1;
  }
}
