/** Which part of the tree may import which. What is not allowed here is forbidden; the sharpest edges say why. */

export interface Area {
  readonly mayImport: readonly string[];
  /** Packages and node's own modules; `node:*` stands for all of the latter. */
  readonly packages: readonly string[];
}

/** The flow: contracts, generators, scenarios, exchanges, judges, result, report. A file belongs to the longest folder that it is in. */
export const areas: Readonly<Record<string, Area>> = {
  contracts: { mayImport: [], packages: [] },
  schemas: { mayImport: ['contracts'], packages: ['ajv', 'ajv-formats'] },
  'src/protocol': { mayImport: [], packages: ['node:crypto', 'csv-parse', 'csv-stringify'] },
  generators: { mayImport: ['contracts', 'src/protocol'], packages: ['fast-check'] },
  // A long body is known by its digest.
  'src/exchange': { mayImport: ['contracts', 'schemas'], packages: ['node:crypto'] },
  // Only the type of a key object is of node:crypto: what is private in it is read out of it, nothing is computed.
  'src/redaction': { mayImport: ['src/exchange'], packages: ['node:crypto', 'node:zlib'] },
  // One file, for whoever must be alone: a run with its target, a desk with its state.
  'src/process-lock': { mayImport: [], packages: ['node:*'] },
  // Who reads a file that a person named, reads it alike.
  'src/files': { mayImport: [], packages: ['node:*'] },
  'src/result': { mayImport: ['contracts'], packages: [] },
  'src/checks': {
    mayImport: ['contracts', 'schemas', 'src/exchange', 'src/protocol', 'src/result'],
    packages: [],
  },
  'src/scenarios': {
    mayImport: ['contracts', 'generators', 'src/exchange', 'src/protocol'],
    packages: ['fast-check'],
  },
  'src/mock': {
    mayImport: ['contracts', 'src/exchange', 'src/protocol'],
    packages: ['node:*', 'csv-parse', 'node-forge'],
  },
  'src/certify': {
    mayImport: ['contracts', 'schemas', 'src/exchange', 'src/mock', 'src/protocol', 'src/scenarios'],
    packages: ['node:*'],
  },
  // The desk shows what it recorded on pages of its own; judging is the run's business and handed in.
  'src/certify/desk': {
    mayImport: [
      'contracts',
      'schemas',
      'src/certify',
      'src/exchange',
      'src/files',
      'src/mock',
      'src/process-lock',
      'src/protocol',
      'src/report',
      'src/result',
      'src/scenarios',
    ],
    packages: ['node:*', 'preact', 'preact-render-to-string'],
  },
  // The form of a request is judged as in a run: one set of judgements, with one set of names.
  'src/autopsy': {
    mayImport: ['contracts', 'src/checks', 'src/exchange', 'src/protocol'],
    packages: ['node:crypto'],
  },
  'src/client': { mayImport: ['contracts', 'src/certify', 'src/exchange', 'src/protocol'], packages: ['node:*'] },
  // Some gateways verify by methods that the protocol does not have.
  'src/defects': {
    mayImport: ['contracts', 'src/client', 'src/exchange', 'src/mock', 'src/protocol'],
    packages: ['node:crypto'],
  },
  'src/oracle': { mayImport: ['src/exchange'], packages: ['node-forge', 'oauth-1.0a'] },
  'src/report': {
    mayImport: ['contracts', 'schemas', 'src/exchange', 'src/result'],
    packages: ['htm', 'preact', 'preact-render-to-string'],
  },
  'src/run': {
    mayImport: [
      'contracts',
      'generators',
      'schemas',
      'src/autopsy',
      'src/certify',
      'src/checks',
      'src/client',
      'src/defects',
      'src/exchange',
      'src/files',
      'src/mock',
      'src/oracle',
      'src/process-lock',
      'src/protocol',
      'src/redaction',
      'src/report',
      'src/result',
      'src/scenarios',
    ],
    packages: ['node:*', '@pact-foundation/pact-core', '@playwright/test', 'fast-check', 'undici'],
  },
  'src/cli': {
    mayImport: [
      'contracts',
      'schemas',
      'src/autopsy',
      'src/certify',
      'src/defects',
      'src/exchange',
      'src/files',
      'src/mock',
      'src/protocol',
      'src/redaction',
      'src/report',
      'src/result',
      'src/run',
    ],
    packages: ['node:*', 'commander', 'yaml'],
  },
  // The package's public face: it may show everything but the tests.
  'src/index.ts': { mayImport: ['contracts', 'generators', 'schemas', 'src'], packages: [] },
  tests: { mayImport: ['contracts', 'generators', 'schemas', 'src', 'playwright.config.ts'], packages: ['*'] },
  bench: { mayImport: ['contracts', 'generators', 'schemas', 'src'], packages: ['*'] },
  'playwright.config.ts': { mayImport: ['src/run'], packages: ['node:*', '@playwright/test'] },
  'playwright.tests.config.ts': { mayImport: [], packages: ['node:*', '@playwright/test'] },
};

