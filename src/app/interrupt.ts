/** Handles signals that end a long command: the first asks it to stop, the second ends it at once. */
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { endingSignals } from '../record/disk/processes.ts';

/** Aborts at the first signal, such as SIGINT. A second one ends the process with 128 plus its number. */
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

/** Milliseconds for interrupted work to clean up: enough to end a process and remove a folder. */
const graceMs = 3000;

/**
 * Handles these signals only during `work`, and rejects as `work` does. After a signal it waits a few seconds, then
 * returns `interrupted`.
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
