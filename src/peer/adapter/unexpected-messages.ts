/** What an adapter sent while a case was open and that is not a result: shown where the result never comes. */

export class UnexpectedMessages {
  readonly #counts = new Map<string, number>();
  /** The first line that was not of the protocol, quoted. */
  stray: string | undefined;

  /** Counts a message by its `t`; ready and pong belong to no case. */
  message(t: string): void {
    if (t === 'result') this.reset();
    else if (t === 'progress' || t === 'log') this.#add(`${t} message`);
    else if (t !== 'ready' && t !== 'pong') this.#add('unknown message');
  }

  /** A result was received, or the first case is asked: from here on all is counted anew. */
  reset(): void {
    this.#counts.clear();
    this.stray = undefined;
  }

  /** Each kind with its number, such as `31 progress messages`. */
  list(): readonly string[] {
    return [...this.#counts].map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`);
  }

  #add(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}
