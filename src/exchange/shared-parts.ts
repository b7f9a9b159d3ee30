/** Equal texts and equal header lines of a recording are one in memory: most are those of every request or answer. */
import type { Header } from './exchange.ts';

export interface SharedParts {
  text(text: string): string;
  line(name: string, value: string): Header;
  /** Of lines that `line` gave. */
  lines(headers: readonly Header[]): readonly Header[];
}

/** Characters, and parts of each kind: what is longer, or comes after so many others, is hardly met again. */
const [longestShared, mostShared] = [128, 4096] as const;

/** Gives the same part for the same texts, as far as parts are worth that. */
export function sharedParts(): SharedParts {
  const [texts, lists] = [new Map<string, string>(), new Map<string, readonly Header[]>()];
  const lines = new Map<string, Map<string, Header>>();
  const numbers = new Map<Header, number>();
  return {
    text: (given) => {
      const found = texts.get(given);
      if (found !== undefined || given.length > longestShared || texts.size >= mostShared) return found ?? given;
      // A piece of a longer text would keep all of that.
      const own = Buffer.from(given, 'utf16le').toString('utf16le');
      texts.set(own, own);
      return own;
    },
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
  };
}
