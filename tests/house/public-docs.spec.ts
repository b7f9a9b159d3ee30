/** Every public declaration of the package has a docstring, and so has every member of its interfaces. */
import { join } from 'node:path';
import { expect, test } from '../engine.ts';
import { textOf } from './tree.ts';

for (const entry of ['src/app/index.ts', 'src/protocol/index.ts']) {
  test(`everything that ${entry} exports has docstrings`, () => {
    const declared = exportsOf(entry);
    expect(declared.length).toBeGreaterThan(10);
    expect(declared.flatMap(undocumented)).toEqual([]);
  });
}

interface Exported {
  readonly name: string;
  /** The file that declares or re-exports the name. */
  readonly path: string;
}

function exportsOf(entry: string): readonly Exported[] {
  const text = textOf(entry);
  const named = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names, from]) =>
    names!
      .split(',')
      .map((name) => name.replace(/\btype\b/, '').trim())
      .filter((name) => name !== '')
      .map((name) => ({ name, path: join(entry, '..', from!) })),
  );
  const wildcard = [...text.matchAll(/^export \* from '([^']+)'/gm)].flatMap(([, from]) =>
    exportsOf(join(entry, '..', from!)),
  );
  const own = [...text.matchAll(/^export (?:async )?(?:function|interface|type|const|class) (\w+)/gm)];
  return [...named, ...wildcard, ...own.map(([, name]) => ({ name: name!, path: entry }))];
}

function undocumented({ name, path }: Exported): readonly string[] {
  const text = textOf(path);
  const at = text.search(new RegExp(`^export (?:async )?(?:function|interface|type|const|class) ${name}\\b`, 'm'));
  if (at < 0) {
    const reexport = exportsOf(path).find((one) => one.name === name);
    return reexport === undefined ? [`${path}: ${name} has no declaration`] : undocumented(reexport);
  }
  const problem = text.slice(0, at).endsWith('*/\n') ? [] : [`${path}: ${name}`];
  const body = /^export interface [^{]*\{\n([\s\S]*?)^\}/.exec(text.slice(at))?.[1] ?? '';
  const lines = body.split('\n');
  const members = lines.flatMap((line, index) => {
    const member = /^ {2}(?:readonly )?(\w+)\??[:(]/.exec(line)?.[1];
    return member === undefined || lines[index - 1]?.endsWith('*/') === true ? [] : [`${path}: ${name}.${member}`];
  });
  return [...problem, ...members];
}
