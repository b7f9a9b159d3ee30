/** Equal header lines are one in memory: most lines of a recording are those of every request. */
import type { Header } from './exchange.ts';

export type SharedHeaders = (name: string, value: string) => Header;

/** Characters, and lines: what is longer, or comes after so many others, is hardly met again. */
const [longestShared, mostShared] = [128, 4096] as const;

/** Gives the same line for the same texts, as far as lines are worth that. */
export function sharedHeaders(): SharedHeaders {
  const known = new Map<string, Map<string, Header>>();
  let count = 0;
  return (name, value) => {
    if (value.length > longestShared) return [name, value];
    const found = known.get(name)?.get(value);
    if (found !== undefined) return found;
    const header: Header = [name, value];
    if (count >= mostShared) return header;
    count += 1;
    known.set(name, (known.get(name) ?? new Map()).set(value, header));
    return header;
  };
}
