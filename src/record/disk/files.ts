/** Reads regular files of limited size, and writes files completely or not at all. */
import {
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CodedError, reasonOf } from '../errors.ts';

export class DiskError extends CodedError<'temporary-folder' | 'report-folder' | 'changed-file'> {}

/** Makes a DiskError. `what` begins its message, such as `the report in /tmp/x`. `cause` is an error of node:fs. */
export function writeError(code: DiskError['code'], what: string, hint: string, cause: unknown): DiskError {
  return new DiskError(code, `${what} cannot be written (${reasonOf(cause)})`, hint, cause);
}

/** Why a file cannot be read. `unreadable`, such as "does not exist", follows the file name in a message. */
export interface Unreadable {
  readonly unreadable: string;
  /** `kind`: no regular file, or not UTF-8. `size`: too large. `rights`: no right to read. `failed`: other errors. */
  readonly reason: 'kind' | 'size' | 'rights' | 'failed';
  readonly cause?: unknown;
}

/** Reads a regular file of at most `maxBytes` bytes. Never throws. */
export async function readRegularFile(
  path: string,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer } | Unreadable> {
  const opened = await openRegularFile(path, maxBytes);
  if ('unreadable' in opened) return opened;
  try {
    const bytes = await opened.file.readFile();
    // Some files, such as those in /proc, contain more bytes than `stat` reports.
    return bytes.length <= maxBytes ? { bytes } : tooLarge(maxBytes);
  } catch (cause) {
    return unreadableReason(cause);
  } finally {
    await opened.file.close();
  }
}

/** Reads a UTF-8 file, without its byte-order mark. Never throws. */
export async function readRegularText(path: string, maxBytes: number): Promise<{ readonly text: string } | Unreadable> {
  const found = await readRegularFile(path, maxBytes);
  if ('unreadable' in found) return found;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(found.bytes) };
  } catch (cause) {
    return { unreadable: 'is not UTF-8', reason: 'kind', cause };
  }
}

export interface OpenFile {
  readonly length: number;
  read(start: number, end: number): Buffer;
  close(): Promise<void>;
}

/** Opens a file that is too large to read at once. Never throws, but `read` of the result throws DiskError. */
export async function openInParts(path: string, maxBytes: number): Promise<OpenFile | Unreadable> {
  const opened = await openRegularFile(path, maxBytes);
  if ('unreadable' in opened) return opened;
  const { file, size } = opened;
  const hint = 'Wait until no program writes to the file, then try again.';
  const read = (start: number, end: number) => {
    // Do not use `allocUnsafe`: its small buffers share a pool, so one stored body would keep the pool in memory.
    const bytes = Buffer.allocUnsafeSlow(end - start);
    for (let length = 0; length < bytes.length; ) {
      const count = readSync(file.fd, bytes, length, bytes.length - length, start + length);
      if (count === 0) throw new DiskError('changed-file', `${path} became shorter while it was read`, hint);
      length += count;
    }
    return bytes;
  };
  return { length: size, read, close: () => file.close() };
}

async function openRegularFile(
  path: string,
  maxBytes: number,
): Promise<{ readonly file: FileHandle; readonly size: number } | Unreadable> {
  let file: FileHandle | undefined;
  try {
    // With O_NONBLOCK, `open` does not wait for the writer of a pipe. Windows does not have this flag.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await file.stat();
    if (found.isFile() && found.size <= maxBytes) return { file, size: found.size };
    await file.close();
    if (found.isFile()) return tooLarge(maxBytes);
    return { unreadable: found.isDirectory() ? 'is a folder' : 'is not a regular file', reason: 'kind' };
  } catch (cause) {
    await file?.close().catch(() => {});
    return unreadableReason(cause);
  }
}