/** A package that only these files may import, whatever their area allows. */
export interface Reserved {
  readonly packages: readonly string[];
  readonly to: readonly string[];
  readonly because: string;
}

export const reserved: readonly Reserved[] = [
  {
    packages: ['ajv', 'ajv-formats'],
    to: ['schemas/index.ts'],
    because: 'one place compiles schemas, so that all of them are compiled alike and only when they are used',
  },
  {
    packages: ['@playwright/test', 'playwright', 'playwright-core'],
    to: [
      'tests/',
      'playwright.config.ts',
      'playwright.tests.config.ts',
      'src/run/reporter.ts',
      'src/run/start-engine.ts',
    ],
    because: 'everything else runs without a test runner: in one process, in benchmarks, in the mock',
  },
  {
    packages: ['@pact-foundation/pact', '@pact-foundation/pact-core'],
    to: ['src/run/pact/', 'tests/'],
    because: 'it loads a native library, which only the verification of contracts needs',
  },
  {
    packages: ['oauth-1.0a'],
    to: ['src/oracle/', 'tests/', 'bench/'],
    because: 'the second voice is asked in one place, and nobody signs with it',
  },
];

/** Why an edge must never exist; the other forbidden edges only run against the flow. */
export const reasons: readonly { readonly from: string; readonly to: string; readonly because: string }[] = [
  { from: 'src/checks', to: 'src/mock', because: 'the examined and the examiner may not share a mistake' },
  { from: 'src/mock', to: 'src/checks', because: 'the examined and the examiner may not share a mistake' },
  { from: 'src/report', to: 'src/run', because: 'a report is written from a stored result too' },
  { from: 'src/report', to: 'src/checks', because: 'a report prints verdicts and never makes one' },
  { from: 'src/oracle', to: 'src/protocol', because: 'a second voice that repeats the first one proves nothing' },
  { from: 'src/protocol', to: '', because: 'the protocol layer is published by itself and has no I/O and no clock' },
  { from: 'contracts', to: '', because: 'what must hold depends on nothing' },
  { from: 'src/result', to: '', because: 'verdicts are weighed without knowing who judged' },
  { from: 'src/exchange', to: '', because: 'the record of the wire knows nothing of who wrote or reads it' },
  { from: 'src/scenarios', to: 'src/run', because: 'a plan is data; sending it is the business of src/run' },
  {
    from: 'src/scenarios',
    to: 'src/checks',
    because: 'a judge that knew the plan would judge what was meant, not what was sent',
  },
  { from: 'src/scenarios', to: 'src/mock', because: 'a scenario has to fit every gateway' },
  { from: 'src', to: 'tests', because: 'tests are not part of the package' },
  { from: 'adapters', to: 'src', because: 'an adapter stands for foreign code: it uses the package as anybody would' },
];
