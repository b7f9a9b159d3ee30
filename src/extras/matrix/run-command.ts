/** One command of a matrix, run to its end within a limit, and whatever it started with it. */
import { spawn } from 'node:child_process';
import { endGroup, withinGrace } from '../../record/disk/processes.ts';
import { reasonOf } from '../../record/errors.ts';

export interface Ran {
  /** Null where a signal ended it, or it could not be started. */
  readonly code: number | null;
  /** End of its standard error. */
  readonly err: string;
  /** Why it did not end by itself. */
  readonly cut?: 'limit' | 'interrupted';
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

/** Characters that are kept: the last words say what went wrong. */
const kept = 4000;

/** Never rejects. */
export const runCommand: RunCommand = ([program = '', ...args], { cwd, env, limitMs, signal }) =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ code: null, err: '', cut: 'interrupted' });
      return;
    }
    // In a group of its own: a signal of the terminal reaches it once, through us.
    const child = spawn(program, args, { cwd, env: { ...env }, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let err = '';
    // With too many open files it has none.
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err = (err + text).slice(-kept);
    });
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
      // What it left behind may hold its pipe open for hours.
      child.stderr?.destroy();
      resolve({ code, err, cut });
    };
    child.once('error', (cause) => {
      err = reasonOf(cause);
      end(null);
    });
    child.once('exit', (code) => {
      const closed = new Promise<void>((read) => child.once('close', () => read()));
      void withinGrace(closed, 200).then(() => end(code));
    });
  });