function tooLarge(maxBytes: number): Unreadable {
  return { unreadable: `is larger than ${formatBytes(maxBytes)}`, reason: 'size' };
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

export function unreadableReason(cause: unknown): Unreadable {
  switch ((cause as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ERR_INVALID_ARG_VALUE':
      return { unreadable: 'does not exist', reason: 'failed', cause };
    case 'EACCES':
    case 'EPERM':
      return { unreadable: 'may not be read by this user', reason: 'rights', cause };
    case 'EISDIR':
      return { unreadable: 'is a folder', reason: 'kind', cause };
    case 'ENXIO':
    case 'ENODEV':
      return { unreadable: 'is not a regular file', reason: 'kind', cause };
    default:
      return { unreadable: `cannot be read (${reasonOf(cause)})`, reason: 'failed', cause };
  }
}

function formatBytes(bytes: number): string {
  if (bytes < 1024 * 1024) return `${bytes / 1024} KB`;
  return bytes < 1024 ** 3 ? `${bytes / 1024 ** 2} MB` : `${bytes / 1024 ** 3} GB`;
}

/** Makes a folder that only this user may enter, with `files` in it. On failure, removes it and throws DiskError. */
export function temporaryFolder(
  prefix: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  parent: string = tmpdir(),
): { readonly path: string; remove(): void } {
  const folder = resolve(parent);
  let path: string | undefined;
  const remove = () => path !== undefined && rmSync(path, { recursive: true, force: true });
  try {
    path = mkdtempSync(join(folder, prefix));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content, { mode: 0o600 });
    return { path, remove };
  } catch (cause) {
    remove();
    const hint = 'Make this folder writable and free some space, or set TMPDIR to another folder.';
    throw writeError('temporary-folder', `the folder for temporary files, ${folder},`, hint, cause);
  }
}

/** Writes all or nothing. Throws node:fs errors; EEXIST if a non-empty old file does not begin with `replaces`. */
export async function writeWholeFile(
  path: string,
  text: string,
  options: { readonly isNew?: boolean; readonly replaces?: RegExp; readonly mode?: number } = {},
): Promise<void> {
  const { isNew = false, replaces, mode = 0o666 } = options;
  const found = isNew ? undefined : await stat(path).catch(() => undefined);
  if (found === undefined) return writeNewFile(path, text, mode);
  // Write into devices and pipes. For a pipe without a reader, this `open` throws ENXIO; a write would wait.
  if (found.isFIFO()) await (await open(path, constants.O_WRONLY | constants.O_NONBLOCK)).close();
  if (!found.isFile()) return writeFile(path, text);
  if (replaces !== undefined && found.size > 0 && !replaces.test(await startOf(path))) {
    throw Object.assign(new Error('another file exists at this path'), { code: 'EEXIST' });
  }
  const realPath = await realpath(path);
  const temporary = `${realPath}.${process.pid}.partial`;
  try {
    await writeNewFile(temporary, text, found.mode);
    await rename(temporary, realPath);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {});
    // A mount point, or a file in a read-only folder, cannot be replaced, so write into the old file.
    if (!['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    await writeFile(path, text);
  }
}

async function startOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function writeNewFile(path: string, text: string, mode: number): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode }).catch(async (cause: NodeJS.ErrnoException) => {
    if (cause.syscall !== 'open') await rm(path, { force: true });
    throw cause;
  });
}

/** Makes a folder and its parents. Returns the new folders, outermost first. Throws errors of node:fs. */
export function makeFolders(path: string, mode = 0o777): readonly string[] {
  try {
    mkdirSync(path, { mode });
    return [path];
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') return [];
    const parent = dirname(path);
    // In /proc, mkdir throws ENOENT although the parent exists. A retry, or a recursive mkdir, would never end.
    if (code !== 'ENOENT' || parent === path || existsSync(parent)) throw cause;
    return [...makeFolders(parent, mode), ...makeFolders(path, mode)];
  }
}

/** On a full disk, Node writes only some bytes and reports no error. This makes each write complete, or it fails. */
export function ensureFullWrites(stream: Pick<NodeJS.WriteStream, '_write'> & { readonly fd: number }): void {
  // Keep the file descriptor, because a stream loses it on failure.
  const { fd } = stream;
  if (!isFile(fd)) return;
  stream._write = (chunk: string | Uint8Array, encoding, done) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    let failure: Error | undefined;
    try {
      for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
    } catch (cause) {
      failure = cause as Error;
    }
    done(failure);
  };
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}
