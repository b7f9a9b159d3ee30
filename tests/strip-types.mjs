/**
 * A loader hook for Node that removes types from the TypeScript files of tests, and keeps the line numbers. In a new
 * clone this hook takes 2 s, and the compiler of the engine would take 20 s. The workers of a run share the results in
 * a folder.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as module from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { transform } from 'sucrase';

const root = join(import.meta.dirname, '..');
let kept;

/** @param {string} folder where the processes of a run share the files without types */
export function stripTypes(folder) {
  kept = folder;
  // If Node has registerHooks, the engine uses it too. Hooks of registerHooks run before hooks of `register`.
  if (module.registerHooks !== undefined) module.registerHooks({ load });
  else module.register(import.meta.url, { data: folder });
}

/** Node calls this function in the thread of the older hooks. @param {string} folder */
export function initialize(folder) {
  kept = folder;
}

/** @see https://nodejs.org/api/module.html#loadurl-context-nextload */
export function load(url, context, nextLoad) {
  // The engine would compile this file for a source map, but that map would have wrong line numbers.
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
  // Write another file and rename it, because another worker may read at the same time.
  const own = `${place}.${process.pid}.${threadId}`;
  writeFileSync(own, code);
  renameSync(own, place);
  return code;
}
