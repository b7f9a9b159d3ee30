/** Imports follow the table in edges.ts. */
import { expect, test } from '../engine.ts';
import { areas, reasons } from './edges.ts';
import { forbiddenImports, importsOf, resolved } from './imports.ts';
import { textOf, treeFiles, typeScriptFiles } from './tree.ts';

const adapterFiles = treeFiles().filter(({ path }) => /^adapters\/.*\.(?:[cm]?[jt]s)$/.test(path));

test('no file has a forbidden import', () => {
  // This file contains forbidden imports in strings.
  const files = typeScriptFiles().filter(({ path }) => !path.startsWith('tests/house/imports.spec'));
  expect(forbiddenImports([...files, ...adapterFiles])).toEqual([]);
});

test('no room imports a room below it in the table', () => {
  const order = Object.keys(areas);
  // Leave out tests, because tests may import all of src.
  const violations = order.flatMap((area, at) =>
    areas[area]!.mayImport.filter((other) => area !== 'tests' && !order.slice(0, at).includes(other)).map(
      (other) => `${area} -> ${other}`,
    ),
  );
  expect(violations).toEqual([]);
});

test('no imports form a cycle, not even imports of types', () => {
  const imports = new Map(
    typeScriptFiles().map(({ path, text }) => [
      path,
      importsOf(text).flatMap(({ specifier }) => (specifier?.startsWith('.') ? [resolved(path, specifier)!] : [])),
    ]),
  );
  const reachable = (start: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const queue = [...(imports.get(start) ?? [])];
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      if (!seen.has(path)) queue.push(...(imports.get(path) ?? []));
      seen.add(path);
    }
    return seen;
  };
  expect([...imports.keys()].filter((path) => reachable(path).has(path))).toEqual([]);
});

test('pure rooms use no clock, no randomness and no process', () => {
  const pure = /^(?:contracts|generators|src\/(?:protocol|record(?!\/disk)|rules|plan|report|faults|autopsy))\//;
  const impure = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.(?!\s)|\brandom(?:Bytes|UUID|Int)\b/;
  const found = typeScriptFiles()
    .filter(({ path }) => pure.test(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          impure.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [],
        ),
    );
  expect(found).toEqual([]);
});

test('every path in the table exists', () => {
  const paths = typeScriptFiles().map(({ path }) => path);
  const exists = (area: string) => paths.some((path) => path === area || path.startsWith(`${area}/`));
  const skipped = new Set(['adapters']);
  const areaNames = [...Object.keys(areas), ...reasons.flatMap(({ from, to }) => [from, to])];
  expect([...new Set(areaNames)].filter((area) => area !== '' && !skipped.has(area) && !exists(area))).toEqual([]);
});

const mock = "'../mock/index.ts'";
const planted: readonly (readonly [path: string, text: string, found: string])[] = [
  ['src/rules/a.ts', `import { x } from ${mock};`, 'share a mistake'],
  ['src/mock/a.ts', `import type { X } from '../rules/judge.ts';`, 'share a mistake'],
  ['src/report/a.ts', `export * from '../verdict/finish-run.ts';`, 'stored result'],
  ['src/protocol/a.ts', `import { readFile } from 'node:fs/promises';`, 'no I/O'],
  ['adapters/node/a.mjs', `import { x } from '../../src/app/index.ts';`, 'foreign code'],
  ['schemas/nearest.ts', `import { Ajv2020 } from 'ajv/dist/2020.js';`, 'schemas/compile.ts'],
  ['generators/a.ts', `import { x } from '../src/plan/index.ts';`, 'follow the flow'],
  ['src/rules/a.ts', `import {\n  a,\n  type B,\n} from ${mock};`, 'a.ts:1'],
  ['src/rules/a.ts', `let x:\n  import(${mock}).World;`, 'a.ts:2'],
  ['src/rules/a.ts', `const x = async () => {\n  await import(\n    ${mock}\n  );\n};`, 'a.ts:2'],
  ['src/rules/a.ts', `const x = createRequire(import.meta.url)(${mock});`, 'share a mistake'],
  ['src/rules/a.ts', `const x = await import(name);`, 'computed'],
  ['src/rules/a.ts', `const x = ['http://a', import(${mock})];`, 'share'],
  ['src/elsewhere/a.ts', `import { x } from ${mock};`, 'in no area'],
];

test('the scan finds forbidden imports in every syntax', () => {
  for (const [path, text, found] of planted) {
    const problems = forbiddenImports([{ path, text }]);
    expect(problems, text).toEqual([expect.stringContaining(found)]);
    expect(problems[0]).toContain(path);
  }
});

test('the scan ignores comments and text that only looks like an import', () => {
  const text = [
    `/** import { x } from '../mock/index.ts' */`,
    ` * import { x } from '../mock/index.ts'`,
    `// import('../mock/index.ts')`,
    `const important = 'x';`,
    `export const from = 'a';`,
    `import { y } from '../record/case.ts';`,
  ].join('\n');
  expect(forbiddenImports([{ path: 'src/rules/a.ts', text }])).toEqual([]);
  expect(importsOf(text)).toEqual([{ specifier: '../record/case.ts', line: 6 }]);
});

test('ARCHITECTURE.md describes every room and no other folder', () => {
  const described = [...textOf('ARCHITECTURE.md').matchAll(/^\| `([a-z][a-z/-]*)\/` \| \S/gm)].map(([, room]) => room!);
  // Leave out the extras, because one row of the table describes all extras.
  const rooms = Object.keys(areas).filter((area) => !area.includes('.') && !area.startsWith('src/extras/'));
  expect(rooms.filter((room) => !described.includes(room))).toEqual([]);
  const outside = ['adapters', 'bench', 'docs', 'reports', 'tests'];
  expect(described.filter((room) => !rooms.includes(room) && !outside.includes(room))).toEqual([]);
});
