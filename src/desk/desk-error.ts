/** Why the desk does not start, or does not do what its page or its API was asked for. */

export type DeskErrorCode =
  | 'state-in-use'
  | 'state-unwritable'
  | 'state-damaged'
  | 'state-foreign'
  | 'state-full'
  | 'bad-request'
  | 'bad-public-key'
  | 'foreign-origin'
  | 'no-such-thing'
  | 'already-given'
  | 'too-many';

export class DeskError extends Error {
  readonly code: DeskErrorCode;
  /** What to do about it, for the person who reads it. */
  readonly hint: string;

  constructor(code: DeskErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'DeskError';
    this.code = code;
    this.hint = hint;
  }
}
