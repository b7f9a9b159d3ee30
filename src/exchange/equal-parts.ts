/** Equal texts and equal header lines of a recording are one in memory: most are those of every request or answer. */
import type { Header } from './exchange.ts';
import { ownText } from './own-text.ts';

export interface EqualParts {
  text(text: string): string;
  /** The same of words of the suite, such as names of scenarios. Most texts of messages come once, and would take their places. */
  word(text: string): string;
  line(name: string, value: string): Header;
  /** Of lines that `line` gave. */
  lines(headers: readonly Header[]): readonly Header[];
  /** A copy. Many small ones are in one piece of memory: alone, each takes as much again as a short body has. */
  bytes(body: Uint8Array): Uint8Array;
}

/** Characters, and parts of each kind: what is longer, or comes after so many others, is hardly met again. */
const [longestShared, mostShared] = [128, 4096] as const;

/** Bytes. */
const pieceSize = 64 * 1024;

/** Gives the same part for the same texts, as far as parts are worth that. */
export function equalParts(): EqualParts {
  const lists = new Map<string, readonly Header[]>();
  const lines = new Map<string, Map<string, Header>>();
  const numbers = new Map<Header, number>();
  let [piece, end] = [Buffer.alloc(0), 0];
  return {
    text: equalTexts(),
    word: equalTexts(),
    line: (name, value) => {
      const found = lines.get(name)?.get(value);
      if (found !== undefined) return found;
      const line: Header = [name, value];
      if (value.length > longestShared || numbers.size >= mostShared) return line;
      numbers.set(line, numbers.size);
      lines.set(name, (lines.get(name) ?? new Map()).set(value, line));
      return line;
    },
    lines: (headers) => {
      const own = headers.map((line) => numbers.get(line));
      if (own.includes(undefined)) return headers;
      const key = own.join();
      const found = lists.get(key);
      if (found === undefined && lists.size < mostShared) lists.set(key, headers);
      return found ?? headers;
    },
    bytes: (body) => {
      if (body.length > pieceSize / 8) return new Uint8Array(body);
      if (end + body.length > piece.length) [piece, end] = [Buffer.allocUnsafeSlow(pieceSize), 0];
      piece.set(body, end);
      end += body.length;
      return piece.subarray(end - body.length, end);
    },
  };
}

function equalTexts(): (given: string) => string {
  const texts = new Map<string, string>();
  return (given) => {
    const found = texts.get(given);
    if (found !== undefined || given.length > longestShared || texts.size >= mostShared) return found ?? given;
    const kept = ownText(given);
    texts.set(kept, kept);
    return kept;
  };
}
