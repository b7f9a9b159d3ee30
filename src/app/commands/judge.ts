/** `countersign judge`: the suite's verdicts on traffic that was recorded, without any traffic of its own. */

import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Command, Option } from 'commander';
import type { ProfileName } from '../../../contracts/profiles/index.ts';
import { exitCode } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import { jsonReport } from '../../report/json.ts';
import { narrowedTo } from '../../report/words.ts';
import { completeRunOptions } from '../../run/options/run-options.ts';
import { narrowingFlags } from '../../run/options/selection.ts';
import { suite } from '../../run/options/suite-version.ts';
import { redactorFor } from '../../run/secrets/redactor.ts';
import { secretsIn } from '../../run/secrets/secret.ts';
import type { ConcludedRun } from '../../verdict/conclude-gateway.ts';
import { withUnnoticed, withUnnoticedLive } from '../../verdict/forecast/by-requirements.ts';
import { judgeRecordings } from '../../verdict/recordings/judge-recordings.ts';
import { rejudged } from '../../verdict/recordings/rejudged.ts';
import type { CommandSurroundings } from '../command.ts';
import { type GivenKeys, judgingKeys, readGivenKeys } from '../config/keys.ts';
import {
  checkedLabels,
  knownProfile,
  labelFlags,
  matchingPattern,
  type ScoringFlags,
  shellWord,
} from '../config/run-flags.ts';
import { scoringOf, scoringOptions, scoringWords, updateBaseline } from '../config/scoring-flags.ts';
import { type ReadFiles, readRecordings } from '../config/stored-runs.ts';
import { makeReportFolder, orNothing, writeReport } from '../write-report.ts';

interface GivenOptions extends GivenKeys, ScoringFlags {
  readonly side?: 'client' | 'gateway';
  readonly profile?: string;
  readonly only?: readonly string[];
  readonly label?: readonly string[];
  readonly out?: string;
  readonly json?: boolean;
}

export function judgeCommand(surroundings: CommandSurroundings): Command {
  const repeatable = (value: string, earlier: readonly string[] = []) => [...earlier, value];
  const scoring = scoringOptions();
  return new Command('judge')
    .description(
      'Judges recorded traffic without sending anything: HAR files of a browser, a proxy or Playwright, and folders of earlier runs. ' +
        'What a recording cannot show is inconclusive, and says why.',
    )
    .argument('<file...>', 'HAR files, or folders of runs')
    .addOption(
      new Option(
        '--side <side>',
        'whom to judge (default: whom the run examined; client for other recordings)',
      ).choices(['client', 'gateway']),
    )
    .option('--consumer-key <key>', 'the oauth_consumer_key that was issued to the client')
    .option('--consumer-secret-file <file>', 'file with the secret for HMAC-SHA1')
    .option('--public-key-file <file>', 'PEM file with the RSA public key of the client, or its certificate')
    .addOption(scoring.baseline)
    .addOption(scoring.update)
    .addOption(scoring.set)
    .addOption(scoring.failOn)
    .addOption(scoring.require)
    .option('--profile <name>', 'rfc5849 or strict (default: that of the run, else rfc5849)')
    .addOption(
      new Option(
        '--only <glob>',
        'requirement ids to judge (default: those of the run, else all); may be repeated',
      ).argParser(repeatable),
    )
    .addOption(
      new Option(
        '--label <name=value>',
        'names the run in the report, beside the labels that it has, as in gateway=4.12.0; may be repeated',
      ).argParser(repeatable),
    )
    .option('--out <dir>', 'new or empty folder for the report (default: reports/runs/<time>-judged)')
    .option('--json', 'print report.json on standard output in place of the text')
    .addHelpText(
      'after',
      '\nWithout keys signatures are inconclusive; requests of the published test identity need none.\n' +
        '\nExamples:\n  countersign judge traffic.har --consumer-secret-file secret.txt --public-key-file key.pub.pem\n' +
        '  countersign judge reports/runs/2026-01-31T12-00-00-000Z-client\n' +
        '\nExit codes: 0 conformant, 1 findings or gaps, 2 wrong use, 3 a fault of the suite.',
    )
    .action(async (files: string[], given: GivenOptions) => {
      surroundings.setExitCode(await judge(files, given, surroundings));
    });
}

