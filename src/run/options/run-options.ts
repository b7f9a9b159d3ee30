/** The options of one run. The command completes these options once, and passes them to the engine in a file. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProfileName } from '../../../contracts/profiles.ts';
import type { Introduction } from '../../peer/adapter/messages.ts';
import type { Certificates } from '../../peer/local-gateway/local-gateway.ts';
import { fromJson } from '../../record/json.ts';
import type { Result, Shard } from '../../record/result/result.ts';
import type { Scoring } from '../../record/result/score.ts';
import type { LiveRun } from '../target/live-config.ts';
import type { Input } from './options.ts';
import { hasOnlyExclusions } from './selection.ts';
import { suite } from './suite-version.ts';

export const runVariable = 'COUNTERSIGN_RUN';

/** The options of the command line, and further options that the command sets. */
export interface RunOptions extends Omit<Input<'gateway'>, keyof CompletedOptions>, CompletedOptions {}

interface CompletedOptions {
  readonly runId: string;
  readonly target: string;
  readonly profile: ProfileName;
  readonly seed: string;
  /** Number of random cases of each generator. */
  readonly cases: number;
  readonly only: readonly string[];
  /** Failed cases of an earlier run that selected scenarios repeat, such as `recurring/generated 14` (case 14). */
  readonly again?: readonly string[];
  readonly shard?: Shard;
  /** `true` with --contracts. `false` if the Pact verifier is not installed. */
  readonly contracts?: boolean;
  /** Maximum number of requests of --measure. Absent without --measure. */
  readonly measure?: number;
  /** Set if the run verifies pacts from a Pact Broker instead of those of the suite. */
  readonly broker?: {
    readonly url: string;
    readonly publishAs?: { readonly version: string; readonly branch?: string };
  };
  readonly pacts?: readonly { readonly name: string; readonly path: string }[];
  readonly defects: readonly string[];
  readonly variants: readonly string[];
  readonly out: string;
  readonly startedAt: string;
  readonly reproduce: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly scoring?: Scoring;
  readonly workers: number;
  readonly json: boolean;
  readonly verbose?: boolean;
  /** Temporary folder with the file that contains these options. */
  readonly engineFolder?: string;
  /** Set if the target is live. In that case `target` is the base URL. */
  readonly live?: LiveRun;
  /** Set if the run tests a client. In that case `target` is `client`. */
  readonly client?: ClientOptions;
}

export interface ClientOptions {
  readonly command: readonly string[];
  readonly mode: 'process' | 'one-shot' | 'attach';
  readonly port?: number;
  readonly plainHttp: boolean;
  /** Host of the local gateway in base URLs. Default: 127.0.0.1. */
  readonly host?: 'localhost';
  readonly cwd: string;
  /** The content of the `ready` message, which the command reads before the run. Absent in `attach` mode. */
  readonly introduction?: Introduction;
  /** True if the client omits the path of its base URL, which identifies the call. Then make one call at a time. */
  readonly strays?: boolean;
  /** Certificates of the local gateway, issued once for all processes of the run. */
  readonly certificates?: Certificates;
  /** Defects of the reference client. If set, this client runs in this process, and no `command` is started. */
  readonly defects?: readonly string[];
}

/** Fills in the defaults. `now`: milliseconds since the Unix epoch. */
export function completeRunOptions(options: Partial<RunOptions>, now: number, cwd: string): RunOptions {
  const target = options.target ?? 'mock';
  const seed = options.seed ?? String(randomBytes(4).readUInt32BE());
  const startedAt = new Date(now).toISOString();
  const stamp = startedAt.replace(/[:.]/g, '-');
  const gateway = target === 'mock' ? 'mock' : 'gateway';
  return {
    runId: randomBytes(8).toString('hex'),
    // A variant conforms to the document, but may fail in the profile `strict`. So use `rfc5849` for a variant.
    profile: target === 'mock' && (options.variants ?? []).length === 0 ? 'strict' : 'rfc5849',
    cases: target === 'mock' ? 100 : 8,
    only: [],
    defects: [],
    variants: [],
    out: join(cwd, 'reports', 'runs', `${stamp}-${options.client ? 'client' : gateway}`),
    startedAt,
    reproduce: `npx countersign gateway --seed ${seed}`,
    // Use one process for few requests: a second process would take more time than it saves.
    workers: hasOnlyExclusions(options.only ?? []) ? 2 : 1,
    json: false,
    ...(Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<RunOptions>),
    target,
    seed,
  };
}

/** Reads the options that the command has written to a file. Undefined if a person started the engine directly. */
export function readRunOptions(environment: NodeJS.ProcessEnv): RunOptions | undefined {
  const path = environment[runVariable];
  if (path === undefined) return undefined;
  return { ...(fromJson(readFileSync(path, 'utf8')) as RunOptions), engineFolder: dirname(path) };
}

/** The part of a result that is known without verdicts. `now`: end of the run, in milliseconds since the Unix epoch. */
export function headerOf(options: RunOptions, now: number) {
  const { runId, profile, seed, challenge, startedAt, reproduce, acceptPartial, labels, only, shard, smoke } = options;
  return {
    suite,
    subject: subjectOf(options),
    runId,
    profile,
    seed,
    challenge,
    startedAt,
    // A clock that is set back during the run must not give a negative duration.
    durationMs: Math.max(0, now - Date.parse(startedAt)),
    reproduce,
    acceptPartial,
    labels,
    scope: only.length === 0 && shard === undefined ? undefined : { only, shard, smoke },
  };
}

function subjectOf({ target, client }: RunOptions): Result['subject'] {
  if (client === undefined) {
    return { kind: 'gateway', name: target === 'mock' ? 'built-in mock' : new URL(target).host, target };
  }
  const { name, version, language } = client.introduction?.client ?? { name: client.command.join(' ') };
  return { kind: 'client', name, version, language, target: 'local gateway' };
}
