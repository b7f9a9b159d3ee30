/** `countersign verify`: checks a certificate without a network, and its evidence where that is at hand. */

import { dirname, join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import { certificateError } from '../../extras/certificate/certificate-error.ts';
import { refuseOtherRun, refuseUnlessWanted, statementIn } from '../../extras/certificate/check-statement.ts';
import { keyId, seal, unseal } from '../../extras/certificate/envelope.ts';
import { compareEvidence, judgedFiles } from '../../extras/certificate/evidence-digest.ts';
import {
  refuseOtherOutcomes,
  refuseOtherSeed,
  refuseOtherStart,
  refuseUnanswered,
} from '../../extras/certificate/judged-again.ts';
import { type Statement, verificationResult } from '../../extras/certificate/statement.ts';
import { printedJson } from '../../report/visible.ts';
import { suite } from '../../run/options/suite-version.ts';
import { refuseIf, usageError } from '../../run/options/usage-error.ts';
import { judgeRunAgain, type StoredRun } from '../../verdict/conclude.ts';
import { noRequest, strangerTo } from '../../verdict/recordings/drawn-from-seed.ts';
import { defineCommand, type Given, type Surroundings } from '../command.ts';
import { scoringOf } from '../config/scoring-flags.ts';
import { readRecordings } from '../config/stored-runs.ts';
import { writeNew } from '../given-files.ts';
import { checkedText } from '../text/certificate-text.ts';
import {
  orRefused,
  readArtifact,
  readCertificate,
  readCheckingKey,
  readSigningKey,
  refuseNoFolder,
  timeOf,
} from './certificate.ts';

type GivenOptions = Given<'verify'>;

export const command = defineCommand({
  name: 'verify',
  description:
    'Checks a certificate without a network: signature, expiry, suite, evidence, and the verdicts by judging again.',
  work: 'checking the certificate and judging its exchanges again',
  operands: [{ takes: '<file>', help: 'the certificate' }],
  examples: [
    'countersign verify RUN/certificate.json --key countersign-key.pub.pem',
    'countersign verify certificate.json --key shop.pub.pem --artifact client.jar --challenge 2026-11-22.7f3a',
  ],
  exits: '0 genuine and passed, 1 refused or failed, 2 wrong use or no certificate.',
  run: (file: string, given: GivenOptions, surroundings: Surroundings) =>
    orRefused(surroundings, given.json, () => verify(file, given, surroundings)),
});

async function verify(file: string, given: GivenOptions, { out }: Surroundings): Promise<0 | 1> {
  const at = timeOf('--at', given.at, Date.now());
  refuseIf(given.svrKey !== undefined && given.svr === undefined)`--svr-key signs what --svr writes
    Give --svr too.`;
  const key = await readCheckingKey(given.key);
  const faultOf = (value: unknown) => validate('certificate', value)[0]?.sentence;
  const statement = statementIn(unseal(await readCertificate(file), key, file), file, faultOf);
  const artifact = given.artifact === undefined ? undefined : await readArtifact(given.artifact);
  refuseUnlessWanted(statement, {
    at,
    suite,
    minimumSuite: checkedVersion(given.minimumSuite),
    challenge: given.challenge,
    artifact: artifact && { path: given.artifact!, sha256: artifact.digest.sha256 },
  });
  const evidence = await checkedEvidence(file, statement, given.run);
  const checked = {
    evidence: evidence.folder !== undefined,
    artifact: artifact !== undefined,
    challenge: given.challenge !== undefined,
  };
  const found = verificationResult(statement, checked, { at, suite });
  if (given.svr !== undefined) {
    const signer = given.svrKey === undefined ? undefined : await readSigningKey(given.svrKey, '--svr-key');
    const text = JSON.stringify(found);
    await writeNew(given.svr, signer === undefined ? `${text}\n` : seal(Buffer.from(text, 'utf8'), signer));
  }
  out(given.json ? printedJson(found) : checkedText(statement, { ...checked, ...evidence, keyid: keyId(key), at }));
  return statement.predicate.result === 'FAILED' ? 1 : 0;
}

interface CheckedEvidence {
  readonly folder?: string;
  readonly compared: number;
  readonly missing: readonly string[];
}

/** Looks at the folder that was named, or at that of the certificate. Throws CertificateError and UsageError. */
async function checkedEvidence(file: string, statement: Statement, run: string | undefined): Promise<CheckedEvidence> {
  const folder = run ?? dirname(file);
  if (run !== undefined) refuseNoFolder(run, 'Give the folder of the run to --run.');
  const { same, missing } = await compareEvidence(folder, statement.predicate.countersign.evidence);
  if (same.length === 0 && run === undefined) return { compared: 0, missing };
  const gone = judgedFiles.find((name) => missing.includes(name));
  if (gone !== undefined) {
    throw certificateError('changed-evidence')`
      ${join(folder, gone)} is missing, and the evidence cannot be judged without it
      Ask for the whole folder of the run.`;
  }
  const read = await readRecordings([folder], undefined);
  const report = read.stored!;
  const path = join(folder, 'report.json');
  refuseOtherRun(statement, report, path);
  const stored: StoredRun = {
    report,
    recordings: read.recordings,
    scoring: await scoringOf({ set: report.set }, report.subject.kind, report.require),
  };
  const compared = refuseOtherOutcomes(statement, judgeRunAgain(stored, suite));
  const certified = { ...stored, strangerTo: (seed: string) => strangerTo(seed, stored) };
  refuseOtherStart(certified, path);
  // Another version may draw otherwise.
  if (report.suite.version === suite.version) refuseOtherSeed(certified, path, noRequest);
  refuseUnanswered(certified, statement.predicate.countersign.challenge);
  return { folder, compared, missing };
}

function checkedVersion(version: string | undefined): string | undefined {
  if (version === undefined || /^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[\w.-]{1,64})?$/.test(version)) return version;
  throw usageError()`--minimum-suite ${version} is no version such as 1.2.3`;
}
