/** The shape of every family of errors but the protocol's: a code for programs, a message, and what to do about it. */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code;
  /** What a person can do about it; a sentence. */
  readonly hint: string;

  constructor(code: Code, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = hint;
  }
}
