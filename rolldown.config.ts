/** Bundles docs/autopsy.html: the autopsy with all that it needs, in one page. `npm run build` does it. */
import { defineConfig } from 'rolldown';
import { autopsyPage } from './src/autopsy-page/page.ts';

export default defineConfig({
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
