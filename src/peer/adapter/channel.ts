/** A way to and from one running adapter, whatever it is made of: the pipes of a process, or a socket; and the lines of its stream. */
import { CodedError, inTwoLines } from '../../record/errors.ts';

export interface Channel {
  /** Writes a line that ends in a line feed. Never throws; what cannot be written is lost, and `ended` says why. */
  send(line: string): void;
  finish(): void;
  kill(): void;
  readonly ended: Promise<Ending>;
  rest(): Uint8Array;
  /** The last that was written to standard error, for messages; empty where there is none. */
  lastWords(): string;
}

export interface Ending {
  readonly code: Extract<AdapterErrorCode, 'exited' | 'output-closed' | 'input-closed' | 'disconnected'>;
  /** Goes on after "it": `exited with code 1`. */
  readonly how: string;
  readonly orderly: boolean;
  /** Exited with code 127, which says of itself that it is not supported here. */
  readonly isUnsupported?: true;
}

export interface ChannelListener extends LineListener {
  /** For each piece that arrives, before its lines: number of bytes. */
  bytes(count: number): void;
}

export type OpenChannel = (listener: ChannelListener, signal: AbortSignal) => Promise<Channel>;

interface LineListener {
  /** One line without its line feed and without a CR before it. */
  line(bytes: Uint8Array): void;
  /** A line is longer than the limit. Called once for it, with its first bytes; the rest of it is dropped. */
  tooLong(start: Uint8Array): void;
  /** A byte-order mark was at the start of the stream; it was dropped. */
  byteOrderMark(): void;
}

export class LineReader {
  readonly #limit: number;
  readonly #listener: LineListener;
  #parts: Buffer[] = [];
  #length = 0;
  #dropping = false;
  #atStart = true;

  constructor(limit: number, listener: LineListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
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
    // One more than the limit may be the CR.
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
  /** There is no such program here, or it ended with exit code 127 before it had answered the greeting, as a shell says the same. */
  | 'unsupported'
  | 'no-ready'
  | 'exited'
  /** It ended, or was ended, while a case was open, and again when it was repeated alone. */
  | 'adapter-crash'
  /** It ended in the middle of a line, or left one unfinished when its time was up. */
  | 'half-line'
  /** It closed every way to answer, but lived on. */
  | 'output-closed'
  /** It closed its input, so that it can be asked nothing more, but lived on. */
  | 'input-closed'
  | 'disconnected'
  | 'cannot-listen'
  | 'no-connection'
  | 'timed-out'
  /** It wrote without end, and nothing of it was for the suite. */
  | 'flooded'
  | 'line-too-long'
  | 'not-utf8'
  | 'byte-order-mark'
  | 'not-json'
  | 'duplicate-key'
  | 'wrong-version'
  | 'protocol-violation'
  /** It ended or hung too many times in a row to be started again. */
  | 'gave-up'
  | 'session-closed';

export class AdapterError extends CodedError<AdapterErrorCode> {}

export function adapterError(code: AdapterErrorCode, cause?: unknown) {
  return inTwoLines((message, hint) => new AdapterError(code, message, hint, cause));
}
