/** `countersign gateway`: runs the suite against the built-in mock or a gateway, and ends with the run's exit code. */
import { Command, Option } from 'commander';
import type { Publish } from '../../extras/pact/verify-brokered.ts';
import { exitCode } from '../../record/result/conclude.ts';
import { visible, withoutOrder } from '../../report/visible.ts';
import { effectsInWords, worstInWords } from '../../report/words.ts';
import { abortedResult } from '../../run/options/result-head.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import { type GivenOptions, gatewayRunOptions } from '../config/gateway-options.ts';
import { readReport } from '../config/read-report.ts';
import { makeReportFolder } from '../config/report-folder.ts';
import { scoringOf, scoringOptions, updateBaseline } from '../config/scoring-flags.ts';
import type { AbortedRun } from '../live/live-run.ts';
import { startEngine } from '../start-engine.ts';
import type { CommandSurroundings } from '../surroundings.ts';
import { writeAborted } from '../write-report.ts';

export function gatewayCommand(surroundings: CommandSurroundings): Command {
  const repeatable = (value: string, earlier: readonly string[] = []) => [...earlier, value];
  const scoring = scoringOptions();
  return new Command('gateway')
    .description(
      'Runs the suite against a gateway and writes a report with a verdict and evidence for each requirement.',
    )
    .option('--target <url>', 'mock (default), or the base URL of a gateway; one off this machine needs --config')
    .option('--config <file>', 'configuration of a live target: its address, credentials, and what may be done to it')
    .addOption(
      new Option('--allow <effect>', 'closes-day=N or starts-payments=N/TOTAL; may be repeated').argParser(repeatable),
    )
    .option('--dry-run', 'print what would be sent and what it could do at worst, and send nothing')
    .option('--forget-unfinished', 'clear from the ledger what runs that did not end count against the allowance')
    .option('--accept-partial', 'end with exit code 0 where all that is missing was left out by configuration')
    .addOption(scoring.baseline)
    .addOption(scoring.update)
    .addOption(scoring.set)
    .addOption(scoring.failOn)
    .addOption(scoring.require)
    .option('--profile <name>', 'rfc5849 or strict (default: strict on the mock without a variant, rfc5849 elsewhere)')
    .addOption(new Option('--only <glob>', 'requirement ids to judge; may be repeated').argParser(repeatable))
    .addOption(new Option('--except <glob>', 'requirement ids to leave out; may be repeated').argParser(repeatable))
    .option('--seed <seed>', 'seed of the generated values (default: random, printed)')
    .option('--challenge <seed>', 'seed that the other side chose; the report, and a certificate of the run, say so')
    .addOption(
      new Option(
        '--label <name=value>',
        'names the run in its reports, as in gateway=4.12.0; may be repeated',
      ).argParser(repeatable),
    )
    .option('--cases <n>', 'generated cases of each generator (default: 100 on the mock, 8 elsewhere)')
    .option('--shard <i/n>', 'on the mock: perform this part of the scenarios; countersign merge makes one run of all')
    .option('--slow', 'also leave a connection silent for a minute, to see whether it is kept')
    .option('--contracts', 'verify the Pact contracts on a live target too, as far as their effects are allowed')
    .option('--pact-broker <url>', 'verify the pacts that this Pact Broker has of payment-gateway, in place of our own')
    .option('--publish-results <version>', 'tell the broker what became of them, as VERSION or VERSION@BRANCH')
    .option(
      '--measure [requests]',
      'also measure limits and ways to sign, with so many requests at most (600); live each counts against the allowance',
    )
    .option('--path <path>', 'repeat one generated case, as a report names it')
    .option('--workers <n>', 'processes that run scenarios (default: 2, 1 with --only; always 1 on a live target)')
    .option('--defect <id...>', 'switch defects of the mock on (countersign list defects)')
    .option(
      '--variant <id...>',
      'switch variants of the mock on: other answers that conform (countersign list variants)',
    )
    .option('--out <dir>', 'new or empty folder for the report (default: reports/runs/<time>-<subject>)')
    .option('--json', 'print report.json on standard output in place of the text; with --dry-run the plan')
    .addHelpText(
      'after',
      '\nExamples:\n  countersign gateway\n  countersign gateway --config countersign.config.yaml --dry-run\n' +
        '  countersign gateway --target http://127.0.0.1:8080 --allow closes-day=1 --allow starts-payments=2/2.00\n' +
        '\nExit codes: 0 conformant, 1 findings, 2 wrong use, 3 a fault of the suite or the environment.',
    )
    .action(async (given: GivenOptions) => {
      surroundings.setExitCode(await run(given, surroundings));
    });
}

