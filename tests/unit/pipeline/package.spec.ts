/** What npm would publish: small, and with nothing that runs when it is installed. Needs dist/. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '../../engine.ts';

test('the package stays under 3 MB and runs nothing where it is installed', { tag: '@all' }, () => {
  const words = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const [packed] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  expect(packed.size).toBeLessThan(3_000_000);
  const paths = packed.files.map((file: { path: string }) => file.path);
  expect(paths).toEqual(expect.arrayContaining(['dist/src/cli/main.js', 'llms.txt', 'README.md']));
  expect(paths.filter((path: string) => path.startsWith('tests/'))).toEqual([]);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});
