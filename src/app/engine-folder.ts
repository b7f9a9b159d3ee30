/** The engine's own folder for a run, which holds code that it loads: nobody else may have made it, or write into it. */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { isAlive } from '../record/disk/processes.ts';
import { noTemporaryFolder } from '../record/errors.ts';

export interface EngineFolder {
  /** Absolute path; only this user may enter it. */
  readonly path: string;
  /** Writes a file into it, and returns its path. Throws DiskError where there is no room. */
  write(name: string, text: string): string;
  /** Takes note of the engine's process: the folder stays as long as that one lives, even if this one is killed. */
  lend(pid: number): void;
  /** Whether the engine has said with `tellConcluding` that it is about to write the report. */
  isConcluding(): boolean;
  /** What the engine left with `tellLost`. */
  lost(): LostReport | undefined;
  /** What the engine left with `tellUnprinted`. */
  unprinted(): string | undefined;
  remove(): void;
}

/** Why there is no report of a run that came to its end. */
export interface LostReport {
  readonly aborted: string;
  /** What to do about it; a sentence, or empty. */
  readonly hint: string;
  readonly isLost: true;
}

/** Name of the file with the options of the run. */
export const optionsFile = 'run-options.json';

/** Names a reporter that the engine adds, also where --reporter replaces those of the configuration. */
export const reporterVariable = 'PW_TEST_REPORTER';

/** The engine empties this one at its start. */
export function outputIn(folder: string): string {
  return join(folder, 'output');
}

/** What the engine compiles it writes here and loads again: left alone, it would use a folder that anybody can make before it. */
export function cacheIn(folder: string): string {
  return join(folder, 'cache');
}

/** Makes a fresh folder, and removes those that killed runs of this user left. Throws DiskError where none can be made. */
export function openEngineFolder(parent = tmpdir()): EngineFolder {
  // The engine would look for a relative one beside its configuration, in the package.
  return folderIn(resolve(parent));
}

function folderIn(parent: string): EngineFolder {
  removeAbandoned(parent);
  const path = freshFolder(parent);
  return {
    path,
    write(name, text) {
      const file = join(path, name);
      try {
        writeFileSync(file, text, { mode: 0o600 });
      } catch (cause) {
        throw notBegun(path, parent, cause);
      }
      return file;
    },
    // Written over what is there, which needs no room on a disk that is full meanwhile.
    lend: (pid) => writeFileSync(borrowerOf(path), lineOf(pid), { flag: 'r+' }),
    isConcluding: () => isConcludingIn(path),
    lost: () => toldIn(path),
    unprinted: () => unprintedIn(path),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function freshFolder(parent: string): string {
  let path: string | undefined;
  try {
    path = mkdtempSync(join(parent, `countersign-engine-${process.pid}-`));
    writeFileSync(borrowerOf(path), lineOf(process.pid), { mode: 0o600 });
    writeFileSync(stageOf(path), ' '.repeat(concluding.length), { mode: 0o600 });
    writeFileSync(lossOf(path), ' '.repeat(roomForLoss), { mode: 0o600 });
    writeFileSync(outputOf(path), ' '.repeat(roomForCode), { mode: 0o600 });
    return path;
  } catch (cause) {
    throw notBegun(path, parent, cause);
  }
}

/** A run that does not begin leaves nothing where there is no room. */
function notBegun(path: string | undefined, parent: string, cause: unknown): Error {
  if (path !== undefined) rmSync(path, { recursive: true, force: true });
  return noTemporaryFolder(cause, parent);
}

/** Of the same length for every process. */
function lineOf(pid: number): string {
  return `${String(pid).padStart(20)}\n`;
}

function borrowerOf(folder: string): string {
  return join(folder, 'engine.pid');
}

/** For the engine: tells the command, which tells the person. Written over what is there, as `lend` does. Returns whether it could be. */
export function tellLost(folder: string, lost: LostReport): boolean {
  const told = { ...lost, aborted: lost.aborted.slice(0, roomForLoss / 4) };
  try {
    writeFileSync(lossOf(folder), JSON.stringify(told), { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

/** For the engine: standard output, which it shares with the command, did not take what it printed. `code` is that of the system. */
export function tellUnprinted(folder: string, code: string): void {
  try {
    writeFileSync(outputOf(folder), code.slice(0, roomForCode), { flag: 'r+' });
  } catch {
    // Nobody opened that folder: the engine was started by hand.
  }
}

/** For the engine: nothing is sent any more, and what follows takes as long as there are exchanges. Written over what is there, as `lend` does. */
export function tellConcluding(folder: string): void {
  try {
    writeFileSync(stageOf(folder), concluding, { flag: 'r+' });
  } catch {
    // Nobody opened that folder: the engine was started by hand.
  }
}

const concluding = 'concluding';

function isConcludingIn(folder: string): boolean {
  try {
    return readFileSync(stageOf(folder), 'utf8') === concluding;
  } catch {
    return false;
  }
}

function stageOf(folder: string): string {
  return join(folder, 'engine.stage');
}

/** Bytes. */
const roomForLoss = 8192;

function lossOf(folder: string): string {
  return join(folder, 'engine.lost');
}

function toldIn(folder: string): LostReport | undefined {
  try {
    return JSON.parse(readFileSync(lossOf(folder), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Bytes. */
const roomForCode = 32;

function outputOf(folder: string): string {
  return join(folder, 'engine.unprinted');
}

function unprintedIn(folder: string): string | undefined {
  try {
    return readFileSync(outputOf(folder), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The number of the process that opened this folder: that of the command. Undefined of any other folder. */
export function openedBy(folder: string): number | undefined {
  const owner = /^countersign-engine-(\d+)-\w{6}$/.exec(basename(folder))?.[1];
  return owner === undefined ? undefined : Number(owner);
}

function removeAbandoned(parent: string): void {
  for (const name of namesIn(parent)) {
    const owner = openedBy(name);
    if (owner === undefined || isAlive(owner)) continue;
    try {
      const path = join(parent, name);
      const { uid } = lstatSync(path);
      if ((process.getuid === undefined || uid === process.getuid()) && !isBorrowed(path)) {
        rmSync(path, { recursive: true, force: true });
      }
    } catch {
      // It cannot be removed, or another run has done so: this run does not depend on it.
    }
  }
}

/** A folder that cannot be listed may still be one that can be written to. */
function namesIn(parent: string): string[] {
  try {
    return readdirSync(parent);
  } catch {
    return [];
  }
}

function isBorrowed(folder: string): boolean {
  try {
    return isAlive(Number(readFileSync(borrowerOf(folder), 'utf8')));
  } catch {
    return false;
  }
}
