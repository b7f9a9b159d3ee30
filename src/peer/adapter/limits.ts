/** Limits of time and volume for an adapter, and the number of failures after which the suite gives it up. */
import type { AdapterError } from './channel.ts';
import { gaveUp } from './faults.ts';

export interface AdapterLimits {
  readonly readyMs: number;
  /** Milliseconds after the deadline before the adapter counts as stuck. */
  readonly lateMs: number;
  /** Minimum milliseconds for a case after the adapter was stuck, unless its deadline is shorter. */
  readonly hurriedMs: number;
  readonly byeMs: number;
  readonly strayLines: number;
  /** Bytes between two answers, in addition to the longest line. */
  readonly strayBytes: number;
  /**
   * Ends in a row after which the adapter is not restarted: without any result in between, or without `soundAnswers`
   * results in between and without a case that explains the end.
   */
  readonly crashes: number;
  /** Hangs in a row, with fewer than `soundAnswers` results in between, after which the adapter is not restarted. */
  readonly stuck: number;
  /** Hangs in a whole session, regardless of results in between: each costs a whole deadline. */
  readonly stuckInAll: number;
  readonly soundAnswers: number;
  /** Milliseconds before the first restart. The wait doubles with each restart in a row, up to one second. */
  readonly restartMs: number;
  /** Milliseconds between process start and `hello`; above 0 only for the self-test. */
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
  readonly maxMs: number;
}

/** The retry budget of one session, or of all sessions of a run with the same client. */
export class RetryBudget {
  readonly #limits: AdapterLimits;
  readonly #tell: (line: string) => void;
  #inARow = 0;
  #inAll = 0;
  #answers = 0;
  #ends = 0;
  #answersSinceEnd = 0;
  #slowestMs = 0;
  #over: AdapterError | undefined;

  /** @param tell called at once with each failure and its hint, for the person who watches the run */
  constructor(limits: AdapterLimits, tell: (line: string) => void = () => {}) {
    this.#limits = limits;
    this.#tell = tell;
  }

  get over(): AdapterError | undefined {
    return this.#over;
  }

  /**
   * The time for a case, without and with progress. After each hang it halves, and progress no longer extends it: most
   * clients that hang do so again. A client with slow correct answers keeps three times its slowest time.
   */
  timeFor(
    deadlineMs: number,
    { heldMs, startMs = 0, slowness = 1 }: { heldMs?: number | undefined; startMs?: number; slowness?: number } = {},
  ): CaseTime {
    if (heldMs !== undefined) return { deadlineMs: heldMs, maxMs: 3 * heldMs };
    const enough = Math.max(this.#limits.hurriedMs, 3 * this.#slowestMs, deadlineMs / 2 ** this.#inARow);
    const isHurried = this.#inARow > 0 && enough < deadlineMs;
    const timeMs = (startMs + (isHurried ? enough : deadlineMs)) * slowness;
    return { deadlineMs: timeMs, maxMs: isHurried ? timeMs : 3 * timeMs };
  }

  /** Only `soundAnswers` results reset the count: a client may hang at its third case after every start. */
  answered(afterMs: number): void {
    this.#slowestMs = Math.max(this.#slowestMs, afterMs);
    this.#answers++;
    if (this.#answers >= this.#limits.soundAnswers) this.#inARow = 0;
    this.#answersSinceEnd++;
    if (this.#answersSinceEnd >= this.#limits.soundAnswers) this.#ends = 0;
  }

  /** The adapter ended, and no single case is known as the cause. */
  ended(last: AdapterError): void {
    this.#answersSinceEnd = 0;
    this.#ends++;
    const { crashes, soundAnswers } = this.#limits;
    if (this.#ends < crashes) return;
    const each = `each time after fewer than ${soundAnswers} results, and no single case causes it`;
    this.#over ??= this.end(last, `ended ${this.#ends} times, ${each},`);
  }

  /** The case ended the adapter again when repeated alone, so the first end is not counted. */
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
    else this.#tell(`${last.message} It is started again. ${last.hint}`);
  }

  end(last: AdapterError, what: string): AdapterError {
    const error = gaveUp(last, what);
    this.#tell(`${error.message} ${error.hint}`);
    return error;
  }
}
