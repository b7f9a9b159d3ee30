/** `countersign gateway`: runs the suite against the built-in mock or a gateway. */
import type { Publish } from '../../extras/pact/broker.ts';
import type { Scoring } from '../../record/result/score.ts';
import { visible, withoutCommand } from '../../report/visible.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { narrowingFlags } from '../../run/options/selection.ts';
import { refuseIf } from '../../run/options/usage-error.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import type { ExitCode, Input, Surroundings } from '../command.ts';
import { parseOnly, parseShard, runOptionsOf, withDefaultConfig, withLastFailed } from '../config/run-flags.ts';
import { scoringOf } from '../config/scoring-flags.ts';
import { endRun, performRun } from '../perform-run.ts';
import { makeReportFolder } from '../write-report.ts';

export async function run(input: Input<'gateway'>, surroundings: Surroundings): Promise<ExitCode> {
  const configured = withDefaultConfig(input, surroundings.remark);
  const live = await targetOf(configured, surroundings);
  const subject = { kind: 'gateway', target: live?.target ?? 'mock' } as const;
  const { flags, again } = await withLastFailed(configured, subject, process.cwd(), surroundings.remark);
  const scoring = await scoringOf(flags, 'gateway', live?.require);
  const chosen = await gatewayRunOptions(flags, live, Date.now(), process.cwd(), scoring);
  const options = await withVerifier({ ...chosen, ...(again && { again }) }, surroundings);
  if (flags.profile === undefined && options.variants.length > 0) {
    surroundings.remark(
      'with a variant, the profile is rfc5849.\nAdd --profile strict: then a broken expected requirement is a failure.',
    );
  }
  if (flags.dryRun) {
    const { printPlan } = await import('../live/live-run.ts');
    await printPlan(options, live, flags.forgetUnfinished === true, surroundings);
    return 0;
  }
  if (options.broker === undefined) return carryOut(options, live, flags, surroundings);
  const { withBrokeredPacts } = await import('../../extras/pact/broker.ts');
  return withBrokeredPacts(options.broker, surroundings.env, (pacts, publish) =>
    carryOut({ ...options, pacts }, live, flags, surroundings, publish),
  );
}

async function withVerifier(options: RunOptions, { remark }: Surroundings): Promise<RunOptions> {
  const { isVerifierInstalled, verifiesContracts } = await import('../../extras/pact/contracts.ts');
  if (!verifiesContracts(options) || isVerifierInstalled()) return options;
  const missing = 'the Pact contracts need the package @pact-foundation/pact-core, which is not installed';
  refuseIf(options.contracts)`${missing}
    Run \`npm install @pact-foundation/pact-core\`, or remove --contracts and --pact-broker.`;
  remark(`${missing}.\nThis run skips them.`);
  return { ...options, contracts: false };
}

async function carryOut(
  options: RunOptions,
  live: LiveConfig | undefined,
  flags: Input<'gateway'>,
  surroundings: Surroundings,
  publish?: Publish,
): Promise<ExitCode> {
  await makeReportFolder(options.out, { replaces: true });
  const perform = (runOptions: RunOptions) =>
    performRun(runOptions, surroundings.env, 'Start the run again to get a report.');
  const performLive = async (config: LiveConfig) =>
    (await import('../live/live-run.ts')).liveRun(
      options,
      config,
      flags.forgetUnfinished === true,
      surroundings,
      perform,
    );
  const ended = await (live === undefined ? perform(options) : performLive(live));
  const exitCode = await endRun(options, ended, surroundings);
  if ('aborted' in ended) return exitCode;
  // Publish after the report is written, because publishing may fail. Escape the names that come from the broker.
  await publish?.(ended.result.contracts ?? [], (text) => surroundings.err(`${withoutCommand(visible(text))}\n`));
  return exitCode;
}

