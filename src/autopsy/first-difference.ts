/** Where two texts part, with the text around it. */

export interface TextDifference {
  /** Number of characters (UTF-16 units) that both begin with. */
  readonly at: number;
  readonly expected: Window;
  readonly actual: Window;
}

export interface Window {
  readonly before: string;
  /** The rest of the window, from the first character that differs; empty where the text ends there. */
  readonly after: string;
  /** Whether the text goes on to the left and to the right of the window. */
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/** The first difference; undefined for equal texts. `reach` is the number of characters shown on each side. */
export function firstDifference(expected: string, actual: string, reach: number): TextDifference | undefined {
  if (expected === actual) return undefined;
  const at = commonLength(expected, actual);
  return { at, expected: windowOf(expected, at, reach), actual: windowOf(actual, at, reach) };
}

function commonLength(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

function windowOf(text: string, at: number, reach: number): Window {
  const start = Math.max(at - reach, 0);
  const end = Math.min(at + reach, text.length);
  return {
    before: text.slice(start, at),
    after: text.slice(at, end),
    cutBefore: start > 0,
    cutAfter: end < text.length,
  };
}
