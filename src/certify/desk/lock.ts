/** One desk to a state file: a lock file with the number of the process that holds it. */
import { readFileSync, rmSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { DeskError } from './desk-error.ts';

export interface Lock {
  /** Removes the lock file; a second call does nothing. */
  release(): void;
}

/** Tries to take a stale lock over; another desk may be at it at the same time. */
const tries = 5;

/** Takes the lock of a state file; that of a process that is gone is taken over. Throws DeskError `state-in-use`. */
export async function takeLock(stateFile: string): Promise<Lock> {
  const path = `${stateFile}.lock`;
  for (let left = tries; left > 0; left -= 1) {
    if (await created(path)) return { release: () => release(path) };
    const holder = await readHolder(path);
    if (holder !== undefined && isAlive(holder)) {
      throw new DeskError(
        'state-in-use',
        `the state file is in use by another desk, process ${holder}`,
        `stop that one, or name another file with --state; if process ${holder} is no desk, remove the file ${path}`,
      );
    }
    await removeStale(path, holder);
  }
  throw new DeskError('state-in-use', 'the lock of the state file keeps changing hands', 'start one desk at a time');
}

async function created(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

/** Undefined where the file is gone, or was not written to its end. */
async function readHolder(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^\d+\n$/.test(text) ? Number(text) : undefined;
}

/** A process with our own number is not ours: this one has not taken the lock yet. Containers start every time with the same. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Moved away first, so that of two desks only one removes it, and neither the fresh lock of the other. */
async function removeStale(path: string, holder: number | undefined): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const moved = await readHolder(aside);
  // What was moved is the fresh lock of another desk, which gets it back.
  if (moved !== holder && moved !== undefined) await rename(aside, path);
  else await rm(aside, { force: true });
}

function release(path: string): void {
  try {
    if (readFileSync(path, 'utf8') === `${process.pid}\n`) rmSync(path, { force: true });
  } catch {
    // It is gone already.
  }
}
