/** What `countersign gateway` and `client` run, from the sources and from dist/ alike; started by hand it runs the suite against the mock. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { openEngineFolder, reporterVariable } from './src/app/engine.ts';
import { completeRunOptions, readRunOptions, runVariable } from './src/run/options/run-options.ts';

const options = readRunOptions(process.env) ?? startedByHand();

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// dist/ holds .cjs, the sources .ts; the engine finds the file that stands beside this one.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'cjs';
// The engine looks up each frame of a stack in a source map, for every step of a test: what is built has none.
if (extension === 'cjs') Reflect.deleteProperty(Error, 'prepareStackTrace');

process.env[reporterVariable] = here(`./src/app/reporter.${extension}`);

export default defineConfig({
  testDir: here('./tests/conformance'),
  testMatch: (options.client === undefined ? ['gateway', 'pact'] : ['client']).map(
    (name) => `${name}.spec.${extension}`,
  ),
  // The engine empties it at its start.
  outputDir: join(options.engineFolder!, 'output'),
  // Ours is beside it, by the variable above.
  reporter:
    options.reporter?.map((name) => [name, { open: 'never', outputFolder: resolve('playwright-report') }]) ?? 'null',
  fullyParallel: options.live === undefined,
  workers: options.live === undefined ? options.workers : 1,
  globalTimeout: options.live?.limitMs ?? 0,
  retries: 0,
  forbidOnly: true,
  // What is compiled is not transformed once more, which takes seconds on the first run.
  ...(extension === 'cjs' ? { build: { external: ['**/*.cjs'] } } : {}),
});

/** Workers are started with this process's environment: all of them perform the same run. */
function startedByHand() {
  const byDefault = completeRunOptions({}, Date.now(), process.cwd());
  const folder = openEngineFolder(byDefault);
  process.once('exit', folder.remove);
  process.env[runVariable] = folder.optionsFile;
  return { ...byDefault, engineFolder: folder.path };
}
