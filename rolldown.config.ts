/**
 * What `npm run build` bundles: docs/autopsy.html, the autopsy with all that it needs in one page, and in dist/ what the command
 * and its engine load, since each of a run's four processes would else start with some 300 small files.
 */
import { defineConfig } from 'rolldown';
import { autopsyPage } from './src/autopsy-page/page.ts';

const page = defineConfig({
  input: 'src/autopsy-page/in-browser.ts',
  platform: 'browser',
  resolve: { alias: { 'node:crypto': `${import.meta.dirname}/src/autopsy-page/node-crypto.ts` } },
  transform: { inject: { Buffer: [`${import.meta.dirname}/src/autopsy-page/buffer.ts`, 'Buffer'] } },
  output: { dir: 'docs', format: 'iife', minify: true },
  plugins: [
    {
      name: 'one-page',
      generateBundle(_, bundle) {
        for (const [name, part] of Object.entries(bundle)) {
          delete bundle[name];
          if (part.type === 'chunk') {
            this.emitFile({ type: 'asset', fileName: 'autopsy.html', source: autopsyPage(part.code) });
          }
        }
      },
    },
  ],
});

/** Each stays where the compiler put it. */
const entries = [
  'src/cli/main',
  'src/engine/reporter',
  'playwright.config',
  'tests/conformance/client.spec',
  'tests/conformance/gateway.spec',
  'tests/conformance/pact.spec',
];

const dist = `${import.meta.dirname}/dist`;

const command = defineConfig({
  cwd: dist,
  input: Object.fromEntries(entries.map((name) => [name, `./${name}.js`])),
  platform: 'node',
  external: [/^[^./]/],
  // As deep as src/engine/ is: what finds a file by its own place finds it from there too.
  output: { dir: dist, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'src/bundled/[name]-[hash].js' },
});

export default [page, command];
