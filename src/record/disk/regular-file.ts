/** Files that people name are opened only if they are regular ones of a bearable size: a pipe would keep us waiting, and a device never ends. */
import { constants, readSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { DiskError } from './disk-error.ts';
import { reasonOf } from './system-error.ts';

const whenWritten = 'Give it once nothing writes to it any more.';

/** `unreadable` completes a sentence such as "the secret file x does not exist". */
export interface Unreadable {
  readonly unreadable: string;
  /** `kind`: it is not a regular file, or no text where one is read. `size`: it is too large. `rights`: it is not for this user. `failed`: the system refused. */
  readonly because: 'kind' | 'size' | 'rights' | 'failed';
  readonly cause?: unknown;
}

/** All bytes of the file, if those are `largest` at most. Never throws. */
export async function readRegularFile(path: string, largest: number): Promise<{ readonly bytes: Buffer } | Unreadable> {
  const opened = await openRegularFile(path, constants.O_RDONLY, largest);
  if ('unreadable' in opened) return opened;
  try {
    return { bytes: await readOpened(opened) };
  } catch (cause) {
    return whyUnreadable(cause);
  } finally {
    await opened.file.close();
  }
}

/** The text of the file, where that is UTF-8; a byte-order mark in front is none of it. Never throws. */
export async function readRegularText(path: string, largest: number): Promise<{ readonly text: string } | Unreadable> {
  const found = await readRegularFile(path, largest);
  if ('unreadable' in found) return found;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(found.bytes) };
  } catch (cause) {
    return { unreadable: 'is not UTF-8', because: 'kind', cause };
  }
}

/** A file from which any part can be read, until it is closed. */
export interface PartedFile {
  /** Bytes. */
  readonly length: number;
  /** The bytes from `start` to `end`, which is not among them. Throws where they are no longer there. */
  read(start: number, end: number): Buffer;
  close(): Promise<void>;
}

/** The same for a file that is too large to be read at once. Never throws. */
export async function openInParts(path: string, largest: number): Promise<PartedFile | Unreadable> {
  const opened = await openRegularFile(path, constants.O_RDONLY, largest);
  if ('unreadable' in opened) return opened;
  const { file, size } = opened;
  const read = (start: number, end: number) => {
    // Memory of its own: in the pool of small buffers it would stay as long as any body that was decoded from it.
    const bytes = Buffer.allocUnsafeSlow(end - start);
    for (let length = 0; length < bytes.length; ) {
      const count = readSync(file.fd, bytes, length, bytes.length - length, start + length);
      if (count === 0) throw new DiskError('changed-file', `${path} became shorter while it was read`, whenWritten);
      length += count;
    }
    return bytes;
  };
  return { length: size, read, close: () => file.close() };
}

export interface OpenedFile {
  readonly file: FileHandle;
  /** Bytes. */
  readonly size: number;
}

/** The file, opened with the flags of node:fs; the caller closes it. A new one is for this user alone. Never throws. */
export async function openRegularFile(path: string, flags: number, largest: number): Promise<OpenedFile | Unreadable> {
  let file: FileHandle | undefined;
  try {
    // Opening a pipe then does not wait for its other end. Windows does not know the flag, nor what it is for.
    file = await open(path, flags | (constants.O_NONBLOCK ?? 0), 0o600);
    const found = await file.stat();
    if (found.isFile() && found.size <= largest) return { file, size: found.size };
    await file.close();
    if (found.isFile()) return { unreadable: `is larger than ${inWords(largest)}`, because: 'size' };
    return wrongKind(found.isDirectory() ? 'is a folder' : 'is not a regular file');
  } catch (cause) {
    await file?.close().catch(() => {});
    return whyUnreadable(cause);
  }
}

/** What was in the file when it was opened: one that grows meanwhile would have no end. */
export async function readOpened({ file, size }: OpenedFile): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Never throws: what does not exist is none, nor is a link that leads in a circle. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** What node:fs threw, in words. */
export function whyUnreadable(cause: unknown): Unreadable {
  switch ((cause as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
    // A name with NUL in it, which no file has.
    case 'ERR_INVALID_ARG_VALUE':
      return { unreadable: 'does not exist', because: 'failed', cause };
    case 'EACCES':
    case 'EPERM':
      return { unreadable: 'may not be read by this user', because: 'rights', cause };
    case 'EISDIR':
      return wrongKind('is a folder', cause);
    // A socket, or a device without a driver.
    case 'ENXIO':
    case 'ENODEV':
      return wrongKind('is not a regular file', cause);
    default:
      return { unreadable: `cannot be read (${reasonOf(cause)})`, because: 'failed', cause };
  }
}

function wrongKind(unreadable: string, cause?: unknown): Unreadable {
  return { unreadable, because: 'kind', cause };
}

function inWords(bytes: number): string {
  if (bytes < 1024 * 1024) return `${bytes / 1024} KB`;
  return bytes < 1024 ** 3 ? `${bytes / 1024 ** 2} MB` : `${bytes / 1024 ** 3} GB`;
}
