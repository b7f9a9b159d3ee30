/** The text of `--help`, for the program and for one command. */
import { field, wrap } from '../report/terminal.ts';
import { optionsOf } from '../run/options/options.ts';
import type { Command, ExitCode } from './command.ts';
import { commands } from './commands.ts';

/** The help of the program, which lists all commands. `width`: in columns. */
export function programHelp(width: number): string {
  const options: Line[] = [
    ['--version', 'print the version'],
    ['-h, --help', 'print this, or the help of a command'],
  ];
  const list = commands.map(({ name, summary }): Line => [name, summary]);
  const aim =
    'Contract tests and conformance verdicts for the close-day and recurring-payment operations of a gateway.';
  return page(width, 'countersign COMMAND [options]', aim, { Options: options, Commands: list }, [
    ...examplesOf(['gateway', 'explain authentication/version']),
    ...exitLines({ 0: 'conformant or done', 1: 'findings' }, width),
  ]);
}

export function commandHelp(command: Command, width: number): string {
  const { name, summary, details = '', operands = [], notes, examples, exits } = command;
  const usage = ['countersign', name, '[options]', ...operands.map(({ takes }) => takes)].join(' ');
  const groups: Record<string, Line[]> = {};
  if (operands.length > 0) {
    groups.Arguments = operands.map(({ takes, ...operand }) => [takes.replace(/[^\w-]/g, ''), described(operand)]);
  }
  for (const option of optionsOf(name)) {
    groups[option.group] = [
      ...(groups[option.group] ?? []),
      [`${option.flag} ${option.takes}`.trim(), described(option)],
    ];
  }
  return page(width, usage, `${summary} ${details}`.trimEnd(), groups, [
    ...(notes === undefined ? [] : [...notes.split('\n').flatMap((line) => wrap(line, width)), '']),
    ...examplesOf(examples),
    ...exitLines(exits, width),
  ]);
}

const usualExits: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'findings',
  2: 'wrong use',
  3: 'a fault of the suite or the environment',
};

/** Lists the exit codes of a command. Most commands never end with code 1, so most lists have no code 1. */
function exitLines(exits: Command['exits'] = {}, width: number): string[] {
  const meanings = { ...usualExits, ...exits };
  const codes = ([0, 1, 2, 3] as const).filter((code) => code !== 1 || exits[1] !== undefined);
  return wrap(`Exit codes: ${codes.map((code) => `${code} ${meanings[code]}`).join(', ')}.`, width);
}

/** A help text with its default value. */
export function described({ help, usual }: { readonly help: string; readonly usual?: string | number }): string {
  return usual === undefined ? help : `${help} (default: ${usual})`;
}

type Line = readonly [label: string, text: string];

function page(width: number, usage: string, aim: string, groups: Record<string, Line[]>, end: string[]): string {
  const labels = Object.values(groups).flatMap((lines) => lines.map(([label]) => label.length));
  const layout = { indent: 2, labelWidth: Math.max(...labels) + 2, width };
  const blocks = Object.entries(groups).flatMap(([title, lines]) => [
    `${title}:`,
    ...lines.flatMap(([label, text]) => field(label, text, layout)),
    '',
  ]);
  return `${[`Usage: ${usage}`, '', ...wrap(aim, width), '', ...blocks, ...end].join('\n')}\n`;
}

function examplesOf(examples: readonly string[]): string[] {
  return [examples.length === 1 ? 'Example:' : 'Examples:', ...examples.map((line) => `  countersign ${line}`), ''];
}
