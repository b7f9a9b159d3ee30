/** What an adapter did that keeps a case or a run from its result. Each message is one sentence; the hint says what to do. */
import { CodedError, inTwoLines } from '../../record/errors.ts';

export type AdapterErrorCode =
  | 'cannot-start'
  /** There is no such program here, or it ended with exit code 127 before it had answered the greeting, as a shell says the same. */
  | 'unsupported'
  /** It ran, but answered the greeting not in time. */
  | 'no-ready'
  /** It ended before it had answered the greeting. */
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
  /** Debugger mode: the port cannot be listened on. */
  | 'cannot-listen'
  /** Debugger mode: no adapter connected. */
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
  /** A line is JSON, but not as its schema says. */
  | 'protocol-violation'
  /** It ended or hung too many times in a row to be started again. */
  | 'gave-up'
  | 'session-closed';

export class AdapterError extends CodedError<AdapterErrorCode> {}

export function adapterError(code: AdapterErrorCode, cause?: unknown) {
  return inTwoLines((message, hint) => new AdapterError(code, message, hint, cause));
}
