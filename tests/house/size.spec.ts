/** The tree may not grow beyond size.json. `-u` lowers the figures. Only people raise them, with a reason. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../engine.ts';
import { isWrittenAnew, keptFiles, root, textOf } from './tree.ts';

const path = 'tests/house/size.json';
const code = /\.(?:ts|mjs|mts|cts)$/;
/** What each figure counts: lines of code, or words of Markdown. */
const counted: Readonly<Record<string, { readonly files: RegExp; readonly units: (text: string) => number }>> = {
  'lines of source': { files: /^(?:(?:src|generators|schemas|contracts|bin)\/.*|[^/]+)$/, units: linesOf },
  'lines of tests': { files: /^tests\//, units: linesOf },
  'words of prose': { files: /^(?:docs\/.*|(?!CHANGELOG)[^/]+|(?:adapters|reports)\/README)\.md$/, units: wordsOf },
};

for (const [name, { files, units }] of Object.entries(counted)) {
  test(`there are no more ${name} than size.json holds`, () => {
    const prose = name.startsWith('words');
    const now = keptFiles()
      .filter((file) => files.test(file.path) && (prose || code.test(file.path)))
      .reduce((sum, { text }) => sum + units(text), 0);
    const held: Record<string, number> = JSON.parse(textOf(path));
    expect(now).toBeGreaterThan(0);
    expect(now, `${path}: only a new requirement or capability raises this figure, by hand`).toBeLessThanOrEqual(
      held[name]!,
    );
    if (isWrittenAnew(test.info()) && now < held[name]!) {
      writeFileSync(join(root, path), `${JSON.stringify({ ...held, [name]: now }, null, 2)}\n`);
    }
  });
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
