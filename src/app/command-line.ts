/** Runs one command line. Only this module turns errors into sentences. */
import { remedyOf, wordsOfSystem } from '../record/errors.ts';
import { shortenedSentences, visible } from '../report/visible.ts';
import { suite } from '../run/options/suite-version.ts';
import { didYouMean, UsageError, withoutPasswords } from '../run/options/usage-error.ts';
import { joined, parseArguments } from './arguments.ts';
import type { ExitCode, Surroundings } from './command.ts';
import { commands } from './commands.ts';
import { commandHelp, programHelp } from './help.ts';

/**
 * `args`: without node and script. Returns the exit code. Never throws: prints an error as one sentence on `err`, and
 * its stack trace if COUNTERSIGN_DEBUG is 1.
 */
export async function runCommandLine(args: readonly string[], given: Omit<Surroundings, 'remark'>): Promise<ExitCode> {
  const err = (text: string) => given.err(tame(text));
  const remark = (sentence: string) => err(`countersign: ${sentence}\n`);
  const surroundings = { ...given, err, remark };
  try {
    return await obey(args, surroundings);
  } catch (error) {
    const told = sentence(error);
    remark(visible(shortenedSentences(withoutPasswords(told.text), maxSentenceLength)));
    if (given.env.COUNTERSIGN_DEBUG === '1') err(`${withoutPasswords(traceOf(error))}\n`);
    return told.exitCode;
  }
}

async function obey(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { out, err, remark, isWatched } = surroundings;
  const width = Math.min(surroundings.width ?? 80, 100);
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const [first, second] = own.filter((arg) => !arg.startsWith('-'));
  const name = [first, second].find((word) => word !== 'help');
  const wantsHelp = first === 'help' || own.some((arg) => arg === '--help' || arg === '-h');
  const see = 'See countersign --help.';
  const entry = commands.find((one) => one.name === name);
  if (entry === undefined) {
    const names = commands.map((one) => one.name);
    if (name !== undefined) throw new UsageError(`unknown command '${name}'`, joined(didYouMean(name, names), see));
    if (own.includes('--version')) out(`${suite.version}\n`);
    else if (wantsHelp) out(programHelp(width));
    else if (args.length > 0) throw new UsageError(`unknown option '${args[0]}'`, see);
    else err(programHelp(width));
    return args.length === 0 ? 2 : 0;
  }
  const command = await entry.load();
  if (wantsHelp) {
    out(commandHelp(command, width));
    return 0;
  }
  if (args[0] !== name) throw new UsageError(`unknown option '${args[0]}'`, see);
  const { values, operands } = parseArguments(command, args.slice(1));
  if (command.work !== undefined && isWatched) remark(`${command.work} ...`);
  return command.run(...([...operands, values, surroundings] as never[]));
}

/** Escapes control characters, because lines contain foreign names and texts. None of them has colours. */
function tame(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** Characters: a repeated argument may have a hundred thousand. */
const maxSentenceLength = 600;

function sentence(error: unknown): { text: string; exitCode: 2 | 3 } {
  const remedy = remedyOf(error);
  if (error instanceof UsageError) {
    return { text: joined(error.message, remedy ?? error.hint), exitCode: remedy === undefined ? 2 : 3 };
  }
  const ofSystem = wordsOfSystem(error);
  const message = ofSystem?.what ?? (error instanceof Error ? error.message : String(error));
  const hint =
    hintOf(error) ??
    ofSystem?.hint ??
    remedy ??
    'This is a fault of Countersign or of its environment; COUNTERSIGN_DEBUG=1 shows where it happened.';
  return { text: joined(message, hint), exitCode: 3 };
}

function hintOf(error: unknown): string | undefined {
  return error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nCaused by: ${traceOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
