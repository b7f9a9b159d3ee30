/** What the shard of a run leaves for `countersign merge`, beside its exchanges. */

import type { AnyCase } from '../../record/case.ts';
import type { ContractRow, Result, Shard } from '../../record/result/result.ts';
import { abortedSentence } from '../../report/words.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import type { ScenarioRecord } from '../../run/scenario-record.ts';

/** What decides the results of a run: all its shards have it in common. */
export const sharedOptions = [
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

export type SharedOptions = Pick<RunOptions, (typeof sharedOptions)[number]> & {
  readonly client?: Pick<NonNullable<RunOptions['client']>, 'command' | 'mode' | 'plainHttp' | 'defects'>;
};

export const shardFile = 'shard.json';

/** shard.json: with exchanges.har all that concluding needs. */
export interface StoredShard {
  readonly format: 'countersign-shard';
  readonly formatVersion: 1;
  readonly suite: Result['suite'];
  readonly shard: Shard;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly aborted?: string;
  readonly options: SharedOptions;
  readonly records: readonly (Omit<ScenarioRecord<AnyCase>, 'cases'> & {
    readonly caseNumbers: readonly number[];
  })[];
  readonly contracts?: readonly ContractRow[];
}

export function storedShard(
  options: RunOptions & { readonly shard: Shard },
  records: readonly ScenarioRecord<AnyCase>[],
  { suite, startedAt, durationMs, ...result }: Result,
): StoredShard {
  const { client } = options;
  const common = Object.fromEntries(sharedOptions.map((name) => [name, options[name]]));
  return {
    format: 'countersign-shard',
    formatVersion: 1,
    suite,
    shard: options.shard,
    startedAt,
    durationMs,
    ...(result.conclusion === 'aborted' ? { aborted: abortedSentence(result) } : {}),
    options: {
      ...(common as SharedOptions),
      reproduce: options.reproduce.replace(/ --shard \S+/, ''),
      client: client && {
        command: client.command,
        mode: client.mode,
        plainHttp: client.plainHttp,
        defects: client.defects,
      },
    },
    records: records.map(({ cases, ...rest }) => ({ ...rest, caseNumbers: cases.map(({ number }) => number) })),
    contracts: result.contracts,
  };
}
