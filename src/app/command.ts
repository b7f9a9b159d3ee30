/** Types for commands and for the parts of the process that they use. Also aborts long work after a signal. */
import { setTimeout as pause } from 'node:timers/promises';
import { endingSignals } from '../record/disk/processes.ts';
import { mayColour, widthOf } from '../report/terminal.ts';

export type { Input } from '../run/options/options.ts';

/** The parts of the process that commands may use. Tests pass substitutes. */
export interface Surroundings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Prints a message on `err` with wrapped lines. */
  readonly remark: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Columns of the terminal that shows `out`; undefined for a file or a pipe. */
  readonly width: number | undefined;
  /** Columns of the terminal that shows `err`; undefined for a file or a pipe. */
  readonly errWidth?: number | undefined;
  readonly colour: boolean;
  /** Returns an AbortSignal. The next signal to the process, such as SIGINT, aborts it. */
  readonly abortSignal: () => AbortSignal;
}

export function processSurroundings(): Omit<Surroundings, 'abortSignal' | 'remark'> {
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

/** An argument without a flag. `takes`: `<file>` is a required word, `[file]` an optional one; `...` allows several. */
interface Operand {
  readonly takes: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly usual?: string;
}

/** Gets the operands (each a text or a list of texts), then the options (`Input`), then the `Surroundings`. */
type Run = (...args: never[]) => Promise<ExitCode>;

/** Everything about a command except its options, which are in options.ts. */
export interface Command {
  readonly name: string;
  /** One sentence, which the list of commands shows. */
  readonly summary: string;
  readonly details?: string;
  /** The lines that `--help` prints after the options. */
  readonly notes?: string;
  /** Text to print on a terminal before work that takes more than two seconds. */
  readonly work?: string;
  readonly operands?: readonly Operand[];
  /** Command lines without the word `countersign`. */
  readonly examples: readonly string[];
  /** Meanings of exit codes that differ from the usual meanings. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  readonly load: () => Promise<Run>;
}

/** Milliseconds that work gets after a signal, to end its processes and to remove its folders. */
const graceMs = 3000;

/** Performs `work`. After a signal: aborts the work, waits a few seconds for its end, and returns `interrupted`. */
export async function unlessInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly done: T } | 'interrupted'> {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (): void => controller.abort();
  for (const name of endingSignals) process.on(name, stop);
  try {
    const working = work(signal).then((done) => ({ done }));
    const first = await Promise.race([working, untilAborted(signal)]);
    if (first !== undefined && !signal.aborted) return first;
    await Promise.race([working.catch(() => {}), pause(graceMs, undefined, { ref: false })]);
    return 'interrupted';
  } finally {
    for (const name of endingSignals) process.off(name, stop);
  }
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
