/** The one error family of the protocol layer: bytes or values that the protocol cannot carry. */

/** What is wrong, for programs. */
export type ProtocolErrorCode =
  /** A `%` without two hexadecimal digits (RFC 3986 section 2.1). */
  | 'malformed-escape'
  /** Bytes that are not UTF-8. */
  | 'invalid-utf8'
  /** A lone surrogate: text that has no UTF-8. */
  | 'not-text'
  /** Not the canonical base64 of any bytes (RFC 4648 section 4). */
  | 'malformed-base64'
  /** Not a CSV of RFC 4180 with semicolons between cells (section 2.3). */
  | 'malformed-csv'
  /** A CSV that starts with a byte-order mark. */
  | 'byte-order-mark'
  /** Not JSON (RFC 8259). */
  | 'malformed-json'
  /** A JSON object with the same name twice. */
  | 'duplicate-key'
  /** JSON nested deeper than this reader goes. */
  | 'too-deep'
  /** An Authorization header of another scheme than OAuth. */
  | 'other-scheme'
  /** An Authorization header that RFC 5849 section 3.5.1 does not allow. */
  | 'malformed-header'
  /** A name that occurs twice in the Authorization header (RFC 5849 section 3.1). */
  | 'repeated-parameter'
  /** A scheme, host or request target that makes no URL. */
  | 'malformed-target'
  /** Text that is not a PEM key. */
  | 'not-a-key'
  /** A key of another algorithm than RSA. */
  | 'not-rsa'
  /** An RSA key of less than 2048 bits. */
  | 'key-too-small'
  /** A response whose HTTP status the operation does not have. */
  | 'unexpected-status'
  /** A response whose body is not what section 2.2 or 2.4 describes. */
  | 'undecodable-response';

/** Thrown where bytes or values cannot be what the protocol carries. */
export class ProtocolError extends Error {
  /** What is wrong, for programs; `message` says it to people. */
  readonly code: ProtocolErrorCode;
  /** What a person can do about it. */
  readonly hint?: string;

  constructor(code: ProtocolErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProtocolError';
    this.code = code;
    this.hint = options.hint;
  }
}
