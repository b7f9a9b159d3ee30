/** The engine's configuration for `countersign gateway` and `client`. Without a command, runs the suite on the mock. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { openEngineFolder, reporterVariable } from './src/app/engine.ts';
import { completeRunOptions, readRunOptions, runVariable } from './src/run/options/run-options.ts';

const options = readRunOptions(process.env) ?? startedByHand();

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// The sources have the extension .ts, and the built files in dist/ have .cjs.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'cjs';
// For every step, the engine looks up stack frames in source maps. Built code has no source maps, so skip this search.
if (extension === 'cjs') Reflect.deleteProperty(Error, 'prepareStackTrace');

process.env[reporterVariable] = here(`./src/app/reporter.${extension}`);

export default defineConfig({
  testDir: here('./tests/conformance'),
  testMatch: (options.client === undefined ? ['gateway', 'pact'] : ['client']).map(
    (name) => `${name}.spec.${extension}`,
  ),
  // The engine empties this folder at its start.
  outputDir: join(options.engineFolder!, 'output'),
  // These are additional reporters: `reporterVariable` names our own reporter.
  reporter:
    options.reporter?.map((name) => [name, { open: 'never', outputFolder: resolve('playwright-report') }]) ?? 'null',
  fullyParallel: options.live === undefined,
  workers: options.live === undefined ? options.workers : 1,
  globalTimeout: options.live?.limitMs ?? 0,
  retries: 0,
  forbidOnly: true,
  // Do not compile built files again, because this would take seconds on the first run.
  ...(extension === 'cjs' ? { build: { external: ['**/*.cjs'] } } : {}),
});

/** Makes options for a run without a command. Workers inherit the variable, so all workers perform the same run. */
function startedByHand() {
  const byDefault = completeRunOptions({}, Date.now(), process.cwd());
  const folder = openEngineFolder(byDefault);
  process.once('exit', folder.remove);
  process.env[runVariable] = folder.optionsFile;
  return { ...byDefault, engineFolder: folder.path };
}
