/** Compares the imports of files with the table of edges. */
import { areas, reasons, reserved } from './edges.ts';
import { importsOf, packageOf, resolved } from './imports-of.ts';
import type { KeptFile } from './tree.ts';

/** One sentence for each forbidden import: file, line, edge and the reason. */
export function forbiddenImports(files: readonly KeptFile[]): string[] {
  return files.flatMap((file) =>
    importsOf(file.text).flatMap(({ specifier, line }) => {
      const problem =
        specifier === undefined ? 'imports something computed: nobody can say what' : problemOf(file.path, specifier);
      return problem === undefined ? [] : [`${file.path}:${line} ${problem}`];
    }),
  );
}

/** The area of a path: the longest folder or file of the table that it is in; undefined where the table has none. */
export function areaOf(path: string): string | undefined {
  return Object.keys(areas)
    .filter((area) => within(path, area))
    .sort((a, b) => b.length - a.length)[0];
}

function problemOf(path: string, specifier: string): string | undefined {
  const from = areaOf(path);
  const target = resolved(path, specifier);
  if (path.startsWith('adapters/')) {
    return target !== undefined && !within(target, 'adapters') ? edge('adapters', 'src') : undefined;
  }
  if (from === undefined) return `is in no area: add one to tests/house/edges.ts`;
  return target === undefined ? packageProblem(path, from, specifier) : fileProblem(from, target);
}

function fileProblem(from: string, target: string): string | undefined {
  const to = areaOf(target) ?? target;
  const allowed = to === from || areas[from]!.mayImport.some((area) => within(target, area));
  return allowed ? undefined : edge(from, to);
}

function packageProblem(path: string, from: string, specifier: string): string | undefined {
  const name = packageOf(specifier);
  const rule = reserved.find(({ packages }) => packages.includes(name));
  if (rule !== undefined && !rule.to.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))) {
    return `imports ${name}, which belongs to ${rule.to.join(', ')}: ${rule.because}`;
  }
  const { packages } = areas[from]!;
  const allowed = packages.some(
    (entry) => entry === '*' || entry === name || (entry === 'node:*' && name.startsWith('node:')),
  );
  return allowed ? undefined : edge(from, name);
}

function edge(from: string, to: string): string {
  const reason = reasons.find((entry) => within(from, entry.from) && (entry.to === '' || within(to, entry.to)));
  return `imports from ${to}, but ${from} may not: ${reason?.because ?? 'imports follow the flow of tests/house/edges.ts'}`;
}

function within(path: string, area: string): boolean {
  return path === area || path.startsWith(`${area}/`);
}
