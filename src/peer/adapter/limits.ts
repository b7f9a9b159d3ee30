/** Limits of time, volume and failures for an adapter. */
import { type AdapterError, adapterError } from './faults.ts';

export const defaultLimits = {
  /** Maximum milliseconds from the start of the process to the message `ready`. */
  readyMs: 60_000,
  /** The adapter is stuck if its answer is missing this many milliseconds after the deadline of a case. */
  lateMs: 2_000,
  /** Each hang shortens later deadlines, but not below this many milliseconds. */
  minDeadlineMs: 2_500,
  /** Maximum milliseconds from the message `bye` to the end of the process. */
  byeMs: 5_000,
  /** Maximum number of lines between two expected answers. */
  strayLines: 10_000,
  /** Maximum number of bytes between two expected answers. The suite adds `maxLineBytes`. */
  strayBytes: 16 * 1024 * 1024,
  /** After this many ends in a row, the adapter is not restarted. `soundAnswers` results set this count to 0. */
  maxCrashes: 8,
  /** After this many hangs in a row, the adapter is not restarted. `soundAnswers` results set this count to 0. */
  stuck: 3,
  /** The adapter is not restarted after this many hangs in total, because each hang costs a whole deadline. */
  stuckInAll: 5,
  soundAnswers: 20,
  /** Milliseconds before the first restart. The wait doubles with each restart in a row, up to one second. */
  restartMs: 50,
  /** Milliseconds between the start of the process and `hello`. Only the self-test delays `hello`. */
  helloAfterMs: 0,
};

export type AdapterLimits = Readonly<typeof defaultLimits>;

/** Counts failures of one session, or of all sessions of a run with the same client. */
export class RetryBudget {
  readonly #limits: AdapterLimits;
  readonly #report: (line: string) => void;
  #hangsInARow = 0;
  #hangs = 0;
  #answersSinceHang = 0;
  #endsInARow = 0;
  #answersSinceEnd = 0;
  #slowestMs = 0;
  #finalError: AdapterError | undefined;

  /** `report` shows each hang and the final error to the person who watches the run. */
  constructor(limits: AdapterLimits, report: (line: string) => void = () => {}) {
    this.#limits = limits;
    this.#report = report;
  }

  get finalError(): AdapterError | undefined {
    return this.#finalError;
  }

  /**
   * Time limits of a case: `deadlineMs` for its next message, `maxMs` for the whole case. If shortened, both are equal.
   * Clients often hang again, so each hang in a row halves both: to `minDeadlineMs` or 3 times the slowest answer.
   */
  timeLimits(
    deadlineMs: number,
    { heldMs, startMs = 0, slowness = 1 }: { heldMs?: number | undefined; startMs?: number; slowness?: number } = {},
  ): { readonly deadlineMs: number; readonly maxMs: number } {
    if (heldMs !== undefined) return { deadlineMs: heldMs, maxMs: 3 * heldMs };
    const shortenedMs = Math.max(this.#limits.minDeadlineMs, 3 * this.#slowestMs, deadlineMs / 2 ** this.#hangsInARow);
    const isShortened = this.#hangsInARow > 0 && shortenedMs < deadlineMs;
    const timeMs = (startMs + (isShortened ? shortenedMs : deadlineMs)) * slowness;
    return { deadlineMs: timeMs, maxMs: isShortened ? timeMs : 3 * timeMs };
  }

  /** Counts a result. One result does not end a series of hangs, because a client may hang at every third case. */
  countAnswer(afterMs: number): void {
    this.#slowestMs = Math.max(this.#slowestMs, afterMs);
    this.#answersSinceHang++;
    if (this.#answersSinceHang >= this.#limits.soundAnswers) this.#hangsInARow = 0;
    this.#answersSinceEnd++;
    if (this.#answersSinceEnd >= this.#limits.soundAnswers) this.#endsInARow = 0;
  }

  /** Counts an end of the adapter without a known cause. */
  countEnd(lastError: AdapterError): void {
    this.#answersSinceEnd = 0;
    this.#endsInARow++;
    const { maxCrashes, soundAnswers } = this.#limits;
    if (this.#endsInARow < maxCrashes) return;
    const each = `each time after fewer than ${soundAnswers} results. No single case is the cause`;
    this.#finalError ??= this.giveUp(lastError, `ended ${this.#endsInARow} times, ${each}`);
  }

  /** Undoes one call of `countEnd`, because the cause is known: the same case ended the adapter twice. */
  undoEnd(): void {
    this.#endsInARow = Math.max(0, this.#endsInARow - 1);
  }

  countHang(lastError: AdapterError): void {
    this.#answersSinceHang = 0;
    this.#hangsInARow++;
    this.#hangs++;
    const { stuck, stuckInAll } = this.#limits;
    if (this.#hangsInARow >= stuck) this.#finalError ??= this.giveUp(lastError, `was stuck ${stuck} times in a row`);
    else if (this.#hangs >= stuckInAll) this.#finalError ??= this.giveUp(lastError, `was stuck ${stuckInAll} times`);
    else this.#report(`${lastError.message} The suite starts it again. ${lastError.hint}`);
  }

  /** Reports that the adapter is not restarted, and returns an error with the same message. */
  giveUp(lastError: AdapterError, what: string): AdapterError {
    const error = adapterError('gave-up', lastError)`
      The adapter ${what}. The suite does not start it again. The last error: ${lastError.message}
      ${lastError.hint}`;
    this.#report(`${error.message} ${error.hint}`);
    return error;
  }
}
