/** Stops long work after a signal. */
import { setTimeout as pause } from 'node:timers/promises';
import { endingSignals } from '../record/disk/processes.ts';

/** The time that work has after a signal to end its processes and to remove its folders. */
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
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}
