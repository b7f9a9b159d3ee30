/** Files that people name are opened only if they are regular ones of a bearable size: a pipe would keep us waiting, and a device never ends. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** `unreadable` completes a sentence such as "the secret file x does not exist". */
export interface Unreadable {
  readonly unreadable: string;
  /** `kind`: it is no regular file. `size`: it is too large. `failed`: the system refused. */
  readonly because: 'kind' | 'size' | 'failed';
  readonly cause?: unknown;
}

/** All bytes of the file, if those are `largest` at most. Never throws. */
export async function readRegularFile(path: string, largest: number): Promise<{ readonly bytes: Buffer } | Unreadable> {
  const opened = await openRegularFile(path, constants.O_RDONLY, largest);
  if ('unreadable' in opened) return opened;
  try {
    return { bytes: await readOpened(opened) };
  } catch (cause) {
    return failed(cause as NodeJS.ErrnoException);
  } finally {
    await opened.file.close();
  }
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
    return failed(cause as NodeJS.ErrnoException);
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

function failed(cause: NodeJS.ErrnoException): Unreadable {
  switch (cause.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { unreadable: 'does not exist', because: 'failed', cause };
    case 'EACCES':
    case 'EPERM':
      return { unreadable: 'may not be read by this user', because: 'failed', cause };
    case 'EISDIR':
      return wrongKind('is a folder', cause);
    // A socket, or a device that nothing stands behind.
    case 'ENXIO':
    case 'ENODEV':
      return wrongKind('is not a regular file', cause);
    default:
      return { unreadable: `cannot be read (${cause.code ?? cause.message})`, because: 'failed', cause };
  }
}

function wrongKind(unreadable: string, cause?: unknown): Unreadable {
  return { unreadable, because: 'kind', cause };
}

function inWords(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KB` : `${bytes / 1024 / 1024} MB`;
}
