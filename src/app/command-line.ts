/** Runs one command line. Prints help texts, and prints errors as sentences. */
import { inspect } from 'node:util';
import { explainError, messageOf, remedyOf } from '../record/errors.ts';
import { field, textWidth, wrap } from '../report/terminal.ts';
import { visible } from '../report/visible.ts';
import { optionsOf } from '../run/options/options.ts';
import { suite } from '../run/options/suite-version.ts';
import { didYouMean, UsageError, withoutPasswords } from '../run/options/usage-error.ts';
import { joinText, parseArguments } from './arguments.ts';
import type { Command, ExitCode, Surroundings } from './command.ts';
import { commands } from './commands.ts';
import { messageText } from './print.ts';

/** Runs the command that `args` starts with, and returns the exit code. Prints errors on `err`, and never throws. */
export async function runCommandLine(
  args: readonly string[],
  terminal: Omit<Surroundings, 'remark'>,
): Promise<ExitCode> {
  // Printed lines may quote texts of other programs, so escape control characters.
  const err = (text: string) => terminal.err(text.split('\n').map(visible).join('\n'));
  const remark = (text: string) => terminal.err(messageText(text, terminal.errWidth));
  try {
    return await runCommand(args, { ...terminal, err, remark });
  } catch (error) {
    const { message, hint, exitCode } = explainFailure(error);
    remark([message, hint].flatMap((text) => (text ? visible(withoutPasswords(joinText(text))) : [])).join('\n'));
    if (terminal.env.COUNTERSIGN_DEBUG === '1') err(`${withoutPasswords(inspect(error))}\n`);
    return exitCode;
  }
}

async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { out, err, remark, errWidth } = surroundings;
  const width = textWidth(surroundings.width);
  const suiteArgs = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const [first, second] = suiteArgs.filter((arg) => !arg.startsWith('-'));
  const name = [first, second].find((word) => word !== 'help');
  const wantsHelp = first === 'help' || suiteArgs.some((arg) => arg === '--help' || arg === '-h');
  const hint = 'See `countersign --help`.';
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    const names = commands.map((one) => one.name);
    if (name !== undefined) throw new UsageError(`unknown command '${name}'`, joinText(didYouMean(name, names), hint));
    if (suiteArgs.includes('--version')) out(`${suite.version}\n`);
    else if (wantsHelp) out(programHelp(width));
    else if (args.length > 0) throw new UsageError(`unknown option '${args[0]}'`, hint);
    else err(programHelp(width));
    return args.length === 0 ? 2 : 0;
  }
  if (wantsHelp) {
    out(commandHelp(command, width));
    return 0;
  }
  if (args[0] !== name) throw new UsageError(`unknown option '${args[0]}'`, hint);
  const { values, operands } = parseArguments(command, args.slice(1));
  if (command.work !== undefined && errWidth !== undefined) remark(`${command.work} ...`);
  const run = await command.load();
  return run(...([...operands, values, surroundings] as never[]));
}

const debugHint =
  'This is a fault of Countersign or of this machine. Set COUNTERSIGN_DEBUG=1 and run again to see where it happened.';

function explainFailure(error: unknown): { message: string; hint?: string | undefined; exitCode: 2 | 3 } {
  const remedy = remedyOf(error);
  if (error instanceof UsageError) {
    return { message: error.message, hint: remedy ?? error.hint, exitCode: remedy === undefined ? 2 : 3 };
  }
  const systemError = explainError(error);
  const { hint = systemError?.hint ?? remedy ?? debugHint } = (error ?? {}) as { readonly hint?: string };
  return { message: messageOf(error), hint, exitCode: 3 };
}

function programHelp(width: number): string {
  const options: Line[] = [
    ['--version', 'print the version'],
    ['-h, --help', 'print this help, or the help of a command'],
  ];
  const list = commands.map(({ name, summary }): Line => [name, summary]);
  const intro =
    'Contract tests and conformance verdicts for the close-day and recurring-payment operations of a gateway.';
  return helpText(width, 'countersign COMMAND [options]', intro, { Options: options, Commands: list }, [
    ...examplesOf(['gateway', 'explain authentication/version']),
    ...exitLines({ 0: 'conformant or done', 1: 'findings' }, width),
  ]);
}

function commandHelp(command: Command, width: number): string {
  const { name, summary, details = '', operands = [], notes, examples, exits } = command;
  const usage = ['countersign', name, '[options]', ...operands.map(({ takes }) => takes)].join(' ');
  const groups: Record<string, Line[]> = {};
  if (operands.length > 0) {
    groups.Arguments = operands.map(({ takes, ...operand }) => [takes.replace(/[^\w-]/g, ''), describe(operand)]);
  }
  for (const option of optionsOf(name)) {
    groups[option.group] = [
      ...(groups[option.group] ?? []),
      [`${option.flag} ${option.takes}`.trim(), describe(option)],
    ];
  }
  return helpText(width, usage, `${summary} ${details}`.trimEnd(), groups, [
    ...(notes === undefined ? [] : [...notes.split('\n').flatMap((line) => wrap(line, width)), '']),
    ...examplesOf(examples),
    ...exitLines(exits, width),
  ]);
}

const defaultExits: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'findings',
  2: 'wrong use',
  3: 'a fault of the suite or the environment',
};

/** Omits code 1 unless `exits` has it, because other commands never end with code 1. */
function exitLines(exits: Command['exits'] = {}, width: number): string[] {
  const meanings = { ...defaultExits, ...exits };
  const codes = ([0, 1, 2, 3] as const).filter((code) => code !== 1 || exits[1] !== undefined);
  return wrap(`Exit codes: ${codes.map((code) => `${code} ${meanings[code]}`).join(', ')}.`, width);
}

function describe({ help, usual }: { readonly help: string; readonly usual?: string | number }): string {
  return usual === undefined ? help : `${help} (default: ${usual})`;
}

type Line = readonly [label: string, text: string];

function helpText(width: number, usage: string, intro: string, groups: Record<string, Line[]>, end: string[]): string {
  const labels = Object.values(groups).flatMap((lines) => lines.map(([label]) => label.length));
  const layout = { indent: 2, labelWidth: Math.max(...labels) + 2, width };
  const blocks = Object.entries(groups).flatMap(([title, lines]) => [
    `${title}:`,
    ...lines.flatMap(([label, text]) => field(label, text, layout)),
    '',
  ]);
  return `${[`Usage: ${usage}`, '', ...wrap(intro, width), '', ...blocks, ...end].join('\n')}\n`;
}

function examplesOf(examples: readonly string[]): string[] {
  return [examples.length === 1 ? 'Example:' : 'Examples:', ...examples.map((line) => `  countersign ${line}`), ''];
}
