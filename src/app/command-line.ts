/** One command line from its arguments to its exit code: the only place where an error becomes a sentence. */
import { Command, CommanderError, type Option } from 'commander';
import { remedyOf, wordsOfSystem } from '../record/errors.ts';
import { wrap } from '../report/terminal.ts';
import { shortenedSentences, visible } from '../report/visible.ts';
import { suite } from '../run/options/suite-version.ts';
import type { ExitCode, Surroundings } from './command.ts';
import { commands } from './commands.ts';
import { didYouMean, UsageError, withoutPasswords } from './usage-error.ts';

/**
 * Runs the command that `args` (without node and script) name.
 *
 * @returns 0 done, 1 findings, 2 wrong use, 3 a fault of ours or of the environment. Never throws: an error is reported in one
 *   sentence on `err`, with its stack trace only if COUNTERSIGN_DEBUG is 1.
 */
export async function runCommandLine(args: readonly string[], given: Surroundings): Promise<ExitCode> {
  const surroundings = { ...given, err: (text: string) => given.err(tame(text)) };
  let exitCode: ExitCode = 0;
  const named = commandNamed(args);
  let program: Command | undefined;
  try {
    refuseHelpForNothing(args, named);
    const entry = commands.find(({ name }) => name === named);
    const defined = (await entry?.load())?.command;
    const built = defined?.build(entry!.name, surroundings, (code) => {
      exitCode = code;
    });
    program = programWith(built, surroundings);
    const twice = optionsGivenTwice(built);
    program.hook('preAction', (_, command) => {
      refuseMistakes(command, args, twice);
      const { work } = defined ?? {};
      if (work !== undefined && surroundings.isWatched === true) surroundings.err(`countersign: ${work} ...\n`);
    });
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return explainError(afterMissing(afterBaseline(error, args), commandOf(program, named)), named, surroundings);
  }
}

/** Names of files and folders, and what is read from them, are in many lines for people. None of these has colours. */
function tame(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** The first argument that names a command, also behind `help`. Options before it are the program's own and take no value. */
function commandNamed(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((arg) => !arg.startsWith('-'));
  const name = first === 'help' ? second : first;
  return commands.some((entry) => entry.name === name) ? name : undefined;
}

/** Commander answers `help` for a command that does not exist with the whole help and no word about the mistake. */
function refuseHelpForNothing(args: readonly string[], named: string | undefined): void {
  const [first, second] = args.filter((arg) => !arg.startsWith('-'));
  const asked = first === 'help' ? second : first;
  const forHelp = first === 'help' || args.includes('--help') || args.includes('-h');
  if (!forHelp || asked === undefined || named !== undefined || asked === 'help') return;
  const near = didYouMean(
    asked,
    commands.map((entry) => entry.name),
  );
  throw new UsageError(`unknown command '${asked}'`, joined(near, 'See countersign --help'));
}

function programWith(built: Command | undefined, surroundings: Surroundings): Command {
  const program = new Command('countersign')
    .description(
      'Contract tests and conformance verdicts for the close-day and recurring-payment operations of a gateway.',
    )
    .version(suite.version, '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => surroundings.out(withWrappedSentences(text, surroundings.width ?? 80)),
      writeErr: surroundings.err,
      getOutHelpWidth: () => surroundings.width ?? 80,
      // Errors arrive as exceptions too; they are reported in one place, below.
      outputError: () => {},
    })
    .addHelpText(
      'after',
      '\nExamples:\n  countersign gateway\n  countersign explain authentication/version\n' +
        '\nExit codes: 0 conformant or done, 1 findings, 2 wrong use, 3 a fault of the suite or the environment.',
    );
  for (const { name, summary } of commands) {
    const command = built?.name() === name ? built : new Command(name).allowUnknownOption();
    program.addCommand(command.summary(summary).copyInheritedSettings(program));
  }
  return program;
}

