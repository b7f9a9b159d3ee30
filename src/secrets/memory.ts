/** What became of texts, as far as they are short: a run says most of them again and again. */

import { ownText } from '../exchange/own-text.ts';

/** Of a text that is not known any more, or is long, nothing. */
export interface Memory<T> {
  get(text: string): T | undefined;
  note(text: string, result: T): T;
}

/** Characters of one text. */
export const longestKnown = 64 * 1024;

/** Bytes of all of them, and what each takes beside its characters: a run may be long, and made of a million short texts. */
const [mostKnown, beside] = [4 * 1024 * 1024, 64] as const;

export function newMemory<T>(): Memory<T> {
  const known = new Map<string, T>();
  let length = 0;
  return {
    get: (text) => known.get(text),
    note: (text, result) => {
      if (text.length > longestKnown) return result;
      if (length > mostKnown) {
        known.clear();
        length = 0;
      }
      length += text.length + beside;
      // Most are pieces of a file: each would keep a million bytes of it.
      known.set(ownText(text), result);
      return result;
    },
  };
}
