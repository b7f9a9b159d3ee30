/** Writes files that people name, as a whole: half a page would be taken for a whole one, and a list of theirs would be lost. */
import { constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

export interface WholeFileOptions {
  /** Whether it fails with EEXIST where there is such a file. */
  readonly isNew?: boolean;
  /** How a file that is there has to begin, unless it is empty: over any other it fails with EEXIST. */
  readonly over?: RegExp;
  readonly mode?: number;
}

/** Throws what node:fs throws; where the disk is full everything is then as it was before. */
export async function writeWholeFile(path: string, text: string, options: WholeFileOptions = {}): Promise<void> {
  const { isNew = false, over, mode = 0o666 } = options;
  const found = isNew ? undefined : await stat(path).catch(() => undefined);
  if (found === undefined) return writeNewFile(path, text, mode);
  // A device or a pipe takes what it gets; a pipe that nobody reads would be waited for without end.
  if (found.isFIFO()) await refuseUnread(path);
  if (!found.isFile()) return writeFile(path, text);
  if (over !== undefined && found.size > 0 && !over.test(await startOf(path))) {
    throw Object.assign(new Error('another file is there'), { code: 'EEXIST' });
  }
  const place = await realpath(path);
  const beside = `${place}.${process.pid}.partial`;
  try {
    await writeNewFile(beside, text, found.mode);
    await rename(beside, place);
  } catch (cause) {
    await rm(beside, { force: true }).catch(() => {});
    // In a folder that is closed, or on a mount of its own, a file can still be written itself.
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

/** Throws ENXIO where no process has the pipe open for reading. */
async function refuseUnread(path: string): Promise<void> {
  const pipe = await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
  await pipe.close();
}

async function writeNewFile(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text);
  } catch (cause) {
    await rm(path, { force: true });
    throw cause;
  } finally {
    await file.close();
  }
}
