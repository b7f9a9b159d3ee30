/** Processes of this machine: a lock file, the signals that end a process, and the wait for its last output. */
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

export interface Lock {
  release(): void;
}

type LockRefusal =
  | { readonly why: 'held'; readonly holder: number }
  | { readonly why: 'contended' }
  | { readonly why: 'unwritable'; readonly cause: unknown };

const ours = new Set<string>();

/** Creates the lock file, or takes over that of a process that has ended. Throws what `refused` returns. */
export function takeProcessLock(path: string, refused: (refusal: LockRefusal) => Error): Lock {
  // Several processes may find the same stale lock.
  for (let left = 5; left > 0; left -= 1) {
    if (created(path, refused)) return { release: () => release(path) };
    const holder = holderOf(path);
    // In containers process ids repeat: our own id in the file does not prove that the lock is ours.
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
    const { code, syscall } = cause as NodeJS.ErrnoException;
    // Reading a pipe would block, and somebody may need a folder that has this name.
    if (code === 'EEXIST' && lstatSync(path, { throwIfNoEntry: false })?.isFile() !== false) return false;
    // The file was created, but the disk had no room for the process id.
    if (syscall === 'write') rmSync(path, { force: true });
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

/** A zombie is not alive: it has ended, but its parent has not read its exit code. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    // This system has no /proc.
    return true;
  }
}

/** Signals that end a process without the event `exit`, except those that cannot be caught or that V8 uses. */
export const endingSignals = (
  [
    ...['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2', 'SIGALRM', 'SIGTERM'],
    ...['SIGSTKFLT', 'SIGXCPU', 'SIGVTALRM', 'SIGIO', 'SIGPWR'],
  ] as NodeJS.Signals[]
).filter((signal) => signal in constants.signals);

/** Kills a process group by its leader. Windows has no groups: only the process ends. Never throws. */
export function endGroup(pid: number, platform = process.platform, kill = process.kill.bind(process)): void {
  try {
    kill(platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {}
}

/** Renames the lock first, so that only one of two processes removes it, and neither removes the new lock of the other. */
function removeStale(path: string, holder: number | undefined): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = holderOf(aside);
  // This is the new lock of another process: give it back.
  if (moved !== holder && moved !== undefined) renameSync(aside, path);
  else rmSync(aside, { force: true });
}

function release(path: string): void {
  if (ours.delete(path) && holderOf(path) === process.pid) rmSync(path, { force: true });
}

/** Enough turns of the event loop to read the last output from a pipe after this program was blocked. */
const turns = 3;

/** The result of `what`, or undefined if it takes longer than `ms` and a few turns of the event loop. */
export async function withinGrace<T>(what: Promise<T>, ms: number): Promise<T | undefined> {
  const over = new AbortController();
  const { signal } = over;
  const late = async (): Promise<undefined> => {
    await pause(ms, undefined, { signal });
    for (let passed = 0; passed < turns; passed++) await turn();
  };
  return Promise.race([what, late().catch(() => undefined)]).finally(() => over.abort());
}
