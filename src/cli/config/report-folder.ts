/** Makes the folder of the report before anything is started, so that a run does not end without a place for its result. */
import { access, constants, open, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../../disk/make-folders.ts';
import { reasonOf } from '../../disk/system-error.ts';
import { writeWholeFile } from '../../disk/whole-file.ts';
import { UsageError } from '../usage-error.ts';

/** Returns the folders that were not there, outermost first. Throws UsageError if the path is a file, or the folder cannot be made or written to, or holds anything. */
export async function makeReportFolder(path: string): Promise<readonly string[]> {
  const { made, held } = await writableFolder(path);
  if (held.length === 0) return made;
  const what = held.includes('report.json') ? 'the report of another run' : `other files, such as ${held[0]}`;
  throw new UsageError('folder-in-use', `the report folder ${path} holds ${what}`, {
    hint: 'Name a folder with --out that is empty or not there yet.',
  });
}

/** Writes one page, over an older one and over nothing else. Throws UsageError. */
export async function writePage(path: string, text: string): Promise<void> {
  if (await holdsOther(path)) {
    throw new UsageError('unwritable-file', `${path} holds something else than a page`, {
      hint: 'Name another file, or one that is not there yet: only an HTML page is replaced.',
    });
  }
  try {
    await writeWholeFile(path, text);
  } catch (cause) {
    throw new UsageError('unwritable-file', `${path} cannot be written (${reasonOf(cause)})`, {
      hint: 'Name a file in a folder that is there, and that you may write to.',
      cause,
    });
  }
}

/** Whether there is such a file with other text; devices and pipes hold none. What cannot be read may still be written. */
async function holdsOther(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size === 0) return false;
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const start = Buffer.alloc(64);
    const { bytesRead } = await file.read(start, 0, start.length, 0);
    return !/^\ufeff?\s*<(?:!doctype )?html\b/i.test(start.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Nothing is left of the folders `made` where the report does not get into them, unless something else did. */
export async function orNothing<T>(made: readonly string[], write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    for (const folder of made.toReversed()) await rmdir(folder).catch(() => {});
    throw cause;
  }
}

/** What was made, and the names of what is in it. */
async function writableFolder(path: string): Promise<{ made: readonly string[]; held: readonly string[] }> {
  try {
    const made = makeFolders(path);
    if (!(await stat(path)).isDirectory()) throw Object.assign(new Error('a file has that name'), { code: 'ENOTDIR' });
    await access(path, constants.W_OK);
    const held = (await readdir(path)).sort();
    if (held.length === 0) await tryRoom(path);
    return { made, held };
  } catch (cause) {
    throw new UsageError(
      'unwritable-file',
      `the report folder ${path} cannot be made or written to (${reasonOf(cause)})`,
      {
        hint: 'Name a folder with --out that you may write to, and that has room.',
        cause,
      },
    );
  }
}

/** The smallest run leaves this many bytes: without room for them, none need begin. */
async function tryRoom(path: string): Promise<void> {
  const trial = join(path, '.room');
  try {
    await writeFile(trial, new Uint8Array(64 * 1024));
  } finally {
    await rm(trial, { force: true });
  }
}
