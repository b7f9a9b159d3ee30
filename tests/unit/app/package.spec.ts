/** What npm would publish: small, and with nothing that runs when it is installed. Needs dist/. */
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '../../engine.ts';

test('the package stays under 2.5 MB, has all that its files load, and runs nothing where it is installed @all', () => {
  const words = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const [packed] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  expect(packed.size).toBeLessThan(2_500_000);
  const paths = packed.files.map((file: { path: string }) => file.path);
  expect(paths).toEqual(
    expect.arrayContaining(['bin/countersign.mjs', 'dist/src/app/main.js', 'llms.txt', 'README.md']),
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

test('what a clone says before npm ci names npm ci: the command, the build, and npm start, which begins with it as npm test does', () => {
  const { bin, scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const clone = mkdtempSync(join(tmpdir(), 'countersign-clone-'));
  try {
    mkdirSync(join(clone, 'bin'));
    copyFileSync(bin.countersign, join(clone, bin.countersign));
    copyFileSync('package.json', join(clone, 'package.json'));
    const command = spawnSync(process.execPath, [bin.countersign, 'list'], { cwd: clone, encoding: 'utf8' });
    expect(command.stderr).toContain('Run `npm ci && npm run build` in it, then the same command again.');
    const built = Object.keys(scripts).filter((name) => scripts[name].startsWith('npm run --silent build'));
    expect(built).toEqual(expect.arrayContaining(['start', 'test']));
    for (const name of ['build', 'start']) {
      const { status, stderr } = spawnSync('npm', ['run', '--silent', name], { cwd: clone, encoding: 'utf8' });
      expect([status, stderr]).toEqual([2, expect.stringContaining('are not installed. Run npm ci, then')]);
    }
  } finally {
    rmSync(clone, { recursive: true });
  }
});

test('a build takes the place of dist/ at its end: a command that runs from there finds its files until then', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const steps: string[] = scripts.build.split(' && ');
  expect(steps.findIndex((step) => /'dist'|\bdist\//.test(step))).toBe(steps.length - 1);
});
