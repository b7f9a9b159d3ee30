/** Helpers for processes: a lock file, the signals that end a process, and a wait for the last output of a process. */
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

type LockRefusal =
  | { readonly reason: 'held'; readonly holder: number }
  | { readonly reason: 'contended' }
  | { readonly reason: 'unwritable'; readonly cause: unknown };

const heldLocks = new Set<string>();

/** Creates a lock file, or replaces that of an ended process. On failure, throws the error that `errorFor` returns. */
export function takeProcessLock(path: string, errorFor: (refusal: LockRefusal) => Error): { release(): void } {
  // Try several times, because another process may replace the old lock first.
  for (let attempts = 5; attempts > 0; attempts -= 1) {
    if (createLock(path, errorFor)) return { release: () => release(path) };
    const holder = holderOf(path);
    // A lock with the id of this process may be from another container. Only the locks in `heldLocks` are its own.
    if (holder !== undefined && (holder === process.pid ? heldLocks.has(path) : isAlive(holder)))
      throw errorFor({ reason: 'held', holder });
    removeStale(path, holder);
  }
  throw errorFor({ reason: 'contended' });
}

function createLock(path: string, errorFor: (refusal: LockRefusal) => Error): boolean {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    heldLocks.add(path);
    return true;
  } catch (cause) {
    const { code, syscall } = cause as NodeJS.ErrnoException;
    // Only a regular file can be a lock. Do not read a pipe, because that would block. Do not remove a folder.
    if (code === 'EEXIST' && lstatSync(path, { throwIfNoEntry: false })?.isFile() !== false) return false;
    // The file exists, but the disk had no room for the process id: remove the empty file.
    if (syscall === 'write') rmSync(path, { force: true });
    throw errorFor({ reason: 'unwritable', cause });
  }
}

function holderOf(path: string): number | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return /^\d+\n$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

/** True if the process is alive. False for a zombie: a process that has ended, but whose exit code nobody has read. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (cause) {
    const { code, syscall } = cause as NodeJS.ErrnoException;
    // EPERM: a process of another user. Without /proc, a zombie looks like a living process.
    return code === 'EPERM' || syscall === 'open';
  }
}

/** Signals that end Node.js without the event `exit`. Not included: SIGKILL, crash signals, and signals of V8. */
export const endingSignals = (
  [
    ...['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2', 'SIGALRM', 'SIGTERM'],
    ...['SIGSTKFLT', 'SIGXCPU', 'SIGVTALRM', 'SIGIO', 'SIGPWR'],
  ] as NodeJS.Signals[]
).filter((signal) => signal in constants.signals);

/** Kills the process group of a leader. Windows has no groups, so only the process ends there. Never throws. */
export function endGroup(pid: number, platform = process.platform, kill = process.kill.bind(process)): void {
  try {
    kill(platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {}
}

/** Removes an old lock. Renames it first, because another process may already have replaced it by a new lock. */
function removeStale(path: string, holder: number | undefined): void {
  const movedPath = `${path}.${process.pid}`;
  try {
    renameSync(path, movedPath);
  } catch {
    return;
  }
  const movedHolder = holderOf(movedPath);
  // If the renamed file is the new lock of another process, restore it.
  if (movedHolder !== holder && movedHolder !== undefined) renameSync(movedPath, path);
  else rmSync(movedPath, { force: true });
}

function release(path: string): void {
  if (heldLocks.delete(path) && holderOf(path) === process.pid) rmSync(path, { force: true });
}

/** After a timeout, the event loop needs some turns to read what arrived while this program was blocked. */
const graceTurns = 3;

/** Waits for `promise`. Resolves with undefined after `ms` milliseconds and a few turns of the event loop. */
export async function waitWithTimeout<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  const timeout = async (): Promise<undefined> => {
    await pause(ms, undefined, { signal });
    for (let count = 0; count < graceTurns; count++) await turn();
  };
  return Promise.race([promise, timeout().catch(() => undefined)]).finally(() => controller.abort());
}
