/** The one error family of the protocol layer: bytes or values that the protocol cannot carry. */

export type ProtocolErrorCode =
  | 'malformed-escape'
  | 'invalid-utf8'
  | 'not-text'
  | 'malformed-base64'
  | 'malformed-csv'
  | 'byte-order-mark'
  | 'malformed-json'
  | 'duplicate-key'
  | 'too-deep'
  | 'other-scheme'
  | 'malformed-header'
  | 'repeated-parameter'
  | 'malformed-target'
  | 'not-a-key'
  | 'not-rsa'
  | 'key-too-small'
  | 'unexpected-status'
  | 'undecodable-response';

export class ProtocolError extends Error {
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
