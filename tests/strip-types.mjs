/**
 * A loader hook for Node that removes the types from TypeScript files of the tests, and keeps the line numbers. On the
 * first run of a clone this takes 2 s, and the compiler of the engine takes 20 s. The workers of a run share the
 * results in a folder.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as module from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { transform } from 'sucrase';

const root = join(import.meta.dirname, '..');
let kept;

/** @param {string} folder shares the files without types among the processes of a run */
export function stripTypes(folder) {
  kept = folder;
  // If Node has registerHooks, the engine uses it too, and such hooks run before those of `register`.
  if (module.registerHooks !== undefined) module.registerHooks({ load });
  else module.register(import.meta.url, { data: folder });
}

/** Node calls this function in the thread of the older hooks. @param {string} folder */
export function initialize(folder) {
  kept = folder;
}

/** @see https://nodejs.org/api/module.html#loadurl-context-nextload */
export function load(url, context, nextLoad) {
  // Here the engine would compile the file for a source map, whose line numbers would be wrong.
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
  // Write to another name and rename, because another worker may read the file at the same time.
  const own = `${place}.${process.pid}.${threadId}`;
  writeFileSync(own, code);
  renameSync(own, place);
  return code;
}
