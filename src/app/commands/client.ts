/** `countersign client`: judges a client in any language through an adapter. */
import type { Result } from '../../record/result/result.ts';
import type { Scoring } from '../../record/result/score.ts';
import { painter } from '../../report/terminal.ts';
import { printedJson, visible } from '../../report/visible.ts';
import type { CheckedPoint } from '../../run/client/check-adapter.ts';
import { attachFailure, greetClient } from '../../run/client/open-client.ts';
import { shellWord } from '../../run/options/options.ts';
import type { ClientOptions, RunOptions } from '../../run/options/run-options.ts';
import { clientPlan } from '../../run/options/scenarios.ts';
import { refuseIf, UsageError } from '../../run/options/usage-error.ts';
import { type ExitCode, type Input, type Surroundings, unlessInterrupted } from '../command.ts';
import { failingCases, parseOnly, parseShard, runOptionsOf, withLastFailed } from '../config/run-flags.ts';
import { scoringOf } from '../config/scoring-flags.ts';
import { type EndedRun, endRun, interruptedRun, performRun } from '../perform-run.ts';
import type { WatchedRun } from '../watch.ts';
import { makeReportFolder } from '../write-report.ts';

export async function run(
  words: string[],
  input: Partial<Input<'client'>>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const command = words.map(shellWord).join(' ');
  const subject = { kind: 'client', command, isAttached: input.attach !== undefined } as const;
  const { flags, again } = await withLastFailed(input, subject, process.cwd(), surroundings.remark);
  const scoring = await scoringOf(flags, 'client');
  const optionsWith = (chosen: typeof flags) => clientRunOptions(words, chosen, Date.now(), process.cwd(), scoring);
  const options = { ...(await optionsWith(flags)), ...(again && { again }) };
  if (flags.checkAdapter) return checkAdapter(options, surroundings);
  if (!flags.watch) return (await judgeClient(options, surroundings)).exitCode;
  const { watchRuns } = await import('../watch.ts');
  const { seed, out, only: selected } = options;
  const fixedFlags = { ...flags, ...(flags.challenge === undefined && { seed }), out };
  let last: Result | undefined;
  const perform = async (only?: readonly string[]) => {
    const rerun = only && last && { again: await failingCases(out, last) };
    const nextOptions = await optionsWith({ ...fixedFlags, ...(only && { only, smoke: undefined }) });
    const ended = await judgeClient({ ...nextOptions, ...rerun }, surroundings);
    last = ended.result;
    return ended;
  };
  const watchOptions = { command: words, cwd: process.cwd(), out, isSelective: selected.length > 0 };
  return watchRuns(watchOptions, perform, surroundings);
}

async function judgeClient(options: ClientRunOptions, surroundings: Surroundings): Promise<WatchedRun> {
  const failure = await attachFailure(options.client);
  // Check once that an adapter can attach. Without this check, each scenario reports the same fault.
  if (failure !== undefined) throw new UsageError(failure.fault, failure.hint);
  await makeReportFolder(options.out, { replaces: true });
  const hint = 'Start the run again to judge the client.';
  const end = async (ended: EndedRun, completed: RunOptions = options): Promise<WatchedRun> => {
    const exitCode = await endRun(completed, ended, surroundings);
    return { exitCode, ...('result' in ended && { result: ended.result }) };
  };
  const greeting = await unlessInterrupted((signal) => greetClient(options, signal));
  if (greeting === 'interrupted') return end(interruptedRun('it began', hint));
  const { done: reply } = greeting;
  if ('fault' in reply) return end({ ...reply, aborted: reply.fault });
  const completed = { ...options, client: { ...options.client, ...reply } };
  return end(await performRun(completed, surroundings.env, hint), completed);
}

