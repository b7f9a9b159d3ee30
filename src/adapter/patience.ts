/** How often a client may be stuck, or end of itself, before it is given up: each time costs a deadline or a start, while a person waits. */
import type { AdapterError } from './adapter-error.ts';
import { gaveUp } from './faults.ts';
import type { AdapterLimits } from './limits.ts';

/** Of one session, or of all that a run opens with the same client. */
export class Patience {
  readonly #limits: AdapterLimits;
  readonly #tell: (line: string) => void;
  #inARow = 0;
  #inAll = 0;
  #answers = 0;
  #ends = 0;
  #answersSinceEnd = 0;
  #over: AdapterError | undefined;

  /** @param tell called at once with what the client cost and what to do, for the person in front of the run */
  constructor(limits: AdapterLimits, tell: (line: string) => void = () => {}) {
    this.#limits = limits;
    this.#tell = tell;
  }

  /** Why nothing more is asked; undefined while something is. */
  get over(): AdapterError | undefined {
    return this.#over;
  }

  /** A few answers after a new start say nothing: one that is stuck at its third case gives two each time. */
  answered(): void {
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

  /** Ends it when it was too often. */
  stuck(last: AdapterError): void {
    this.#answers = 0;
    this.#inARow++;
    this.#inAll++;
    const { stuck, stuckInAll } = this.#limits;
    if (this.#inARow >= stuck) this.#over ??= this.end(last, `was stuck ${stuck} times in a row`);
    else if (this.#inAll >= stuckInAll) this.#over ??= this.end(last, `was stuck ${stuckInAll} times`);
    else this.#tell(`${last.message} It is started anew. ${last.hint}`);
  }

  /** Says that it is not started again, and gives the error of every case to come. */
  end(last: AdapterError, what: string): AdapterError {
    const error = gaveUp(last, what);
    this.#tell(`${error.message} ${error.hint}`);
    return error;
  }
}
