/** The tree may not grow beyond size.json. `-u` lowers the figures. Only people raise them, with a reason. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../engine.ts';
import { isUpdate, root, textOf, treeFiles } from './tree.ts';

const path = 'tests/house/size.json';
const code = /\.(?:ts|mjs|mts|cts)$/;
/** What each figure counts: lines of code, or words of Markdown. */
const figures: Readonly<Record<string, { readonly files: RegExp; readonly units: (text: string) => number }>> = {
  'lines of source': { files: /^(?:(?:src|generators|schemas|contracts|bin)\/.*|[^/]+)$/, units: linesOf },
  'lines of tests': { files: /^tests\//, units: linesOf },
  'words of prose': { files: /^(?:docs\/.*|(?!CHANGELOG)[^/]+|(?:adapters|reports)\/README)\.md$/, units: wordsOf },
};

for (const [name, { files, units }] of Object.entries(figures)) {
  test(`there are no more ${name} than size.json holds`, () => {
    const isProse = name.startsWith('words');
    const actual = treeFiles()
      .filter((file) => files.test(file.path) && (isProse || code.test(file.path)))
      .reduce((sum, { text }) => sum + units(text), 0);
    const limits: Record<string, number> = JSON.parse(textOf(path));
    expect(actual).toBeGreaterThan(0);
    expect(actual, `${path}: only a new requirement or capability raises this figure, by hand`).toBeLessThanOrEqual(
      limits[name]!,
    );
    if (isUpdate(test.info()) && actual < limits[name]!) {
      writeFileSync(join(root, path), `${JSON.stringify({ ...limits, [name]: actual }, null, 2)}\n`);
    }
  });
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
