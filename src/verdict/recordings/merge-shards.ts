/** Stores a shard of a run, and merges shards into one run. Pure. */
import type { AnyCase } from '../../record/case.ts';
import type { ContractRow, Result, Shard } from '../../record/result/result.ts';
import { casesOf } from '../../record/run.ts';
import { formatRun } from '../../report/phrases.ts';
import { shortened } from '../../report/visible.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { clientPlan, gatewayPlan } from '../../run/options/scenarios.ts';
import { suite } from '../../run/options/suite-version.ts';
import { usageError } from '../../run/options/usage-error.ts';
import type { ScenarioRecord } from '../../run/scenario-record.ts';
import { type ConcludedRun, concludeRun } from '../conclude.ts';
import type { Recording } from './recording.ts';

const sharedOptions = [
  'target',
  'profile',
  'seed',
  'challenge',
  'cases',
  'only',
  'slow',
  'defects',
  'variants',
  'labels',
  'acceptPartial',
  'scoring',
  'reproduce',
] as const satisfies readonly (keyof RunOptions)[];

const sharedClientOptions = ['command', 'mode', 'plainHttp', 'defects'] as const;

type SharedOptions = Pick<RunOptions, (typeof sharedOptions)[number]> & {
  readonly client?: Pick<NonNullable<RunOptions['client']>, (typeof sharedClientOptions)[number]>;
};

/** The content of shard.json. A merge needs only shard.json and exchanges.har of each shard. */
export interface StoredShard {
  readonly format: 'countersign-shard';
  readonly formatVersion: 1;
  readonly suite: Result['suite'];
  readonly shard: Shard;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly aborted?: string;
  readonly options: SharedOptions;
  readonly records: readonly (Omit<ScenarioRecord<AnyCase>, 'cases'> & { readonly caseNumbers: readonly number[] })[];
  readonly contracts?: readonly ContractRow[];
}

export function storedShard(
  options: RunOptions & { readonly shard: Shard },
  records: readonly ScenarioRecord<AnyCase>[],
  result: Result,
): StoredShard {
  const { suite, startedAt, durationMs, contracts } = result;
  const { client } = options;
  return {
    format: 'countersign-shard',
    formatVersion: 1,
    suite,
    shard: options.shard,
    startedAt,
    durationMs,
    aborted: formatRun(result).aborted,
    options: {
      ...pick(options, sharedOptions),
      reproduce: options.reproduce.replace(/ --shard \S+/, ''),
      client: client && pick(client, sharedClientOptions),
    },
    records: records.map(({ cases, ...rest }) => ({ ...rest, caseNumbers: cases.map(({ number }) => number) })),
    contracts,
  };
}

function pick<T, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}

export interface ReadShard {
  readonly path: string;
  readonly stored: StoredShard;
  readonly recording: Recording;
}

/** Concludes the records of all shards as one run. Throws UsageError. */
export function mergeShards(
  shards: readonly ReadShard[],
  own: Pick<RunOptions, 'runId' | 'out' | 'json' | 'workers'>,
): { readonly options: RunOptions; readonly run: ConcludedRun } {
  checkShards(shards);
  const { options: common } = shards[0]!.stored;
  const client = common.client && { ...common.client, cwd: '.' };
  const startedAt = shards.map(({ stored }) => stored.startedAt).sort()[0]!;
  const options: RunOptions = { ...common, ...own, client, startedAt };
  const now = Date.parse(options.startedAt) + Math.max(...shards.map(({ stored }) => stored.durationMs));
  const plan = (client === undefined ? gatewayPlan(common) : clientPlan(common)).map(({ id }) => id as string);
  const records = shards.flatMap(recordsOf).sort((a, b) => plan.indexOf(a.scenario) - plan.indexOf(b.scenario));
  const contracts = shards.flatMap(({ stored }) => stored.contracts ?? []);
  const end = { now, contracts: contracts.length === 0 ? undefined : contracts };
  return { options, run: concludeRun(options, records, end) };
}

function recordsOf({ path, stored, recording }: ReadShard): ScenarioRecord<AnyCase>[] {
  const calls = casesOf(recording);
  return stored.records.map(({ caseNumbers, ...rest }) => {
    const numbers = new Set(caseNumbers);
    const cases = calls.filter(({ scenario, number }) => scenario === rest.scenario && numbers.has(number));
    if (cases.length === caseNumbers.length) return { ...rest, cases };
    throw usageError()`
      shard.json in ${path} names cases of ${rest.scenario} that exchanges.har lacks
      Use the unchanged folder of the run.`;
  });
}

function checkShards(inputs: readonly ReadShard[]): void {
  const [first, ...others] = inputs as [ReadShard, ...ReadShard[]];
  for (const { path, stored } of inputs) {
    if (stored.aborted !== undefined) {
      throw usageError()`
        ${shardName(stored)} in ${path} was aborted: ${stored.aborted}
        Run this shard again.`;
    }
    const [current, writer] = [versionOf({ suite }), versionOf(stored)];
    if (current === writer) continue;
    throw usageError()`
      ${path} was written by ${writer}, and this is ${current}
      Merge the shards with ${writer}.`;
  }
  for (const other of others) {
    const differing = facts.find(([, read]) => read(first.stored) !== read(other.stored));
    if (differing === undefined) continue;
    const [what, read] = differing;
    const [here, there] = [first, other].map(({ stored }) => shortened(read(stored), 80));
    throw usageError()`
      ${first.path} and ${other.path} are not shards of one run: ${what} ${here} in the first, ${there} in the second
      Run every shard with the same flags, except --shard and --out.`;
  }
  const { of } = first.stored.shard;
  const indices = inputs.map(({ stored }) => stored.shard.index);
  const duplicate = inputs.find((_, index) => indices.indexOf(indices[index]!) < index);
  if (duplicate !== undefined) {
    throw usageError()`
      ${shardName(duplicate.stored)} is given twice, the second time in ${duplicate.path}
      Give each shard only once.`;
  }
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter((index) => !indices.includes(index));
  if (missing.length > 0) {
    const [noun, verb] = missing.length === 1 ? ['shard', 'is'] : ['shards', 'are'];
    throw usageError()`
      ${noun} ${missing.join(', ')} of ${of} ${verb} missing
      Give the folders of all shards.`;
  }
}

const flags: Readonly<Record<string, string>> = {
  acceptPartial: '--accept-partial',
  scoring: '--set, --baseline, --require and --fail-on',
};

const facts: readonly (readonly [what: string, of: (stored: StoredShard) => string])[] = [
  ['shards', ({ shard }) => String(shard.of)],
  ['the subject is', ({ options: { client } }) => (client === undefined ? 'a gateway' : 'a client')],
  ...sharedOptions.map(
    (name) => [flags[name] ?? name, ({ options }: StoredShard) => JSON.stringify(options[name]) ?? 'not set'] as const,
  ),
  ['adapter', ({ options }) => JSON.stringify(options.client) ?? 'none'],
  ['client', ({ records }) => JSON.stringify(records.find((one) => one.introduction)?.introduction?.client) ?? 'none'],
];

function shardName({ shard }: StoredShard): string {
  return `shard ${shard.index} of ${shard.of}`;
}

function versionOf({ suite: { name, version } }: Pick<StoredShard, 'suite'>): string {
  return `${name} ${version}`;
}
