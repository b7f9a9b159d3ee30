/** How long and how much an adapter may; every wait of a session has one of these limits. */

export interface AdapterLimits {
  /** Milliseconds from the start of the process to `ready`. */
  readonly readyMs: number;
  /** Milliseconds in which a case that timed out may still be answered before the adapter counts as stuck. */
  readonly lateMs: number;
  /** Milliseconds that a case has at least, however often the adapter was stuck before; its deadline where that is shorter. */
  readonly hurriedMs: number;
  /** Milliseconds from `bye` to the end of the process. */
  readonly byeMs: number;
  /** Lines that nothing waits for, between two answers. */
  readonly strayLines: number;
  /** Bytes between two answers, besides the longest line. */
  readonly strayBytes: number;
  /**
   * Ends in a row after which it is not started again: without any result between them, or without a case that ends it alone
   * and with fewer than `soundAnswers` results between two of them.
   */
  readonly crashes: number;
  /** Times in a row that it is stuck, with fewer than `soundAnswers` results between two of them, after which it is not started again. */
  readonly stuck: number;
  /** The same for a whole session, whatever it answered in between: each one costs a whole deadline. */
  readonly stuckInAll: number;
  /** Results after which an adapter that was stuck counts as sound again. */
  readonly soundAnswers: number;
  /** Milliseconds before the first restart; each further one in a row waits twice as long, at most a second. */
  readonly restartMs: number;
  /** Milliseconds between the start of the process and `hello`; above 0 only where an adapter is checked. */
  readonly helloAfterMs: number;
}

export const defaultLimits: AdapterLimits = {
  readyMs: 60_000,
  lateMs: 2_000,
  hurriedMs: 2_500,
  byeMs: 5_000,
  strayLines: 10_000,
  strayBytes: 16 * 1024 * 1024,
  crashes: 8,
  stuck: 3,
  stuckInAll: 5,
  soundAnswers: 20,
  restartMs: 50,
  helloAfterMs: 0,
};
