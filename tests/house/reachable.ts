/** Which files are reached from which entry points, by their imports. */
import { importsOf, resolved } from './imports-of.ts';
import type { KeptFile } from './tree.ts';

/** Paths that the entries import, directly or through others, the entries among them. */
export function reachableFrom(entries: readonly string[], files: readonly KeptFile[]): ReadonlySet<string> {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const reached = new Set<string>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = texts.get(path);
    if (text === undefined || reached.has(path)) continue;
    reached.add(path);
    for (const { specifier } of importsOf(text)) {
      const target = specifier === undefined ? undefined : resolved(path, specifier);
      if (target !== undefined) waiting.push(target);
    }
  }
  return reached;
}
