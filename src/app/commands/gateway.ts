/** `countersign gateway`: runs the suite against the built-in mock or a gateway, and ends with the run's exit code. */

import { resolve } from 'node:path';
import type { Publish } from '../../extras/pact/broker.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { Scoring } from '../../record/result/score.ts';
import { visible, withoutOrder } from '../../report/visible.ts';
import { type BrokeredPacts, completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import { narrowingFlags, selectedIds, selectScenarios } from '../../run/options/selection.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import { defineCommand, type ExitCode, type Given, option, repeatable, type Surroundings, toggle } from '../command.ts';
import { mockDefectsOf, variantsOf } from '../config/defects.ts';
import {
  checkedLabels,
  checkedPath,
  chosenSeed,
  chosenShard,
  flagsAgain,
  knownProfile,
  narrowingPatterns,
  wholeNumber,
} from '../config/run-flags.ts';
import { scoringFlags, scoringOf, scoringWords } from '../config/scoring-flags.ts';
import { endRun, performRun } from '../perform-run.ts';
import { refuseIf, UsageError } from '../usage-error.ts';
import { makeReportFolder } from '../write-report.ts';

const flags = {
  target: option('<url>', 'mock (default), or the base URL of a gateway; one off this machine needs --config'),
  config: option('<file>', 'configuration of a live target: its address, credentials, and what may be done to it'),
  allow: repeatable('<effect>', 'closes-day=N or starts-payments=N/TOTAL'),
  dryRun: toggle('print what would be sent and what it could do at worst, and send nothing'),
  forgetUnfinished: toggle('clear from the ledger what runs that did not end count against the allowance'),
  acceptPartial: toggle('end with exit code 0 where all that is missing was left out by configuration'),
  ...scoringFlags,
  profile: option('<name>', 'rfc5849 or strict (default: strict on the mock without a variant, rfc5849 elsewhere)'),
  only: repeatable('<glob>', 'requirement ids to judge'),
  except: repeatable('<glob>', 'requirement ids to leave out'),
  seed: option('<seed>', 'seed of the generated values (default: random, printed)'),
  challenge: option('<seed>', 'seed that the other side chose; the report, and a certificate of the run, say so'),
  label: repeatable('<name=value>', 'names the run in its reports, as in gateway=4.12.0'),
  cases: option('<n>', 'generated cases of each generator (default: 100 on the mock, 8 elsewhere)'),
  shard: option('<i/n>', 'on the mock: perform this part of the scenarios; countersign merge makes one run of all'),
  slow: toggle('also leave a connection silent for a minute, to see whether it is kept'),
  contracts: toggle('verify the Pact contracts on a live target too, as far as their effects are allowed'),
  pactBroker: option('<url>', 'verify the pacts that this Pact Broker has of payment-gateway, in place of our own'),
  publishResults: option('<version>', 'tell the broker what became of them, as VERSION or VERSION@BRANCH'),
  measure: option<string | true | undefined>(
    '[requests]',
    'also measure limits and ways to sign, with so many requests at most (600); live each counts against the allowance',
  ),
  path: option('<path>', 'repeat one generated case, as a report names it'),
  workers: option('<n>', 'processes that run scenarios (default: 2, 1 with --only; always 1 on a live target)'),
  defect: option<readonly string[] | undefined>('<id...>', 'switch defects of the mock on (countersign list defects)'),
  variant: option<readonly string[] | undefined>(
    '<id...>',
    'switch variants of the mock on: other answers that conform (countersign list variants)',
  ),
  out: option('<dir>', 'new or empty folder for the report (default: reports/runs/<time>-<subject>)'),
  json: toggle('print report.json on standard output in place of the text; with --dry-run the plan'),
};

export type GivenOptions = Given<typeof flags>;

export const command = defineCommand({
  description: 'Runs the suite against a gateway and writes a report with a verdict and evidence for each requirement.',
  work: 'starting the engine',
  flags,
  help:
    '\nExamples:\n  countersign gateway\n  countersign gateway --config countersign.config.yaml --dry-run\n' +
    '  countersign gateway --target http://127.0.0.1:8080 --allow closes-day=1 --allow starts-payments=2/2.00\n' +
    '\nExit codes: 0 conformant, 1 findings, 2 wrong use, 3 a fault of the suite or the environment.',
  run,
});

async function run(given: GivenOptions, surroundings: Surroundings): Promise<ExitCode> {
  const live = await targetOf(given, surroundings);
  const options = gatewayRunOptions(
    given,
    live,
    Date.now(),
    process.cwd(),
    await scoringOf(given, 'gateway', live?.require),
  );
  if (given.profile === undefined && options.variants.length > 0) {
    surroundings.err(
      'countersign: with a variant the profile is rfc5849, as on any gateway that may conform in its own way; ' +
        '--profile strict also judges what the document merely expects.\n',
    );
  }
  if (given.dryRun) {
    const { printPlan } = await import('../live/live-run.ts');
    await printPlan(options, live, given.forgetUnfinished === true, surroundings);
    return 0;
  }
  if (options.broker === undefined) return carryOut(options, live, given, surroundings);
  const { withBrokeredPacts } = await import('../../extras/pact/broker.ts');
  return withBrokeredPacts(options.broker, surroundings.env, (pacts, publish) =>
    carryOut({ ...options, pacts }, live, given, surroundings, publish),
  );
}

async function carryOut(
  options: RunOptions,
  live: LiveConfig | undefined,
  given: GivenOptions,
  surroundings: Surroundings,
  publish?: Publish,
): Promise<ExitCode> {
  await makeReportFolder(options.out);
  const perform = (complete: RunOptions) => performRun(complete, surroundings, 'Start it again to have one.');
  const ended = live === undefined ? await perform(options) : await performLive();
  const exitCode = await endRun(options, ended, surroundings);
  if ('aborted' in ended) return exitCode;
  // The report is there whatever becomes of this; a pact has the name that the broker gives it.
  await publish?.(ended.result.contracts ?? [], (sentence) => surroundings.err(`${withoutOrder(visible(sentence))}\n`));
  return exitCode;

  async function performLive() {
    const { liveRun } = await import('../live/live-run.ts');
    return liveRun(options, live!, given.forgetUnfinished === true, surroundings, perform);
  }
}

async function targetOf(given: GivenOptions, { env, err }: Surroundings): Promise<LiveConfig | undefined> {
  const { config, allow, forgetUnfinished, target = 'mock' } = given;
  if (config === undefined && allow === undefined && !forgetUnfinished && target === 'mock') return undefined;
  const { gatewayTarget } = await import('../config/target-flags.ts');
  return gatewayTarget(given, env, (sentence) => err(`countersign: ${sentence}\n`));
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
  const defects = mockDefectsOf(given.defect).map(({ id }) => id);
  refuseIf(
    defects.length > 0 && target !== 'mock',
    '--defect works on the mock only',
    'Leave --target and --config out.',
  );
  const variants = variantsOf(given.variant).map(({ id }) => id);
  refuseIf(
    variants.length > 0 && target !== 'mock',
    '--variant works on the mock only',
    'Leave --target and --config out.',
  );
  const only = narrowingPatterns('gateway', given);
  const scenarios = selectScenarios(gatewayScenarios, selectedIds('gateway', only), given.slow);
  if (scenarios.length === 0) {
    const hint = 'Add --slow: it is shown by a connection that is left silent for a minute.';
    throw new UsageError(`${narrowingFlags(only).join(' ')} has nothing to send`, hint);
  }
  const shard = chosenShard(given, scenarios.length);
  refuseIf(
    shard !== undefined && target !== 'mock',
    '--shard works on the mock only: what a live target allows is for one run',
    'Leave --shard out: one process performs such a run, at the rate that the target bears.',
  );
  refuseIf(
    shard !== undefined && given.measure !== undefined,
    '--measure does not go with --shard: what is asked next depends on the answer before',
    'Leave --shard out, or measure in a run of its own.',
  );
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

/** The results of the mock are those of no gateway, and part of a run verifies no pacts. */
function brokeredPacts(given: GivenOptions, target: string): BrokeredPacts | undefined {
  const { pactBroker: url, publishResults: publish } = given;
  const refused = (message: string, hint: string) => new UsageError(message, hint);
  if (url === undefined) {
    if (publish === undefined) return undefined;
    throw refused('--publish-results needs --pact-broker', 'Results are published of pacts that came from a broker.');
  }
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : new URL('none:');
  if (!/^https?:$/.test(protocol) || `${username}${password}` !== '') {
    throw new UsageError(
      '--pact-broker takes an address that begins with https:// or http://, and no password',
      'Credentials come from PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD.',
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
  const { target, profile, only, defects, variants, cases, slow, shard, broker, measure, path, seed, challenge } =
    options;
  return [
    'npx countersign gateway',
    ...flagsAgain({
      config: given.config,
      target: given.target && target,
      acceptPartial: given.acceptPartial,
    }),
    ...scoringWords(given),
    ...flagsAgain({ allow: given.allow, profile: given.profile && profile }),
    ...narrowingFlags(only),
    ...flagsAgain({
      defect: defects,
      variant: variants,
      cases: given.cases && cases,
      slow,
      shard: shard && `${shard.index}/${shard.of}`,
      contracts: given.contracts,
      // Results are published once, by whoever asked for it.
      pactBroker: broker?.url,
      measure,
      ...(challenge === undefined ? { seed } : { challenge }),
      label: given.label,
      path,
    }),
  ].join(' ');
}
