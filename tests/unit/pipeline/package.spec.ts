/** What npm would publish: small, and with nothing that runs when it is installed. Needs dist/. */
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '../../engine.ts';

test('the package stays under 2.5 MB, has all that its files load, and runs nothing where it is installed', {
  tag: '@all',
}, () => {
  const words = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const [packed] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  expect(packed.size).toBeLessThan(2_500_000);
  const paths = packed.files.map((file: { path: string }) => file.path);
  expect(paths).toEqual(
    expect.arrayContaining(['bin/countersign.mjs', 'dist/src/cli/main.js', 'llms.txt', 'README.md']),
  );
  expect(paths.filter((path: string) => path.startsWith('tests/'))).toEqual([]);
  // Most of what the compiler makes is in bundles; what is left out may not be missed by what is not.
  const missed = paths
    .filter((path: string) => /^dist\/.*\.c?[jt]s$/.test(path))
    .flatMap((path: string) =>
      [...readFileSync(path, 'utf8').matchAll(/(?:\bfrom |\bimport\(|\brequire\()["'](\.[^"']+)["']/g)]
        .map(([, found]) => join(dirname(path), found!))
        .map((found) => (path.endsWith('.d.ts') ? found.replace(/\.[jt]s$/, '.d.ts') : found))
        .filter((found) => !paths.includes(found))
        .map((found) => `${path} needs ${found}`),
    );
  expect(missed).toEqual([]);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});

test('the command in a clone without a build says what to do, since npx keeps what it finds at its first call', () => {
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(accessSync(bin.countersign, constants.X_OK)).toBeUndefined();
  const copy = test.info().outputPath('bin', 'countersign.mjs');
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(bin.countersign, copy);
  const { status, stderr } = spawnSync(process.execPath, [copy, 'list'], { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toMatch(/^countersign: this clone has not been built yet\. Run `npm run build` in it, .*\n$/);
});

test('a build takes the place of dist/ at its end: a command that runs from there finds its files until then', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const steps: string[] = scripts.build.split(' && ');
  expect(steps.findIndex((step) => /'dist'|\bdist\//.test(step))).toBe(steps.length - 1);
});
