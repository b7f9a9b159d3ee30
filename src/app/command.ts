/** What a command is, and the parts of the process that it may use. */
import { mayColour, widthOf } from '../report/terminal.ts';

export type { Given } from '../run/options/options.ts';

/** The parts of the process that commands may use. Tests pass their own. */
export interface Surroundings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Prints a message on `err`, wrapped. Each line of the text starts a new one. */
  readonly remark: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Columns of the terminal of `out`; undefined for a file or a pipe. */
  readonly width: number | undefined;
  /** Columns of the terminal that shows `err`; undefined for a file or a pipe. */
  readonly errWidth?: number | undefined;
  readonly colour: boolean;
  /** Aborts at the first signal that would end this process. The call installs the signal handlers. */
  readonly interrupted: () => AbortSignal;
}

export function processSurroundings(): Omit<Surroundings, 'interrupted' | 'remark'> {
  const { stdout, stderr, env } = process;
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    env,
    width: widthOf(stdout),
    errWidth: widthOf(stderr),
    colour: mayColour(stdout, env),
  };
}

/** 0 conformant or done, 1 findings, 2 wrong use, 3 a fault of ours or of the environment. */
export type ExitCode = 0 | 1 | 2 | 3;

/** An argument without a flag: `<file>`, an optional `[file]`, or several words as `<file...>` or `[command...]`. */
export interface Operand {
  readonly takes: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly usual?: string;
}

/** Gets the operands (a text or a list of texts each), the options (`Given`) and the Surroundings. */
type Run = (...all: never[]) => Promise<ExitCode>;

/** The options of commands are in options.ts. */
export interface Command {
  readonly name: string;
  /** One sentence, for the list of commands. */
  readonly summary: string;
  readonly details?: string;
  /** Lines after the options. */
  readonly notes?: string;
  /** Work of more than two seconds, announced on a terminal before it begins. */
  readonly work?: string;
  readonly operands?: readonly Operand[];
  /** Without `countersign`. */
  readonly examples: readonly string[];
  /** Only meanings of exit codes that are not the usual ones. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  readonly load: () => Promise<Run>;
}
