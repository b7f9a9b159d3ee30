/** Collects notes on events other than results. For each kind, keeps the first sentences and counts the events. */
import type { NoteGroup } from './messages.ts';

const maxSentencesPerKind = 3;

/** `first` and `count` describe the events since the last call of `take`. `total` is the number of all events. */
interface Kind {
  first: string[];
  count: number;
  total: number;
  readonly once: boolean;
}

export class Notes {
  readonly #kinds = new Map<string, Kind>();
  readonly #report: (sentence: string, kind: string) => void;

  /** `report` shows the first event of each kind at once to the person who waits for the adapter. */
  constructor(report: (sentence: string, kind: string) => void = () => {}) {
    this.#report = report;
  }

  /** `kind` is a plural noun such as `restarts`. If `once` is true, keeps only the first event, without a count. */
  add(kind: string, sentence: string, once = false): void {
    const known = this.#kinds.get(kind) ?? { first: [], count: 0, total: 0, once };
    if (known.total === 0) this.#report(sentence, kind);
    else if (once) return;
    this.#kinds.set(kind, known);
    known.count++;
    known.total++;
    if (known.total <= maxSentencesPerKind) known.first.push(sentence);
  }

  take(): readonly NoteGroup[] {
    const notes = this.#noted();
    for (const kind of this.#kinds.values()) {
      kind.first = [];
      kind.count = 0;
    }
    return notes;
  }

  first(...kinds: readonly string[]): string | undefined {
    return this.#noted().find(({ kind }) => kinds.includes(kind))?.first[0];
  }

  #noted(): readonly NoteGroup[] {
    return [...this.#kinds].flatMap(([kind, { first, count, once }]) =>
      count === 0 ? [] : [{ kind, first, ...(once ? {} : { count }) }],
    );
  }
}

/** Merges the notes of several scenarios, and returns them as sentences. */
export function formatNotes(all: Iterable<NoteGroup>): string[] {
  const kinds = new Map<string, { readonly first: Set<string>; count: number }>();
  for (const { kind, first, count = 0 } of all) {
    const known = kinds.get(kind) ?? { first: new Set(), count: 0 };
    known.count += count;
    for (const sentence of first) if (known.first.size < maxSentencesPerKind) known.first.add(sentence);
    kinds.set(kind, known);
  }
  return [...kinds].flatMap(([kind, { first, count }]) =>
    count <= first.size ? [...first] : [...first, `Altogether there were ${count} ${kind}.`],
  );
}
