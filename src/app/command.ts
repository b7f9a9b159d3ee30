/** What a command is: its arguments and options as a table, and what it may use of the process that it runs in. */
import { type Argument, Command, InvalidArgumentError, Option } from 'commander';

/** What commands may use of the process they run in; tests pass their own. */
export interface Surroundings {
  /** Data, for programs and pipes. */
  readonly out: (text: string) => void;
  /** Talk, for people. */
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Columns of the terminal that `out` writes to; undefined where it is a file or a pipe. */
  readonly width: number | undefined;
  /** Whether `err` goes to a terminal: somebody waits there. */
  readonly isWatched?: boolean;
  readonly colour: boolean;
  /** A signal that aborts at the first signal that would end this process. Asking for it takes these signals over. */
  readonly interrupted: () => AbortSignal;
  /** Told the code of the system where a process of ours could not print to the same standard output. */
  readonly unprinted?: (code: string) => void;
}

/** What the process ends with: 0 conformant or done, 1 findings, 2 wrong use, 3 a fault of ours or of the environment. */
export type ExitCode = 0 | 1 | 2 | 3;

/** An option by what follows its name, and its help; `Value` is what the command gets, with undefined where it may be left out. */
export interface Flag<Value> {
  readonly takes: string;
  readonly help: string;
  readonly adjust?: (option: Option) => Option;
  /** Nothing has it: it carries the type. */
  readonly value?: Value;
}

/** `--name`. */
export function toggle(help: string): Flag<true | undefined> {
  return { takes: '', help };
}

/** `--name <value>`, or as `takes` has it; `adjust` gives it choices, a parser, or a default. */
export function option<Value = string | undefined>(
  takes: string,
  help: string,
  adjust?: (option: Option) => Option,
): Flag<Value> {
  return { takes, help, adjust };
}

/** `--name <value>`, which may be repeated. */
export function repeatable(takes: string, help: string): Flag<readonly string[] | undefined> {
  return {
    takes,
    help: `${help}; may be repeated`,
    adjust: (made) => made.argParser((value: string, earlier: readonly string[] = []) => [...earlier, value]),
  };
}

/** By which name clients reach a gateway on this machine. */
export const hostFlag = option<string>(
  '<name>',
  'name in base URL and certificate: localhost for clients that cannot verify an IP address',
  (made) => made.choices(['127.0.0.1', 'localhost']).default('127.0.0.1'),
);

/** A port on this machine; 0 for any free one. */
export function portFlag(help: string, usual: number): Flag<number>;
export function portFlag(help: string): Flag<number | undefined>;
export function portFlag(help: string, usual?: number): Flag<number | undefined> {
  return option('<n>', help, (made) => made.default(usual).argParser(portOf));
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
}

/** By what it is called in the options, as in `dryRun` for `--dry-run`. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

type ValueOf<F> = F extends Flag<infer Value> ? Value : never;

/** The options as commander hands them over. */
export type Given<F extends Flags> = {
  readonly [Name in keyof F as undefined extends ValueOf<F[Name]> ? Name : never]?: ValueOf<F[Name]>;
} & { readonly [Name in keyof F as undefined extends ValueOf<F[Name]> ? never : Name]: ValueOf<F[Name]> };

interface CommandSpec {
  readonly description: string;
  /** What it does that may take more than two seconds: who waits at a terminal is told so before it begins. */
  readonly work?: string;
  readonly operands?: readonly Argument[];
  readonly flags: Flags;
  /** What follows the options: examples and exit codes. */
  readonly help: string;
  /** Does it: gets the operands, each a text or a list of texts, then the options (`Given`) and its Surroundings. */
  readonly run: (...all: never[]) => Promise<ExitCode>;
}

export interface DefinedCommand extends Pick<CommandSpec, 'work'> {
  /** `ended` gets the exit code of the run. */
  build(name: string, surroundings: Surroundings, ended: (exitCode: ExitCode) => void): Command;
}

export function defineCommand({ description, work, operands = [], flags, help, run }: CommandSpec): DefinedCommand {
  const build: DefinedCommand['build'] = (name, surroundings, ended) => {
    const command = new Command(name).description(description).addHelpText('after', help);
    for (const operand of operands) command.addArgument(operand);
    for (const [key, { takes, help: about, adjust }] of Object.entries(flags)) {
      const made = new Option(`${flagOf(key)} ${takes}`.trimEnd(), about);
      command.addOption(adjust === undefined ? made : adjust(made));
    }
    // The last one is the command itself.
    return command.action(async (...all: unknown[]) =>
      ended(await run(...([...all.slice(0, -1), surroundings] as never[]))),
    );
  };
  return { work, build };
}

/** `--dry-run` for `dryRun`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
