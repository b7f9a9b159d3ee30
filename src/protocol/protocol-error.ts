/** Bytes that are not what they claim to be. */
export type ProtocolErrorCode =
  | 'malformed-percent' | 'invalid-utf-8' | 'malformed-base64' | 'malformed-csv' | 'malformed-json' | 'malformed-header'
  | 'not-a-key' | 'not-rsa' | 'key-too-small' | 'undecodable';
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: ProtocolErrorCode;
  readonly hint: string | undefined;
  constructor(code: ProtocolErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}
