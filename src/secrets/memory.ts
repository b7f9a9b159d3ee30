/** What became of texts, as far as they are short: a run says most of them again and again. */

/** Of a text that is not known any more, or is long, nothing. */
export interface Memory<T> {
  get(text: string): T | undefined;
  note(text: string, result: T): T;
}

/** Characters of one text, and of all of them: a run may be long. */
export const longestKnown = 64 * 1024;
const mostKnown = 8 * 1024 * 1024;

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
      length += text.length;
      known.set(text, result);
      return result;
    },
  };
}
