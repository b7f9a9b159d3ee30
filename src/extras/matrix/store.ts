/** The folder of a matrix: matrix.json, its page, and a folder for each run. Only one process at a time writes. */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { makeFolders, readRegularText, writeWholeFile } from '../../record/disk/files.ts';
import { takeProcessLock } from '../../record/disk/processes.ts';
import { CodedError, inTwoLines, reasonOf } from '../../record/errors.ts';
import type { ImplementationMatrix } from './matrix.ts';
import type { PlannedEntry } from './matrix-plan.ts';

/** Wrong use of the command: the folder cannot be used, or the file of the matrix does not have a given name. */
export class MatrixError extends CodedError<'folder-in-use' | 'unreadable-file' | 'unwritable-file' | 'unknown-id'> {}

function matrixError(code: MatrixError['code'], cause?: unknown) {
  return inTwoLines((message, hint) => new MatrixError(code, message, hint, cause));
}

const maxBytes = 256 * 1024 * 1024;

export type MatrixStore = Awaited<ReturnType<typeof openMatrixStore>>;

/** Throws MatrixError if the folder has other content, is in use, or is not writable. */
export async function openMatrixStore(folder: string, faultOf: (value: unknown) => string | undefined) {
  prepare(folder);
  const lock = takeProcessLock(join(folder, '.matrix-lock'), (refusal) =>
    refusal.why === 'unwritable'
      ? unwritable(folder, refusal.cause)
      : matrixError('folder-in-use')`
        another countersign matrix is writing to the folder ${folder}
        Wait until it ends, or name another folder with --out.`,
  );
  const matrix = await readMatrix(join(folder, 'matrix.json'), faultOf).catch((cause) => {
    lock.release();
    throw cause;
  });
  return {
    /** The stored matrix; undefined in a new folder. */
    matrix,
    /** Replaces an older file atomically. Throws MatrixError. */
    write: (name: string, text: string): Promise<void> => {
      const path = join(folder, name);
      return writeWholeFile(path, text).catch((cause) => Promise.reject(unwritable(path, cause)));
    },
    /** Creates an empty folder for a run and returns its absolute path. */
    newFolder: ({ kind, name }: PlannedEntry, profile: string, at: string): string => {
      const path = join(folder, 'runs', kind, folderNameOf(name), folderNameOf(profile), at.replace(/[:.]/g, '-'));
      // The folder may exist already, if two runs start within a millisecond or the clock was set back. Append a number.
      for (let count = 1; ; count += 1) {
        const tried = count === 1 ? path : `${path}-${count}`;
        if (makeFolders(tried).length > 0) return tried;
      }
    },
    /** How matrix.json names the folder of a run. */
    nameOf: (path: string): string => relative(folder, path).split(sep).join('/'),
    pathOf: (name: string): string => join(folder, name),
    remove: (path: string): void => {
      try {
        rmSync(path, { recursive: true, force: true });
      } catch {
        // Ignore the error: the folder remains, but no cell refers to the folder.
      }
    },
    close: () => lock.release(),
  };
}

/** A unique folder for a name: the name if every system allows it, or else a plain part of the name, `_` and a digest. */
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
    held = readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  if (held.length === 0 || held.includes('matrix.json')) return;
  throw matrixError('folder-in-use')`
    the folder ${folder} has other files, such as ${held.sort()[0]}, and no matrix.json
    Name a new or empty folder with --out, or the folder of an earlier matrix.`;
}

async function readMatrix(
  path: string,
  faultOf: (value: unknown) => string | undefined,
): Promise<ImplementationMatrix | undefined> {
  const unusable = (what: string, cause?: unknown) => matrixError('unreadable-file', cause)`${path} ${what}
    Restore the file that countersign matrix wrote, or name another folder with --out.`;
  const found = await readRegularText(path, maxBytes);
  if ('unreadable' in found) {
    if (found.unreadable === 'does not exist') return undefined;
    throw unusable(found.unreadable, found.cause);
  }
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

function unwritable(path: string, cause: unknown): MatrixError {
  return matrixError('unwritable-file', cause)`${path} cannot be written (${reasonOf(cause)})
    Name a folder with --out that you may write to and that has free space.`;
}
