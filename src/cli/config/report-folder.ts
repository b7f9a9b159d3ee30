/** Makes the folder of the report before anything is started, so that a run does not end without a place for its result. */
import { access, constants, mkdir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../usage-error.ts';

/** Returns the folders that were not there, outermost first. Throws UsageError if the path is a file, or the folder cannot be made or written to, or holds anything. */
export async function makeReportFolder(path: string): Promise<readonly string[]> {
  const made: string[] = [];
  const held = await writableFolder(path, made);
  if (held.length === 0) return made;
  const what = held.includes('report.json') ? 'the report of another run' : `other files, such as ${held[0]}`;
  throw new UsageError('folder-in-use', `the report folder ${path} holds ${what}`, {
    hint: 'Name a folder with --out that is empty or not there yet.',
  });
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

/** The names of what is in it. */
async function writableFolder(path: string, made: string[]): Promise<string[]> {
  try {
    await makeLevels(path, made);
    if (!(await stat(path)).isDirectory()) throw Object.assign(new Error('a file has that name'), { code: 'ENOTDIR' });
    await access(path, constants.W_OK);
    const held = (await readdir(path)).sort();
    if (held.length === 0) await tryRoom(path);
    return held;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError('unwritable-file', `the report folder ${path} cannot be made or written to (${code})`, {
      hint: 'Name a folder with --out that you may write to, and that has room.',
      cause,
    });
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

/** Adds to `made` the folders that were not there. Level by level: Node's recursive mkdir does not return on file systems that refuse new folders, such as /proc. */
export async function makeLevels(path: string, made: string[]): Promise<void> {
  try {
    await mkdir(path);
    made.push(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw cause;
    const parent = dirname(path);
    // Where the parent is there and still no folder can be made, a second try would not end.
    if (await isThere(parent)) throw cause;
    await makeLevels(parent, made);
    await mkdir(path);
    made.push(path);
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
