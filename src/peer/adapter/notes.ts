/** Notes on events other than results: the first few sentences and the number of events of each kind. */
import type { Noted } from './messages.ts';

const inFull = 3;

export class Notes {
  readonly #kinds = new Map<
    string,
    { readonly first: string[]; count: number; kept: number; readonly once: boolean }
  >();
  readonly #report: (sentence: string, kind: string) => void;

  /** `report` is called at once with the first event of each kind, for a person who waits for the adapter. */
  constructor(report: (sentence: string, kind: string) => void = () => {}) {
    this.#report = report;
  }

  /** `kind` is a plural noun. If `once` is true, only the first event of the kind is kept, without a count. */
  add(kind: string, sentence: string, once = false): void {
    const known = this.#kinds.get(kind) ?? { first: [], count: 0, kept: 0, once };
    if (!this.#kinds.has(kind)) this.#report(sentence, kind);
    else if (once) return;
    this.#kinds.set(kind, known);
    known.count++;
    if (known.kept++ < inFull) known.first.push(sentence);
  }

  /** Returns the notes since the last call of `take`. */
  take(): readonly Noted[] {
    const taken = this.#noted();
    for (const known of this.#kinds.values()) Object.assign(known, { first: [], count: 0 });
    return taken;
  }

  first(...kinds: readonly string[]): string | undefined {
    return this.#noted().find(({ kind }) => kinds.includes(kind))?.first[0];
  }

  #noted(): readonly Noted[] {
    return [...this.#kinds].flatMap(([kind, { first, count, once }]) =>
      count === 0 ? [] : [{ kind, first, ...(once ? {} : { count }) }],
    );
  }
}

/** A note on an event that is reported once in a run. */
export function notedOnce(sentence: string): Noted {
  return { kind: sentence, first: [sentence] };
}

/** Joins the notes of several scenarios. */
export function inSentences(all: Iterable<Noted>): string[] {
  const kinds = new Map<string, { readonly first: Set<string>; count: number }>();
  for (const { kind, first, count = 0 } of all) {
    const known = kinds.get(kind) ?? { first: new Set(), count: 0 };
    known.count += count;
    for (const sentence of first) if (known.first.size < inFull) known.first.add(sentence);
    kinds.set(kind, known);
  }
  return [...kinds].flatMap(([kind, { first, count }]) =>
    count <= first.size ? [...first] : [...first, `Altogether there were ${count} ${kind}.`],
  );
}
