/** The connection to a running adapter, by pipes or by a socket, and its errors. */
import { CodedError, inTwoLines } from '../../record/errors.ts';

export interface Channel {
  /** Writes a line that ends with a line feed. Never throws. If the write fails, `ended` resolves with the reason. */
  send(line: string): void;
  /** Closes the standard input of the adapter. */
  finish(): void;
  kill(): void;
  readonly ended: Promise<Ending>;
  /** The bytes that the adapter wrote after its last line feed. */
  rest(): Uint8Array;
  /** The last lines that the adapter wrote to standard error. */
  lastWords(): string;
}

export interface Ending {
  readonly code: Extract<AdapterErrorCode, 'exited' | 'output-closed' | 'input-closed' | 'disconnected'>;
  /** The predicate of a sentence about the adapter, such as `exited with code 1`. */
  readonly how: string;
  readonly orderly: boolean;
  /** Set for exit code 127: the adapter cannot run on this machine. */
  readonly isUnsupported?: true;
}

export type OpenChannel = (listener: ChannelListener, signal: AbortSignal) => Promise<Channel>;

export interface ChannelListener {
  /** Called with the size of each chunk, before the lines of the chunk. */
  bytes(count: number): void;
  /** A line without its line feed and the CR before it. */
  line(bytes: Uint8Array): void;
  /** Called with the first bytes of a line that exceeds the limit. The rest of that line is dropped. */
  tooLong(start: Uint8Array): void;
  /** Called if a byte-order mark at the start of the stream was dropped. */
  byteOrderMark(): void;
}

/** Splits a stream into lines. `limit`: maximum bytes of a line. */
export class LineReader {
  readonly #limit: number;
  readonly #listener: ChannelListener;
  #parts: Buffer[] = [];
  #length = 0;
  #dropping = false;
  #atStart = true;

  constructor(limit: number, listener: ChannelListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    this.#listener.bytes(chunk.length);
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      this.#keep(chunk.subarray(from, end));
      this.#finish();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  rest(): Uint8Array {
    return Buffer.concat(this.#parts);
  }

  #keep(part: Buffer): void {
    if (this.#dropping || part.length === 0) return;
    this.#parts.push(part);
    this.#length += part.length;
    // One byte more than the limit is accepted, because it may be the CR before the line feed.
    if (this.#length <= this.#limit + 1) return;
    this.#dropping = true;
    const start = Buffer.concat(this.#parts).subarray(0, 500);
    this.#parts = [];
    this.#listener.tooLong(start);
  }

  #finish(): void {
    const dropped = this.#dropping;
    let bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    this.#dropping = false;
    const first = this.#atStart;
    this.#atStart = false;
    if (dropped) return;
    if (bytes.at(-1) === 0x0d) bytes = bytes.subarray(0, -1);
    if (first && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
      bytes = bytes.subarray(3);
      this.#listener.byteOrderMark();
    }
    this.#listener.line(bytes);
  }
}

export type AdapterErrorCode =
  | 'cannot-start'
  /** The program does not exist, or it exited with code 127 before `ready`, as a shell does for an unknown command. */
  | 'unsupported'
  | 'no-ready'
  | 'exited'
  /** The adapter ended during a case, and again when the case was repeated alone. */
  | 'adapter-crash'
  /** The adapter ended in the middle of a line, or did not finish a line before the deadline. */
  | 'half-line'
  /** The adapter closed all its outputs but kept running. */
  | 'output-closed'
  /** The adapter closed its standard input but kept running. */
  | 'input-closed'
  | 'disconnected'
  | 'cannot-listen'
  | 'no-connection'
  | 'timed-out'
  /** Without an expected answer, the adapter wrote more lines or bytes than the limits allow. */
  | 'flooded'
  | 'line-too-long'
  | 'not-utf8'
  | 'not-json'
  | 'duplicate-key'
  | 'wrong-version'
  | 'protocol-violation'
  /** The adapter ended or hung too often to be restarted. */
  | 'gave-up'
  | 'session-closed';

export class AdapterError extends CodedError<AdapterErrorCode> {}

export function adapterError(code: AdapterErrorCode, cause?: unknown) {
  return inTwoLines((message, hint) => new AdapterError(code, message, hint, cause));
}
