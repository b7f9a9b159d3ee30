/** What a command is, and what it may use of the process that it runs in. */
import { mayColour, widthOf } from '../report/terminal.ts';

export type { Given } from '../run/options/options.ts';

/** What commands may use of the process they run in; tests pass their own. */
export interface Surroundings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly remark: (sentence: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Columns of the terminal that `out` writes to; undefined where it is a file or a pipe. */
  readonly width: number | undefined;
  /** Whether `err` goes to a terminal: somebody waits there. */
  readonly isWatched?: boolean;
  readonly colour: boolean;
  /** A signal that aborts at the first signal that would end this process. Asking for it takes these signals over. */
  readonly interrupted: () => AbortSignal;
}

export function processSurroundings(): Omit<Surroundings, 'interrupted' | 'remark'> {
  const { stdout, stderr, env } = process;
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    env,
    width: widthOf(stdout),
    isWatched: stderr.isTTY,
    colour: mayColour(stdout, env),
  };
}

/** What the process ends with: 0 conformant or done, 1 findings, 2 wrong use, 3 a fault of ours or of the environment. */
export type ExitCode = 0 | 1 | 2 | 3;

/** An argument without a name: `<file>`, `[file]` that may be left out, `<file...>` or `[command...]` for several words. */
export interface Operand {
  readonly takes: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly usual?: string;
}

/** A command; its options are in options.ts. */
export interface DefinedCommand {
  readonly name: string;
  readonly description: string;
  /** What it does that may take more than two seconds: who waits at a terminal is told so before it begins. */
  readonly work?: string;
  readonly operands?: readonly Operand[];
  /** Between options and examples. */
  readonly notes?: string;
  readonly examples: readonly string[];
  readonly exits: string;
  /** Does it: gets the operands, each a text or a list of texts, then the options (`Given`) and its Surroundings. */
  readonly run: (...all: never[]) => Promise<ExitCode>;
}