async function targetOf(flags: Input<'gateway'>, { env, remark }: Surroundings): Promise<LiveConfig | undefined> {
  const { config, allow, forgetUnfinished, target = 'mock' } = flags;
  if (config === undefined && allow === undefined && !forgetUnfinished && target === 'mock') return undefined;
  const { gatewayTarget } = await import('../config/target-flags.ts');
  return gatewayTarget(flags, env, remark);
}

/** By default --measure sends at most this many requests: enough for any gateway that follows RFC 5849. */
const defaultMeasure = 600;

/** Returns the options of a run against a gateway, by default the built-in mock. Throws UsageError. */
export async function gatewayRunOptions(
  flags: Input<'gateway'>,
  live: LiveConfig | undefined,
  now: number,
  cwd: string,
  scoring?: Scoring,
): Promise<RunOptions> {
  const { target = 'mock' } = live ?? {};
  // Load the plan and the defects here only if a flag selects some of them. Otherwise only the engine loads them.
  const { defects, variants } = await faultIdsOf(flags);
  const mockFlag = defects.length > 0 ? '--defect' : '--variant';
  refuseIf(defects.length + variants.length > 0 && target !== 'mock')`${mockFlag} works only on the mock
    Write --target mock, and remove --config.`;
  const only = await parseOnly('gateway', flags);
  const count = await scenarioCount(only, flags);
  refuseIf(count === 0)`${narrowingFlags(only).join(' ')} selects only requirements that need --slow
    Add --slow: these requirements need a connection that is silent for a minute.`;
  const shard = parseShard(flags, count);
  refuseIf(shard !== undefined && target !== 'mock')`
    --shard works only on the mock: the allowance of a live target is for one run
    Remove --shard.`;
  const broker = brokerOptions(flags, target);
  const { profile = live?.profile, contracts = broker && true } = flags;
  const measure = flags.measure === true ? defaultMeasure : flags.measure;
  const overrides = { target, profile, broker, scoring, contracts, measure, only, shard, defects, variants };
  return runOptionsOf('gateway', flags, overrides, now, cwd);
}

async function faultIdsOf({ defect = [], variant = [] }: Input<'gateway'>) {
  if (defect.length + variant.length === 0) return { defects: [], variants: [] };
  const { mockDefectsOf, variantsOf } = await import('../config/defects.ts');
  return { defects: mockDefectsOf(defect).map(({ id }) => id), variants: variantsOf(variant).map(({ id }) => id) };
}

async function scenarioCount(only: readonly string[], { slow, shard }: Input<'gateway'>): Promise<number | undefined> {
  if (only.length === 0 && shard === undefined) return undefined;
  const { gatewayPlan } = await import('../../run/options/scenarios.ts');
  return gatewayPlan({ only, slow }).length;
}

function brokerOptions(flags: Input<'gateway'>, target: string): RunOptions['broker'] {
  const { pactBroker: url, publishResults: publish } = flags;
  if (url === undefined) {
    refuseIf(publish !== undefined)`--publish-results needs --pact-broker
      Add --pact-broker: only results for the pacts of a broker are published.`;
    return undefined;
  }
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : new URL('none:');
  refuseIf(!/^https?:$/.test(protocol) || `${username}${password}` !== '')`
    --pact-broker needs an https:// or http:// address without a password
    Set PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD.`;
  for (const flag of ['shard', 'set'] as const) {
    refuseIf(flags[flag] !== undefined)`--pact-broker and --${flag} exclude each other
      Remove --${flag}: it works only with the built-in pacts.`;
  }
  if (publish === undefined) return { url };
  refuseIf(target === 'mock')`--publish-results needs a gateway: results of the mock are not published
    Add --config or --target.`;
  const [, version = '', branch] = /^([^@]+)(?:@(.+))?$/.exec(publish) ?? [];
  refuseIf(version === '')`--publish-results needs VERSION or VERSION@BRANCH of the gateway
    Write it like 4.12.0@main.`;
  return { url, publishAs: { version, ...(branch !== undefined && { branch }) } };
}
