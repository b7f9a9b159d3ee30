/** How long and how much an adapter may, and how often it may be stuck or end before it is given up: each time costs a person's time. */
import type { AdapterError } from './channel.ts';
import { gaveUp } from './faults.ts';

export interface AdapterLimits {
  readonly readyMs: number;
  /** Milliseconds in which a case that timed out may still be answered before the adapter counts as stuck. */
  readonly lateMs: number;
  /** Milliseconds that a case has at least, however often the adapter was stuck before; its deadline where that is shorter. */
  readonly hurriedMs: number;
  readonly byeMs: number;
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

export interface CaseTime {
  readonly deadlineMs: number;
  readonly mostMs: number;
}

/** Of one session, or of all that a run opens with the same client. */
export class Patience {
  readonly #limits: AdapterLimits;
  readonly #tell: (line: string) => void;
  #inARow = 0;
  #inAll = 0;
  #answers = 0;
  #ends = 0;
  #answersSinceEnd = 0;
  #slowestMs = 0;
  #over: AdapterError | undefined;

  /** @param tell called at once with what the client cost and what to do, for the person in front of the run */
  constructor(limits: AdapterLimits, tell: (line: string) => void = () => {}) {
    this.#limits = limits;
    this.#tell = tell;
  }

  get over(): AdapterError | undefined {
    return this.#over;
  }

  /**
   * How long a case may take, with and without progress; in a debugger, with the start of a process, and on a slow machine it gets more. After a case that it was stuck on, the next ones are given half the
   * time, then a quarter, and progress does not stretch it: most clients that are stuck stay so, and a person waits. One
   * that has been slow and right keeps what it needs.
   */
  timeFor(
    deadlineMs: number,
    { heldMs, startMs = 0, slowness = 1 }: { heldMs?: number | undefined; startMs?: number; slowness?: number } = {},
  ): CaseTime {
    if (heldMs !== undefined) return { deadlineMs: heldMs, mostMs: 3 * heldMs };
    const enough = Math.max(this.#limits.hurriedMs, 3 * this.#slowestMs, deadlineMs / 2 ** this.#inARow);
    const isHurried = this.#inARow > 0 && enough < deadlineMs;
    const givenMs = (startMs + (isHurried ? enough : deadlineMs)) * slowness;
    return { deadlineMs: givenMs, mostMs: isHurried ? givenMs : 3 * givenMs };
  }

  /**
   * After so many milliseconds. A few answers after a new start say nothing: one that is stuck at its third case gives two each
   * time.
   */
  answered(afterMs: number): void {
    this.#slowestMs = Math.max(this.#slowestMs, afterMs);
    this.#answers++;
    if (this.#answers >= this.#limits.soundAnswers) this.#inARow = 0;
    this.#answersSinceEnd++;
    if (this.#answersSinceEnd >= this.#limits.soundAnswers) this.#ends = 0;
  }

  /** It ended, and no case is known to make it end. Ends it when that was too often: a start may take seconds. */
  ended(last: AdapterError): void {
    this.#answersSinceEnd = 0;
    this.#ends++;
    const { crashes, soundAnswers } = this.#limits;
    if (this.#ends < crashes) return;
    const each = `each time after fewer than ${soundAnswers} results and with no case that ends it alone`;
    this.#over ??= this.end(last, `ended ${this.#ends} times, ${each},`);
  }

  /** The case that was open when it ended has ended it once more, alone: that is what the case shows. */
  explained(): void {
    this.#ends = Math.max(0, this.#ends - 1);
  }

  stuck(last: AdapterError): void {
    this.#answers = 0;
    this.#inARow++;
    this.#inAll++;
    const { stuck, stuckInAll } = this.#limits;
    if (this.#inARow >= stuck) this.#over ??= this.end(last, `was stuck ${stuck} times in a row`);
    else if (this.#inAll >= stuckInAll) this.#over ??= this.end(last, `was stuck ${stuckInAll} times`);
    else this.#tell(`${last.message} It is started anew. ${last.hint}`);
  }

  end(last: AdapterError, what: string): AdapterError {
    const error = gaveUp(last, what);
    this.#tell(`${error.message} ${error.hint}`);
    return error;
  }
}

export class HelloWait {
  readonly over: Promise<void>;
  end!: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isShort = false;
  readonly #onLimit: (afterMs: number) => void;

  constructor(onLimit: (afterMs: number) => void) {
    this.#onLimit = onLimit;
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  async wait(ms: number): Promise<void> {
    this.#start(ms);
    await this.over;
    clearTimeout(this.#timer);
  }

  hurry(ms: number): void {
    if (this.#timer === undefined || this.#isShort) return;
    this.#isShort = true;
    this.#start(ms);
  }

  #start(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onLimit, ms, ms);
  }
}
