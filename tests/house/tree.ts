/** The files of the tree, as the house tests read them: everything that is kept, nothing that is installed or made. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestInfo } from '@playwright/test';

/** The root of the project, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const notKept = new Set(['node_modules', 'dist', 'test-results', '.git', '.countersign']);

/** What git ignores because the build makes it: a clone has it only after the first build. */
export const madeByTheBuild = ['docs/autopsy.html'];

export interface KeptFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  /** Nothing for a compressed recording. */
  readonly text: string;
}

/** All kept files, in the order of their paths. */
export function keptFiles(): readonly KeptFile[] {
  cached ??= walk('')
    .filter((path) => !madeByTheBuild.includes(path))
    .sort()
    .map((path) => ({ path, text: path.endsWith('.br') ? '' : readFileSync(join(root, path), 'utf8') }));
  return cached;
}

/** README, ARCHITECTURE, docs/ and the like; not the texts that explain vectors. */
export function documents() {
  return keptFiles().filter(({ path }) => path.endsWith('.md') && !path.startsWith('contracts/vectors/'));
}

/** The kept TypeScript files. */
export function typeScriptFiles(): readonly KeptFile[] {
  return keptFiles().filter(({ path }) => path.endsWith('.ts'));
}

/** Whether the test was started with -u (--update-snapshots), to write anew what it compares; without it the engine says `default`. */
export function isWrittenAnew({ config }: Pick<TestInfo, 'config'>): boolean {
  return config.updateSnapshots === 'all' || config.updateSnapshots === 'changed';
}

/** Text of one file; throws where there is none. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

let cached: readonly KeptFile[] | undefined;

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (notKept.has(entry.name) || path === 'reports/runs' || entry.name.endsWith('.tgz')) return [];
    if (entry.isDirectory()) return walk(path);
    return entry.isFile() ? [path] : [];
  });
}
