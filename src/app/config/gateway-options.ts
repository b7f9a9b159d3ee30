/** What the person asked of `countersign gateway`, checked before anything is started. */
import { resolve } from 'node:path';
import { mockDefects } from '../../faults/index.ts';
import { variants as allVariants } from '../../faults/variants.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { Scoring } from '../../record/result/score.ts';
import { type BrokeredPacts, completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import { narrowingFlags, selectedIds, selectScenarios } from '../../run/options/selection.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
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
  unknown,
  wholeNumber,
} from './run-flags.ts';
import { scoringWords } from './scoring-flags.ts';
import { unknownDefect } from './unknown-defect.ts';

/** The options as commander hands them over. */
export interface GivenOptions extends RunFlags {
  readonly target?: string;
  readonly config?: string;
  readonly allow?: readonly string[];
  readonly dryRun?: boolean;
  readonly forgetUnfinished?: boolean;
  readonly acceptPartial?: boolean;
  readonly slow?: boolean;
  readonly measure?: string | true;
  readonly contracts?: boolean;
  readonly pactBroker?: string;
  readonly publishResults?: string;
  readonly variant?: readonly string[];
}

/** Requests: enough for every measurement of a gateway that follows RFC 5849. */
const usualMeasure = 600;

/**
 * The checked options of the run; `live` describes the target where it is another than the built-in mock. Throws UsageError;
 * `now` is in milliseconds since the Unix epoch.
 */
export function gatewayRunOptions(
  given: GivenOptions,
  live: LiveConfig | undefined,
  now: number,
  cwd: string,
  scoring?: Scoring,
): RunOptions {
  const target = live?.target ?? 'mock';
  const defects = (given.defect ?? []).map(knownDefect);
  if (defects.length > 0 && target !== 'mock') {
    throw new UsageError('bad-arguments', '--defect works on the mock only', {
      hint: 'Leave --target and --config out.',
    });
  }
  const variants = (given.variant ?? []).map(knownVariant);
  if (variants.length > 0 && target !== 'mock') {
    throw new UsageError('bad-arguments', '--variant works on the mock only', {
      hint: 'Leave --target and --config out.',
    });
  }
  const only = narrowingPatterns('gateway', given);
  const scenarios = selectScenarios(gatewayScenarios, selectedIds('gateway', only), given.slow);
  if (scenarios.length === 0) {
    const hint = 'Add --slow: it is shown by a connection that is left silent for a minute.';
    throw new UsageError('bad-arguments', `${narrowingFlags(only).join(' ')} has nothing to send`, { hint });
  }
  const shard = chosenShard(given, scenarios.length);
  if (shard !== undefined && target !== 'mock') {
    throw new UsageError('bad-arguments', '--shard works on the mock only: what a live target allows is for one run', {
      hint: 'Leave --shard out: one process performs such a run, at the rate that the target bears.',
    });
  }
  if (shard !== undefined && given.measure !== undefined) {
    throw new UsageError(
      'bad-arguments',
      '--measure does not go with --shard: what is asked next depends on the answer before',
      {
        hint: 'Leave --shard out, or measure in a run of its own.',
      },
    );
  }
  const broker = brokeredPacts(given, target);
  const completed = completeRunOptions(
    {
      target,
      broker,
      profile: given.profile === undefined ? live?.profile : knownProfile(given.profile),
      ...chosenSeed(given),
      cases: wholeNumber('--cases', given.cases, 1, 10_000),
      scoring,
      labels: checkedLabels(given.label),
      acceptPartial: given.acceptPartial === true ? true : undefined,
      workers: wholeNumber('--workers', given.workers, 1, 64),
      slow: given.slow === true ? true : undefined,
      contracts: given.contracts === true || broker !== undefined ? true : undefined,
      measure: given.measure === true ? usualMeasure : wholeNumber('--measure', given.measure, 1, 10_000),
      path: checkedPath(given),
      only,
      shard,
      defects,
      variants,
      out: given.out === undefined ? undefined : resolve(cwd, given.out),
      json: given.json === true,
    },
    now,
    cwd,
  );
  return { ...completed, reproduce: reproduce(completed, given) };
}

function knownDefect(id: string): string {
  if (mockDefects.some((defect) => defect.id === id)) return id;
  throw unknownDefect(
    'gateway',
    id,
    mockDefects.map((defect) => defect.id),
  );
}

function knownVariant(id: string): string {
  if (allVariants.some((variant) => variant.id === id)) return id;
  throw unknown(
    'variant',
    id,
    allVariants.map((variant) => variant.id),
    'countersign list variants names them all',
  );
}

/** The results of the mock are those of no gateway, and part of a run verifies no pacts. */
function brokeredPacts(given: GivenOptions, target: string): BrokeredPacts | undefined {
  const { pactBroker: url, publishResults: publish } = given;
  const refused = (message: string, hint: string) => new UsageError('bad-arguments', message, { hint });
  if (url === undefined) {
    if (publish === undefined) return undefined;
    throw refused('--publish-results needs --pact-broker', 'Results are published of pacts that came from a broker.');
  }
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : new URL('none:');
  if (!/^https?:$/.test(protocol) || `${username}${password}` !== '') {
    throw new UsageError(
      'bad-url',
      '--pact-broker takes an address that begins with https:// or http://, and no password',
      {
        hint: 'Credentials come from PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD.',
      },
    );
  }
  const other = given.shard !== undefined ? '--shard' : given.set !== undefined ? '--set' : undefined;
  if (other !== undefined) {
    throw refused(
      `--pact-broker does not go with ${other}`,
      'A frozen set and a part of a run hold our own pacts alone.',
    );
  }
  if (publish === undefined) return { url };
  if (target === 'mock') {
    throw refused('--publish-results needs --config or --target', 'What holds on the mock says nothing of a gateway.');
  }
  const [version, ...branch] = publish.split('@');
  if (version === '' || (publish.includes('@') && branch.join('@') === '')) {
    throw refused('--publish-results takes VERSION or VERSION@BRANCH of the gateway', 'For example 4.12.0@main.');
  }
  return { url, publishAs: { version: version!, ...(branch.length === 0 ? {} : { branch: branch.join('@') }) } };
}

/** The command that repeats the run, with everything that has a bearing on its results. */
function reproduce(options: RunOptions, given: GivenOptions): string {
  const parts = [
    'npx countersign gateway',
    given.config === undefined ? '' : `--config ${shellWord(given.config)}`,
    given.target === undefined ? '' : `--target ${shellWord(options.target)}`,
    given.acceptPartial === true ? '--accept-partial' : '',
    ...scoringWords(given),
    ...(given.allow ?? []).map((flag) => `--allow ${flag}`),
    given.profile === undefined ? '' : `--profile ${options.profile}`,
    ...narrowingFlags(options.only),
    ...options.defects.map((id) => `--defect ${id}`),
    ...options.variants.map((id) => `--variant ${id}`),
    given.cases === undefined ? '' : `--cases ${options.cases}`,
    options.slow ? '--slow' : '',
    ...shardFlag(options),
    given.contracts ? '--contracts' : '',
    // Results are published once, by whoever asked for it.
    options.broker === undefined ? '' : `--pact-broker ${shellWord(options.broker.url)}`,
    options.measure === undefined ? '' : `--measure ${options.measure}`,
    seedFlag(options),
    ...labelFlags(options.labels),
    options.path === undefined ? '' : `--path ${options.path}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
