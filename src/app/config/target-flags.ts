/** The target and the allowance of a run: flags override the configuration. */
import { isDeepStrictEqual } from 'node:util';
import schema from '../../../schemas/files/config.json' with { type: 'json' };
import { isLoopback } from '../../record/hosts.ts';
import { flagOf, type Input } from '../../run/options/options.ts';
import { didYouMean, refuseIf, UsageError } from '../../run/options/usage-error.ts';
import {
  type Allowance,
  allowsEffects,
  type LiveConfig,
  liveDefaults,
  nothingAllowed,
} from '../../run/target/live-config.ts';
import { publishedConfig } from '../../run/target/target.ts';
import { loadConfig, parseTarget } from './config-file.ts';

type TargetFlags = Pick<Input<'gateway'>, 'target' | 'config' | 'profile' | 'allow' | 'forgetUnfinished'>;

/** Returns the target of a run, or undefined for the built-in mock. Throws UsageError, also for forbidden effects. */
export async function gatewayTarget(
  flags: TargetFlags,
  env: NodeJS.ProcessEnv,
  remark: (sentence: string) => void,
): Promise<LiveConfig | undefined> {
  const fileConfig = flags.config === undefined ? undefined : await loadConfig(flags.config, env, remark);
  if (fileConfig === undefined && (flags.target === undefined || flags.target === 'mock')) {
    refuseOnMock(flags);
    return undefined;
  }
  const config = mergeFlags(fileConfig ?? loopbackConfig(flags.target!), flags);
  if (config.target === 'mock') {
    refuseOnMock(flags);
    if (fileConfig !== undefined) refuseUnused(fileConfig, flags.config!);
    return undefined;
  }
  refuseIf(fileConfig !== undefined && config.credentials === undefined && allowsEffects(config.allow))`
    effects are allowed, but the configuration has no credentials
    Add credentials: without them the target refuses every request.`;
  return config;
}

function refuseOnMock({ allow, forgetUnfinished }: TargetFlags): void {
  refuseIf(forgetUnfinished)`--forget-unfinished needs a live target: the built-in mock has no ledger
    Remove --forget-unfinished, or add --target or --config.`;
  refuseIf(allow !== undefined)`
    --allow needs a live target: on the built-in mock every effect is free
    Remove --allow, or add --target or --config.`;
}

/** Refuses keys that the mock ignores. A user who wrote them probably expects a test of the configured gateway. */
function refuseUnused(fileConfig: LiveConfig, path: string): void {
  const { path: _, target, ...members } = fileConfig;
  const defaults: Readonly<Record<string, unknown>> = emptyConfig;
  const unused = Object.entries(members)
    .filter(([name, value]) => !isDeepStrictEqual(value, defaults[name]))
    .map(([name]) => flagOf(name).slice(2));
  refuseIf(unused.length > 0)`
    the target is the built-in mock, which ignores these keys of ${path}: ${unused.sort().join(', ')}
    Write the base URL of the gateway under target. For the mock, remove --config.`;
}

/** The configuration of a target on this machine, with the published test identity. Throws UsageError. */
export function loopbackConfig(text: string): LiveConfig {
  const target = parseTarget(text, `--target ${text}`);
  refuseIf(!isLoopback(new URL(target).host))`
    --target ${text} is not on this machine, and requests there could close a real day
    Describe the target in a configuration, and add --config. \`countersign init\` writes one.`;
  return { ...publishedConfig, target };
}

const emptyConfig = { ...liveDefaults, target: 'mock', recurring: [], allow: nothingAllowed, states: {} } as const;

/** Flags override the configuration. Throws UsageError for a wrong flag, or for an unsafe or incomplete allowance. */
export function mergeFlags(fileConfig: LiveConfig | undefined, flags: TargetFlags): LiveConfig {
  const base: LiveConfig = fileConfig ?? emptyConfig;
  const target = flags.target === undefined ? base.target : parseTarget(flags.target, `--target ${flags.target}`);
  const allow = allowanceOf(flags.allow ?? []) ?? base.allow;
  const merged: LiveConfig = { ...base, target, profile: flags.profile ?? base.profile, allow };
  if (merged.target !== 'mock' && allowsEffects(merged.allow)) refuseUnsafe(merged, fileConfig);
  return merged;
}

function refuseUnsafe(merged: LiveConfig, fileConfig: LiveConfig | undefined): void {
  const { environment, target, allow, recurring, endpointId } = merged;
  refuseIf(environment === 'production')`the environment is production, and effects are allowed
    Remove allow or --allow, because a run never sends a request with an effect to production.`;
  refuseIf(fileConfig === undefined || environment !== 'integration')`
    effects are allowed, but no configuration has the line "environment: integration"
    Write this line into the configuration of the target, and add --config. \`countersign init\` writes one.`;
  refuseIf(target !== fileConfig?.target)`effects are allowed for ${fileConfig?.target}, but --target is ${target}
    Write a configuration for each target, or remove --target.`;
  refuseIf(endpointId === undefined)`effects are allowed, but endpoint-id is missing
    Add endpoint-id: only that endpoint gets requests with an effect.`;
  refuseIf(allow['starts-payments'].count > 0 && recurring.length === 0)`
    payments are allowed, but the configuration lists none under recurring
    Add each recurring payment that may be charged, with its amount.`;
}

const usage = 'Write --allow closes-day=1, or --allow starts-payments=5/5.00 (number of payments, and their total).';

/** Parses --allow. Returns undefined without flags. Allows only the effects that a flag names. Throws UsageError. */
export function allowanceOf(flags: readonly string[]): Allowance | undefined {
  const names = flags.map((flag) => flag.replace(/=.*/s, ''));
  const duplicate = names.find((name, at) => names.indexOf(name) !== at);
  refuseIf(duplicate !== undefined)`--allow ${duplicate} occurs twice`;
  return flags.length === 0 ? undefined : Object.assign({}, nothingAllowed, ...flags.map(parseEntry));
}

function parseEntry(flag: string): Partial<Allowance> {
  const [, name = flag, value = ''] = /^([^=]*)=(.*)$/s.exec(flag) ?? [];
  if (name === 'closes-day') {
    if (!isCount(value)) throw valueError(flag, `must give a number of close-days up to ${maxCountText}`);
    return { 'closes-day': Number(value) };
  }
  if (name === 'starts-payments') {
    const [count = '', total = '', ...rest] = value.split('/');
    if (!isCount(count) || !new RegExp(schema.$defs.total.pattern).test(total) || rest.length > 0) {
      throw valueError(flag, `must be PAYMENTS/TOTAL: at most ${maxCountText} payments, and a total with two decimals`);
    }
    return { 'starts-payments': { count: Number(count), total } };
  }
  throw new UsageError(`--allow ${flag} names no effect`, didYouMean(name, ['closes-day', 'starts-payments']) ?? usage);
}

const countLimit = schema.$defs.count.maximum;
const maxCountText = countLimit.toLocaleString('en');

function isCount(text: string): boolean {
  return /^\d{1,7}$/.test(text) && Number(text) <= countLimit;
}

function valueError(flag: string, what: string): UsageError {
  return new UsageError(`--allow ${flag} ${what}`, usage);
}
