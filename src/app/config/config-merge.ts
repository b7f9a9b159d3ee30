/** Flags above the file, the file above defaults; and what no flag can make right is refused before the first connection. */
import { allowsEffects, type LiveConfig, liveDefaults, nothingAllowed } from '../../run/target/live-config.ts';
import { UsageError } from '../usage-error.ts';
import { allowanceOf } from './allow-flag.ts';
import { checkedTarget } from './config-target.ts';
import { knownProfile } from './run-flags.ts';

export interface ConfigFlags {
  readonly target?: string;
  readonly profile?: string;
  /** As given: `closes-day=1`, `starts-payments=5/5.00`. Together they stand for the whole of `allow`. */
  readonly allow?: readonly string[];
}

/** What is read here, opened or not. */
type Mergeable = Pick<LiveConfig, 'environment' | 'target' | 'profile' | 'allow' | 'recurring' | 'endpointId'>;

/** A run without a file: nothing is allowed, and no credentials are known. */
export const withoutFile = {
  ...liveDefaults,
  target: 'mock',
  recurring: [],
  allow: nothingAllowed,
  states: {},
} as const;

/**
 * The configuration that holds.
 *
 * @param file the one of `--config`, opened or not; undefined where none was named
 * @throws UsageError for a wrong flag, and for an allowance that may not be: in production, without
 *   `environment: integration` in the file, at another target than the file's, or without what it needs
 */
export function mergeFlags<T extends Mergeable>(file: T | undefined, flags: ConfigFlags): T {
  const base = file ?? (withoutFile as unknown as T);
  const target = flags.target === undefined ? base.target : checkedTarget(flags.target, `--target ${flags.target}`);
  const merged: T = {
    ...base,
    target,
    ...(flags.profile === undefined ? {} : { profile: knownProfile(flags.profile) }),
    allow: allowanceOf(flags.allow ?? []) ?? base.allow,
  };
  if (merged.target !== 'mock' && allowsEffects(merged.allow)) refuseUnsafe(merged, file);
  return merged;
}

function refuseUnsafe(merged: Mergeable, file: Mergeable | undefined): void {
  const { environment, target, allow, recurring, endpointId } = merged;
  if (environment === 'production') {
    throw new UsageError('bad-config', 'the environment is production, and effects are allowed', {
      hint: 'Nothing with an effect is ever sent to production: remove allow.',
    });
  }
  if (file === undefined || environment !== 'integration') {
    throw new UsageError('bad-config', 'effects are allowed, and no file says environment: integration', {
      hint: 'Say so in the configuration of the target, and name that with --config; countersign init writes one.',
    });
  }
  if (target !== file.target) {
    throw new UsageError('bad-config', `effects are allowed for ${file.target}, and --target is ${target}`, {
      hint: 'Give each target a configuration of its own, or leave --target out.',
    });
  }
  if (endpointId === undefined) {
    throw new UsageError('bad-config', 'effects are allowed, and no endpointId is named', {
      hint: 'Write endpointId: only that endpoint gets requests with an effect.',
    });
  }
  if (allow['starts-payments'].count > 0 && recurring.length === 0) {
    throw new UsageError('bad-config', 'payments are allowed, and recurring names no profile that may be charged', {
      hint: 'List the profiles under recurring, each with its amount.',
    });
  }
}