/** Commander wraps descriptions, and leaves the sentences behind the options as they are. */
function withWrappedSentences(help: string, width: number): string {
  return help.replace(/^(?!Usage:)\S.*$/gm, (line) => wrap(line, width).join('\n'));
}

/** Characters: an argument that a sentence repeats may have a hundred thousand. */
const longestSentence = 600;

/** A file behind --update-baseline is an argument too many, and the mistake is another one. */
function afterBaseline(error: unknown, args: readonly string[]): unknown {
  const isExcess = error instanceof CommanderError && error.code === 'commander.excessArguments';
  if (!isExcess || !args.includes('--update-baseline')) return error;
  return new UsageError('--update-baseline takes no file', 'Write --baseline FILE --update-baseline.');
}

function commandOf(program: Command | undefined, named: string | undefined): Command | undefined {
  return program?.commands.find((command) => command.name() === named);
}

function explainError(error: unknown, named: string | undefined, surroundings: Surroundings): 0 | 2 | 3 {
  if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) {
    // Help or the version, on request or, without any command, instead of it.
    return error.exitCode === 0 ? 0 : 2;
  }
  const told = sentence(error, named);
  surroundings.err(`countersign: ${visible(shortenedSentences(withoutPasswords(told.text), longestSentence))}\n`);
  if (surroundings.env.COUNTERSIGN_DEBUG === '1') surroundings.err(`${withoutPasswords(traceOf(error))}\n`);
  return told.exitCode;
}

