/** The file of a ledger: JSON lines that are only ever added, and each on the disk before anything is done about it. */
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { validate } from '../../../schemas/index.ts';
import { CodedError, reasonOf } from '../../record/errors.ts';
import type { LedgerLine } from './ledger-lines.ts';

/** Why a live run may not begin, or may not go on: nothing of it is the target's fault. */
export type LiveErrorCode = 'in-use' | 'bad-ledger';

export class LiveError extends CodedError<LiveErrorCode> {}

/** As node:fs has it: writes what it can of the bytes, and returns how many those were. */
export type WriteBytes = (file: number, bytes: Uint8Array) => number;

export interface LedgerFile {
  /** What was added since the last time, by whomever. */
  readNew(): readonly LedgerLine[];
  append(line: LedgerLine): void;
}

/** Throws LiveError `bad-ledger` from both, where the file cannot be used, or is not the one that it was. */
export function openLedgerFile(path: string, write: WriteBytes = writeSync): LedgerFile {
  // What was read last is read again each time: if it is not there any more, this is another file.
  let [known, knownAt, offset, count] = [Buffer.alloc(0), 0, 0, 0];
  const readNew = () => {
    const bytes = bytesFrom(path, knownAt);
    if (bytes === undefined && offset === 0) return [];
    if (bytes === undefined || !bytes.subarray(0, known.length).equals(known)) throw replaced(path);
    const added = bytes.subarray(known.length);
    // A line without its end is being written, or its process ended over it: it was never acted on.
    const whole = added.subarray(0, added.lastIndexOf(0x0a) + 1);
    if (offset === 0 && whole.length === 0 && !beginsLine(added)) throw unreadable(path, 1);
    const lines = parse(whole, count, path);
    if (whole.length > 0) {
      const last = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
      known = Buffer.from(whole.subarray(last));
      knownAt = offset + last;
      offset += whole.length;
      count += whole.toString('latin1').split('\n').length - 1;
    }
    return lines;
  };
  return { readNew, append: (line) => appendLine(path, line, write) };
}

/** The bytes after the offset; undefined where there is no file. */
function bytesFrom(path: string, offset: number): Buffer | undefined {
  return withFile(path, constants.O_RDONLY, 'read', (file, size) => {
    const bytes = Buffer.alloc(Math.max(size - offset, 0));
    let read = 0;
    while (read < bytes.length) {
      const more = readSync(file, bytes, read, bytes.length - read, offset + read);
      if (more === 0) break;
      read += more;
    }
    return bytes.subarray(0, read);
  });
}

/** Throws LiveError `bad-ledger` for a line that is none of ours. A line that the next one calls cut off is left out, even if it was completed later. */
function parse(whole: Buffer, before: number, path: string): LedgerLine[] {
  const parsed: { line: LedgerLine | undefined; bytes: number; number: number }[] = [];
  for (let [at, number] = [0, before + 1]; at < whole.length; number += 1) {
    const end = whole.indexOf(0x0a, at) + 1;
    const line = lineOf(whole.toString('utf8', at, end - 1));
    if (line?.event === 'torn' && parsed.at(-1)?.bytes === line.bytes) parsed.pop();
    else parsed.push({ line, bytes: end - at, number });
    at = end;
  }
  return parsed.map(({ line, number }) => {
    if (line === undefined || line.event === 'torn') throw unreadable(path, number);
    return line;
  });
}

/** A ledger without any whole line is one whose first line was cut off; with other bytes it is another file in its place. */
function beginsLine(bytes: Buffer): boolean {
  const beginning = Buffer.from('{"at":"');
  return bytes.subarray(0, beginning.length).equals(beginning.subarray(0, bytes.length));
}

function lineOf(text: string): LedgerLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return validate('ledger-line', value).length === 0 ? (value as LedgerLine) : undefined;
  } catch {
    return undefined;
  }
}

function appendLine(path: string, line: LedgerLine, write: WriteBytes): void {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  withFile(path, flags, 'written', (file, size) => {
    const torn = tornAt(file, size);
    const { at, run } = line;
    const notice = torn === 0 ? '' : `\n${JSON.stringify({ at, run, event: 'torn', bytes: torn + 1 })}\n`;
    const bytes = Buffer.from(`${notice}${JSON.stringify(line)}\n`);
    const written = write(file, bytes);
    if (written !== bytes.length) {
      // Where no one else has written meanwhile nothing of it need be left.
      if (fstatSync(file).size === size + written) ftruncateSync(file, size);
      throw new Error(`${written} of ${bytes.length} bytes were written`);
    }
    fsyncSync(file);
    if (size === 0) syncFolder(dirname(path));
  });
}

/** Number of bytes behind the last line end: nearly always none, so it is looked for in small parts from the end. */
function tornAt(file: number, size: number): number {
  const part = Buffer.alloc(4096);
  for (let end = size; end > 0; end -= part.length) {
    const start = Math.max(end - part.length, 0);
    const found = part.subarray(0, readSync(file, part, 0, end - start, start)).lastIndexOf(0x0a);
    if (found !== -1) return size - (start + found) - 1;
  }
  return size;
}

/** Only then a new file is still there after a power cut. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Lends the file and its size. A pipe is opened without waiting for its other end, and refused like everything that is not a file. */
function withFile<T>(
  path: string,
  flags: number,
  what: 'read' | 'written',
  use: (file: number, size: number) => T,
): T | undefined {
  let file: number | undefined;
  try {
    // Windows does not know the flag, nor what it is for.
    file = openSync(path, flags | (constants.O_NONBLOCK ?? 0), 0o600);
    const found = fstatSync(file);
    if (!found.isFile()) throw noFile(path);
    if (found.size > largest) throw tooLarge(path);
    return use(file, found.size);
  } catch (cause) {
    if (cause instanceof LiveError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' && what === 'read') return undefined;
    if (['EISDIR', 'ENXIO', 'ENODEV'].includes(code ?? '')) throw noFile(path, cause);
    throw unusable(path, what, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Bytes: years of runs, and what is read at once. */
const largest = 64 * 1024 * 1024;

function tooLarge(path: string): LiveError {
  const hint = 'Move it away once it is known that nothing in it is still to be counted.';
  return new LiveError('bad-ledger', `the ledger ${path} is larger than 64 MB`, hint);
}

function noFile(path: string, cause?: unknown): LiveError {
  const hint = 'A ledger is a plain file: move away what has its name.';
  return new LiveError('bad-ledger', `the ledger ${path} is not a plain file`, hint, cause);
}

function unusable(path: string, what: 'read' | 'written', cause: unknown): LiveError {
  return new LiveError(
    'bad-ledger',
    `the ledger ${path} cannot be ${what} (${reasonOf(cause)})`,
    'Nothing is sent without it: give its folder room and the right to be written, or choose another one with ledger in ' +
      'the configuration, or with XDG_STATE_HOME.',
    cause,
  );
}

function unreadable(path: string, number: number): LiveError {
  return new LiveError(
    'bad-ledger',
    `line ${number} of the ledger ${path} is not a line of a ledger`,
    'Nothing is sent until it is known what was done. Restore the file, or move it away once it is known that nothing in ' +
      'it is still to be counted.',
  );
}

function replaced(path: string): LiveError {
  return new LiveError(
    'bad-ledger',
    `the ledger ${path} was taken away, cut or replaced while the run went on`,
    'Nothing more is sent. Keep others from the file, and bring back what it held.',
  );
}

/** Whether these lines have that one, as it was written. */
export function holds(lines: readonly LedgerLine[], line: LedgerLine): boolean {
  return lines.findLast((other) => isDeepStrictEqual(other, line)) !== undefined;
}
