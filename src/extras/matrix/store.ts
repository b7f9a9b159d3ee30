/** The folder of a matrix: matrix.json, its page, and a folder for each run. Only one process at a time writes. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { makeFolders, readRegularText, writeWholeFile } from '../../record/disk/files.ts';
import { takeProcessLock } from '../../record/disk/processes.ts';
import { CodedError, inTwoLines, reasonOf } from '../../record/errors.ts';
import type { ImplementationMatrix } from './matrix.ts';
import type { PlannedEntry } from './matrix-plan.ts';

/** The folder cannot hold a matrix, or a name is not in its file. Ends the command as wrong use. */
export class MatrixError extends CodedError<'folder-in-use' | 'unreadable-file' | 'unwritable-file' | 'unknown-id'> {}

function matrixError(code: MatrixError['code'], cause?: unknown) {
  return inTwoLines((message, hint) => new MatrixError(code, message, hint, cause));
}

const largestBytes = 256 * 1024 * 1024;

export type MatrixStore = Awaited<ReturnType<typeof openMatrixStore>>;

/** Throws MatrixError if the folder has other content, is in use, or is not writable. */
export async function openMatrixStore(folder: string, faultOf: (value: unknown) => string | undefined) {
  prepare(folder);
  const lock = takeProcessLock(join(folder, '.matrix-lock'), (refusal) =>
    refusal.why === 'unwritable'
      ? unwritable(folder, refusal.cause)
      : matrixError('folder-in-use')`
        the folder ${folder} is being written to by another countersign matrix
        Wait for its end, or name another folder with --out.`,
  );
  const matrix = await readMatrix(join(folder, 'matrix.json'), faultOf).catch((cause) => {
    lock.release();
    throw cause;
  });
  return {
    /** As found; undefined in a new folder. */
    matrix,
    /** Replaces an older file atomically. Throws MatrixError. */
    write: (name: string, text: string): Promise<void> => {
      const path = join(folder, name);
      return writeWholeFile(path, text).catch((cause) => Promise.reject(unwritable(path, cause)));
    },
    /** Creates an empty folder for a run and returns its absolute path. */
    newFolder: ({ kind, name }: Pick<PlannedEntry, 'kind' | 'name'>, profile: string, at: string): string => {
      const parent = join(folder, 'runs', kind, folderNameOf(name), folderNameOf(profile));
      makeFolders(parent);
      return uniqueFolder(join(parent, at.replace(/[:.]/g, '-')));
    },
    /** The name of a folder in matrix.json. */
    nameOf: (path: string): string => relative(folder, path).split(sep).join('/'),
    pathOf: (name: string): string => join(folder, name),
    remove: (path: string): void => {
      try {
        rmSync(path, { recursive: true, force: true });
      } catch {
        // The folder remains, but no cell names it.
      }
    },
    close: () => lock.release(),
  };
}

/** A plain name, or a plain part and a digest joined by `_`: valid on every system and without collisions. */
export function folderNameOf(name: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(name) && !/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name))
    return name;
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 30);
  return `${plain}_${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
}

/** Hidden files such as `.git` are ignored, because the folder may be a checkout of published results. */
function prepare(folder: string): void {
  let held: string[];
  try {
    makeFolders(folder);
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error('a file has that name'), { code: 'ENOTDIR' });
    held = readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  if (held.length === 0 || held.includes('matrix.json')) return;
  throw matrixError('folder-in-use')`
    the folder ${folder} holds other files, such as ${held.sort()[0]}, and no matrix.json
    Name a folder with --out that is empty, not there yet, or that of an earlier matrix.`;
}

async function readMatrix(
  path: string,
  faultOf: (value: unknown) => string | undefined,
): Promise<ImplementationMatrix | undefined> {
  const found = await readRegularText(path, largestBytes);
  if ('unreadable' in found) {
    if (found.unreadable === 'does not exist') return undefined;
    throw matrixError('unreadable-file', found.cause)`${path} ${found.unreadable}
      Name another folder with --out.`;
  }
  const unusable = (what: string, cause?: unknown) => matrixError('unreadable-file', cause)`${path} ${what}
    Put back the one that countersign matrix wrote, or name another folder with --out.`;
  let value: unknown;
  try {
    value = JSON.parse(found.text);
  } catch (cause) {
    throw unusable('is not JSON', cause);
  }
  const fault = faultOf(value);
  if (fault === undefined) return value as ImplementationMatrix;
  throw unusable(`cannot be used: ${fault}`);
}

/** A collision: two runs within a millisecond, or a clock that was set back. */
function uniqueFolder(path: string): string {
  for (let count = 1; ; count += 1) {
    const tried = count === 1 ? path : `${path}-${count}`;
    try {
      mkdirSync(tried);
      return tried;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(tried, cause);
    }
  }
}

function unwritable(path: string, cause: unknown): MatrixError {
  return matrixError('unwritable-file', cause)`${path} cannot be made or written to (${reasonOf(cause)})
    Name a folder with --out that you may write to, and that has room.`;
}
