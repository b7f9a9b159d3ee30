/** The members of a command, and the parts of the process that commands may use. */
import { mayColour, widthOf } from '../report/terminal.ts';

export type { Given } from '../run/options/options.ts';

/** The parts of the process that commands may use. Tests pass substitutes. */
export interface Surroundings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly remark: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Columns of the terminal that shows `out`; undefined for a file or a pipe. */
  readonly width: number | undefined;
  /** Columns of the terminal that shows `err`; undefined for a file or a pipe. */
  readonly errWidth?: number | undefined;
  readonly colour: boolean;
  /** Handles signals such as SIGINT: the first of these signals aborts the returned AbortSignal. */
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

/** 0: conformant or done. 1: findings. 2: wrong use. 3: no result, because of a fault inside or outside the suite. */
export type ExitCode = 0 | 1 | 2 | 3;

/** An argument without a flag. `takes` is `<file>` for one word, `[file]` for at most one, `<file...>` for several. */
interface Operand {
  readonly takes: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly usual?: string;
}

/** Takes each operand (a text or a list of texts), then the options (`Given`), then the `Surroundings`. */
type Run = (...all: never[]) => Promise<ExitCode>;

/** Everything about a command except its options, which are in options.ts. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  /** The lines that `--help` prints after the options. */
  readonly notes?: string;
  /** Text to print on a terminal before work that takes more than two seconds. */
  readonly work?: string;
  readonly operands?: readonly Operand[];
  readonly examples: readonly string[];
  /** The meaning of each exit code, if it differs from the usual meaning. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  readonly load: () => Promise<Run>;
}
