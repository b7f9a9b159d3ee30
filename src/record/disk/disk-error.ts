/** What a full disk, a missing right or a wrong kind of file does to a folder that a run needs: one sentence, and what to do. */
import { tmpdir } from 'node:os';
import { CodedError } from '../coded-error.ts';
import { reasonOf } from './system-error.ts';

export type DiskErrorCode = 'temporary-folder' | 'report-folder' | 'changed-file';

export class DiskError extends CodedError<DiskErrorCode> {}

/** `what` is the beginning of the sentence, such as `the report in /tmp/x`; `cause` is what node:fs threw. */
export function unwritable(code: DiskErrorCode, what: string, hint: string, cause: unknown): DiskError {
  return new DiskError(code, `${what} cannot be written (${reasonOf(cause)})`, hint, cause);
}

/** Where files that nobody named go; `cause` is what node:fs threw. */
export function noTemporaryFolder(cause: unknown, parent = tmpdir()): DiskError {
  const hint = 'Make room there and the right to write, or name another folder with TMPDIR.';
  return unwritable('temporary-folder', `the folder for temporary files, ${parent},`, hint, cause);
}
