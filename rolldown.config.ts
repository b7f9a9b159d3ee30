/**
 * What `npm run build` bundles: docs/autopsy.html, the autopsy with all that it needs in one page, and in dist/ what the command
 * and its engine load, since each of a run's four processes would else start with some 300 small files.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'rolldown';
import { writtenChecks } from './schemas/compile.ts';
import { autopsyPage } from './src/extras/autopsy-page/page.ts';

/**
 * A call may be there only to see whether it throws, and of decodeURIComponent and others the bundler thinks that they cannot: so it
 * may not drop what seems to do nothing, nor compress, which does the same.
 */
const everyCall = { treeshake: false } as const;

const page = defineConfig({
  ...everyCall,
  input: 'src/extras/autopsy-page/in-browser.ts',
  platform: 'browser',
  // What a file system says is in the file of our own errors, and nothing of that is called on the page.
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

/** Each stays where the compiler put it, as CommonJS. */
const entries = [
  'src/app/main',
  'src/app/reporter',
  'playwright.config',
  'tests/conformance/client.spec',
  'tests/conformance/gateway.spec',
  'tests/conformance/pact.spec',
];

/** Beside dist/, which `npm run build` puts it in place of at the end: a command that runs from there still finds its files. */
const dist = `${import.meta.dirname}/dist.new`;

/** Names at the top of a file stay, so that a stack trace can be read. */
const minify = { compress: false, mangle: { toplevel: false }, codegen: true };

/** Bundled, so that nobody installs them: nothing else than our pages needs them. */
const bundledLibraries = ['preact', 'preact-render-to-string', 'htm'];
const isBundled = (id: string) => bundledLibraries.some((name) => id === name || id.startsWith(`${name}/`));

const scripts = ['src/report/pages/script.js', 'src/extras/desk/pages/script.js'].map((name) => `${dist}/${name}`);

const command = defineConfig({
  ...everyCall,
  cwd: dist,
  input: Object.fromEntries(entries.map((name) => [name, `./${name}.js`])),
  platform: 'node',
  external: (id) => /^[^./]/.test(id) && !isBundled(id),
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
    {
      // The script of a page is the text of functions that call one another by name, and a bundle changes names.
      name: 'script-of-pages',
      load(id) {
        if (!scripts.includes(id)) return undefined;
        const told = `import * as page from '${pathToFileURL(id)}'; process.stdout.write(JSON.stringify(page))`;
        const texts = execFileSync(process.execPath, ['--input-type=module', '--eval', told], { encoding: 'utf8' });
        return Object.entries(JSON.parse(texts))
          .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};`)
          .join('\n');
      },
    },
    {
      name: 'command-and-licences',
      generateBundle() {
        const source = "#!/usr/bin/env node\nimport './main.cjs';\n";
        this.emitFile({ type: 'asset', fileName: 'src/app/main.js', source });
        const texts = bundledLibraries.map(
          (name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8')}`,
        );
        this.emitFile({ type: 'asset', fileName: 'src/bundled/LICENSES.txt', source: texts.join('\n') });
      },
    },
  ],
  // As deep as src/app/ is: what finds a file by its own place finds it from there too.
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
