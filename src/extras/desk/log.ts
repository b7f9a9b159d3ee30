/** The state file: append-only, one JSON line for each event, synced before the event is confirmed. */
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSecureContext } from 'node:tls';
import { readPrivateKey, readPublicKey } from '../../protocol/index.ts';
import { makeFolders, openRegularFile, readOpened, type Unreadable } from '../../record/disk/files.ts';
import { type Lock, takeProcessLock } from '../../record/disk/processes.ts';
import { reasonOf, remedyOf } from '../../record/errors.ts';
import { fromJson, toJson } from '../../record/json.ts';
import { DeskError, type DeskEvent, deskError } from './engagement.ts';

/** The schema fault of a line (schemas/files/desk-line.json), without secrets; undefined if the line is valid. */
export type FaultOfLine = (value: unknown) => string | undefined;

/** Why a line is invalid: without a full stop and without secrets. */
interface LineFault {
  readonly line: number;
  readonly why: string;
}

interface ReadEvents {
  readonly events: readonly { readonly line: number; readonly event: DeskEvent }[];
  readonly faults: readonly LineFault[];
}

const header = '{"t":"desk","format":"countersign-desk","formatVersion":1}\n';
/** Maximum bytes of a line, including its line feed. */
export const largestLine = 16 * 1024 * 1024;
/** Maximum bytes of the state file. All of it is held in memory. */
export const largestState = 32 * 1024 * 1024;
/** A file with more faults is a wrong file or on a failing disk, not damaged in places. */
const maxFaults = 1_000;
const maxNamed = 10;

/** Creates the folder of the state file for this user only, and locks the file. Throws DeskError. */
export function takeDeskLock(stateFile: string): Lock {
  try {
    makeFolders(dirname(stateFile), 0o700);
  } catch (cause) {
    throw unwritable(stateFile, cause);
  }
  const path = `${stateFile}.lock`;
  return takeProcessLock(path, (refusal) => {
    if (refusal.why === 'unwritable') {
      return deskError('state-unwritable', refusal.cause)`
        no lock beside ${stateFile} can be made (${reasonOf(refusal.cause)})
        name another file with --state`;
    }
    return refusal.why === 'contended'
      ? deskError('state-in-use')`
        the lock of the state file keeps changing hands
        start one desk at a time`
      : deskError('state-in-use')`
        the state file is in use by another desk, process ${refusal.holder}
        stop that one, or name another file with --state; if process ${refusal.holder} is not a desk, remove the file ${path}`;
  });
}

/** Opens or creates the state file. The caller holds the lock. Throws DeskError. */
export async function openLog(path: string, faultOf: FaultOfLine, maxBytes: number = largestState) {
  let file: FileHandle | undefined;
  try {
    const opened = await openRegularFile(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, largestState);
    if ('unreadable' in opened) throw unusable(path, opened);
    file = opened.file;
    const bytes = await readOpened(opened);
    const whole = bytes.lastIndexOf(0x0a) + 1;
    const torn = bytes.length - whole;
    const read = readEvents(bytes, whole, path, faultOf);
    // Only after the check, because a foreign file must keep its permissions.
    await file.chmod(0o600);
    if (torn > 0) await file.truncate(whole);
    if (whole === 0) await file.appendFile(header);
    await file.sync();
    await syncFolder(dirname(path));
    const log = new EventLog(file, path, whole === 0 ? header.length : whole, maxBytes);
    const remark = `the last line of the state file was not written to its end; its ${torn} bytes were dropped`;
    return { log, ...read, remark: torn === 0 ? undefined : remark };
  } catch (cause) {
    await file?.close();
    throw cause instanceof DeskError ? cause : unwritable(path, cause);
  }
}

function readEvents(bytes: Buffer, whole: number, path: string, faultOf: FaultOfLine): ReadEvents {
  const events: { line: number; event: DeskEvent }[] = [];
  const faults: LineFault[] = [];
  if (whole === 0 && header.startsWith(bytes.toString('latin1'))) return { events, faults };
  if (!bytes.subarray(0, header.length).equals(Buffer.from(header))) throw foreign(bytes, path);
  for (let start = header.length, line = 2; start < whole; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    const read = readLine(bytes.subarray(start, end), faultOf);
    if ('why' in read) faults.push({ line, why: read.why });
    else events.push({ line, event: read.event });
    if (faults.length > maxFaults) {
      throw deskError('state-damaged')`
        more than ${maxFaults} lines of ${path} cannot be used: ${named(faults)}
        restore the file from a copy, or name another one with --state`;
    }
    start = end + 1;
  }
  return { events, faults };
}

