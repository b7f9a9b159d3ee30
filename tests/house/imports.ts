/**
 * Finds imports with regular expressions, because TypeScript 7 has no compiler API, and checks them against edges.ts.
 */
import { dirname, join } from 'node:path/posix';
import { areas, reasons, reserved } from './edges.ts';
import type { TreeFile } from './tree.ts';

/** One sentence for each forbidden import, with its file, its line and the reason. */
export function forbiddenImports(files: readonly TreeFile[]): string[] {
  return files.flatMap((file) =>
    importsOf(file.text).flatMap(({ specifier, line }) => {
      const problem =
        specifier === undefined
          ? 'imports a computed name, which this test cannot check'
          : problemOf(file.path, specifier);
      return problem === undefined ? [] : [`${file.path}:${line} ${problem}`];
    }),
  );
}

/** The area with the longest path that contains the file. */
function areaOf(path: string): string | undefined {
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
    return `imports ${name}, which only ${rule.to.join(', ')} may import: ${rule.because}`;
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

export interface Import {
  /** The imported path or package. Undefined if the code computes it. */
  readonly specifier: string | undefined;
  readonly line: number;
}

/** Static imports and exports, also over several lines; `import('…')` of values and types; `require('…')`. */
const forms: readonly RegExp[] = [
  /^[ \t]*(?:import|export)\b(?:[^'"`;()]|\btype\b)*?\bfrom\s*(['"])(?<specifier>[^'"\n]+)\1/gm,
  /^[ \t]*import\s*(['"])(?<specifier>[^'"\n]+)\1/gm,
  /\bimport\s*\(\s*(?:(['"`])(?<specifier>[^'"`\n$]+)\1)?/g,
  /\brequire(?:\.resolve)?\s*\(\s*(?:(['"`])(?<specifier>[^'"`\n$]+)\1)?/g,
  /\bcreateRequire\([^)]*\)(?:\.resolve)?\s*\(\s*(?:(['"`])(?<specifier>[^'"`\n$]+)\1)?/g,
];

/** All imports in the text, in order, without those in comments. */
export function importsOf(text: string): Import[] {
  const found = forms.flatMap((form) =>
    [...text.matchAll(form)]
      .filter((match) => !inComment(text, match.index))
      .map((match) => ({ specifier: match.groups?.specifier, at: match.index })),
  );
  return found
    .sort((a, b) => a.at - b.at)
    .map(({ specifier, at }) => ({ specifier, line: lineOf(text, at + leadingSpace(text, at)) }));
}

/** The path of a relative specifier from the root, or undefined for packages and modules of Node. */
export function resolved(fromPath: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? join(dirname(fromPath), specifier) : undefined;
}

/** The package of a bare specifier: `@scope/name`, `name`, or `node:name`. */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}

function inComment(text: string, at: number): boolean {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const before = text.slice(start, at + leadingSpace(text, at) + 1).trimStart();
  // Each line of a formatted block comment starts with a star. The `//` of a URL starts no comment.
  return /^(?:\*|\/\*|\/\/)/.test(before) || /(?:^|[^:])\/\//.test(before);
}

function leadingSpace(text: string, at: number): number {
  return /^\s*/.exec(text.slice(at))![0].length;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** The entries, and all paths that they import directly or indirectly. */
export function reachableFrom(entries: readonly string[], files: readonly TreeFile[]): ReadonlySet<string> {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const reached = new Set<string>();
  const queue = [...entries];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const text = texts.get(path);
    if (text === undefined || reached.has(path)) continue;
    reached.add(path);
    for (const { specifier } of importsOf(text)) {
      const target = specifier === undefined ? undefined : resolved(path, specifier);
      if (target !== undefined) queue.push(target);
    }
  }
  return reached;
}
