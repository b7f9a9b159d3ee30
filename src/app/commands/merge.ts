/** `countersign merge`: joins the shards of a run. */
import { join, resolve } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import { readRegularText } from '../../record/disk/files.ts';
import { completeRunOptions } from '../../run/options/run-options.ts';
import { refuseIf, UsageError } from '../../run/options/usage-error.ts';
import { mergeShards, type ReadShard, type StoredShard, shardFile } from '../../verdict/recordings/merge-shards.ts';
import type { ExitCode, Given, Surroundings } from '../command.ts';
import { readable, readHarFile } from '../config/stored-runs.ts';
import { endRun } from '../perform-run.ts';
import { makeReportFolder, writeReport } from '../write-report.ts';

const largestShard = 64 * 1024 * 1024;

const runHint = 'Name the unchanged folder of a run with --shard.';

export async function run(
  folders: readonly string[],
  flags: Given<'merge'>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { runId, out: usual } = completeRunOptions({}, Date.now(), process.cwd());
  const folder = flags.out === undefined ? usual.replace(/-mock$/, '-merged') : resolve(process.cwd(), flags.out);
  const opened: ReadShard[] = [];
  for (const path of folders) opened.push(await openShard(path));
  const { options, run } = mergeShards(opened, { runId, out: folder, json: flags.json === true, workers: 1 });
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
  const found = await readRegularText(path, largestShard);
  refuseIf('unreadable' in found && found.unreadable === 'does not exist')`
    ${folder} is not a shard of a run: ${path} does not exist
    ${runHint}`;
  const { text } = readable(path, found, runHint);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${path} is not JSON`, runHint, cause);
  }
  const [fault] = validate('shard', value);
  if (fault === undefined) return value as StoredShard;
  throw new UsageError(`${path} cannot be used: ${fault.sentence}`, runHint);
}
