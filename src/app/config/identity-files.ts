/** The published test identity as files, for callers that read secrets and keys from files as they would anywhere else. */
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasonOf } from '../../record/errors.ts';
import { UsageError } from '../usage-error.ts';

export interface IdentityFiles {
  /** Absolute path of the file that was written under this name. */
  readonly path: (name: string) => string;
  /** Removes the folder; a second call does nothing. */
  readonly remove: () => void;
}

/**
 * Writes the files into a fresh folder that only this user can read. The folder is removed by `remove`, and in any case
 * when the process exits.
 *
 * @throws UsageError `unwritable-file` if the folder for temporary files cannot be written
 */
export async function writeIdentityFiles(files: Readonly<Record<string, string>>): Promise<IdentityFiles> {
  let folder: string | undefined;
  const remove = (): void => {
    process.removeListener('exit', remove);
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    folder = await mkdtemp(join(tmpdir(), 'countersign-'));
    process.once('exit', remove);
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  } catch (cause) {
    remove();
    throw new UsageError(
      'unwritable-file',
      `the folder for temporary files ${tmpdir()} cannot be written (${reasonOf(cause)})`,
      {
        hint: 'Set TMPDIR to a folder that can.',
        cause,
      },
    );
  }
  const home = folder;
  return { path: (name) => join(home, name), remove };
}
