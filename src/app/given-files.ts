/** Files that a person named: written whole, or refused in one sentence. */
import { dirname } from 'node:path';
import { isFolder, makeFolders, type WholeFileOptions, writeWholeFile } from '../record/disk/files.ts';
import { reasonOf } from '../record/errors.ts';
import { UsageError, usageError } from '../run/options/usage-error.ts';

interface Writing extends WholeFileOptions {
  /** What is said of a file that is there and stays, and what to do. */
  readonly taken: readonly [what: string, hint: string];
  /** Whether the folders above it are made. */
  readonly makesFolders?: boolean;
}

/** Throws UsageError. */
export async function writeGiven(path: string, text: string, { taken, makesFolders, ...how }: Writing): Promise<void> {
  try {
    if (makesFolders) makeFolders(dirname(path));
    await writeWholeFile(path, text, how);
  } catch (cause) {
    if (isFolder(path))
      throw usageError(cause)`${path} is a folder
      Name a file in it.`;
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`${path} ${taken[0]}`, taken[1], cause);
    throw usageError(cause)`${path} cannot be written (${reasonOf(cause)})
      Name a file in a folder that is there, and that you may write to.`;
  }
}

/** Writes one page, over an older one and over nothing else. Throws UsageError. */
export async function writePage(path: string, text: string): Promise<void> {
  const taken = ['holds something else than a page', 'Name another file: only an HTML page is replaced.'] as const;
  await writeGiven(path, text, { over: /^\ufeff?\s*<(?:!doctype )?html\b/i, taken });
}

/** Writes a file that is not there yet, or over it where that is allowed. Throws UsageError. */
export async function writeFresh(path: string, text: string, over: boolean): Promise<void> {
  const hint = 'Choose another name with --out, or overwrite it with --force.';
  await writeGiven(path, text, { isNew: !over, taken: ['already exists', hint] });
}

/** Throws UsageError, also where there is such a file. */
export async function writeNew(path: string, text: string, { mode = 0o644 } = {}): Promise<void> {
  const taken = ['is there already', 'Name another file: nothing is replaced.'] as const;
  await writeGiven(path, text, { isNew: true, mode, makesFolders: true, taken });
}
