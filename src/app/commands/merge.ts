/** `countersign merge`: joins the shards of a run from several machines, and returns its exit code. */

import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import { readRegularText } from '../../record/disk/files.ts';
import { completeRunOptions } from '../../run/options/run-options.ts';
import { clientPlan, gatewayPlan } from '../../run/options/selection.ts';
import { UsageError } from '../../run/options/usage-error.ts';
import {
  mergeShards,
  type ReadShard,
  ShardError,
  type StoredShard,
  shardFile,
} from '../../verdict/recordings/merge-shards.ts';
import type { ExitCode, Given, Surroundings } from '../command.ts';
import { clientDefectsOf, mockDefectsOf, variantsOf } from '../config/defects.ts';
import { chosenShard, narrowingPatterns } from '../config/run-flags.ts';
import { readable, readHarFile } from '../config/stored-runs.ts';
import { endRun } from '../perform-run.ts';
import { makeReportFolder, orNothing, writeReport } from '../write-report.ts';

/** Bytes of shard.json, which contains no exchanges. */
const largestShard = 64 * 1024 * 1024;

const toGive = 'Give the folder that --out named in a run with --shard, unchanged.';

export async function run(
  folders: readonly string[],
  given: Given<'merge'>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { runId, out: usual } = completeRunOptions({}, Date.now(), process.cwd());
  const folder = given.out === undefined ? usual.replace(/-mock$/, '-merged') : resolve(process.cwd(), given.out);
  const opened: ReadShard[] = [];
  try {
    for (const path of folders) opened.push(await openShard(path));
    refuseMisfits(opened);
    const { options, run } = mergeShards(opened, { runId, out: folder, json: given.json === true, workers: 1 });
    const made = await makeReportFolder(folder);
    await orNothing(made, () => writeReport(run, options));
    return await endRun({ ...options, verbose: given.verbose }, run, surroundings);
  } catch (cause) {
    if (!(cause instanceof ShardError)) throw cause;
    throw new UsageError(cause.message, cause.hint, cause);
  }
}

async function openShard(path: string): Promise<ReadShard> {
  const stored = await readShardFile(path);
  return { path, stored, recording: await readHarFile(join(path, 'exchanges.har'), path) };
}

async function readShardFile(folder: string): Promise<StoredShard> {
  const path = join(folder, shardFile);
  await realpath(path).catch((cause) => {
    if (!['ENOENT', 'ENOTDIR'].includes(cause.code)) return;
    throw new UsageError(`${folder} holds no shard of a run: there is no ${path}`, toGive, cause);
  });
  const { text } = readable(path, await readRegularText(path, largestShard), toGive);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${path} is not JSON`, toGive, cause);
  }
  const [fault] = validate('shard', value);
  if (fault === undefined) return value as StoredShard;
  throw new UsageError(`${path} cannot be used: ${fault.sentence}`, toGive);
}

/** Refuses options that fit no run, if all shards have such options. If only some do, `mergeShards` refuses them. */
function refuseMisfits(shards: readonly ReadShard[]): void {
  const misfits = shards.map(({ stored }) => misfitOf(stored));
  if (misfits.includes(undefined)) return;
  throw new UsageError(`the options in ${shards[0]!.path}/${shardFile} do not fit: ${misfits[0]}`, toGive);
}

/** The first contradiction or unknown name in the options; undefined if there is none. */
function misfitOf({ options, shard: { index, of }, startedAt }: StoredShard): string | undefined {
  const { target, client, only, slow, defects, variants, seed } = options;
  if (client !== undefined && target !== 'client') return 'client is given, and target is something else';
  if (client === undefined && target !== 'mock') {
    return `target needs ${target === 'client' ? 'client' : 'live'}, which is missing`;
  }
  if (Number.isNaN(Date.parse(startedAt))) return 'startedAt is no point in time';
  const side = client === undefined ? 'gateway' : 'client';
  try {
    narrowingPatterns(side, { only });
    const scenarios = client === undefined ? gatewayPlan({ only, slow }) : clientPlan({ only });
    chosenShard({ shard: `${index}/${of}`, seed }, scenarios.length);
    mockDefectsOf(defects);
    variantsOf(variants);
    clientDefectsOf(client?.defects);
    return client !== undefined && defects.length + variants.length > 0
      ? 'defects and variants need the mock'
      : undefined;
  } catch (cause) {
    if (cause instanceof UsageError) return cause.message;
    throw cause;
  }
}
