/** Processes of this machine: a lock that one of them holds, the signals that end them, and the wait for their last words. */
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

export interface Lock {
  release(): void;
}

/** Why a lock was not to be had, for the caller to say in the words of what it locks. */
type LockRefusal =
  | { readonly why: 'held'; readonly holder: number }
  | { readonly why: 'contended' }
  | { readonly why: 'unwritable'; readonly cause: unknown };

const ours = new Set<string>();

/** Takes the lock at that path; one of a process that is gone is taken over. Throws what `refused` makes of a refusal. */
export function takeProcessLock(path: string, refused: (refusal: LockRefusal) => Error): Lock {
  // Several processes may find the same stale lock.
  for (let left = 5; left > 0; left -= 1) {
    if (created(path, refused)) return { release: () => release(path) };
    const holder = holderOf(path);
    // Containers start every time with the same number: that it is our own does not make the lock ours.
    if (holder !== undefined && (holder === process.pid ? ours.has(path) : isAlive(holder)))
      throw refused({ why: 'held', holder });
    removeStale(path, holder);
  }
  throw refused({ why: 'contended' });
}

function created(path: string, refused: (refusal: LockRefusal) => Error): boolean {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    ours.add(path);
    return true;
  } catch (cause) {
    // Reading a pipe would wait for its other end, and a folder of somebody is not ours to remove.
    if (
      (cause as NodeJS.ErrnoException).code === 'EEXIST' &&
      lstatSync(path, { throwIfNoEntry: false })?.isFile() !== false
    ) {
      return false;
    }
    // It was made, and there was no room for the number.
    if ((cause as NodeJS.ErrnoException).syscall === 'write') rmSync(path, { force: true });
    throw refused({ why: 'unwritable', cause });
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

/**
 * The signals that end a process without the event `exit` unless it listens to them, as far as this system has them. Without those
 * that nothing can hear, that say that memory is broken, and SIGPROF, by which V8 measures itself.
 */
export const endingSignals = (
  [
    ...['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2', 'SIGALRM', 'SIGTERM'],
    ...['SIGSTKFLT', 'SIGXCPU', 'SIGVTALRM', 'SIGIO', 'SIGPWR'],
  ] as NodeJS.Signals[]
).filter((signal) => signal in constants.signals);

/** Kills the process that was started as the head of a group, with the group. Windows knows no groups; there it ends alone. Never throws. */
export function endGroup(pid: number, platform = process.platform, kill = process.kill.bind(process)): void {
  try {
    kill(platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {}
}

/** Moved away first, so that of two processes only one removes it, and neither the fresh lock of the other. */
function removeStale(path: string, holder: number | undefined): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = holderOf(aside);
  // What was moved is the fresh lock of another process, which gets it back.
  if (moved !== holder && moved !== undefined) renameSync(aside, path);
  else rmSync(aside, { force: true });
}

function release(path: string): void {
  if (ours.delete(path) && holderOf(path) === process.pid) rmSync(path, { force: true });
}

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
