/** The signals that end a long command: the first one asks it to stop, the second one does not ask. */
import { setTimeout as pause } from 'node:timers/promises';

const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Takes over SIGINT, SIGTERM and SIGHUP of this process. The returned signal aborts at the first of them; a second one
 * ends the process at once with 128 plus its number, as a shell reports a death by signal.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const [name, number] of Object.entries(signals)) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + number);
      controller.abort();
    });
  }
  return controller.signal;
}

/** Milliseconds in which work that was interrupted may put its things away: enough to end a process and remove a folder. */
const graceMs = 3000;

/**
 * Runs a piece of work that a signal may cut short, and takes SIGINT, SIGTERM and SIGHUP of this process only for so long:
 * what comes after it may have handlers of its own. Rejects as the work does.
 *
 * @param work is given a signal that aborts at the first of the three; then it is waited for a few seconds at most
 * @returns `interrupted`, whatever became of the work, after one of them
 */
export async function unlessInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly done: T } | 'interrupted'> {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (): void => controller.abort();
  for (const name of Object.keys(signals)) process.on(name, stop);
  try {
    const interrupted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const working = work(signal).then((done) => ({ done }));
    const first = await Promise.race([working, interrupted]);
    if (first !== undefined && !signal.aborted) return first;
    await Promise.race([working.catch(() => {}), pause(graceMs, undefined, { ref: false })]);
    return 'interrupted';
  } finally {
    for (const name of Object.keys(signals)) process.off(name, stop);
  }
}
