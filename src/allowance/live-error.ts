/** Why a live run may not begin, or may not go on: nothing of it is the target's fault. */

export type LiveErrorCode = 'in-use' | 'bad-ledger';

export class LiveError extends Error {
  override readonly name = 'LiveError';
  readonly code: LiveErrorCode;
  /** What to do; a sentence. */
  readonly hint: string;

  constructor(code: LiveErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}
