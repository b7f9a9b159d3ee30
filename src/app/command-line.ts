/** Runs one command line, and prints errors as sentences. */
import { inspect } from 'node:util';
import { messageOf, remedyOf, wordsOfSystem } from '../record/errors.ts';
import { textWidth } from '../report/terminal.ts';
import { visible } from '../report/visible.ts';
import { suite } from '../run/options/suite-version.ts';
import { didYouMean, UsageError, withoutPasswords } from '../run/options/usage-error.ts';
import { joined, parseArguments } from './arguments.ts';
import type { ExitCode, Surroundings } from './command.ts';
import { commands } from './commands.ts';
import { commandHelp, programHelp } from './help.ts';
import { messageText } from './message.ts';

/** Runs `args` (without node and script), and returns the exit code. Never throws: it prints errors on `err`. */
export async function runCommandLine(
  args: readonly string[],
  terminal: Omit<Surroundings, 'remark'>,
): Promise<ExitCode> {
  // Lines may quote names and texts of other programs, so escape their control characters.
  const err = (text: string) => terminal.err(text.split('\n').map(visible).join('\n'));
  const remark = (text: string) => terminal.err(messageText(text, terminal.errWidth));
  try {
    return await runCommand(args, { ...terminal, err, remark });
  } catch (error) {
    const { message, hint, exitCode } = explained(error);
    remark([message, hint].flatMap((text) => (text ? visible(withoutPasswords(joined(text))) : [])).join('\n'));
    if (terminal.env.COUNTERSIGN_DEBUG === '1') err(`${withoutPasswords(inspect(error))}\n`);
    return exitCode;
  }
}

async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { out, err, remark, errWidth } = surroundings;
  const width = textWidth(surroundings.width);
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const [first, second] = own.filter((arg) => !arg.startsWith('-'));
  const name = [first, second].find((word) => word !== 'help');
  const wantsHelp = first === 'help' || own.some((arg) => arg === '--help' || arg === '-h');
  const see = 'See `countersign --help`.';
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    const names = commands.map((one) => one.name);
    if (name !== undefined) throw new UsageError(`unknown command '${name}'`, joined(didYouMean(name, names), see));
    if (own.includes('--version')) out(`${suite.version}\n`);
    else if (wantsHelp) out(programHelp(width));
    else if (args.length > 0) throw new UsageError(`unknown option '${args[0]}'`, see);
    else err(programHelp(width));
    return args.length === 0 ? 2 : 0;
  }
  if (wantsHelp) {
    out(commandHelp(command, width));
    return 0;
  }
  if (args[0] !== name) throw new UsageError(`unknown option '${args[0]}'`, see);
  const { values, operands } = parseArguments(command, args.slice(1));
  if (command.work !== undefined && errWidth !== undefined) remark(`${command.work} ...`);
  const run = await command.load();
  return run(...([...operands, values, surroundings] as never[]));
}

const debugHint =
  'This is a fault of Countersign or of this machine. Set COUNTERSIGN_DEBUG=1 and run again to see the place.';

function explained(error: unknown): { message: string; hint?: string | undefined; exitCode: 2 | 3 } {
  const remedy = remedyOf(error);
  if (error instanceof UsageError) {
    return { message: error.message, hint: remedy ?? error.hint, exitCode: remedy === undefined ? 2 : 3 };
  }
  const ofSystem = wordsOfSystem(error);
  const { hint = ofSystem?.hint ?? remedy ?? debugHint } = (error ?? {}) as { readonly hint?: string };
  return { message: messageOf(error), hint, exitCode: 3 };
}
