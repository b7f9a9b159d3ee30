/** Process groups of ours that are alive, so that none of them outlives this process, however that ends. */
import { endGroup, endingSignals } from '../../record/disk/processes.ts';
import { killStrays } from './strayed-processes.ts';

const alive = new Set<number>();

let ending = false;

/** The group ends when this process does. */
export function watchGroup(pid: number): void {
  if (ending) {
    endGroup(pid);
    return;
  }
  alive.add(pid);
  arm();
}

/** Kills every process of the group at once, and stops watching it. Does nothing where none is left. */
export function killGroup(pid: number): void {
  alive.delete(pid);
  endGroup(pid);
}

/** Kills every group, and from now on each at its birth: this process was told to end and puts its things away. */
export function endAdapters(): void {
  ending = true;
  signalAll();
}

function signalAll(): void {
  for (const pid of alive) endGroup(pid);
  killStrays();
}

let armed = false;

function arm(): void {
  if (armed) return;
  armed = true;
  process.on('exit', signalAll);
  // A group of its own gets none of them.
  for (const signal of endingSignals) {
    const end = (): void => {
      signalAll();
      if (process.listenerCount(signal) > 1) return;
      process.off(signal, end);
      process.kill(process.pid, signal);
    };
    process.on(signal, end);
  }
}
