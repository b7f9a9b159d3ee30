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
  /** Whether `out` may be coloured. */
  readonly colour: boolean;
  /** A signal that aborts at the first signal that would end this process. Asking for it takes these signals over. */
  readonly interrupted: () => AbortSignal;
  /** Told the code of the system where a process of ours could not print to the same standard output. */
  readonly unprinted?: (code: string) => void;
}

/** What the process ends with: 0 conformant or done, 1 findings, 2 wrong use, 3 a fault of ours or of the environment. */
export type ExitCode = 0 | 1 | 2 | 3;

/** What a single command gets. */
export interface CommandSurroundings extends Surroundings {
  /** The exit code if the command returns without an error; 0 until it is called. */
  readonly setExitCode: (code: ExitCode) => void;
}
