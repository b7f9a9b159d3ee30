/** One run at a time to a target: a lock file with the number of the process that holds it. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { LiveError } from './live-error.ts';

export interface Lock {
  /** Removes the lock file; a second call does nothing. */
  release(): void;
}

/** Several processes may find the same stale lock. */
const tries = 5;

/**
 * Takes the lock at that path; one of a process that is gone is taken over. Nobody waits for another run: when that one has
 * ended, a second one would spend its allowance once more. Throws LiveError `in-use`.
 */
export function takeLock(path: string): Lock {
  for (let left = tries; left > 0; left -= 1) {
    if (created(path)) return { release: () => release(path) };
    const holder = holderOf(path);
    if (holder !== undefined && isAlive(holder)) {
      throw new LiveError(
        'in-use',
        `another run is at this target: process ${holder}`,
        `Start this one when that one has ended. If process ${holder} is no run of the suite, remove the file ${path}.`,
      );
    }
    removeStale(path, holder);
  }
  throw new LiveError('in-use', 'other runs are starting at this target', 'Start one run at a time.');
}

function created(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new LiveError('bad-ledger', `the file ${path} cannot be written`, 'Check the folder.', cause);
  }
}

/** Undefined where the file is gone, or was not written to its end. */
function holderOf(path: string): number | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return /^\d+\n$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process still runs; one that has ended and that nobody has waited for yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    // There is no such file system here.
    return true;
  }
}

/** Moved away first, so that of two runs only one removes it, and neither the fresh lock of the other. */
function removeStale(path: string, holder: number | undefined): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = holderOf(aside);
  if (moved !== holder && moved !== undefined) renameSync(aside, path);
  else rmSync(aside, { force: true });
}

function release(path: string): void {
  if (holderOf(path) === process.pid) rmSync(path, { force: true });
}
