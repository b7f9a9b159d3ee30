/** The allowed imports between parts of the tree. All other imports are forbidden. */

export interface Area {
  readonly mayImport: readonly string[];
  /** Allowed packages and modules of Node. `node:*` allows all modules of Node. */
  readonly packages: readonly string[];
}

/**
 * The areas of the tree, in order. An area may import only the areas that its row names, which are above it. A file
 * belongs to the area with the longest matching path. ARCHITECTURE.md describes each area.
 */
export const areas: Readonly<Record<string, Area>> = {
  contracts: room('', ''),
  schemas: room('contracts', 'ajv ajv-formats'),
  'src/protocol': room('', 'csv-parse csv-stringify node:crypto'),
  generators: room('contracts', 'fast-check node:crypto'),
  'src/deviations': room('protocol', 'node:crypto'),
  'src/oracle': room('', 'node-forge oauth-1.0a'),
  'src/record': room('contracts schemas', 'har-format node:*'),
  'src/report': room('contracts record', 'htm node:crypto node:zlib preact preact-render-to-string'),
  'src/rules': room('contracts schemas protocol record', 'node:crypto'),
  'src/plan': room('contracts protocol generators record', 'fast-check node:crypto'),
  'src/mock': room('contracts protocol record', 'node-forge node:*'),
  'src/peer': room('contracts schemas protocol record mock', 'node:*'),
  'src/autopsy': room('contracts protocol deviations record report rules', 'node:crypto'),
  'src/faults': room('contracts protocol deviations record mock peer', 'node:crypto'),
  'src/run': room(
    'contracts schemas protocol generators oracle record rules plan mock peer faults',
    'fast-check node:*',
  ),
  'src/verdict': room('contracts protocol record report rules plan autopsy run', 'node:util'),
  'src/extras/autopsy-page': room('report autopsy', '@noble/hashes buffer node:* preact'),
  'src/extras/certificate': room('record', 'node:*'),
  'src/extras/desk': room('contracts protocol record report plan mock', 'node:*'),
  'src/extras/matrix': room('record report', 'node:*'),
  'src/extras/pact': room('protocol record rules run', '@pact-foundation/pact-core node:*'),
  'src/extras/probe': room('deviations plan run', ''),
  'src/extras/rekey': room('record autopsy run', 'node:*'),
  'src/extras/impact': room('protocol record rules run verdict', 'node:*'),
  // Each folder under src/extras is also an area, with its own row.
  'src/extras': room('', ''),
  'src/app': room(
    'contracts schemas protocol record report rules plan mock peer autopsy faults run verdict extras',
    '@playwright/test node:* yaml',
  ),
  // The public entry point of the package.
  'src/app/index.ts': room('contracts schemas record mock', ''),
  'playwright.config.ts': room('record run app', 'node:* @playwright/test'),
  'rolldown.config.ts': room('schemas extras', 'rolldown node:child_process node:fs node:url'),
  tests: room('contracts generators schemas src playwright.config.ts rolldown.config.ts', '*'),
  'playwright.tests.config.ts': room('tests', 'node:* @playwright/test'),
};

/** @param mayImport names of areas: folders of src, except those in `atRoot` */
function room(mayImport: string, packages: string): Area {
  const atRoot = ['contracts', 'schemas', 'generators', 'src', 'tests', 'playwright.config.ts', 'rolldown.config.ts'];
  const names = mayImport.split(' ').filter((name) => name !== '');
  return {
    mayImport: names.map((name) => (atRoot.includes(name) ? name : `src/${name}`)),
    packages: packages.split(' ').filter((name) => name !== ''),
  };
}

/** Packages that only the files in `to` may import. */
export interface Reserved {
  readonly packages: readonly string[];
  readonly to: readonly string[];
  readonly because: string;
}

export const reserved: readonly Reserved[] = [
  {
    packages: ['ajv', 'ajv-formats'],
    to: [
      'schemas/compile.ts',
      'tests/unit/schemas/files.spec.ts',
      'tests/unit/report/machines.spec.ts',
      'tests/unit/protocol/vector-files.spec.ts',
    ],
    because: 'one module compiles all schemas in the same way, each on first use',
  },
  {
    packages: ['@playwright/test', 'playwright', 'playwright-core'],
    to: 'tests/ playwright.config.ts playwright.tests.config.ts src/app/reporter.ts src/app/perform-run.ts'.split(' '),
    because: 'all other code also runs without a test runner',
  },
  {
    packages: ['@pact-foundation/pact', '@pact-foundation/pact-core'],
    to: ['src/extras/pact/', 'tests/'],
    because: 'it loads a native library that only the verification of contracts needs',
  },
  {
    packages: ['oauth-1.0a'],
    to: ['src/oracle/', 'tests/'],
    because: 'only the oracle verifies with it, and no code signs with it',
  },
];

/** The reasons for the most important forbidden imports. Other forbidden imports only have the wrong direction. */
export const reasons: readonly { readonly from: string; readonly to: string; readonly because: string }[] = [
  { from: 'src/rules', to: 'src/mock', because: 'mock and judge must not share a mistake' },
  { from: 'src/mock', to: 'src/rules', because: 'mock and judge must not share a mistake' },
  { from: 'src/report', to: 'src/verdict', because: 'a report is also written from a stored result' },
  { from: 'src/report', to: 'src/rules', because: 'a report prints verdicts and makes none' },
  { from: 'src/report/pages', to: 'src/verdict', because: 'a page is also written from a stored result' },
  { from: 'src/report/pages', to: 'src/rules', because: 'a page shows verdicts and makes none' },
  { from: 'src/oracle', to: 'src/protocol', because: 'an oracle that uses the checked code proves nothing' },
  { from: 'src/protocol', to: '', because: 'the protocol room is published as a library, with no I/O and no clock' },
  { from: 'contracts', to: '', because: 'the contract depends on nothing' },
  { from: 'src/record/result', to: '', because: 'a conclusion depends only on findings, not on code that made them' },
  { from: 'src/record', to: '', because: 'a record does not depend on its writers and readers' },
  { from: 'src/plan', to: 'src/run/gateway', because: 'a plan is data, and src/run sends it' },
  { from: 'src/plan', to: 'src/rules', because: 'a judge must judge the sent bytes, not the plan' },
  { from: 'src/plan', to: 'src/mock', because: 'a scenario must fit every gateway' },
  { from: 'src', to: 'tests', because: 'tests are not part of the package' },
  { from: 'adapters', to: 'src', because: 'an adapter is an example of foreign code, so it uses only the package' },
];