export function setAside(faults: readonly LineFault[]): string | undefined {
  if (faults.length === 0) return undefined;
  const what = faults.length === 1 ? '1 line of the state file is' : `${faults.length} lines of the state file are`;
  return `${what} set aside and ignored: ${named(faults)}`;
}

function named(faults: readonly LineFault[]): string {
  const first = [...faults].sort((a, b) => a.line - b.line).slice(0, maxNamed);
  const more = faults.length - first.length;
  return `${first.map(({ line, why }) => `line ${line} (${why})`).join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readLine(bytes: Buffer, faultOf: FaultOfLine): { readonly event: DeskEvent } | { readonly why: string } {
  if (bytes.length >= largestLine) return { why: `it is longer than ${largestLine / 1024 / 1024} MB` };
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    const fault = faultOf(value);
    if (fault !== undefined) return { why: fault };
    const event = value as DeskEvent;
    const key = unreadableKey(event);
    if (key !== undefined) return { why: `${key} cannot be read` };
    return { event: event.t === 'exchange' ? fromJson<DeskEvent>(text) : event };
  } catch {
    return { why: 'it is not JSON' };
  }
}

/** Checked at the start, because later a request or the server would fail. */
function unreadableKey(event: DeskEvent): string | undefined {
  const fails = (read: () => unknown) => {
    try {
      read();
      return false;
    } catch {
      return true;
    }
  };
  if (event.t === 'certificate') {
    const { cert, key } = event.certificate;
    return fails(() => createSecureContext({ cert, key })) ? 'the key of the certificate' : undefined;
  }
  if (event.t !== 'engagement') return undefined;
  const { publicKeyPem, privateKeyPem } = event.engagement;
  if (fails(() => readPublicKey(publicKeyPem))) return 'engagement.publicKeyPem';
  if (privateKeyPem !== undefined && fails(() => readPrivateKey(privateKeyPem))) return 'engagement.privateKeyPem';
  return undefined;
}

function foreign(bytes: Buffer, path: string): DeskError {
  const line = bytes.subarray(0, 1024).toString('utf8').split('\n', 1)[0]!;
  const [, version] = /^\{"t":"desk","format":"countersign-desk","formatVersion":(\d+)\}$/.exec(line) ?? [];
  const what =
    version === undefined
      ? 'is not a state file of the desk'
      : `was written in version ${version} of the format, and this desk reads version 1`;
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

  /** Resolves after the sync. Rejects with DeskError `state-full`, `state-unwritable` or `too-many` if it failed. */
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
    if (line.length > largestLine) {
      // The reader would refuse a longer line.
      throw deskError('too-many')`
        the event has ${line.length} bytes, and a line of the state file ${largestLine} at most
        send less at a time`;
    }
    if (this.size + line.length > this.maxBytes) {
      throw deskError('state-full')`
        the state file has reached its limit of ${this.maxBytes} bytes
        stop the desk and start it with another --state; this file is not changed`;
    }
    await this.refuseReplaced();
    try {
      await this.file.appendFile(line);
      await this.file.datasync();
      this.size += line.length;
    } catch (cause) {
      // Half a line would make the rest unreadable. If the truncation fails, the wrong size blocks further writes.
      await this.file.truncate(this.size).catch(() => undefined);
      throw unwritable('the state file', cause);
    }
  }

  /** Never append if the file was moved or replaced: the lines would be missing after a restart. */
  private async refuseReplaced(): Promise<void> {
    const [opened, atPath] = await Promise.all([this.file.stat(), stat(this.path).catch(() => undefined)]);
    if (atPath?.ino === opened.ino && atPath.dev === opened.dev && opened.size === this.size) return;
    throw deskError('state-unwritable')`
      the state file ${this.path} was taken away, cut or replaced
      stop the desk, bring the file back, and start it again`;
  }
}

/** A new file survives a power loss only after its folder is synced. Not every system supports that. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

const nameAnother = 'name a file that you may write to with --state';
const unchanged = 'name another file with --state; nothing was changed in this one';

function unusable(path: string, { unreadable, because, cause }: Unreadable): DeskError {
  if (because === 'failed' || because === 'rights') return unwritable(path, cause);
  const hint = because === 'size' ? unchanged : nameAnother;
  return new DeskError('state-unwritable', `${path} ${unreadable}`, hint, cause);
}

/** If the system ran out of a resource, another file on the same disk does not help. */
function unwritable(path: string, cause: unknown): DeskError {
  const remedy = remedyOf(cause);
  const hint = remedy === undefined ? nameAnother : `${remedy[0]!.toLowerCase()}${remedy.slice(1, -1)}`;
  return new DeskError('state-unwritable', `${path} cannot be written (${reasonOf(cause)})`, hint, cause);
}
