/** `countersign judge` judges recorded traffic. `countersign merge` joins the shards of a run. Both send nothing. */
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ProfileName } from '../../../contracts/profiles.ts';
import { validate } from '../../../schemas/index.ts';
import { readRegularText } from '../../record/disk/files.ts';
import type { Result } from '../../record/result/result.ts';
import { shardFile } from '../../record/run.ts';
import { formatGlobs } from '../../report/phrases.ts';
import { shellWord } from '../../run/options/options.ts';
import { completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import { suite } from '../../run/options/suite-version.ts';
import { refuseIf, UsageError } from '../../run/options/usage-error.ts';
import { redactorFor, secretsIn } from '../../run/secrets/secret.ts';
import { type ConcludedRun, judgeRecordings, rejudged } from '../../verdict/conclude.ts';
import { withUnnoticed } from '../../verdict/forecast/forecast.ts';
import { mergeShards, type ReadShard, type StoredShard } from '../../verdict/recordings/merge-shards.ts';
import type { ExitCode, Input, Surroundings } from '../command.ts';
import { judgingKeys, readUserKeys } from '../config/keys.ts';
import { checkPattern, parseLabels, runOptionsOf } from '../config/run-flags.ts';
import { scoringOf } from '../config/scoring-flags.ts';
import { parseJson, type RecordingInput, readHarFile, readRecordings, requireReadable } from '../config/stored-runs.ts';
import { endRun } from '../perform-run.ts';
import { makeReportFolder, writeReport } from '../write-report.ts';

export async function run(
  files: readonly string[],
  flags: Input<'judge'>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { remark } = surroundings;
  const input = await readRecordings(files, flags.side);
  for (const sentence of input.remarks) remark(sentence);
  const userKeys = await readUserKeys(flags, remark, input);
  const secrets = secretsIn(userKeys);
  // A client may have sent a secret by mistake, and the report shows its requests. So redact the secrets first.
  const recordings = input.recordings.map((recording) => redactorFor(secrets).value(recording));
  const options = optionsOf(files, flags, input);
  const scoring = await scoringOf(flags, input.side, input.stored?.require);
  await makeReportFolder(options.out);
  const { runId, profile, seed, startedAt, reproduce, labels, only } = options;
  const { stored, head } = input;
  const { subject, durationMs, effects } = head;
  const notes = [...input.remarks, ...scopeNotes(flags, input)];
  if (stored?.contracts !== undefined) {
    const consequence = only.length > 0 ? 'they are skipped here' : 'their outcomes are copied from the run';
    notes.push(`Pact interactions cannot be judged again: ${consequence}.`);
  }
  const header = {
    ...{ suite, subject, runId, profile, seed, startedAt, durationMs, reproduce, effects, labels, notes },
    challenge: stored?.challenge,
    scope: only.length === 0 ? undefined : { only, smoke: input.smoke },
  };
  const contracts = only.length > 0 ? undefined : stored?.contracts;
  const keys = judgingKeys(userKeys, flags.consumerKey, recordings);
  const judged = withRejudged(stored, judgeRecordings({ header, only, scoring, recordings, contracts, keys }));
  await writeReport(judged, options, secrets);
  return endRun(options, judged, surroundings);
}

function scopeNotes({ only = [] }: Input<'judge'>, { stored, only: previous }: RecordingInput): string[] {
  const isSame = isDeepStrictEqual([...only].sort(), [...previous].sort());
  if (stored === undefined || only.length === 0 || previous.length === 0 || isSame) return [];
  return [`The scope differs: the run judged ${formatGlobs(previous)}, and this report judges ${formatGlobs(only)}.`];
}

/** Adds the verdicts that differ from the stored run, and the known defects that the run does not detect. */
function withRejudged(stored: Result | undefined, judged: ConcludedRun): ConcludedRun {
  if (stored === undefined || judged.result.conclusion === 'aborted') return judged;
  const result = { ...judged.result, rejudged: rejudged(stored, judged.result) };
  // With --path a run has a single case. The suite does not know which defects a single case misses.
  if (/ --path /.test(stored.reproduce)) return { ...judged, result };
  return { ...judged, result: withUnnoticed(result, judged.cases) };
}

function optionsOf(files: readonly string[], flags: Input<'judge'>, input: RecordingInput): RunOptions {
  const { head } = input;
  const labels = parseLabels(flags.label);
  const overrides = {
    target: 'recording',
    profile: flags.profile ?? (head.profile as ProfileName),
    seed: head.seed,
    only: (flags.only ?? input.only).map((pattern) => checkPattern(input.side, pattern)),
    labels: labels === undefined ? head.labels : { ...head.labels, ...labels },
    startedAt: head.startedAt,
  };
  // The repeat command names the key files and contains no secret, so all flags may stay in it.
  const repeatFlags = { ...flags, side: input.side };
  const options = runOptionsOf('judge', repeatFlags, overrides, Date.now(), process.cwd(), files.map(shellWord));
  return flags.out === undefined ? { ...options, out: options.out.replace(/-gateway$/, '-judged') } : options;
}

/** Limit in bytes. A shard.json is small, because it has no exchanges. */
const maxShardBytes = 64 * 1024 * 1024;
const runHint = 'Name the folder of a run that used --shard, with its files unchanged.';

export async function merge(
  folders: readonly string[],
  flags: Input<'merge'>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { runId, out: defaultOut } = completeRunOptions({}, Date.now(), process.cwd());
  const folder = flags.out === undefined ? defaultOut.replace(/-mock$/, '-merged') : resolve(process.cwd(), flags.out);
  const shards: ReadShard[] = [];
  for (const path of folders) shards.push(await openShard(path));
  const { options, run } = mergeShards(shards, { runId, out: folder, json: flags.json === true, workers: 1 });
  await makeReportFolder(folder);
  await writeReport(run, options);
  return await endRun({ ...options, verbose: flags.verbose }, run, surroundings);
}

async function openShard(path: string): Promise<ReadShard> {
  const stored = await readShardFile(path);
  return { path, stored, recording: await readHarFile(join(path, 'exchanges.har'), path) };
}

async function readShardFile(folder: string): Promise<StoredShard> {
  const path = join(folder, shardFile);
  const found = await readRegularText(path, maxShardBytes);
  refuseIf('unreadable' in found && found.unreadable === 'does not exist')`
    ${folder} is not a shard of a run: ${path} does not exist
    ${runHint}`;
  const { text } = requireReadable(path, found, runHint);
  const value = parseJson(text, path, runHint);
  const [fault] = validate('shard', value);
  if (fault === undefined) return value as StoredShard;
  throw new UsageError(`${path} cannot be used: ${fault.sentence}`, runHint);
}
