/** The wait for what a process that has ended left in its pipes. */
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** Each turn of the event loop reads what is in the pipes: the rest of a long line, then its end. */
const turns = 3;

/**
 * Resolves with what comes within so many milliseconds and a few turns of the event loop, or with undefined. The end of a
 * process may be heard before its last words are read; and where this program stood still meanwhile, the timer is over before
 * the pipe is read: hence the turns.
 */
export async function withinGrace<T>(what: Promise<T>, ms: number): Promise<T | undefined> {
  const over = new AbortController();
  const { signal } = over;
  const late = async (): Promise<undefined> => {
    await pause(ms, undefined, { signal });
    for (let passed = 0; passed < turns; passed++) await turn();
  };
  return Promise.race([what, late().catch(() => undefined)]).finally(() => over.abort());
}
