/** `countersign gateway`: runs the suite against the built-in mock or a gateway, and ends with the run's exit code. */
import { Command, Option } from 'commander';
import { exitCode } from '../result/conclude.ts';
import { abortedResult } from '../run/aborted-result.ts';
import { whyUnreachable } from '../run/reach.ts';
import type { RunOptions } from '../run/run-options.ts';
import { startEngine } from '../run/start-engine.ts';
import { writeReport } from '../run/write-report.ts';
import { type GivenOptions, gatewayRunOptions } from './gateway-options.ts';
import { readReport } from './read-report.ts';
import { makeReportFolder } from './report-folder.ts';
import type { CommandSurroundings } from './surroundings.ts';

export function gatewayCommand(surroundings: CommandSurroundings): Command {
  const repeatable = (value: string, earlier: readonly string[] = []) => [...earlier, value];
  return new Command('gateway')
    .description(
      'Runs the suite against a gateway and writes a report with a verdict and evidence for each requirement.',
    )
    .option('--target <url>', 'mock, or the base URL of a gateway on a loopback address', 'mock')
    .option('--profile <name>', 'rfc5849 or strict (default: strict on the mock, rfc5849 elsewhere)')
    .addOption(new Option('--only <glob>', 'requirement ids to judge; may be repeated').argParser(repeatable))
    .option('--seed <seed>', 'seed of the generated values (default: random, printed)')
    .option('--cases <n>', 'generated cases of each generator (default: 100 on the mock, 8 elsewhere)')
    .option('--path <path>', 'repeat one generated case, as a report names it')
    .option('--workers <n>', 'processes that run scenarios (default: 2)')
    .addOption(new Option('--defect <id>', 'switch a defect of the mock on; may be repeated').argParser(repeatable))
    .addOption(new Option('--variant <id>', 'switch a variant of the mock on; may be repeated').argParser(repeatable))
    .option('--out <dir>', 'folder for the report (default: reports/runs/<time>-<subject>)')
    .option('--json', 'print report.json on standard output in place of the text')
    .addHelpText(
      'after',
      '\nExamples:\n  countersign gateway\n  countersign gateway --target http://127.0.0.1:8080 --out report\n' +
        '\nExit codes: 0 conformant, 1 findings, 2 wrong use, 3 a fault of the suite or the environment.',
    )
    .action(async (given: GivenOptions) => {
      const options = gatewayRunOptions(given, Date.now(), process.cwd());
      surroundings.setExitCode(await run(options, surroundings));
    });
}

async function run(options: RunOptions, { err, env, out }: CommandSurroundings): Promise<0 | 1 | 3> {
  await makeReportFolder(options.out);
  if (options.target !== 'mock') {
    const reason = await whyUnreachable(new URL(options.target));
    if (reason !== undefined) return abort(options, reason, hintFor(reason), err);
    err(
      `countersign: ${options.target} gets every case, with the published test identity: effects are not gated on loopback.\n`,
    );
  }
  await startEngine(options, env);
  const report = await readReport(options);
  if (report === undefined) {
    return abort(options, 'the run ended without a report', 'What the engine said stands above.', err);
  }
  if (options.json) out(report.text);
  return exitCode(report.result);
}

/** Leaves a report that says `aborted`, so that nothing older in the folder is taken for a result. */
async function abort(options: RunOptions, reason: string, hint: string, err: (text: string) => void): Promise<3> {
  await writeReport({ result: abortedResult(options, reason, Date.now()), cases: [] }, { ...options, json: true });
  err(`countersign: ${reason}. Nothing was judged. ${hint}\n`);
  return 3;
}

function hintFor(reason: string): string {
  return reason.startsWith('TLS')
    ? 'If the certificate is of an authority of your own, name its file in NODE_EXTRA_CA_CERTS.'
    : 'Check the address, that the gateway is up and that it answers in HTTP/1.1.';
}