async function judge(
  files: readonly string[],
  given: GivenOptions,
  { err, out }: CommandSurroundings,
): Promise<0 | 1 | 3> {
  const read = await readRecordings(files, given.side);
  for (const remark of read.remarks) err(`countersign: ${remark}\n`);
  const readKeys = await readGivenKeys(given, (remark) => err(`countersign: ${remark}\n`), read);
  const secrets = secretsIn(readKeys);
  // A client may have sent its secret by mistake: it is judged, and the secret is not repeated.
  const recordings = read.recordings.map((recording) => redactorFor(secrets).anything(recording));
  const options = optionsOf(files, given, read);
  const scoring = await scoringOf(given, read.side, read.stored?.require);
  const made = await makeReportFolder(options.out);
  const notes = [
    ...read.remarks,
    ...otherScope(given, read),
    ...(read.stored?.contracts === undefined
      ? []
      : [
          `Pact interactions cannot be judged again: ${options.only.length > 0 ? 'they are left out here' : 'they are as the run reported them'}.`,
        ]),
  ];
  const judged = withFlips(
    read.stored,
    judgeRecordings({
      header: {
        suite,
        subject: read.subject,
        runId: options.runId,
        profile: options.profile,
        seed: options.seed,
        challenge: read.stored?.challenge,
        startedAt: options.startedAt,
        durationMs: read.durationMs,
        reproduce: options.reproduce,
        effects: read.effects,
        labels: options.labels,
        ...(notes.length === 0 ? {} : { notes }),
      },
      side: read.side,
      only: options.only,
      scoring,
      recordings,
      ...(read.stored?.contracts === undefined || options.only.length > 0 ? {} : { contracts: read.stored.contracts }),
      keys: judgingKeys(readKeys, given.consumerKey, recordings),
    }),
  );
  await orNothing(made, () => writeReport(judged, options, secrets));
  await updateBaseline(judged.result, err);
  if (options.json) out(jsonReport(judged.result));
  return exitCode(judged.result);
}

/** Of a run over all requirements every report says what it is narrowed to. */
function otherScope({ only = [] }: GivenOptions, { stored, only: before }: ReadFiles): string[] {
  const isSame = isDeepStrictEqual([...only].sort(), [...before].sort());
  if (stored === undefined || only.length === 0 || before.length === 0 || isSame) return [];
  return [
    `The scope differs: the run was narrowed to ${narrowedTo(before)}, and is judged here for ${narrowedTo(only)}.`,
  ];
}

/** Of a stored run: which of its verdicts are others now, and what it does not rule out. */
function withFlips(stored: Result | undefined, judged: ConcludedRun): ConcludedRun {
  if (stored === undefined || judged.result.conclusion === 'aborted') return judged;
  const result = { ...judged.result, rejudged: rejudged(stored, judged.result) };
  // One generated case by itself is no run of which it is known what it lets through.
  if (/ --path /.test(stored.reproduce)) return { ...judged, result };
  const isLive = result.subject.kind === 'gateway' && result.subject.target !== 'mock';
  return { ...judged, result: isLive ? withUnnoticedLive(result, judged.cases) : withUnnoticed(result) };
}

function optionsOf(files: readonly string[], given: GivenOptions, read: ReadFiles) {
  const cwd = process.cwd();
  const now = Date.now();
  const labels = checkedLabels(given.label);
  const profile = given.profile === undefined ? (read.profile as ProfileName) : knownProfile(given.profile);
  const completed = completeRunOptions(
    {
      target: 'recording',
      profile,
      seed: read.seed,
      only: (given.only ?? read.only).map((pattern) => matchingPattern(read.side, pattern)),
      labels: labels === undefined ? read.labels : { ...read.labels, ...labels },
      json: given.json === true,
    },
    now,
    cwd,
  );
  return {
    ...completed,
    startedAt: read.startedAt ?? completed.startedAt,
    out: given.out === undefined ? completed.out.replace(/-gateway$/, '-judged') : resolve(cwd, given.out),
    reproduce: [
      'npx countersign judge',
      ...files.map(shellWord),
      `--side ${read.side}`,
      ...keyFlags(given),
      ...scoringWords(given),
      ...labelFlags(labels),
      ...narrowingFlags(given.only ?? []),
    ].join(' '),
  };
}

/** The flags name files and a public key; no secret is among them. */
function keyFlags(given: GivenOptions): string[] {
  return [
    given.consumerKey === undefined ? [] : [`--consumer-key ${shellWord(given.consumerKey)}`],
    given.consumerSecretFile === undefined ? [] : [`--consumer-secret-file ${shellWord(given.consumerSecretFile)}`],
    given.publicKeyFile === undefined ? [] : [`--public-key-file ${shellWord(given.publicKeyFile)}`],
    given.profile === undefined ? [] : [`--profile ${given.profile}`],
  ].flat();
}