async function checkAdapter(
  { client, seed, json }: ClientRunOptions,
  { out, remark, colour }: Surroundings,
): Promise<0 | 3> {
  const { checkAdapterOf } = await import('../../run/client/open-client.ts');
  const checked = await unlessInterrupted((signal) =>
    checkAdapterOf(client, seed, (point) => {
      // After a signal the adapter has ended. Stop here, because the next check starts a new adapter.
      signal.throwIfAborted();
      if (!json) out(checkedPointLine(point, colour));
    }),
  );
  if (checked === 'interrupted') {
    remark('the check of the adapter was interrupted before its end.\nStart the check again.');
    return 3;
  }
  const { done: points } = checked;
  if (json) out(printedJson(points, 2));
  const failed = points.filter(({ ok }) => !ok).length;
  const notOffered = points.filter(({ offered }) => offered === false).length;
  const rest = notOffered === 0 ? '' : ` that it offers (${notOffered} more are not offered)`;
  if (failed === 0)
    remark(`the adapter follows the protocol in all ${points.length - notOffered} points${rest}. Nothing was judged.`);
  else if (points[0]!.ok)
    remark(`${failed} of ${points.length} points failed. Fix the adapter, then run the check again.`);
  else
    remark('the adapter did not answer hello, so nothing else was checked. Fix this first, then run the check again.');
  return failed === 0 ? 0 : 3;
}

type ClientRunOptions = RunOptions & { readonly client: ClientOptions };

/** Returns the options of a run against a client. Throws UsageError. */
export async function clientRunOptions(
  command: readonly string[],
  flags: Partial<Input<'client'>>,
  now: number,
  cwd: string,
  scoring?: Scoring,
): Promise<ClientRunOptions> {
  const client = await clientOf(command, flags, cwd);
  const only = await parseOnly('client', flags);
  const shard = parseShard(flags, clientPlan({ only }).length);
  const { profile = 'rfc5849', cases = client.mode === 'one-shot' ? 5 : 25 } = flags;
  // Only one adapter can attach, so there is only one worker.
  const workers = client.mode === 'attach' ? 1 : flags.workers;
  const operands = command.length === 0 ? [] : ['--', ...command.map(shellWord)];
  const overrides = { target: 'client', client, profile, cases, workers, scoring, only, shard };
  return { ...runOptionsOf('client', flags, overrides, now, cwd, operands), client };
}

/** Reads from the flags how to start the client. Throws UsageError for flags that exclude each other. */
export async function clientOf(
  command: readonly string[],
  flags: Partial<Input<'client'>>,
  cwd: string,
): Promise<ClientOptions> {
  const { attach: port, defect: defects = [] } = flags;
  if (defects.length > 0) (await import('../config/defects.ts')).clientDefectsOf(defects);
  const ways = [command.length > 0, port !== undefined, defects.length > 0].filter(Boolean).length;
  refuseIf(ways !== 1)`
    ${ways === 0 ? 'the command of the adapter is missing' : 'a command, --attach and --defect exclude each other'}
    Write the command after --, such as \`countersign client -- node adapter.mjs\`.`;
  refuseIf(command[0]?.trim() === '')`the first word of the adapter command is empty
    Write its program after --. Check for an unset shell variable.`;
  const isMissing = command.length === 0;
  refuseIf(flags.oneShot && isMissing)`--one-shot starts a command for each call, but the command is missing
    Write the command after --, such as \`countersign client --one-shot -- ./adapter.sh\`.`;
  refuseIf(flags.watch && isMissing)`--watch watches the files of the adapter, but the command of the adapter is missing
    Write the command after --, such as \`countersign client --watch -- node adapter.mjs\`.`;
  refuseIf(flags.checkAdapter && (isMissing || flags.oneShot === true))`
    --check-adapter needs a command that starts the adapter once for all calls
    Write the command after --, and remove --one-shot, --attach and --defect.`;
  const startMode = flags.oneShot ? 'one-shot' : 'process';
  return {
    command,
    mode: port === undefined ? startMode : 'attach',
    port,
    plainHttp: flags.plainHttp === true,
    ...(flags.host === 'localhost' && { host: flags.host }),
    cwd,
    ...(defects.length === 0 ? {} : { defects }),
  };
}

function checkedPointLine({ name, ok, offered, what, hint }: CheckedPoint, colour: boolean): string {
  const paint = painter(colour);
  const title = visible(name);
  if (!ok) return `${paint('red', '✗')} ${title}\n  found  ${visible(what)}\n  hint   ${visible(hint ?? '')}\n`;
  const sign = offered === false ? paint('dim', '–') : paint('green', '✓');
  return `${sign} ${title}${paint('dim', ` - ${visible(what)}`)}\n`;
}
