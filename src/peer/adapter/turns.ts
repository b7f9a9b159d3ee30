/** Who may use the adapter: up to a number of cases at once, or one case alone. */

export class Turns {
  readonly #limit: number;
  #shared = 0;
  #alone = false;
  readonly #waiting: { readonly alone: boolean; readonly start: () => void }[] = [];

  /** @param limit cases at once */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Waits for a turn; call what it resolves to when the turn is over. One that wants to be alone goes before others. */
  take({ alone = false } = {}): Promise<() => void> {
    return new Promise((resolve) => {
      const waiting = { alone, start: () => resolve(this.#begin(alone)) };
      const firstShared = this.#waiting.findIndex((other) => !other.alone);
      if (alone && firstShared !== -1) this.#waiting.splice(firstShared, 0, waiting);
      else this.#waiting.push(waiting);
      this.#next();
    });
  }

  #begin(alone: boolean): () => void {
    if (alone) this.#alone = true;
    else this.#shared++;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      if (alone) this.#alone = false;
      else this.#shared--;
      this.#next();
    };
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const free = !this.#alone && (first.alone ? this.#shared === 0 : this.#shared < this.#limit);
      if (!free) return;
      this.#waiting.shift();
      first.start();
    }
  }
}
