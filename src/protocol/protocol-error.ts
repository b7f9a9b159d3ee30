/** The error class of the protocol layer. */

/** Codes of `ProtocolError`. */
export type ProtocolErrorCode =
  /** A `%` without two hexadecimal digits (RFC 3986 section 2.1). */
  | 'malformed-escape'
  /** Bytes that are not UTF-8. */
  | 'invalid-utf8'
  /** A lone surrogate, which UTF-8 cannot encode. */
  | 'not-text'
  /** Not canonical base64 (RFC 4648 section 4). */
  | 'malformed-base64'
  /** Not CSV (RFC 4180, but with semicolons: section 2.3). */
  | 'malformed-csv'
  /** A CSV that starts with a byte-order mark. */
  | 'byte-order-mark'
  /** Not JSON (RFC 8259). */
  | 'malformed-json'
  /** A JSON object with the same name twice. */
  | 'duplicate-key'
  /** JSON with more than 100 levels. */
  | 'too-deep'
  /** An Authorization header with another scheme than OAuth. */
  | 'other-scheme'
  /** An Authorization header that violates RFC 5849 section 3.5.1. */
  | 'malformed-header'
  /** A parameter that occurs twice in the Authorization header (RFC 5849 section 3.1). */
  | 'repeated-parameter'
  /** A request target that is neither a path nor a URI. */
  | 'malformed-target'
  /** Text without a readable key of the needed kind, private or public. */
  | 'not-a-key'
  /** A key of another algorithm than RSA. */
  | 'not-rsa'
  /** An RSA key with too few bits. The default minimum is 2048. */
  | 'key-too-small'
  /** A response with an HTTP status that the operation does not define. */
  | 'unexpected-status'
  /** A response body that sections 2.2 and 2.4 do not describe. */
  | 'undecodable-response';

/** Thrown for bytes that cannot be decoded, and for values that cannot be encoded. */
export class ProtocolError extends Error {
  /** Error code for programs; `message` is for people. */
  readonly code: ProtocolErrorCode;
  /** Advice for people. */
  readonly hint?: string;

  constructor(code: ProtocolErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProtocolError';
    this.code = code;
    this.hint = options.hint;
  }
}
