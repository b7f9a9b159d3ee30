/** `countersign certificate`: signs what a run found, after its evidence was judged again. */
import { createPublicKey } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { keyId, seal } from '../../extras/certificate/envelope.ts';
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
import { readPactFiles } from '../../extras/pact/pact-files.ts';
import { contractId } from '../../record/result/score.ts';
import { printedJson } from '../../report/visible.ts';
import { suite } from '../../run/options/suite-version.ts';
import { noRequest, strangerTo } from '../../verdict/recordings/drawn-from-seed.ts';
import { judgeRunAgain, type StoredRun } from '../../verdict/recordings/judge-recordings.ts';
import {
  publicFileOf,
  readArtifact,
  readCheckingKey,
  readSigningKey,
  refuseNoFolder,
  unreadableFile,
  writeNew,
  writeNewKey,
} from '../config/certificate-files.ts';
import { expiryOf, usualDays } from '../config/certificate-times.ts';
import { readRecordings, readStoredReport } from '../config/recording-files.ts';
import { shellWord } from '../config/run-flags.ts';
import { scoringOf } from '../config/scoring-flags.ts';
import type { CommandSurroundings } from '../surroundings.ts';
import { issuedText } from '../text/certificate-text.ts';
import { orRefused } from '../text/refused.ts';
import { UsageError } from '../usage-error.ts';
import { filesOfRun } from '../write-report.ts';

interface GivenOptions {
  readonly key?: string;
  readonly newKey?: string | true;
  readonly out?: string;
  readonly expires?: string;
  readonly artifact?: string;
  readonly json?: true;
}

export function certificateCommand(surroundings: CommandSurroundings): Command {
  return new Command('certificate')
    .description(
      'Signs what a run found: an in-toto test result in a DSSE envelope, with digests of the evidence. ' +
        'The evidence is judged again first. A run that is partial, aborted or narrowed gets none; one that failed gets one that says so.',
    )
    .argument('[run]', 'folder of the run')
    .option('--key <file>', 'PEM file with the Ed25519 private key to sign with')
    .option(
      '--new-key [place]',
      'write a new pair of keys: the private one to this folder or file (default: countersign-key.pem), the public one beside it as NAME.pub.pem',
    )
    .option('--out <file>', 'the certificate, a new file (default: certificate.json in the folder of the run)')
    .option('--expires <when>', `date, or days from the start of the run (default: ${usualDays})`)
    .option('--artifact <file>', 'the file that was tested: the certificate is then about its SHA-256')
    .option('--json', 'print one JSON object in place of the text, where none is issued the reason')
    .addHelpText(
      'after',
      '\nExamples:\n  countersign certificate --new-key keys/shop.pem\n' +
        '  countersign certificate reports/runs/RUN --key keys/shop.pem --artifact client.jar\n' +
        '\nExit codes: 0 the certificate says that the run passed, 1 it says that it failed, or was refused, 2 wrong use.',
    )
    .action(async (run: string | undefined, given: GivenOptions) => {
      surroundings.setExitCode(await orRefused(surroundings, given.json, () => certificate(run, given, surroundings)));
    });
}

async function certificate(
  run: string | undefined,
  given: GivenOptions,
  { out, err }: CommandSurroundings,
): Promise<0 | 1> {
  if (given.newKey !== undefined) {
    const { newKey, json, ...others } = given;
    if (run !== undefined || Object.keys(others).length > 0) {
      throw new UsageError('bad-arguments', '--new-key writes keys and nothing else', {
        hint: 'Name the run in a second command.',
      });
    }
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
    throw new UsageError('bad-arguments', run === undefined ? 'no run was named' : 'no key to sign with was named', {
      hint:
        'Write it as in: countersign certificate reports/runs/RUN --key countersign-key.pem. ' +
        'countersign certificate --new-key makes such a key.',
    });
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
  const unreadable = (path: string, why: Parameters<typeof unreadableFile>[1]) =>
    unreadableFile(path, why, 'Give the folder of a whole run.');
  const evidence = await evidenceIn(run, filesOfRun, unreadable);
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
