/** Reads the kept files of the tree: all files except installed and generated ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestInfo } from '@playwright/test';

/** The root of the project, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const ignored = new Set(['node_modules', 'dist', 'test-results', '.git', '.countersign']);

/** Files that git ignores, because the build makes them. */
export const builtFiles = ['docs/autopsy.html'];

export interface TreeFile {
  /** The path from the root, with forward slashes. */
  readonly path: string;
  /** The text of the file. Empty for a compressed recording. */
  readonly text: string;
}

/** All kept files, in the order of their paths. */
export function treeFiles(): readonly TreeFile[] {
  cached ??= walk('')
    .filter((path) => !builtFiles.includes(path))
    .sort()
    .map((path) => ({ path, text: path.endsWith('.br') ? '' : readFileSync(join(root, path), 'utf8') }));
  return cached;
}

/** All Markdown files, except the explanations of vectors. */
export function documents() {
  return treeFiles().filter(({ path }) => path.endsWith('.md') && !path.startsWith('contracts/vectors/'));
}

/** The kept TypeScript files. */
export function typeScriptFiles(): readonly TreeFile[] {
  return treeFiles().filter(({ path }) => path.endsWith('.ts'));
}

/** True for a run with -u (--update-snapshots). Then a test writes the file that it otherwise compares. */
export function isUpdate({ config }: Pick<TestInfo, 'config'>): boolean {
  return config.updateSnapshots === 'all' || config.updateSnapshots === 'changed';
}

/** Returns the text of a file. Throws if the file does not exist. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

let cached: readonly TreeFile[] | undefined;

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (ignored.has(entry.name) || path === 'reports/runs' || entry.name.endsWith('.tgz')) return [];
    if (entry.isDirectory()) return walk(path);
    return entry.isFile() ? [path] : [];
  });
}
