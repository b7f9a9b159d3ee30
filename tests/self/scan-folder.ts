/** The leak scan over everything that is in a folder. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Secret, scannerFor } from '../../src/run/secrets/secret.ts';

/** Leaks by path below the folder; one file is in memory at a time. */
export async function scanFolder(
  folder: string,
  secrets: readonly Secret[],
): Promise<ReturnType<ReturnType<typeof scannerFor>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const leaks: ReturnType<ReturnType<typeof scannerFor>> = [];
  const scanFile = scannerFor(secrets);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    leaks.push(...scanFile({ name: relative(folder, path), bytes: await readFile(path) }));
  }
  return leaks;
}
