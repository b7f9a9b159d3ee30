/** The wait for what a process that has ended left in its pipes. */
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** Each turn of the event loop reads what is in the pipes: the rest of a long line, then its end. */
const turns = 3;

/**
 * What comes within so many milliseconds and a few turns; undefined where it does not. The end of a process can be heard
 * before its last words are read, together with the end of another one, and of a program that then stood still the timer
 * is over before them.
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
