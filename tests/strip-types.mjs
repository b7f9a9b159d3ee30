/**
 * Node's loader for the TypeScript of the suite's own tests: takes the types out, and leaves every line where it is. The engine's
 * own compiler takes 20 s for the thousand files on the first run of a clone, this one 2. What the first process of a run makes of
 * a file is kept for its workers, in a folder that goes with the run.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as module from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { transform } from 'sucrase';

const root = join(import.meta.dirname, '..');
let kept;

/** @param {string} folder where files without types are kept for the other processes of the run */
export function stripTypes(folder) {
  kept = folder;
  // Where Node has hooks of the newer kind the engine has one, and they come before those of the older kind.
  if (module.registerHooks !== undefined) module.registerHooks({ load });
  else module.register(import.meta.url, { data: folder });
}

/** In the thread of the older hooks. @param {string} folder */
export function initialize(folder) {
  kept = folder;
}

/** @see https://nodejs.org/api/module.html#loadurl-context-nextload */
export function load(url, context, nextLoad) {
  // The engine would compile each file of tests for its source map, by which it then names lines that no file has here.
  if (url.endsWith('.ts.esm.preflight')) return { format: 'module', shortCircuit: true, source: '' };
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  return { format: 'module', shortCircuit: true, source: withoutTypes(fileURLToPath(url)) };
}

function withoutTypes(path) {
  const place = join(kept, relative(root, path));
  if (existsSync(place)) return readFileSync(place, 'utf8');
  const { code } = transform(readFileSync(path, 'utf8'), {
    transforms: ['typescript'],
    disableESTransforms: true,
    keepUnusedImports: true,
    filePath: path,
  });
  mkdirSync(dirname(place), { recursive: true });
  // Whole or not at all: another worker may look at the same moment.
  const own = `${place}.${process.pid}.${threadId}`;
  writeFileSync(own, code);
  renameSync(own, place);
  return code;
}
