/** The state file: one line of JSON for each event, only ever added to, on the disk before anybody is told of it. */
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolders, openRegularFile, readOpened, type Unreadable } from '../../record/disk/files.ts';
import { reasonOf, remedyOf } from '../../record/errors.ts';
import { toJson } from '../../record/json.ts';
import { DeskError } from './desk-error.ts';
import type { DeskEvent } from './events.ts';
import { header, type LineFault, largestLine, readEvents } from './read-log.ts';

export interface EventLog {
  /** Resolves once the event is on the disk. Rejects with DeskError `state-full`, `state-unwritable` or `too-many`; then it is not. */
  append(event: DeskEvent): Promise<void>;
  /** Waits for what is under way, and closes the file. */
  close(): Promise<void>;
}

export interface OpenedLog {
  readonly log: EventLog;
  /** What earlier desks wrote, in order. */
  readonly events: readonly DeskEvent[];
  /** The line of each of them, from 1. */
  readonly lines: readonly number[];
  /** Lines that are none of a desk. They stay in the file. */
  readonly faults: readonly LineFault[];
  /** What had to be dropped, in one sentence. */
  readonly remark?: string;
}

/** Bytes of the state file: all of it is in memory too, and judged again with each request. */
export const largestState = 32 * 1024 * 1024;

/** Opens the state file, and makes it and its folder where they are missing. The caller holds the lock. Throws DeskError. */
export async function openLog(path: string, maxBytes: number = largestState): Promise<OpenedLog> {
  let file: FileHandle | undefined;
  try {
    const opened = await openRegularFile(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, largestState);
    if ('unreadable' in opened) throw unusable(path, opened);
    file = opened.file;
    const { whole, torn, ...read } = readEvents(await readOpened(opened), path);
    // Not before it is known to be ours: the rights of another file are its owner's.
    await file.chmod(0o600);
    if (torn > 0) await file.truncate(whole);
    if (whole === 0) await file.appendFile(header);
    await file.sync();
    await syncFolder(dirname(path));
    const log = new Appender(file, path, whole === 0 ? header.length : whole, maxBytes);
    const remark = `the last line of the state file was not written to its end; its ${torn} bytes were dropped`;
    return { log, ...read, ...(torn === 0 ? {} : { remark }) };
  } catch (cause) {
    await file?.close();
    throw cause instanceof DeskError ? cause : unwritable(path, cause);
  }
}

/** Makes the folder of the state file, for this user alone. Throws DeskError. */
export async function makeStateFolder(path: string): Promise<void> {
  try {
    makeFolders(dirname(path), 0o700);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

interface Waiting {
  readonly line: Buffer;
  readonly done: () => void;
  readonly failed: (cause: unknown) => void;
}

/** Writes what has gathered in one go, so that many requests share one wait for the disk. */
class Appender implements EventLog {
  private readonly file: FileHandle;
  private readonly path: string;
  private readonly maxBytes: number;
  private size: number;
  private waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;
  private broken: unknown;

  constructor(file: FileHandle, path: string, size: number, maxBytes: number) {
    this.file = file;
    this.path = path;
    this.size = size;
    this.maxBytes = maxBytes;
  }

  append(event: DeskEvent): Promise<void> {
    const line = Buffer.from(`${toJson(event)}\n`);
    if (line.length > largestLine) return Promise.reject(tooLong(line.length));
    return new Promise((done, failed) => {
      this.waiting.push({ line, done, failed });
      this.writing ??= this.writeAll();
    });
  }

  async close(): Promise<void> {
    await this.writing;
    await this.file.close();
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0);
      try {
        await this.write(Buffer.concat(batch.map(({ line }) => line)));
        for (const { done } of batch) done();
      } catch (cause) {
        for (const { failed } of batch) failed(cause);
      }
    }
    this.writing = undefined;
  }

  /** A file that was taken away takes lines as before, and nobody finds them there after a restart. */
  private async refuseReplaced(): Promise<void> {
    const [opened, named] = await Promise.all([this.file.stat(), stat(this.path).catch(() => undefined)]);
    if (named?.ino === opened.ino && named.dev === opened.dev && opened.size === this.size) return;
    const hint = 'stop the desk, bring the file back, and start it again';
    throw new DeskError('state-unwritable', `the state file ${this.path} was taken away, cut or replaced`, hint);
  }

  private async write(lines: Buffer): Promise<void> {
    if (this.broken !== undefined) throw unwritable('the state file', this.broken);
    if (this.size + lines.length > this.maxBytes) {
      const hint = 'stop the desk and start it with another --state; this file is not changed';
      throw new DeskError('state-full', `the state file has reached its limit of ${this.maxBytes} bytes`, hint);
    }
    await this.refuseReplaced();
    try {
      await this.file.appendFile(lines);
      await this.file.datasync();
      this.size += lines.length;
    } catch (cause) {
      // Half a line in the middle would make the rest unreadable.
      await this.file.truncate(this.size).catch((second: unknown) => {
        this.broken = second;
      });
      throw unwritable('the state file', cause);
    }
  }
}

/** What could not be read again is not written. */
function tooLong(bytes: number): DeskError {
  const hint = 'send less at a time';
  return new DeskError(
    'too-many',
    `the event has ${bytes} bytes, and a line of the state file ${largestLine} at most`,
    hint,
  );
}

/** A new file survives a loss of power only once its folder is on the disk too. Not every system offers that. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

const nameAnother = 'name a file that you may write to with --state';

function unusable(path: string, { unreadable, because, cause }: Unreadable): DeskError {
  if (because === 'failed' || because === 'rights') return unwritable(path, cause);
  const hint = because === 'size' ? 'name another file with --state; nothing was changed in this one' : nameAnother;
  return new DeskError('state-unwritable', `${path} ${unreadable}`, hint, cause);
}

/** Where the system has run out of something, another file on the same disk is no help. */
function unwritable(path: string, cause: unknown): DeskError {
  const remedy = remedyOf(cause);
  const hint = remedy === undefined ? nameAnother : `${remedy[0]!.toLowerCase()}${remedy.slice(1, -1)}`;
  return new DeskError('state-unwritable', `${path} cannot be written (${reasonOf(cause)})`, hint, cause);
}
