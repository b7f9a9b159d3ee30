/** One command of a matrix, run to its end within a limit, and whatever it started with it. */
import { spawn } from 'node:child_process';
import { withinGrace } from '../disk/pipe-grace.ts';
import { endGroup } from '../disk/process-lock.ts';
import { reasonOf } from '../disk/system-error.ts';

export interface Ran {
  /** Null where a signal ended it, or it could not be started. */
  readonly code: number | null;
  /** Ends of its standard output and standard error. */
  readonly out: string;
  readonly err: string;
  /** Why it did not end by itself. `missing`: there is no such program. */
  readonly cut?: 'limit' | 'interrupted' | 'missing';
}

export interface RunSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export type RunCommand = (argv: readonly string[], surroundings: RunSurroundings) => Promise<Ran>;

/** Milliseconds in which a run that is asked to stop ends its engine and leaves a report. */
const graceMs = 20_000;

/** Characters that are kept of each stream: the last words say what went wrong. */
const kept = 4000;

/** Never rejects. */
export const runCommand: RunCommand = ([program = '', ...args], { cwd, env, limitMs, signal }) =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ code: null, out: '', err: '', cut: 'interrupted' });
      return;
    }
    // In a group of its own: a signal of the terminal reaches it once, through us.
    const child = spawn(program, args, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const words = { out: '', err: '' };
    const add = (stream: 'out' | 'err') => (text: string) => {
      words[stream] = (words[stream] + text).slice(-kept);
    };
    // With too many open files it has none.
    child.stdout?.setEncoding('utf8').on('data', add('out'));
    child.stderr?.setEncoding('utf8').on('data', add('err'));
    let cut: Ran['cut'];
    let last: NodeJS.Timeout | undefined;
    const stop = (why: 'limit' | 'interrupted') => {
      cut ??= why;
      child.kill('SIGINT');
      last ??= setTimeout(() => child.pid !== undefined && endGroup(child.pid), graceMs);
    };
    const limit = setTimeout(() => stop('limit'), limitMs);
    const interrupted = () => stop('interrupted');
    signal.addEventListener('abort', interrupted, { once: true });
    const end = (code: number | null) => {
      clearTimeout(limit);
      clearTimeout(last);
      signal.removeEventListener('abort', interrupted);
      // What it left behind may hold its pipes open for hours.
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ code, ...words, cut });
    };
    child.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') cut ??= 'missing';
      words.err = reasonOf(cause);
      end(null);
    });
    child.once('exit', (code) => {
      const closed = new Promise<void>((read) => child.once('close', () => read()));
      void withinGrace(closed, 200).then(() => end(code));
    });
  });
