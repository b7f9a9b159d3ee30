/** Events other than results: the first few of each kind in full, and a count of all. */

import { printable, quoteBytes } from './faults.ts';
import { isKnown, type Message, type Noted } from './messages.ts';

const inFull = 3;

export class Notes {
  readonly #kinds = new Map<
    string,
    { readonly first: string[]; count: number; kept: number; readonly once: boolean }
  >();
  readonly #tell: (sentence: string, kind: string) => void;

  /** @param tell called at once with the first of each kind, if a person waits for the adapter */
  constructor(tell: (sentence: string, kind: string) => void = () => {}) {
    this.#tell = tell;
  }

  /** `kind` is a plural noun for the count. `once` keeps only the first and does not count. */
  add(kind: string, sentence: string, once = false): void {
    const known = this.#kinds.get(kind) ?? { first: [], count: 0, kept: 0, once };
    if (!this.#kinds.has(kind)) this.#tell(sentence, kind);
    else if (once) return;
    this.#kinds.set(kind, known);
    known.count++;
    if (known.kept++ < inFull) known.first.push(sentence);
  }

  /** The notes since the last call. A run calls this after each scenario and adds the counts. */
  take(): readonly Noted[] {
    const taken = this.#noted();
    for (const known of this.#kinds.values()) Object.assign(known, { first: [], count: 0 });
    return taken;
  }

  list(): readonly string[] {
    return inSentences(this.#noted());
  }

  #noted(): readonly Noted[] {
    return [...this.#kinds].flatMap(([kind, { first, count, once }]) =>
      count === 0 ? [] : [{ kind, first, ...(once ? {} : { count }) }],
    );
  }
}

export function notedOnce(sentence: string): Noted {
  return { kind: sentence, first: [sentence] };
}

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

interface Remark {
  readonly kind: string;
  readonly sentence: string;
  readonly once?: true;
}

/** `bytes` is the line, for quotation. `greeted`: hello was sent before. */
export function remarksOn(message: Message, bytes: Uint8Array, greeted: boolean): readonly Remark[] {
  const name = `"${printable(message.t).slice(0, 40)}"`;
  const early = {
    kind: 'messages before hello',
    sentence: `The adapter sent ${name} before it was greeted with hello.`,
  };
  const unknown = {
    kind: 'messages of unknown kinds',
    sentence: `The adapter sent a message ${name}, which is ignored.`,
  };
  return [
    ...(greeted ? [] : [early]),
    ...(isKnown(message.t) ? [] : [unknown]),
    ...(message.t === 'log' ? [logged(message.text, bytes)] : []),
  ];
}

function logged(text: unknown, bytes: Uint8Array): Remark {
  if (typeof text === 'string') {
    return { kind: 'log messages', sentence: `The adapter says: ${printable(text).slice(0, 300)}` };
  }
  const why = text === undefined ? 'it has no text' : 'its text is not of the JSON type string';
  const sentence = `A log message does not fit and is ignored, since ${why}: ${quoteBytes(bytes)}`;
  return { kind: 'log messages that do not fit', sentence, once: true };
}
