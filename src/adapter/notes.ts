/** What happened besides results. Of each kind the first few are kept in full, and the rest are counted. */

const inFull = 3;

export class Notes {
  readonly #kinds = new Map<string, { readonly first: string[]; count: number }>();
  readonly #tell: (sentence: string, kind: string) => void;

  /** @param tell called with the first of each kind at once: where a person waits for the adapter and nothing has a limit */
  constructor(tell: (sentence: string, kind: string) => void = () => {}) {
    this.#tell = tell;
  }

  /**
   * @param kind names the kind in the plural, for the count: `lines on standard output that are not of the protocol`
   * @param once the first of the kind says all: the others are neither kept nor counted
   */
  add(kind: string, sentence: string, once = false): void {
    if (once && this.#kinds.has(kind)) return;
    const known = this.#kinds.get(kind) ?? { first: [], count: 0 };
    known.count++;
    if (known.count === 1) this.#tell(sentence, kind);
    if (known.first.length < inFull) known.first.push(sentence);
    this.#kinds.set(kind, known);
  }

  /** One sentence each, in the order in which the kinds were first seen. */
  list(): readonly string[] {
    return [...this.#kinds].flatMap(([kind, { first, count }]) =>
      count <= first.length ? first : [...first, `Altogether there were ${count} ${kind}.`],
    );
  }
}
