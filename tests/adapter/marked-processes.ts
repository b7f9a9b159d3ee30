/** Processes that carry a mark in their environment: what an adapter started, and what that left behind. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export interface Mark {
  /** To be given to the adapter; whatever it starts inherits it. */
  readonly env: Readonly<Record<string, string>>;
  /** Processes that carry the mark and are alive. */
  alive(): readonly number[];
  /** The same, after up to a second for the system to end them. */
  left(): Promise<readonly number[]>;
}

export function newMark(): Mark {
  const mark = `COUNTERSIGN_TEST_MARK=${randomUUID()}`;
  const [name, value] = mark.split('=') as [string, string];
  const alive = (): readonly number[] =>
    readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry) && environmentOf(entry).includes(mark))
      .map(Number);
  return {
    env: { [name]: value },
    alive,
    async left() {
      for (let wait = 0; wait < 20 && alive().length > 0; wait++) await pause(50);
      return alive();
    },
  };
}

/** Where processes cannot be listed this way. */
export const cannotListProcesses = !existsSync('/proc/self/environ');

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
