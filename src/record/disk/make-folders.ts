/** Makes a folder with those around it. Level by level: Node's recursive mkdir does not return on file systems that refuse new folders, such as /proc. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns the folders that were not there, outermost first. Does nothing where something has that name. Throws what the system says. */
export function makeFolders(path: string, mode = 0o777): readonly string[] {
  try {
    mkdirSync(path, { mode });
    return [path];
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') return [];
    const parent = dirname(path);
    // Where the parent is there and still no folder can be made, a second try would not end.
    if (code !== 'ENOENT' || parent === path || existsSync(parent)) throw cause;
    return [...makeFolders(parent, mode), ...makeFolders(path, mode)];
  }
}
