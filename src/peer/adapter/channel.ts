/** A way to and from one running adapter, whatever it is made of: the pipes of a process, or a socket. */
import type { AdapterErrorCode } from './adapter-error.ts';
import type { LineListener } from './line-reader.ts';

export interface Channel {
  /** Writes a line that ends in a line feed. Never throws; what cannot be written is lost, and `ended` says why. */
  send(line: string): void;
  /** Nothing more will be sent. */
  finish(): void;
  /** Ends the adapter with everything that it started, at once. */
  kill(): void;
  /** Resolves once nothing more will come. Never rejects. */
  readonly ended: Promise<Ending>;
  /** Bytes after the last line feed so far. */
  rest(): Uint8Array;
  /** The last that was written to standard error, for messages; empty where there is none. */
  lastWords(): string;
}

export interface Ending {
  readonly code: Extract<AdapterErrorCode, 'exited' | 'output-closed' | 'input-closed' | 'disconnected'>;
  /** Goes on after "it": `exited with code 1`. */
  readonly how: string;
  /** Exited with code 0, or hung up. */
  readonly orderly: boolean;
  /** Exited with code 127, which says of itself that it is not supported here. */
  readonly isUnsupported?: true;
}

/** Called with what comes over a channel. */
export interface ChannelListener extends LineListener {
  /** For each piece that arrives, before its lines: number of bytes. */
  bytes(count: number): void;
}

/** Starts or finds an adapter. Rejects with an AdapterError; gives up when the signal is aborted. */
export type OpenChannel = (listener: ChannelListener, signal: AbortSignal) => Promise<Channel>;
