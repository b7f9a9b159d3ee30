/** Which target a run of `countersign gateway` is against, and what it may do there: decided before the first connection. */
import { isDeepStrictEqual } from 'node:util';
import { isLoopback } from '../../record/hosts.ts';
import { allowsEffects, type LiveConfig } from '../../run/target/live-config.ts';
import { publishedProfile } from '../../run/target/published.ts';
import { UsageError } from '../usage-error.ts';
import { loadConfig } from './config-file.ts';
import { mergeFlags, withoutFile } from './config-merge.ts';
import { checkedTarget } from './config-target.ts';

/** Flags that choose the target. */
export interface TargetFlags {
  readonly target?: string;
  readonly config?: string;
  readonly profile?: string;
  readonly allow?: readonly string[];
  readonly forgetUnfinished?: boolean;
}

/**
 * Undefined for the built-in mock.
 *
 * @param remark gets each remark: a sentence that is not an error
 * @throws UsageError for a wrong flag or configuration, and for effects that may not be
 */
export async function gatewayTarget(
  flags: TargetFlags,
  env: Readonly<Record<string, string | undefined>>,
  remark: (sentence: string) => void,
): Promise<LiveConfig | undefined> {
  const file = flags.config === undefined ? undefined : await loadConfig(flags.config, env, remark);
  if (file === undefined && (flags.target === undefined || flags.target === 'mock')) {
    refuseOnMock(flags);
    return undefined;
  }
  const config = mergeFlags(file ?? loopbackConfig(flags.target!), flags);
  if (config.target === 'mock') {
    refuseOnMock(flags);
    if (file !== undefined) refuseUnused(file, flags.config!);
    return undefined;
  }
  if (file !== undefined && config.credentials === undefined && allowsEffects(config.allow)) {
    throw new UsageError('bad-config', 'effects are allowed, and the configuration has no credentials', {
      hint: 'Write credentials: without them the target refuses every request.',
    });
  }
  return config;
}

/** The built-in mock is thrown away after the run: there is nothing to allow. */
function refuseOnMock({ allow, forgetUnfinished }: TargetFlags): void {
  if (forgetUnfinished) {
    throw new UsageError('bad-arguments', '--forget-unfinished is for live targets: the built-in mock has no ledger', {
      hint: 'Leave it out, or name a target.',
    });
  }
  if (allow === undefined || allow.length === 0) return;
  throw new UsageError('bad-arguments', '--allow is for live targets: on the built-in mock every effect is free', {
    hint: 'Leave --allow out, or name a target.',
  });
}

/** A verdict on the mock could be taken for one on what the file describes. */
function refuseUnused(file: LiveConfig, path: string): void {
  const { path: _, target, trustRefusals, ...rest } = file;
  const members = Object.entries({ ...rest, 'trust-refusals': trustRefusals });
  const usual: Readonly<Record<string, unknown>> = { ...withoutFile, 'trust-refusals': withoutFile.trustRefusals };
  const unused = members.filter(([name, value]) => !isDeepStrictEqual(value, usual[name])).map(([name]) => name);
  if (unused.length === 0) return;
  throw new UsageError(
    'bad-config',
    `the target is the built-in mock, which uses nothing else of ${path}: ${unused.sort().join(', ')}`,
    { hint: 'Write the base URL of the gateway under target; for the mock leave --config out.' },
  );
}

/** A target on this machine, which knows the published test identity; nothing is allowed that no flag allows. */
function loopbackConfig(given: string): LiveConfig {
  const target = checkedTarget(given, `--target ${given}`);
  if (!isLoopback(new URL(target).host)) {
    throw new UsageError(
      'bad-url',
      `--target ${given} is not a loopback address, and requests there could close a real day`,
      { hint: 'Describe such a target in a configuration and name that with --config; countersign init writes one.' },
    );
  }
  return { ...publishedProfile, target };
}
