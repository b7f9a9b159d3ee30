/** The signals that end a long command: the first one asks it to stop, the second one does not ask. */
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { endingSignals } from '../record/disk/processes.ts';

/**
 * Takes over the signals that end this process, such as SIGINT and SIGTERM. The returned signal aborts at the first of them; a
 * second one ends the process at once with 128 plus its number, as a shell reports a death by signal.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of endingSignals) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
      controller.abort();
    });
  }
  return controller.signal;
}

/** Milliseconds in which work that was interrupted may put its things away: enough to end a process and remove a folder. */
const graceMs = 3000;

/**
 * Runs a piece of work that a signal may cut short, and takes these signals of this process only for so long:
 * what comes after it may have handlers of its own. Rejects as the work does.
 *
 * @param work is given a signal that aborts at the first of them; then it is waited for a few seconds at most
 * @returns `interrupted`, whatever became of the work, after one of them
 */
export async function unlessInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly done: T } | 'interrupted'> {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (): void => controller.abort();
  for (const name of endingSignals) process.on(name, stop);
  try {
    const interrupted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const working = work(signal).then((done) => ({ done }));
    const first = await Promise.race([working, interrupted]);
    if (first !== undefined && !signal.aborted) return first;
    await Promise.race([working.catch(() => {}), pause(graceMs, undefined, { ref: false })]);
    return 'interrupted';
  } finally {
    for (const name of endingSignals) process.off(name, stop);
  }
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}
