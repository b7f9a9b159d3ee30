/** What the person asked of `countersign client`, checked before anything is started. */
import { resolve } from 'node:path';
import { clientDefects, usableClientDefects } from '../../faults/client/index.ts';
import { clientScenarios } from '../../plan/client/index.ts';
import type { Scoring } from '../../record/result/score.ts';
import { type ClientOptions, completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import { narrowingFlags, selectedIds, selectScenarios } from '../../run/options/selection.ts';
import { UsageError } from '../usage-error.ts';
import { checkedLabels, labelFlags } from './label-flag.ts';
import {
  checkedPath,
  chosenSeed,
  chosenShard,
  knownProfile,
  narrowingPatterns,
  type RunFlags,
  seedFlag,
  shardFlag,
  shellWord,
  wholeNumber,
} from './run-flags.ts';
import { scoringWords } from './scoring-flags.ts';
import { unknownDefect } from './unknown-defect.ts';

/** The options as commander hands them over. */
export interface GivenClientOptions extends RunFlags {
  readonly oneShot?: boolean;
  readonly attach?: string;
  readonly host?: string;
  readonly plainHttp?: boolean;
  readonly checkAdapter?: boolean;
}

/** Run options of a client: `client` is always there. */
export type ClientRunOptions = RunOptions & { readonly client: ClientOptions };

/** Generated cases of each generator: enough for every edge of the generators, few enough for a slow language. */
const ordinaryCases = 25;

/** A process is started for every call. */
const oneShotCases = 5;

/** The checked options of the run. Throws UsageError; `now` is in milliseconds since the Unix epoch. */
export function clientRunOptions(
  command: readonly string[],
  given: GivenClientOptions,
  now: number,
  cwd: string,
  scoring?: Scoring,
): ClientRunOptions {
  const client = clientOf(command, given, cwd);
  const attached = client.mode === 'attach';
  const only = narrowingPatterns('client', given);
  const completed = completeRunOptions(
    {
      target: 'client',
      client,
      profile: given.profile === undefined ? 'rfc5849' : knownProfile(given.profile),
      ...chosenSeed(given),
      labels: checkedLabels(given.label),
      cases:
        wholeNumber('--cases', given.cases, 1, 10_000) ?? (client.mode === 'one-shot' ? oneShotCases : ordinaryCases),
      // There is one adapter to attach to.
      workers: attached ? 1 : wholeNumber('--workers', given.workers, 1, 64),
      scoring,
      path: checkedPath(given),
      only,
      shard: chosenShard(given, selectScenarios(clientScenarios, selectedIds('client', only)).length),
      out: given.out === undefined ? undefined : resolve(cwd, given.out),
      json: given.json === true,
    },
    now,
    cwd,
  );
  return { ...completed, client, reproduce: reproduce(completed, client, given) };
}

function clientOf(command: readonly string[], given: GivenClientOptions, cwd: string): ClientOptions {
  const defects = (given.defect ?? []).map(knownDefect);
  const port = wholeNumber('--attach', given.attach, 1, 65_535);
  const ways = [command.length > 0, port !== undefined, defects.length > 0].filter(Boolean).length;
  if (ways !== 1) {
    const problem = ways === 0 ? 'no adapter was named' : 'a command, --attach and --defect cannot be used together';
    throw new UsageError('bad-arguments', problem, {
      hint: 'Write only the command of the adapter after --, such as: countersign client -- node adapter.mjs',
    });
  }
  if (command[0]?.trim() === '') {
    throw new UsageError('bad-arguments', 'the command of the adapter begins with an empty word', {
      hint: 'Name its program right after --; a variable of the shell that is not set becomes an empty word.',
    });
  }
  if (given.oneShot === true && command.length === 0) {
    throw new UsageError('bad-arguments', '--one-shot needs the command that is run for each call', {
      hint: 'Write it after --, such as: countersign client --one-shot -- ./adapter.sh',
    });
  }
  if (given.checkAdapter === true && (command.length === 0 || given.oneShot === true)) {
    throw new UsageError('bad-arguments', '--check-adapter checks an adapter that stays, by its command', {
      hint: 'Write the command after --, and leave --one-shot, --attach and --defect out.',
    });
  }
  return {
    command,
    mode: port !== undefined ? 'attach' : given.oneShot === true ? 'one-shot' : 'process',
    port,
    plainHttp: given.plainHttp === true,
    ...(given.host === 'localhost' && { host: given.host }),
    cwd,
    ...(defects.length === 0 ? {} : { defects }),
  };
}

function knownDefect(id: string): string {
  const known = usableClientDefects.map((defect) => defect.id);
  if (known.includes(id)) return id;
  if (clientDefects.some((defect) => defect.id === id)) {
    throw new UsageError('bad-value', `no call of the two operations shows the client defect ${id}`, {
      hint: 'It needs a query, or names that the interface document does not have: npm run prove judges a record of such requests.',
    });
  }
  throw unknownDefect('client', id, known);
}

/** The command that repeats the run, with everything that has a bearing on its results. */
function reproduce(options: RunOptions, client: ClientOptions, given: GivenClientOptions): string {
  const parts = [
    'npx countersign client',
    given.profile === undefined ? '' : `--profile ${options.profile}`,
    ...scoringWords(given),
    ...narrowingFlags(options.only),
    given.cases === undefined ? '' : `--cases ${options.cases}`,
    ...shardFlag(options),
    seedFlag(options),
    ...labelFlags(options.labels),
    options.path === undefined ? '' : `--path ${options.path}`,
    client.mode === 'one-shot' ? '--one-shot' : '',
    client.port === undefined ? '' : `--attach ${client.port}`,
    client.host === undefined ? '' : `--host ${client.host}`,
    client.plainHttp ? '--plain-http' : '',
    ...(client.defects ?? []).map((id) => `--defect ${id}`),
    client.command.length === 0 ? '' : `-- ${client.command.map(shellWord).join(' ')}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
