/** The folder of a matrix: matrix.json, its page, and a folder for each run. One process at a time writes to it. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import { makeFolders, readRegularText } from '../../record/disk/files.ts';
import { takeProcessLock } from '../../record/disk/processes.ts';
import { CodedError, reasonOf } from '../../record/errors.ts';
import { suite } from '../../run/options/suite-version.ts';
import type { ImplementationMatrix } from './matrix.ts';
import type { PlannedEntry } from './matrix-plan.ts';

/** Why a folder cannot hold a matrix, or a name is none of its file; each ends a command as wrong use. */
export class MatrixError extends CodedError<'folder-in-use' | 'unreadable-file' | 'unwritable-file' | 'unknown-id'> {}

export interface MatrixStore {
  /** As it was found, or a new one. */
  readonly matrix: ImplementationMatrix;
  /** Writes a file, over an older one, and leaves no half of it. Throws MatrixError. */
  write(name: string, text: string): void;
  /** An empty folder for a run, by its absolute path. */
  newFolder(entry: Pick<PlannedEntry, 'kind' | 'name'>, profile: string, at: string): string;
  /** The folder as matrix.json names it. */
  nameOf(folder: string): string;
  /** The folder that matrix.json names. */
  pathOf(name: string): string;
  /** Removes a folder of a run. Never throws. */
  remove(folder: string): void;
  /** Lets other processes in. */
  close(): void;
}

const largestBytes = 256 * 1024 * 1024;

/** Throws MatrixError where the folder holds something else, is in use, or may not be written to. */
export async function openMatrixStore(folder: string, now: number): Promise<MatrixStore> {
  prepare(folder);
  const lock = takeProcessLock(join(folder, '.matrix-lock'), (refusal) =>
    refusal.why === 'unwritable'
      ? unwritable(folder, refusal.cause)
      : new MatrixError(
          'folder-in-use',
          `the folder ${folder} is being written to by another countersign matrix`,
          'Wait for its end, or name another folder with --out.',
        ),
  );
  try {
    const matrix = (await readMatrix(join(folder, 'matrix.json'))) ?? emptyMatrix(now);
    return {
      matrix,
      write: (name, text) => writeWhole(folder, name, text),
      newFolder: ({ kind, name }, profile, at) => {
        const parent = join(folder, 'runs', kind, folderNameOf(name), folderNameOf(profile));
        makeFolders(parent);
        return uniqueFolder(join(parent, at.replace(/[:.]/g, '-')));
      },
      nameOf: (path) => relative(folder, path).split(sep).join('/'),
      pathOf: (name) => join(folder, name),
      remove: (path) => {
        try {
          rmSync(path, { recursive: true, force: true });
        } catch {
          // It is left over, and no cell names it.
        }
      },
      close: () => lock.release(),
    };
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

/**
 * A name as that of a folder on every system: a short plain one as it is, any other with what is plain of it and a digest. No plain
 * name has an underscore, so that no two names share a folder.
 */
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

/** A checkout of what is published holds `.git`, so hidden files are nobody's. */
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
  throw new MatrixError(
    'folder-in-use',
    `the folder ${folder} holds other files, such as ${held.sort()[0]}, and no matrix.json`,
    'Name a folder with --out that is empty, not there yet, or that of an earlier matrix.',
  );
}

async function readMatrix(path: string): Promise<ImplementationMatrix | undefined> {
  const found = await readRegularText(path, largestBytes);
  if ('unreadable' in found) {
    if (found.unreadable === 'does not exist') return undefined;
    throw new MatrixError(
      'unreadable-file',
      `${path} ${found.unreadable}`,
      'Name another folder with --out.',
      found.cause,
    );
  }
  const hint = 'Put back the one that countersign matrix wrote, or name another folder with --out.';
  let value: unknown;
  try {
    value = JSON.parse(found.text);
  } catch (cause) {
    throw new MatrixError('unreadable-file', `${path} is not JSON`, hint, cause);
  }
  const [fault] = validate('matrix', value);
  if (fault === undefined) return value as ImplementationMatrix;
  throw new MatrixError('unreadable-file', `${path} cannot be used: ${fault.sentence}`, hint);
}

function emptyMatrix(now: number): ImplementationMatrix {
  return {
    format: 'countersign-matrix',
    formatVersion: 1,
    id: randomBytes(16).toString('hex'),
    title: '',
    updatedAt: new Date(now).toISOString(),
    suite,
    profiles: [],
    implementations: [],
    changes: [],
    news: 0,
  };
}

function writeWhole(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  const fresh = join(folder, `.${name}.new`);
  try {
    writeFileSync(fresh, text);
    renameSync(fresh, path);
  } catch (cause) {
    if (existsSync(fresh)) rmSync(fresh);
    throw unwritable(path, cause);
  }
}

/** Two runs within a millisecond, or a clock that was put back. */
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
  return new MatrixError(
    'unwritable-file',
    `${path} cannot be made or written to (${reasonOf(cause)})`,
    'Name a folder with --out that you may write to, and that has room.',
    cause,
  );
}
