/** Name and version of the suite, from its own package.json. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of the package.json of countersign. Searched upwards, because src/ and dist/ have different depths. */
export const packageRoot: string = findPackage(import.meta.dirname);

export const suite: { readonly name: string; readonly version: string } = {
  name: 'countersign',
  version: readPackage(packageRoot)?.version ?? '0.0.0',
};

function findPackage(folder: string): string {
  if (readPackage(folder)?.name === 'countersign') return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('the package.json of countersign was not found');
  return findPackage(parent);
}

function readPackage(folder: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}
