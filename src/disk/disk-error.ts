/** What a full disk, a missing right or a wrong kind of file does to a folder that a run needs: one sentence, and what to do. */

export type DiskErrorCode = 'temporary-folder' | 'report-folder';

export class DiskError extends Error {
  override readonly name = 'DiskError';
  readonly code: DiskErrorCode;
  /** What to do; a sentence. */
  readonly hint: string;

  constructor(code: DiskErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}

/** `what` is the beginning of the sentence, such as `the report in /tmp/x`; `cause` is what node:fs threw. */
export function unwritable(code: DiskErrorCode, what: string, hint: string, cause: unknown): DiskError {
  const { code: named = 'unknown' } = cause as NodeJS.ErrnoException;
  const reason = named === 'ENOSPC' || named === 'EDQUOT' ? `${named}: no room is left` : named;
  return new DiskError(code, `${what} cannot be written (${reason})`, hint, cause);
}
