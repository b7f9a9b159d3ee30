/** Processes that an adapter started and that left its group, as daemons do: on Linux a mark in their environment finds them. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { ClientSession } from './client-session.ts';

/** Inherited by whatever an adapter starts, unless that is given another environment. */
export const markVariable = 'COUNTERSIGN_ADAPTER_RUN';

/** Marks of sessions that are open. */
const marks = new Set<string>();

/**
 * Opens a session whose processes carry a mark of their own, and ends those that are left once it is closed, or was not
 * opened. Does nothing besides on systems that show no environments in /proc.
 *
 * @param open is given the mark
 */
export async function withoutStrays(open: (mark: string) => Promise<ClientSession>): Promise<ClientSession> {
  const { mark, end } = strayMark();
  try {
    const session = await open(mark);
    return {
      introduction: session.introduction,
      perform: (asked) => session.perform(asked),
      takeNotes: () => session.takeNotes(),
      close: () => session.close().finally(end),
    };
  } catch (error) {
    end();
    throw error;
  }
}

/** A mark for processes that are about to be started; `end` ends those that carry it. */
export function strayMark(): { readonly mark: string; readonly end: () => void } {
  const mark = randomUUID();
  marks.add(mark);
  return {
    mark,
    end: () => {
      marks.delete(mark);
      killMarked(mark);
    },
  };
}

/** Ends the strays of every open session at once: this process is about to end. */
export function killStrays(): void {
  for (const mark of marks) killMarked(mark);
}

/** One that is being killed may just have started another, so that three looks are taken. */
function killMarked(mark: string): void {
  if (process.platform !== 'linux') return;
  for (let look = 0; look < 3; look++) {
    const found = marked(mark);
    for (const pid of found) kill(pid);
    if (found.length === 0) return;
  }
}

function marked(mark: string): readonly number[] {
  const entry = `${markVariable}=${mark}`;
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
    return pids.filter((pid) => environmentOf(pid).includes(entry)).map(Number);
  } catch {
    // Without /proc nothing is found.
    return [];
  }
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    // It has ended, or is someone else's.
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
