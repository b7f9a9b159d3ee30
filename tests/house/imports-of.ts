/** Finds what a TypeScript file imports, by regular expression: TypeScript 7 has no compiler interface to ask. */
import { dirname, join } from 'node:path/posix';

export interface Import {
  /** As written; undefined for an import of something computed. */
  readonly specifier: string | undefined;
  readonly line: number;
}

/** `import … from`, `export … from`, over as many lines as it takes; `import '…'`; `import('…')` of values and types; `require('…')`. */
const forms: readonly RegExp[] = [
  /^[ \t]*(?:import|export)\b(?:[^'"`;()]|\btype\b)*?\bfrom\s*(['"])(?<specifier>[^'"\n]+)\1/gm,
  /^[ \t]*import\s*(['"])(?<specifier>[^'"\n]+)\1/gm,
  /\bimport\s*\(\s*(?:(['"`])(?<specifier>[^'"`\n$]+)\1)?/g,
  /\brequire(?:\.resolve)?\s*\(\s*(?:(['"`])(?<specifier>[^'"`\n$]+)\1)?/g,
  /\bcreateRequire\([^)]*\)(?:\.resolve)?\s*\(\s*(?:(['"`])(?<specifier>[^'"`\n$]+)\1)?/g,
];

/** All imports of the text, in order. Lines of comments are passed over. */
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

/** The path from the root that a relative specifier names; undefined for packages and node's own modules. */
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
  // Formatted block comments start each line with a star; a `//` before the match on its line hides it, one in a URL does not.
  return /^(?:\*|\/\*|\/\/)/.test(before) || /(?:^|[^:])\/\//.test(before);
}

function leadingSpace(text: string, at: number): number {
  return /^\s*/.exec(text.slice(at))![0].length;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
