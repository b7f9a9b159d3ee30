/**
 * What `npm run build` bundles: docs/autopsy.html, the autopsy with all that it needs in one page, and in dist/ what the command
 * and its engine load, since each of a run's four processes would else start with some 300 small files.
 */
import { defineConfig } from 'rolldown';
import { writtenChecks } from './schemas/compile.ts';
import { autopsyPage } from './src/autopsy-page/page.ts';

/**
 * A call may be there only to see whether it throws, and of decodeURIComponent and others the bundler thinks that they cannot: so it
 * may not drop what seems to do nothing, nor compress, which does the same.
 */
const everyCall = { treeshake: false } as const;

const page = defineConfig({
  ...everyCall,
  input: 'src/autopsy-page/in-browser.ts',
  platform: 'browser',
  resolve: { alias: { 'node:crypto': `${import.meta.dirname}/src/autopsy-page/node-crypto.ts` } },
  transform: { inject: { Buffer: [`${import.meta.dirname}/src/autopsy-page/buffer.ts`, 'Buffer'] } },
  output: { dir: 'docs', format: 'iife', minify: { compress: false, mangle: true, codegen: true } },
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

const asWritten = { dir: dist, minify: false } as const;

const command = defineConfig({
  ...everyCall,
  cwd: dist,
  input: Object.fromEntries(entries.map((name) => [name, `./${name}.js`])),
  platform: 'node',
  // The script of a page is the text of functions that call one another by name, and a bundle changes names.
  external: [/^[^./]/, /\/pages\/script\.js$/],
  // The compiled schemas are the dear part of the build, and known to be.
  checks: { bundlerTimings: false },
  plugins: [
    {
      // A module for each schema, loaded when it is asked for, stands in for the one that compiles them.
      name: 'compiled-schemas',
      load(id) {
        if (id !== `${dist}/schemas/compile.js`) return undefined;
        const files = [...writtenChecks()].map(([schema, source], at) => {
          this.emitFile({ type: 'asset', fileName: `src/bundled/checks/${at}.cjs`, source });
          return [schema, `../../src/bundled/checks/${at}.cjs`];
        });
        return `import { createRequire } from 'node:module';
const load = createRequire(import.meta.url);
const files = ${JSON.stringify(Object.fromEntries(files))};
export const checkOf = (id) => load(files[id]);`;
      },
    },
  ],
  // As deep as src/engine/ is: what finds a file by its own place finds it from there too.
  output: {
    ...asWritten,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'src/bundled/[name]-[hash].js',
  },
});

/** For `node --require`, which loads no ES module in Node 20. */
const required = defineConfig({
  ...everyCall,
  cwd: dist,
  input: { 'src/engine/code-cache': './src/engine/code-cache.js' },
  platform: 'node',
  output: { ...asWritten, format: 'cjs', entryFileNames: '[name].cjs' },
});

export default [page, command, required];
