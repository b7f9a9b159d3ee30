/** Rules for every file of the tree: it is used, starts with a description, and contains nothing forbidden. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../engine.ts';
import { skipUnless } from '../needed.ts';
import { importsOf, packageOf, reachableFrom } from './imports.ts';
import { root, type TreeFile, textOf, treeFiles, typeScriptFiles } from './tree.ts';

const sources = typeScriptFiles().filter(({ path }) => /^(?:src|generators|schemas|contracts)\//.test(path));
const tests = typeScriptFiles().filter(({ path }) => path.startsWith('tests/'));
const productEntries = [
  'src/app/main.ts',
  'src/app/index.ts',
  'src/protocol/index.ts',
  'playwright.config.ts',
  // `npm run prove` starts this file.
  'src/app/prove/main.ts',
  // The engine loads this file by its path.
  'src/app/reporter.ts',
  // rolldown.config.ts names these files by their paths.
  'rolldown.config.ts',
  ...['in-browser', 'node-crypto', 'buffer'].map((name) => `src/extras/autopsy-page/${name}.ts`),
  ...pathsOf(tests).filter((path) => path.startsWith('tests/conformance/')),
];

test.describe('every source file', () => {
  const product = reachableFrom(productEntries, typeScriptFiles());
  const tested = reachableFrom(pathsOf(tests), typeScriptFiles());

  test('is reached from a command, the package or a test', () => {
    expect(pathsOf(sources.filter(({ path }) => !product.has(path) && !tested.has(path)))).toEqual([]);
  });

  test('under src is used by the product itself', () => {
    const isOnlyTested = ({ path }: TreeFile) => path.startsWith('src/') && !product.has(path) && tested.has(path);
    expect(pathsOf(sources.filter(isOnlyTested))).toEqual([]);
  });

  const form = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.tests)?(?:\.(?:spec|config))?\.ts$/;
  const nameless = /(?:^|[/.-])(?:utils?|helpers?|common|misc|shared|stuff|lib)(?:[/.-]|$)/i;
  for (const [fact, files, isOdd] of [
    ['starts with a sentence', typeScriptFiles, ({ text }) => !/^(?:#!.*\n)?\/\*\*(?: |\n \* )[^\n]{15,}/.test(text)],
    ['has a name that says what is in it', treeFiles, ({ path }) => nameless.test(path)],
    ['has a name of small letters and dashes', typeScriptFiles, ({ path }) => !form.test(path.split('/').at(-1)!)],
    ['has no note on unfinished work', typeScriptFiles, ({ text }) => /\b(?:TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b/.test(text)],
  ] as readonly (readonly [string, () => readonly TreeFile[], (file: TreeFile) => boolean])[]) {
    test(fact, () => expect(pathsOf(files().filter(isOdd))).toEqual([]));
  }
});

test.describe('every kept file', () => {
  const lines = treeFiles()
    .filter(({ path }) => !/package-lock\.json$|\.(?:png|br)$/.test(path) && path !== 'tests/house/files.spec.ts')
    .flatMap(({ path, text }) => text.split('\n').map((line, index) => ({ at: `${path}:${index + 1}`, path, line })));

  test('is not empty and ends with a line end', () => {
    // Files of Pact do not end with a line feed. Pictures and compressed recordings have no lines.
    const textFiles = treeFiles().filter(({ path }) => !/^contracts\/pacts\/|\.(?:png|br)$/.test(path));
    expect(pathsOf(textFiles.filter(({ text }) => text.trim() === '' || !text.endsWith('\n')))).toEqual([]);
  });

  const words =
    /\b(?:sub-?agents?|LLMs?(?!\.txt)|Claude|ChatGPT|Copilot|AI (?:assistant|agent|generated)|language model)\b/i;
  for (const [fact, pattern, inside = /./] of [
    ['has no path of one machine', /(?<![\w.:/-])\/(?:work|root|home)\/\w/],
    ['has no fixed path of the folder for temporary files', /['"`]\/tmp(?:\/|['"`])/],
    ['names no package registry', /\bregistry\.npm|registry\.yarnpkg|\bnpm\.pkg\b|artifactory|verdaccio|nexus/i],
    ['describes only the product', words],
    ['has no tabs, no Windows line ends and no blanks at line ends', /\t|\r|(?<! ) $/, /\.(?:ts|md|json|yaml)$/],
  ] as const) {
    test(fact, () => {
      const found = lines.filter(({ path, line }) => inside.test(path) && pattern.test(line));
      expect(found.map(({ at, line }) => `${at} ${line.trim().slice(0, 80)}`)).toEqual([]);
    });
  }

  test('has no private key except the published ones', () => {
    const published = ['contracts/vectors/keys/', 'src/mock/identity.ts', 'tests/'];
    const keys = lines.filter(({ line }) => /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(line));
    expect(keys.filter(({ path }) => !published.some((one) => path.startsWith(one))).map(({ at }) => at)).toEqual([]);
  });
});

test.describe('every test', () => {
  // This file has patterns that match themselves.
  const others = tests.filter(({ path }) => path !== 'tests/house/files.spec.ts');
  const names = others.flatMap(({ path, text }) =>
    [...text.matchAll(/\btest(?:\.describe)?(?:\.\w+)*\(\s*(['"`])(?<name>(?:\\.|(?!\1)[^\\])*)\1/g)].map((match) => ({
      path,
      name: match.groups!.name!,
    })),
  );

  test('has a name that states a fact', () => {
    expect(names.length).toBeGreaterThan(50);
    const odd = names.filter(({ name }) => /\bshould\b|\bworks?\b(?! (?:on|in|with|under|at|of))|^test\b/i.test(name));
    expect(odd.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
  });

  test('runs: no file has only, skip or fixme', () => {
    const forbidden = /\.only\s*\(|\btest(?:\.describe)?\.(?:skip|fixme)\s*\(\s*['"`]/;
    expect(pathsOf(others.filter(({ text }) => forbidden.test(text)))).toEqual([]);
  });

  test('file is named .spec.ts, or a test imports it', () => {
    const specs = pathsOf(tests).filter((path) => path.endsWith('.spec.ts'));
    // The configuration names this reporter by its path.
    const reached = reachableFrom([...specs, 'tests/measured.ts'], typeScriptFiles());
    expect(pathsOf(tests).filter((path) => !reached.has(path))).toEqual([]);
    const withTests = pathsOf(tests.filter(({ text }) => /^\s*test\(/m.test(text)));
    expect(withTests.filter((path) => !path.endsWith('.spec.ts'))).toEqual([]);
  });
});

test.describe('a test that needs more than Node and a shell', () => {
  test('is skipped only by tests/needed.ts', () => {
    const skipping = tests.filter(({ text }) => /\btest(?:\.describe)?\.(?:skip|fixme)\(|\.info\(\)\.skip/.test(text));
    expect(pathsOf(skipping)).toEqual(['tests/needed.ts']);
  });

  test('fails in CI instead of being skipped', () => {
    const before = process.env.CI;
    try {
      process.env.CI = 'true';
      expect(() => skipUnless(false, 'a tool')).toThrow(/this is missing: a tool/);
    } finally {
      if (before === undefined) delete process.env.CI;
      else process.env.CI = before;
    }
  });
});

test.describe('package.json', () => {
  const manifest = JSON.parse(textOf('package.json'));
  const lock: { packages: Record<string, { hasInstallScript?: boolean; version?: string; dev?: boolean }> } =
    JSON.parse(textOf('package-lock.json'));

  const shipped: Record<string, string> = { ...manifest.dependencies, ...manifest.optionalDependencies };
  const direct = Object.entries<string>({ ...shipped, ...manifest.devDependencies });

  test('pins every dependency to one version', () => {
    expect(direct.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('and the lock agree on every version', () => {
    const odd = direct.filter(([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version);
    expect(odd).toEqual([]);
    expect(lock.packages['']?.version).toBe(manifest.version);
  });

  test('has no unused dependency', () => {
    const specifiers = typeScriptFiles().flatMap(({ text }) => importsOf(text).map(({ specifier }) => specifier ?? ''));
    const imported = new Set(specifiers.map(packageOf));
    expect(Object.keys(shipped).filter((name) => !imported.has(name))).toEqual([]);
  });

  test('installs no package with an install script', () => {
    const scripts = Object.entries(lock.packages).filter(([path, one]) => path !== '' && one.hasInstallScript);
    expect(scripts.map(([path]) => path)).toEqual([]);
  });

  test('points to files that the build makes', () => {
    const targets = [
      ...Object.values(manifest.bin as Record<string, string>),
      ...Object.values(manifest.exports as Record<string, string | Record<string, string>>).flatMap((entry) =>
        typeof entry === 'string' ? [entry] : Object.values(entry),
      ),
    ].map((path) => path.replace(/^\.\//, ''));
    const missing = targets.filter((path) => {
      const source = path
        .replace(/^dist\//, '')
        .replace(/\.d\.ts$|\.js$/, '.ts')
        .replace(/\*$/, '');
      return !existsSync(join(root, source));
    });
    expect(missing).toEqual([]);
    expect(targets.filter((path) => path.endsWith('.js') && !path.startsWith('dist/'))).toEqual([]);
  });

  test('packs only files that exist', () => {
    const missing = (manifest.files as string[]).filter(
      (path) => !/^!?dist/.test(path) && !existsSync(join(root, path.replace(/^!(.*)\/[^/]*\*.*$/, '$1'))),
    );
    expect(missing).toEqual([]);
  });

  test('packs the files that the product reads from its own folder', () => {
    const product = typeScriptFiles().filter(({ path }) => path.startsWith('src/') || path.startsWith('schemas/'));
    const readPaths = product.flatMap(({ text }) =>
      [...text.matchAll(/\bjoin\(packageRoot((?:, '[^']+')+)/g)].map((match) =>
        match[1]!
          .split(', ')
          .slice(1)
          .map((part) => part.replaceAll("'", ''))
          .join('/'),
      ),
    );
    const packed = [...(manifest.files as string[]), 'package.json'];
    const missing = readPaths.filter((path) => !packed.some((entry) => path === entry || path.startsWith(`${entry}/`)));
    expect(missing).toEqual([]);
  });
});

function pathsOf(files: readonly TreeFile[]): string[] {
  return files.map(({ path }) => path);
}
