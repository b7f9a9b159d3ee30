/** Which part of the tree may import which. What is not allowed here is forbidden; the sharpest edges say why. */

export interface Area {
  readonly mayImport: readonly string[];
  /** Packages and node's own modules; `node:*` stands for all of the latter. */
  readonly packages: readonly string[];
}

/**
 * The rooms in the order of the flow: each imports from those above it that it names, never from one below. A file belongs to
 * the longest folder that it is in. ARCHITECTURE.md has a sentence on each.
 */
export const areas: Readonly<Record<string, Area>> = {
  contracts: room('', ''),
  schemas: room('contracts', 'ajv ajv-formats'),
  'src/protocol': room('', 'csv-parse csv-stringify node:crypto'),
  generators: room('contracts protocol', 'fast-check node:crypto'),
  'src/deviations': room('protocol', 'node:crypto'),
  'src/oracle': room('', 'node-forge oauth-1.0a'),
  'src/record': room('contracts schemas', 'har-format node:*'),
  'src/report': room('contracts record', 'htm node:crypto node:zlib preact preact-render-to-string'),
  'src/rules': room('contracts schemas protocol record', 'node:crypto'),
  'src/plan': room('contracts protocol generators record', 'fast-check node:crypto'),
  'src/mock': room('contracts protocol record', 'node-forge node:*'),
  'src/peer': room('contracts schemas protocol record plan mock', 'node:*'),
  'src/autopsy': room('contracts protocol deviations record report rules', 'node:crypto'),
  'src/faults': room('contracts protocol deviations record mock peer', 'node:crypto'),
  'src/run': room(
    'contracts schemas protocol generators oracle record rules plan mock peer faults',
    'fast-check node:*',
  ),
  'src/verdict': room('contracts protocol record report rules plan autopsy faults run', 'node:util'),
  'src/extras/autopsy-page': room('report autopsy', '@noble/hashes buffer node:* preact preact-render-to-string'),
  'src/extras/certificate': room('record verdict', 'node:*'),
  'src/extras/desk': room(
    'contracts schemas protocol record report plan mock verdict',
    'node:* preact preact-render-to-string',
  ),
  'src/extras/matrix': room('record report', 'node:*'),
  'src/extras/pact': room('protocol record rules run', '@pact-foundation/pact-core node:*'),
  'src/extras/probe': room('deviations plan run', ''),
  'src/extras/rekey': room('record autopsy run verdict', 'node:*'),
  'src/extras/impact': room('contracts protocol record rules plan run verdict', 'node:*'),
  // Each extra is an area of its own.
  'src/extras': room('', ''),
  'src/app': room(
    'contracts schemas protocol record report rules plan mock peer autopsy faults run verdict extras',
    '@playwright/test node:* yaml',
  ),
  // The package's public face.
  'src/app/index.ts': room('contracts schemas record mock', ''),
  'playwright.config.ts': room('record run app', 'node:* @playwright/test'),
  'rolldown.config.ts': room('schemas extras', 'rolldown node:child_process node:fs node:url'),
  tests: room('contracts generators schemas src playwright.config.ts rolldown.config.ts', '*'),
  'playwright.tests.config.ts': room('tests', 'node:* @playwright/test'),
};

/** @param mayImport names of rooms, of which those without a dot and not at the root are folders of src */
function room(mayImport: string, packages: string): Area {
  const atRoot = ['contracts', 'schemas', 'generators', 'src', 'tests', 'playwright.config.ts', 'rolldown.config.ts'];
  const names = mayImport.split(' ').filter((name) => name !== '');
  return {
    mayImport: names.map((name) => (atRoot.includes(name) ? name : `src/${name}`)),
    packages: packages.split(' ').filter((name) => name !== ''),
  };
}

/** A package that only these files may import, whatever their area allows. */
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
    because: 'one place compiles schemas, so that all of them are compiled alike and only when they are used',
  },
  {
    packages: ['@playwright/test', 'playwright', 'playwright-core'],
    to: [
      'tests/',
      'playwright.config.ts',
      'playwright.tests.config.ts',
      'src/app/reporter.ts',
      'src/app/perform-run.ts',
    ],
    because: 'everything else runs without a test runner: in one process, in benchmarks, in the mock',
  },
  {
    packages: ['@pact-foundation/pact', '@pact-foundation/pact-core'],
    to: ['src/extras/pact/', 'tests/'],
    because: 'it loads a native library, which only the verification of contracts needs',
  },
  {
    packages: ['oauth-1.0a'],
    to: ['src/oracle/', 'tests/'],
    because: 'the second voice is asked in one place, and nobody signs with it',
  },
];

/** Why an edge must never exist; the other forbidden edges only run against the flow. */
export const reasons: readonly { readonly from: string; readonly to: string; readonly because: string }[] = [
  { from: 'src/rules', to: 'src/mock', because: 'the examined and the examiner may not share a mistake' },
  { from: 'src/mock', to: 'src/rules', because: 'the examined and the examiner may not share a mistake' },
  { from: 'src/report', to: 'src/verdict', because: 'a report is written from a stored result too' },
  { from: 'src/report', to: 'src/rules', because: 'a report prints verdicts and never makes one' },
  { from: 'src/report/pages', to: 'src/verdict', because: 'a page is written from a stored result too' },
  { from: 'src/report/pages', to: 'src/rules', because: 'a page shows verdicts and never makes one' },
  { from: 'src/oracle', to: 'src/protocol', because: 'a second voice that repeats the first one proves nothing' },
  { from: 'src/protocol', to: '', because: 'the protocol layer is published by itself and has no I/O and no clock' },
  { from: 'contracts', to: '', because: 'what must hold depends on nothing' },
  { from: 'src/record/result', to: '', because: 'verdicts are weighed without knowing who judged' },
  { from: 'src/record', to: '', because: 'the record of the wire knows nothing of who wrote or reads it' },
  { from: 'src/plan', to: 'src/run/gateway', because: 'a plan is data; sending it is the business of a run' },
  {
    from: 'src/plan',
    to: 'src/rules',
    because: 'a judge that knew the plan would judge what was meant, not what was sent',
  },
  { from: 'src/plan', to: 'src/mock', because: 'a scenario has to fit every gateway' },
  { from: 'src', to: 'tests', because: 'tests are not part of the package' },
  { from: 'adapters', to: 'src', because: 'an adapter stands for foreign code: it uses the package as anybody would' },
];
