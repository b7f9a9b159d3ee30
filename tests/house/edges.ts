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
  'src/protocol': room('', 'node:crypto csv-parse csv-stringify'),
  // A secret follows from its consumer key by a digest.
  generators: room('contracts protocol', 'fast-check node:crypto'),
  // A long body is known by its digest.
  'src/exchange': room('contracts schemas', 'node:crypto har-format'),
  'src/result': room('contracts schemas', ''),
  'src/disk': room('exchange', 'node:*'),
  'src/oracle': room('exchange', 'node-forge oauth-1.0a'),
  'src/answers': room('contracts protocol exchange result', ''),
  'src/checks': room('contracts schemas protocol exchange result answers', ''),
  'src/scenarios': room('contracts generators protocol exchange', 'fast-check node:crypto'),
  'src/mock': room('contracts protocol exchange', 'node:* csv-parse node-forge'),
  'src/report': room('contracts schemas exchange result', ''),
  'src/pages': room(
    'contracts schemas protocol exchange result report',
    'node:crypto node:zlib htm preact preact-render-to-string',
  ),
  'src/adapter': room('contracts schemas protocol exchange disk', 'node:*'),
  'src/local-gateway': room('exchange scenarios mock adapter', 'node:*'),
  'src/adapter-check': room('contracts protocol exchange scenarios mock adapter local-gateway', 'node:*'),
  'src/client': room('contracts protocol exchange disk adapter local-gateway', 'node:*'),
  // Some gateways verify by methods that the protocol does not have.
  'src/defects': room('contracts protocol exchange mock client', 'node:crypto'),
  // The form of a request is judged as in a run: one set of judgements, with one set of names.
  'src/autopsy': room('contracts protocol exchange checks', 'node:crypto'),
  // A page for a browser; only the bundler of the build puts it together.
  'src/autopsy-page': room(
    'contracts protocol autopsy pages report',
    'node:crypto @noble/hashes buffer preact preact-render-to-string',
  ),
  // Its pages show what it recorded; judging is handed in.
  'src/desk': room(
    'contracts schemas protocol exchange result disk scenarios mock report pages adapter local-gateway',
    'node:* preact preact-render-to-string',
  ),
  'src/target': room('contracts generators protocol exchange disk scenarios mock defects', 'node:*'),
  // Of node:crypto only the type of a key object: what is private in it is read out of it, nothing is computed.
  'src/secrets': room('exchange mock target', 'node:*'),
  'src/transport': room('exchange disk answers scenarios secrets', 'node:* undici'),
  'src/allowance': room('contracts schemas protocol exchange disk answers scenarios target', 'node:*'),
  'src/options': room('contracts exchange result adapter local-gateway target', 'node:*'),
  'src/doctor': room('contracts protocol exchange answers target transport allowance', 'node:*'),
  'src/gateway-run': room(
    'contracts generators protocol exchange result oracle answers checks scenarios mock target transport allowance options',
    'node:crypto fast-check',
  ),
  'src/live': room(
    'contracts generators protocol exchange disk answers scenarios target secrets transport allowance options doctor gateway-run',
    'node:*',
  ),
  'src/pact': room(
    'protocol exchange result disk answers scenarios target secrets transport options gateway-run',
    'node:* @pact-foundation/pact-core',
  ),
  'src/forecast': room('contracts exchange result answers scenarios defects target allowance options live', ''),
  'src/conclusion': room(
    'contracts protocol exchange result answers checks scenarios defects autopsy target allowance options doctor gateway-run live forecast',
    '',
  ),
  'src/observatory': room(
    'contracts generators protocol exchange result answers checks scenarios mock target defects options autopsy gateway-run live conclusion',
    'node:crypto',
  ),
  'src/client-run': room(
    'contracts protocol exchange result disk oracle answers checks scenarios mock adapter local-gateway adapter-check client defects autopsy desk target options forecast conclusion',
    'node:*',
  ),
  'src/recordings': room(
    'contracts protocol exchange result disk answers scenarios mock report autopsy target secrets options gateway-run conclusion client-run',
    'node:*',
  ),
  'src/certificate': room(
    'contracts schemas protocol exchange result disk scenarios report target gateway-run recordings',
    'node:crypto node:path',
  ),
  'src/diff': room('contracts exchange result answers report pages', ''),
  // Whole runs are processes of the command; here their reports are kept and compared.
  'src/matrix': room('contracts schemas exchange result disk report pages defects options diff', 'node:*'),
  'src/impact': room(
    'contracts protocol exchange answers checks scenarios adapter autopsy target secrets transport allowance options gateway-run live client-run recordings diff observatory matrix',
    'node:*',
  ),
  'src/engine': room(
    'contracts exchange result disk scenarios report pages local-gateway defects target secrets transport options gateway-run live pact conclusion client-run recordings',
    'node:* @playwright/test',
  ),
  'src/prove': room(
    'contracts protocol exchange result answers checks scenarios mock client defects target transport allowance options doctor gateway-run live forecast conclusion observatory client-run',
    'node:*',
  ),
  'src/cli': room(
    'contracts schemas protocol exchange result disk scenarios mock report pages adapter-check defects autopsy desk target secrets transport allowance options doctor gateway-run live pact forecast conclusion observatory client-run recordings diff matrix impact certificate engine',
    'node:* commander yaml',
  ),
  // The package's public face.
  'src/index.ts': room('contracts schemas result mock', ''),
  'playwright.config.ts': room('exchange options engine', 'node:* @playwright/test'),
  'rolldown.config.ts': room('schemas autopsy-page', 'rolldown node:child_process node:url'),
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
    to: ['schemas/compile.ts', 'tests/unit/schemas/files.spec.ts', 'tests/unit/report/ctrf-structure.ts'],
    because: 'one place compiles schemas, so that all of them are compiled alike and only when they are used',
  },
  {
    packages: ['@playwright/test', 'playwright', 'playwright-core'],
    to: [
      'tests/',
      'playwright.config.ts',
      'playwright.tests.config.ts',
      'src/engine/reporter.ts',
      'src/engine/start-engine.ts',
    ],
    because: 'everything else runs without a test runner: in one process, in benchmarks, in the mock',
  },
  {
    packages: ['@pact-foundation/pact', '@pact-foundation/pact-core'],
    to: ['src/pact/', 'tests/'],
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
  { from: 'src/checks', to: 'src/mock', because: 'the examined and the examiner may not share a mistake' },
  { from: 'src/mock', to: 'src/checks', because: 'the examined and the examiner may not share a mistake' },
  { from: 'src/report', to: 'src/conclusion', because: 'a report is written from a stored result too' },
  { from: 'src/report', to: 'src/checks', because: 'a report prints verdicts and never makes one' },
  { from: 'src/pages', to: 'src/conclusion', because: 'a page is written from a stored result too' },
  { from: 'src/pages', to: 'src/checks', because: 'a page shows verdicts and never makes one' },
  { from: 'src/oracle', to: 'src/protocol', because: 'a second voice that repeats the first one proves nothing' },
  { from: 'src/protocol', to: '', because: 'the protocol layer is published by itself and has no I/O and no clock' },
  { from: 'contracts', to: '', because: 'what must hold depends on nothing' },
  { from: 'src/result', to: '', because: 'verdicts are weighed without knowing who judged' },
  { from: 'src/exchange', to: '', because: 'the record of the wire knows nothing of who wrote or reads it' },
  { from: 'src/scenarios', to: 'src/gateway-run', because: 'a plan is data; sending it is the business of a run' },
  {
    from: 'src/scenarios',
    to: 'src/checks',
    because: 'a judge that knew the plan would judge what was meant, not what was sent',
  },
  { from: 'src/scenarios', to: 'src/mock', because: 'a scenario has to fit every gateway' },
  { from: 'src', to: 'tests', because: 'tests are not part of the package' },
  { from: 'adapters', to: 'src', because: 'an adapter stands for foreign code: it uses the package as anybody would' },
];
