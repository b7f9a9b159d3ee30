/** The state file: append-only, one JSON line for each event, synced before the event is confirmed. */
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolders, openRegularFile, readOpened } from '../../record/disk/files.ts';
import { type Lock, takeProcessLock } from '../../record/disk/processes.ts';
import { reasonOf, remedyOf } from '../../record/errors.ts';
import { fromJson, toJson } from '../../record/json.ts';
import { DeskError, type DeskEvent, type DeskState, deskError } from './engagement.ts';

/** The schema fault of a line (schemas/files/desk-line.json), without secrets; undefined if the line is valid. */
export type FaultOfLine = (value: unknown) => string | undefined;

const header = '{"t":"desk","format":"countersign-desk","formatVersion":1}\n';
/** Maximum bytes of the state file. All of it is held in memory. */
export const maxStateBytes = 32 * 1024 * 1024;
const maxNamedLines = 10;

/** Creates the folder of the state file for this user only, and locks the file. Throws DeskError. */
export function takeDeskLock(stateFile: string): Lock {
  try {
    makeFolders(dirname(stateFile), 0o700);
  } catch (cause) {
    throw unwritable(stateFile, cause);
  }
  const path = `${stateFile}.lock`;
  return takeProcessLock(path, (refusal) => {
    if (refusal.why === 'unwritable') return unwritable(path, refusal.cause);
    const holder = refusal.why === 'held' ? `process ${refusal.holder}` : 'another process';
    return deskError('state-in-use')`
      the state file ${stateFile} is in use by another desk, ${holder}
      stop that desk, or name another file with --state; if it is not a desk, remove ${path}`;
  });
}

/** Opens or creates the state file, and applies its events. The caller holds the lock. Throws DeskError. */
export async function openLog(path: string, state: DeskState, faultOf: FaultOfLine, maxBytes = maxStateBytes) {
  let file: FileHandle | undefined;
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;
    const opened = await openRegularFile(path, flags, maxStateBytes);
    if ('unreadable' in opened) {
      if (opened.because === 'failed' || opened.because === 'rights') throw unwritable(path, opened.cause);
      throw new DeskError('state-unwritable', `${path} ${opened.unreadable}`, unchanged, opened.cause);
    }
    file = opened.file;
    const bytes = await readOpened(opened);
    const whole = bytes.lastIndexOf(0x0a) + 1;
    const torn = bytes.length - whole;
    const skipped = applyLines(bytes, whole, path, state, faultOf);
    // Only after the check, because a foreign file must keep its permissions.
    await file.chmod(0o600);
    if (torn > 0) await file.truncate(whole);
    if (whole === 0) await file.appendFile(header);
    await file.sync();
    await syncFolder(dirname(path));
    const log = new EventLog(file, path, whole === 0 ? header.length : whole, maxBytes);
    const cut = `the last line of the state file was incomplete; its ${torn} bytes were removed`;
    return { log, remarks: [...(torn === 0 ? [] : [cut]), ...skipped] };
  } catch (cause) {
    await file?.close();
    throw cause instanceof DeskError ? cause : unwritable(path, cause);
  }
}

/** Returns a remark on the lines that were skipped, if any. */
function applyLines(bytes: Buffer, whole: number, path: string, state: DeskState, faultOf: FaultOfLine): string[] {
  if (whole === 0 && header.startsWith(bytes.toString('latin1'))) return [];
  const [first = '', ...lines] = bytes.subarray(0, whole).toString('utf8').split('\n').slice(0, -1);
  if (`${first}\n` !== header) throw foreign(first, path);
  const faults = lines.flatMap((line, at) => {
    const fault = faultOfEvent(line, state, faultOf);
    return fault === undefined ? [] : [`line ${at + 2} (${fault})`];
  });
  if (faults.length === 0) return [];
  const count = faults.length === 1 ? '1 line' : `${faults.length} lines`;
  const more = faults.length > maxNamedLines ? ` and ${faults.length - maxNamedLines} more` : '';
  return [
    `${count} of the state file cannot be used and will be ignored: ${faults.slice(0, maxNamedLines).join(', ')}${more}`,
  ];
}

function faultOfEvent(line: string, state: DeskState, faultOf: FaultOfLine): string | undefined {
  let value: DeskEvent;
  try {
    value = JSON.parse(line);
  } catch {
    return 'it is not JSON';
  }
  const fault = faultOf(value);
  if (fault !== undefined) return fault;
  const misfit = state.apply(value.t === 'exchange' ? fromJson<DeskEvent>(line) : value);
  return misfit && `it ${misfit}`;
}

function foreign(line: string, path: string): DeskError {
  const [, version] = /^\{"t":"desk","format":"countersign-desk","formatVersion":(\d+)\}$/.exec(line) ?? [];
  const what =
    version === undefined
      ? 'is not a state file of the desk'
      : `has version ${version} of the format, and this desk reads version 1`;
  return new DeskError('state-foreign', `${path} ${what}`, unchanged);
}

export class EventLog {
  private readonly file: FileHandle;
  private readonly path: string;
  private readonly maxBytes: number;
  private size: number;
  private latest: Promise<void> = Promise.resolve();

  constructor(file: FileHandle, path: string, size: number, maxBytes: number) {
    this.file = file;
    this.path = path;
    this.size = size;
    this.maxBytes = maxBytes;
  }

  /** Resolves after the sync. Rejects with DeskError `state-full` or `state-unwritable` if it failed. */
  append(event: DeskEvent): Promise<void> {
    const line = Buffer.from(`${toJson(event)}\n`);
    const written = this.latest.then(() => this.write(line));
    this.latest = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.latest;
    await this.file.close();
  }

  private async write(line: Buffer): Promise<void> {
    if (this.size + line.length > this.maxBytes) {
      throw deskError('state-full')`
        the state file ${this.path} has reached its limit of ${this.maxBytes} bytes
        stop the desk and start it with another --state; this file is not changed`;
    }
    // Never append if the file was moved or replaced: the lines would be missing after a restart.
    const [opened, atPath] = await Promise.all([this.file.stat(), stat(this.path).catch(() => undefined)]);
    if (atPath?.ino !== opened.ino || atPath.dev !== opened.dev || opened.size !== this.size) {
      throw deskError('state-unwritable')`
        the state file ${this.path} was removed, replaced or changed by another program
        stop the desk, put the file back, and start the desk again`;
    }
    try {
      await this.file.appendFile(line);
      await this.file.datasync();
      this.size += line.length;
    } catch (cause) {
      // Half a line would make the rest unreadable. If the truncation fails, the wrong size blocks further writes.
      await this.file.truncate(this.size).catch(() => undefined);
      throw unwritable(this.path, cause);
    }
  }
}

/** A new file survives a power loss only after its folder is synced. Not every system supports that. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

const unchanged = 'name another file with --state; this one was not changed';

/** If the system ran out of a resource, another file on the same disk does not help. */
function unwritable(path: string, cause: unknown): DeskError {
  const remedy = remedyOf(cause);
  const hint =
    remedy === undefined
      ? 'name a file that you may write to with --state'
      : `${remedy[0]!.toLowerCase()}${remedy.slice(1, -1)}`;
  return new DeskError('state-unwritable', `${path} cannot be written (${reasonOf(cause)})`, hint, cause);
}
