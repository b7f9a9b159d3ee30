/** Wrong use or wrong configuration: something that the person at the keyboard can put right. Ends with exit code 2. */

import { LiveError } from '../run/allowance/ledger-file.ts';

export type UsageErrorCode =
  | 'bad-arguments'
  | 'bad-value'
  | 'unknown-id'
  | 'unreadable-file'
  | 'nothing-recorded'
  | 'unwritable-file'
  | 'folder-in-use'
  | 'bad-secret'
  | 'bad-key'
  | 'bad-url'
  | 'bad-config'
  | 'target-in-use';

/** The message says in one sentence what is wrong and names the file, option or host; the hint says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code: UsageErrorCode;
  readonly hint: string | undefined;

  constructor(
    code: UsageErrorCode,
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

/**
 * What hinders a live run, as a mistake of whoever starts it: another run at the target, or a ledger that cannot be used. Once
 * it `goesOn`, what becomes of its ledger is a fault of the surroundings, and the error stays what it is: exit code 3.
 */
export function hindered(cause: unknown, goesOn: boolean): unknown {
  if (goesOn || !(cause instanceof LiveError)) return cause;
  return new UsageError('target-in-use', cause.message, { hint: cause.hint, cause });
}
