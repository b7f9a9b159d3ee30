/**
 * Loaded before the engine and before each of its workers (`node --require`): what V8 compiles of the libraries is kept in `dist/`
 * and used again by the next run, which saves a third of the engine's start. Node 22 has that built in; for Node 20 it is here.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';

/** What of the module system the types leave out. */
interface Loader {
  enableCompileCache?(folder: string): unknown;
  readonly _cache: unknown;
  readonly _extensions: unknown;
  _resolveFilename(request: string, from: object, isMain: boolean, options?: object): string;
  prototype: { _compile(this: NodeJS.Module, content: string, file: string): unknown };
}

const loader = Module as unknown as Loader;
/** Beside the code, and replaced with it: whoever may write here may as well write the code. */
const folder = join(__dirname, '../../code-cache');

if (process.env.NODE_DISABLE_COMPILE_CACHE === undefined) {
  if (loader.enableCompileCache === undefined) cacheCode();
  else loader.enableCompileCache(folder);
}

interface Compiled {
  readonly stamp: string;
  readonly data: Buffer;
}

function cacheCode(): void {
  const who = basename(process.argv[1] ?? '', '.js');
  const path = join(folder, `${who}-${process.version}-${process.arch}`);
  const known = readCache(path);
  const fresh = new Map<string, { stamp: string; script: Script }>();
  const compile = loader.prototype._compile;
  loader.prototype._compile = function (content, file) {
    // V8 before 12 forgets for a cached script how it imports: the one library that loads our modules by import() is left alone.
    if (/\beval\(`import\(/.test(content)) return compile.call(this, content, file);
    const stamp = stampOf(file);
    const kept = known.get(file);
    const script = new Script(Module.wrap(content.replace(/^#!.*/, '')), {
      filename: file,
      ...(kept?.stamp === stamp ? { cachedData: kept.data } : {}),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (kept?.stamp !== stamp || script.cachedDataRejected) fresh.set(file, { stamp, script });
    const body = script.runInThisContext();
    return body.call(this.exports, this.exports, requireOf(this), this, file, dirname(file));
  };
  process.on('exit', () => {
    if (fresh.size === 0) return;
    for (const [file, { stamp, script }] of fresh) known.set(file, { stamp, data: script.createCachedData() });
    writeCache(path, known);
  });
}

/** Another file under the same name has another one of these, whatever its own times say. */
function stampOf(file: string): string {
  const { ino, size, ctimeMs } = statSync(file);
  return `${ino} ${size} ${ctimeMs}`;
}

function requireOf(from: NodeJS.Module): NodeJS.Require {
  const resolve = (request: string, options?: object) => loader._resolveFilename(request, from, false, options);
  return Object.assign(from.require.bind(from), {
    resolve,
    main: process.mainModule,
    extensions: loader._extensions,
    cache: loader._cache,
  }) as unknown as NodeJS.Require;
}

/** Its first line says in JSON what follows: the path, the stamp and the length of each. */
function readCache(path: string): Map<string, Compiled> {
  const known = new Map<string, Compiled>();
  if (!existsSync(path)) return known;
  try {
    const all = readFileSync(path);
    const end = all.indexOf('\n');
    let at = end + 1;
    const parts = JSON.parse(all.toString('utf8', 0, end)) as [string, string, number][];
    if (parts.reduce((sum, [, , length]) => sum + length, at) !== all.length) return known;
    for (const [file, stamp, length] of parts) {
      known.set(file, { stamp, data: all.subarray(at, at + length) });
      at += length;
    }
  } catch {
    // What cannot be read is written anew.
  }
  return known;
}

/** Whoever may not write here goes without. */
function writeCache(path: string, known: ReadonlyMap<string, Compiled>): void {
  try {
    mkdirSync(folder, { recursive: true });
    const head = [...known].map(([file, { stamp, data }]) => [file, stamp, data.length]);
    const own = `${path}.${process.pid}`;
    writeFileSync(
      own,
      Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...[...known.values()].map(({ data }) => data)]),
    );
    renameSync(own, path);
  } catch {}
}