function sentence(error: unknown, named: string | undefined): { text: string; exitCode: 2 | 3 } {
  const remedy = remedyOf(error);
  if (error instanceof UsageError) {
    return { text: joined(error.message, remedy ?? error.hint), exitCode: remedy === undefined ? 2 : 3 };
  }
  if (error instanceof CommanderError) {
    const help = `See countersign ${named === undefined ? '' : `${named} `}--help.`;
    return {
      text: joined(...(choiceSentences(error.message) ?? [...commanderSentences(error.message), help])),
      exitCode: 2,
    };
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

/** Each family of errors of ours carries what to do. */
function hintOf(error: unknown): string | undefined {
  return error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
}

/** Commander writes `error: unknown option '--x'` and, on a second line, `(Did you mean --y?)`. */
function commanderSentences(message: string): string[] {
  const [first = '', ...rest] = message
    .replace(/^error: /, '')
    .replace(/ for '(.*)'\. Expected 0 arguments but got \d+/, ': $1 takes nothing but its options')
    .replace(/ for '(.*)'\. Expected (\d+) arguments? but got (\d+)/, ': $1 takes $2, and got $3')
    .replace(/ argument missing/, ' needs a value')
    .split('\n');
  return [first, ...rest.map((line) => line.replace(/^\((.*)\)$/, '$1'))].filter((line) => line !== '');
}

/** Commander writes `error: option '--x <name>' argument 'y' is invalid. Allowed choices are a, b.`, and no nearest one. */
function choiceSentences(message: string): string[] | undefined {
  const found =
    /^error: (?:option '(--[\w-]+)[^']*' argument|command-argument value) '(.*)' is invalid.*\. Allowed choices are (.*)\.$/s.exec(
      message,
    );
  if (found === null) return undefined;
  const [, option, given = '', choices = ''] = found;
  const near = didYouMean(given, choices.split(', '));
  return [
    `${option === undefined ? '' : `${option} `}'${given}' is none of ${choices}`,
    ...(near === undefined ? [] : [near]),
  ];
}

function joined(...sentences: (string | undefined)[]): string {
  return sentences
    .filter((text): text is string => text !== undefined && text !== '')
    .map((text) => (/[.?!]$/.test(text) ? text : `${text}.`))
    .join(' ');
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nCaused by: ${traceOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** Commander names an option that is missing, and not what it is for. */
function afterMissing(error: unknown, command: Command | undefined): unknown {
  if (!(error instanceof CommanderError) || error.code !== 'commander.missingMandatoryOptionValue') return error;
  const missing = command?.options.find(({ flags }) => error.message.includes(`'${flags}'`));
  if (missing === undefined) return error;
  return new UsageError(
    `${missing.long} is missing: ${missing.description}`,
    `See countersign ${command!.name()} --help.`,
  );
}

/** Throws UsageError. `args` are those of the command line, `twice` the options of `optionsGivenTwice`. */
function refuseMistakes(command: Command, args: readonly string[], twice: ReadonlySet<Option>): void {
  refuseEmptyValues(command);
  refuseForgottenValues(command);
  refuseTwoValues(command, twice);
  refuseWordsBefore(command, args);
}

/** Collects, while the arguments are read, which options are given twice, flags aside: commander keeps the last value. */
function optionsGivenTwice(command: Command | undefined): ReadonlySet<Option> {
  const [once, twice] = [new Set<Option>(), new Set<Option>()];
  for (const option of command?.options ?? []) {
    if (option.isBoolean()) continue;
    command!.on(`option:${option.name()}`, () => (once.has(option) ? twice : once).add(option));
  }
  return twice;
}

/** Most often a variable of a shell that is not set: a path of no characters would be the folder at hand. */
function refuseEmptyValues(command: Command): void {
  const isEmpty = (value: unknown) => typeof value === 'string' && value.trim() === '';
  const refuse = (what: string) => {
    throw new UsageError(`${what} is empty`, `See countersign ${command.name()} --help.`);
  };
  for (const option of command.options) {
    const name = option.attributeName();
    // No prefix at all is one too.
    if (name === 'prefix' || command.getOptionValueSource(name) !== 'cli') continue;
    if ([command.opts()[name]].flat().some(isEmpty)) refuse(`the value of ${option.long}`);
  }
  // What client is given is a command line of someone else.
  if (command.name() === 'client') return;
  const at = command.processedArgs.findIndex((value) => [value].flat().some(isEmpty));
  if (at !== -1) refuse(`the argument ${command.registeredArguments[at]?.name() ?? at + 1}`);
}

/** Commander takes the option behind one whose value was forgotten for that value: a run would be in a folder called --json. */
function refuseForgottenValues(command: Command): void {
  const known = new Set(['--', ...command.options.flatMap(({ long, short }) => [long, short])]);
  for (const option of command.options) {
    if (command.getOptionValueSource(option.attributeName()) !== 'cli') continue;
    const forgotten = [command.opts()[option.attributeName()]].flat().find((value) => known.has(value));
    if (forgotten === undefined) continue;
    throw new UsageError(
      `${option.long} has no value: ${forgotten} follows it directly`,
      `See countersign ${command.name()} --help.`,
    );
  }
}

/** A value that is dropped could be the one that was meant, as where an option is added to the command of a script. */
function refuseTwoValues(command: Command, twice: ReadonlySet<Option>): void {
  // What may be repeated makes a list of its values.
  const option = [...twice].find((given) => !Array.isArray(command.opts()[given.attributeName()]));
  if (option === undefined) return;
  throw new UsageError(
    `${option.long} is given twice, and it takes one value`,
    `Leave out one of them; countersign ${command.name()} --help says which options may be repeated.`,
  );
}

/** A second value behind an option that takes one would be the program that is started, and the adapter its arguments. */
function refuseWordsBefore(command: Command, args: readonly string[]): void {
  const dashes = args.indexOf('--');
  if (dashes === -1 || command.registeredArguments[0]?.name() !== 'command') return;
  const behind = args.length - dashes - 1;
  const [stray] = command.args.slice(0, command.args.length - behind);
  if (stray === undefined) return;
  throw new UsageError(
    `${stray} comes before --, and belongs to no option`,
    'The command of the adapter comes after --; an option that may be repeated takes one value each time.',
  );
}
