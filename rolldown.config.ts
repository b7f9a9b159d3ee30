/**
 * Configures the bundles of `npm run build`: docs/autopsy.html, a page with the whole autopsy, and the command with its
 * engine in dist/. Without a bundle, each of the four processes of a run would load about 300 small files.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'rolldown';
import { compiledChecks } from './schemas/compile.ts';
import { autopsyPage } from './src/extras/autopsy-page/page.ts';

/** Do not drop or compress calls: some only check if decodeURIComponent throws; the bundler assumes that it cannot. */
const everyCall = { treeshake: false } as const;

const page = defineConfig({
  ...everyCall,
  input: 'src/extras/autopsy-page/in-browser.ts',
  platform: 'browser',
  // src/record/errors.ts imports these modules for file-system errors, which do not occur in the page.
  external: ['node:os', 'node:util'],
  resolve: { alias: { 'node:crypto': `${import.meta.dirname}/src/extras/autopsy-page/node-crypto.ts` } },
  transform: { inject: { Buffer: [`${import.meta.dirname}/src/extras/autopsy-page/buffer.ts`, 'Buffer'] } },
  output: {
    dir: 'docs',
    format: 'iife',
    globals: { 'node:os': '{}', 'node:util': '{}' },
    minify: { compress: false, mangle: true, codegen: true },
  },
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

/** Each bundle is a CommonJS file, which replaces the compiled file of this path. */
const entries = [
  'src/app/main',
  'src/app/reporter',
  'playwright.config',
  'tests/conformance/client.spec',
  'tests/conformance/gateway.spec',
  'tests/conformance/pact.spec',
];

/** `npm run build` renames this folder to dist/ at its end. Until then, running commands find their files in dist/. */
const dist = `${import.meta.dirname}/dist.new`;

/** Keeps the names of top-level declarations, so that stack traces are readable. */
const minify = { compress: false, mangle: { toplevel: false }, codegen: true };

/** Only our pages use these libraries. They are bundled, so that users do not have to install them. */
const bundledLibraries = ['preact', 'preact-render-to-string', 'htm'];
const isBundled = (id: string) => bundledLibraries.some((name) => id === name || id.startsWith(`${name}/`));

const scripts = ['src/report/pages/script.js', 'src/extras/desk/pages/script.js'].map((name) => `${dist}/${name}`);

const command = defineConfig({
  ...everyCall,
  cwd: dist,
  input: Object.fromEntries(entries.map((name) => [name, `./${name}.js`])),
  platform: 'node',
  external: (id) => /^[^./]/.test(id) && !isBundled(id),
  // Without this, a chunk of the command line has code that only other commands need.
  experimental: { chunkOptimization: false },
  // Do not warn that the plugin which compiles the schemas is slow.
  checks: { bundlerTimings: false },
  plugins: [
    {
      // Replaces the module that compiles schemas. Each compiled schema becomes a file, which is loaded on first use.
      name: 'compiled-schemas',
      load(id) {
        if (id !== `${dist}/schemas/compile.js`) return undefined;
        const files = [...compiledChecks()].map(([schema, source], at) => {
          this.emitFile({ type: 'asset', fileName: `src/bundled/checks/${at}.cjs`, source });
          return [schema, `../../src/bundled/checks/${at}.cjs`];
        });
        return `import { createRequire } from 'node:module';
const load = createRequire(import.meta.url);
const files = ${JSON.stringify(Object.fromEntries(files))};
export const checkOf = (id) => load(files[id]);`;
      },
    },
    {
      // The script of a page is the source text of functions. Take this text before the bundler renames functions.
      name: 'script-of-pages',
      load(id) {
        if (!scripts.includes(id)) return undefined;
        const program = `import * as page from '${pathToFileURL(id)}'; process.stdout.write(JSON.stringify(page))`;
        const texts = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
        return Object.entries(JSON.parse(texts))
          .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};`)
          .join('\n');
      },
    },
    {
      name: 'licences',
      generateBundle() {
        const texts = bundledLibraries.map(
          (name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8')}`,
        );
        this.emitFile({ type: 'asset', fileName: 'src/bundled/LICENSES.txt', source: texts.join('\n') });
      },
    },
  ],
  // Put chunks as deep as src/app/, so that paths relative to a module stay valid.
  output: {
    dir: dist,
    format: 'cjs',
    minify,
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'src/bundled/[name]-[hash].cjs',
  },
});

export default [page, command];
