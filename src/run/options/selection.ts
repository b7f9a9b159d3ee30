/** Selects requirements by patterns of requirement ids. */
import { requirements } from '../../../contracts/requirements/index.ts';

/** Prefix of a pattern that excludes requirements: `--except ID` becomes the pattern `!ID`. */
export const exclusion = '!';

export function hasOnlyExclusions(patterns: readonly string[]): boolean {
  return patterns.every((pattern) => pattern.startsWith(exclusion));
}

/** True if a run performs every case of its scenarios. False for a live run, which may leave out cases. */
export function performsAll({ only, path, live }: { only: readonly string[]; path?: string; live?: object }): boolean {
  return hasOnlyExclusions(only) && path === undefined && live === undefined;
}

/** True if the id matches a pattern and no `!` pattern. With only `!` patterns, all other ids match. */
export function matchesAny(id: string, patterns: readonly string[]): boolean {
  const isExcluded = patterns.some((one) => one.startsWith(exclusion) && matches(id, one.slice(exclusion.length)));
  if (patterns.length === 0 || isExcluded) return false;
  return hasOnlyExclusions(patterns) || patterns.some((pattern) => matches(id, pattern));
}

export function narrowingFlags(patterns: readonly string[]): string[] {
  return patterns.map((one) => (one.startsWith(exclusion) ? `--except '${one.slice(1)}'` : `--only '${one}'`));
}

export function selectedIds(side: 'client' | 'gateway', patterns: readonly string[]): string[] {
  return requirements
    .filter((row) => row.side === side && row.untestable === undefined)
    .map((row) => row.id)
    .filter((id) => patterns.length === 0 || matchesAny(id, patterns));
}

/** In a pattern, `*` matches any characters. Do not use a regular expression: hostile text could make it very slow. */
export function matches(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
