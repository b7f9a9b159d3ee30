/** Makes the folder of the report before anything is started, so that a run does not end without a place for its result. */
import { access, constants, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders, writeWholeFile } from '../../record/disk/files.ts';
import { reasonOf } from '../../record/errors.ts';
import { saysNothing } from '../../run/options/result-head.ts';
import { UsageError } from '../usage-error.ts';
import { filesOfRun } from '../write-report.ts';

/**
 * Returns the folders that were not there, outermost first. Throws UsageError if the path is a file, or the folder cannot be made
 * or written to, or holds anything but the report of a run that ended before it sent anything: whoever puts right what was
 * wrong then gives the same command again.
 */
export async function makeReportFolder(path: string): Promise<readonly string[]> {
  const { made, held } = await writableFolder(path);
  if (held.length === 0) return made;
  const { readStoredReport } = await import('./recording-files.ts');
  const report = await readStoredReport(path).catch(() => undefined);
  if (report !== undefined && saysNothing(report) && held.every((name) => filesOfRun.includes(name))) {
    for (const name of held) await rm(join(path, name));
    return made;
  }
  const what = held.includes('report.json') ? 'the report of another run' : `other files, such as ${held[0]}`;
  throw new UsageError('folder-in-use', `the report folder ${path} holds ${what}`, {
    hint: 'Name a folder with --out that is empty or not there yet.',
  });
}

/** Writes one page, over an older one and over nothing else. Throws UsageError. */
export async function writePage(path: string, text: string): Promise<void> {
  try {
    await writeWholeFile(path, text, { over: /^\ufeff?\s*<(?:!doctype )?html\b/i });
  } catch (cause) {
    const isOther = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    const why = isOther ? 'holds something else than a page' : `cannot be written (${reasonOf(cause)})`;
    const hint = isOther
      ? 'Name another file: only an HTML page is replaced.'
      : 'Name a file in a folder that is there, and that you may write to.';
    throw new UsageError('unwritable-file', `${path} ${why}`, { hint, cause });
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
