/**
 * Loaded before the command, and before the engine and each of its workers (`node --require`): what V8 compiles of our code and the
 * libraries is kept in `dist/` and used again by the next run, which saves a third of a start. Node 22 has that built in; for Node 20
 * it is here.
 */
import {
  accessSync,
  existsSync,
  constants as fsConstants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import Module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { constants, Script } from 'node:vm';

/** What of the module system the types leave out. */
interface Loader {
  enableCompileCache?(folder: string): unknown;
  readonly _cache: unknown;
  readonly _extensions: unknown;
  _resolveFilename(request: string, from: object, isMain: boolean, options?: object): string;
  prototype: { _compile(this: NodeJS.Module, content: string, file: string, format?: string): unknown };
}

const loader = Module as unknown as Loader;
/** Beside the code, and replaced with it: whoever may write here may as well write the code. */
const folder = join(__dirname, '../../code-cache');

if (process.execArgv.includes('--require') && process.versions.v8.startsWith('11.3.')) spare();
if (process.env.NODE_DISABLE_COMPILE_CACHE === undefined) {
  if (loader.enableCompileCache === undefined) cacheCode();
  else loader.enableCompileCache(folder);
}

/**
 * For the engine and its workers: a run is over before most of what V8 optimizes has paid for itself. That a function has to run
 * some eleven times as long before takes a sixth off the processor time of a run. A later V8 knows no such flag, and says so.
 */
function spare(): void {
  // What Node keeps of its own modules V8 refuses once a flag is set: those that the engine loads anyway are loaded before.
  const own = 'assert child_process dgram dns fs/promises http2 https inspector readline/promises timers/promises zlib';
  for (const name of own.split(' ')) process.getBuiltinModule(name);
  setFlagsFromString('--interrupt-budget=1500000');
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
  loader.prototype._compile = function (content, file, format) {
    if (format === 'module') return compile.call(this, content, file, format);
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
    if (fresh.size === 0 || !mayWrite()) return;
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
function mayWrite(): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, fsConstants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function writeCache(path: string, known: ReadonlyMap<string, Compiled>): void {
  const own = `${path}.${process.pid}`;
  try {
    const head = [...known].map(([file, { stamp, data }]) => [file, stamp, data.length]);
    writeFileSync(
      own,
      Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...[...known.values()].map(({ data }) => data)]),
    );
    renameSync(own, path);
  } catch {
    // The disk is full, or the folder is gone. Half a file would take whatever room is made there.
    if (existsSync(own)) rmSync(own);
  }
}
