/** `countersign client`: certifies a client in any language through its adapter, and ends with the run's exit code. */
import { Command, Option } from 'commander';
import { exitCode } from '../../record/result/conclude.ts';
import { printedJson } from '../../report/visible.ts';
import { greetClient, whyNotAttached } from '../../run/client/open-client.ts';
import { abortedResult } from '../../run/options/result-head.ts';
import { type ClientRunOptions, clientRunOptions, type GivenClientOptions } from '../config/client-options.ts';
import { hostOption } from '../config/mock-identity.ts';
import { readReport } from '../config/read-report.ts';
import { makeReportFolder } from '../config/report-folder.ts';
import { scoringOf, scoringOptions, updateBaseline } from '../config/scoring-flags.ts';
import { unlessInterrupted } from '../interrupt.ts';
import type { AbortedRun } from '../live/live-run.ts';
import { startEngine } from '../start-engine.ts';
import type { CommandSurroundings } from '../surroundings.ts';
import { UsageError } from '../usage-error.ts';
import { writeAborted } from '../write-report.ts';

export function clientCommand(surroundings: CommandSurroundings): Command {
  const repeatable = (value: string, earlier: readonly string[] = []) => [...earlier, value];
  const scoring = scoringOptions();
  return new Command('client')
    .description(
      'Certifies a client in any language: starts its adapter, asks it for calls, and judges what arrives and what it understood.',
    )
    .argument('[command...]', 'command of the adapter and its arguments, after --')
    .option('--check-adapter', 'check the adapter itself in some thirty cases, and judge nothing')
    .option('--one-shot', 'start the command anew for each call')
    .option('--attach <port>', 'wait on this port for an adapter that you start, as in a debugger')
    .addOption(hostOption())
    .option('--plain-http', 'talk HTTP to a client that cannot do HTTPS; transport/https is then inconclusive')
    .addOption(scoring.baseline)
    .addOption(scoring.update)
    .addOption(scoring.set)
    .addOption(scoring.failOn)
    .addOption(scoring.require)
    .option('--profile <name>', 'rfc5849 or strict', 'rfc5849')
    .addOption(new Option('--only <glob>', 'requirement ids to judge; may be repeated').argParser(repeatable))
    .addOption(new Option('--except <glob>', 'requirement ids to leave out; may be repeated').argParser(repeatable))
    .option('--seed <seed>', 'seed of the generated values and of the order (default: random, printed)')
    .option('--challenge <seed>', 'seed that the other side chose; the report, and a certificate of the run, say so')
    .addOption(
      new Option(
        '--label <name=value>',
        'names the run in its reports, as in gateway=4.12.0; may be repeated',
      ).argParser(repeatable),
    )
    .option('--cases <n>', 'generated cases of each generator (default: 25, or 5 with --one-shot)')
    .option('--path <path>', 'repeat one generated case, as a report names it')
    .option('--shard <i/n>', 'perform only this part of the scenarios; countersign merge makes one run of all n')
    .option(
      '--workers <n>',
      'processes that run scenarios, each with an adapter of its own (default: 2, 1 with --only)',
    )
    .option('--defect <id...>', 'judge the built-in reference client with these defects, in place of an adapter')
    .option('--out <dir>', 'new or empty folder for the report (default: reports/runs/<time>-client)')
    .option('--json', 'print report.json on standard output in place of the text')
    .addHelpText(
      'after',
      '\nExamples:\n  countersign client -- node adapters/node/adapter.mjs\n  countersign client --one-shot -- adapters/shell/adapter.sh\n' +
        '  countersign client --check-adapter -- python3 adapter.py\n' +
        '\nExit codes: 0 conformant, 1 findings, 2 wrong use, 3 a fault of the suite, the adapter or the environment.',
    )
    .action(async (command: string[], given: GivenClientOptions) => {
      const options = clientRunOptions(command, given, Date.now(), process.cwd(), await scoringOf(given, 'client'));
      surroundings.setExitCode(
        given.checkAdapter === true ? await checkOnly(options, surroundings) : await run(options, surroundings),
      );
    });
}

async function run(options: ClientRunOptions, { err, env, out, unprinted }: CommandSurroundings): Promise<0 | 1 | 3> {
  const taken = await whyNotAttached(options.client);
  // Each scenario of a run would find it out anew.
  if (taken !== undefined) throw new UsageError('bad-value', taken.fault, taken);
  await makeReportFolder(options.out);
  const greeting = await unlessInterrupted((signal) => greetClient(options, signal));
  if (greeting === 'interrupted') return abort(options, interrupted('it began'), err);
  const { done: greeted } = greeting;
  if ('fault' in greeted) return abort(options, { ...greeted, aborted: greeted.fault }, err);
  const completed = { ...options, client: { ...options.client, ...greeted } };
  const ended = await startEngine(completed, env);
  if (ended.unprinted !== undefined) unprinted?.(ended.unprinted);
  const report = await readReport(completed);
  if (report === undefined) {
    const unknown = { aborted: 'the run ended without a report', hint: 'The output of the engine is above.' };
    return abort(completed, ended.interrupted ? interrupted('it had a report') : (ended.lost ?? unknown), err);
  }
  if ('aborted' in report) return abort(completed, report, err);
  await updateBaseline(report.result, err);
  if (options.json) out(report.text);
  return exitCode(report.result);
}

function interrupted(before: string): AbortedRun {
  return { aborted: `the run was interrupted before ${before}`, hint: 'Start it again to have the client judged.' };
}

/** Prints each point as soon as it is known; exit code 0 where all hold, 3 where the adapter is at fault. */
async function checkOnly(
  { client, seed, json }: ClientRunOptions,
  { out, err, colour }: CommandSurroundings,
): Promise<0 | 3> {
  const { checkAdapterOf } = await import('../../run/client/open-client.ts');
  const { checkedPointLine, checkedSentence } = await import('../text/checked-points.ts');
  const checked = await unlessInterrupted((signal) =>
    checkAdapterOf(client, seed, (point) => {
      // The check that ran at the signal saw the end of the adapter, and the next one would start it again.
      signal.throwIfAborted();
      if (!json) out(checkedPointLine(point, colour));
    }),
  );
  if (checked === 'interrupted') {
    err('countersign: the check of the adapter was interrupted before its end. Start it again to have all points.\n');
    return 3;
  }
  const { done: points } = checked;
  if (json) out(printedJson(points, 2));
  err(checkedSentence(points));
  return points.every(({ ok }) => ok) ? 0 : 3;
}

/** Leaves a report that says `aborted`: a folder without one could be of a run that still goes on. */
async function abort(
  options: ClientRunOptions,
  ended: AbortedRun & { readonly unsupported?: true | undefined },
  err: (text: string) => void,
): Promise<3> {
  const result = abortedResult(options, ended.aborted, Date.now(), ended.unsupported);
  err(await writeAborted(result, options, { hint: ended.hint, isLost: ended.isLost }));
  return 3;
}