async function run(given: GivenOptions, surroundings: CommandSurroundings): Promise<0 | 1 | 3> {
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
  const { withBrokeredPacts } = await import('../../extras/pact/verify-brokered.ts');
  return withBrokeredPacts(options.broker, surroundings.env, (pacts, publish) =>
    carryOut({ ...options, pacts }, live, given, surroundings, publish),
  );
}

async function carryOut(
  options: RunOptions,
  live: LiveConfig | undefined,
  given: GivenOptions,
  surroundings: CommandSurroundings,
  publish?: Publish,
): Promise<0 | 1 | 3> {
  await makeReportFolder(options.out);
  const ended =
    live === undefined
      ? await perform(options, surroundings)
      : await performLive(options, live, given.forgetUnfinished === true, surroundings);
  if ('aborted' in ended) return abort(options, ended, surroundings.err);
  await updateBaseline(ended.result, surroundings.err);
  if (options.json) surroundings.out(ended.text);
  // The report is there whatever becomes of this; a pact has the name that the broker gives it.
  await publish?.(ended.result.contracts ?? [], (sentence) => surroundings.err(`${withoutOrder(visible(sentence))}\n`));
  return exitCode(ended.result);
}

async function targetOf(given: GivenOptions, { env, err }: CommandSurroundings): Promise<LiveConfig | undefined> {
  const { config, allow, forgetUnfinished, target = 'mock' } = given;
  if (config === undefined && allow === undefined && !forgetUnfinished && target === 'mock') return undefined;
  const { gatewayTarget } = await import('../config/gateway-target.ts');
  return gatewayTarget(given, env, (sentence) => err(`countersign: ${sentence}\n`));
}

type Ended = NonNullable<Awaited<ReturnType<typeof readReport>>> | AbortedRun;

async function performLive(
  options: RunOptions,
  live: LiveConfig,
  forgetUnfinished: boolean,
  surroundings: CommandSurroundings,
): Promise<Ended> {
  const { liveRun } = await import('../live/live-run.ts');
  return liveRun(options, live, forgetUnfinished, surroundings, (complete) => perform(complete, surroundings));
}

async function perform(options: RunOptions, { env, unprinted: tell }: CommandSurroundings): Promise<Ended> {
  const { interrupted, lost, unprinted } = await startEngine(options, env);
  if (unprinted !== undefined) tell?.(unprinted);
  const report = await readReport(options);
  if (report === undefined && interrupted) {
    return { aborted: 'the run was interrupted before it had a report', hint: 'Start it again to have one.' };
  }
  return report ?? lost ?? { aborted: 'the run ended without a report', hint: 'The output of the engine is above.' };
}

/** Leaves a report that says `aborted`: a folder without one could be of a run that still goes on. */
async function abort(options: RunOptions, ended: AbortedRun, err: (text: string) => void): Promise<3> {
  const { aborted, effects } = ended;
  const result = { ...abortedResult(options, aborted, Date.now()), ...(effects === undefined ? {} : { effects }) };
  const done = effects === undefined ? '' : ` Effects: ${effectsInWords(result)}; at worst ${worstInWords(result)}.`;
  err(await writeAborted(result, options, { hint: ended.hint, isLost: ended.isLost, effects: done }));
  return 3;
}
