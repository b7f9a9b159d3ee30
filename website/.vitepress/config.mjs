/** The site is the Markdown of docs/, which prepare.mjs copies to dist/pages, in the order of its folders. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const docs = fileURLToPath(new URL('../dist/pages', import.meta.url));
const folders = { tutorials: 'Tutorials', 'how-to': 'How to', reference: 'Reference', explanation: 'Explanation' };

const pages = (folder) => {
  const names = readdirSync(join(docs, folder)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return names.map((name) => {
    const title = /^# (.+)$/m.exec(readFileSync(join(docs, folder, name), 'utf8'))?.[1].replaceAll('`', '') ?? name;
    return { text: title, link: `/${folder}/${name.slice(0, -3)}` };
  });
};

const sidebar = Object.entries(folders).map(([folder, text]) => ({ text, items: pages(folder) }));

export default defineConfig({
  title: 'Countersign',
  description: 'A conformance suite for close-day and process-recurring-payments',
  srcDir: 'dist/pages',
  outDir: 'dist/site',
  cacheDir: 'dist/cache',
  ignoreDeadLinks: [/^\/project\//],
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  // Angle brackets in a guide are placeholders such as <file>, never elements.
  markdown: { html: false, attrs: { disable: true } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Sample report', link: '/sample-report.html', target: '_self' },
      { text: 'Why is a signature wrong?', link: '/autopsy.html', target: '_self' },
      { text: 'Schemas', link: '/schemas/index.html', target: '_self' },
    ],
    sidebar,
    outline: [2, 3],
  },
});
