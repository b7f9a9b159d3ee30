/** Copies the guides, and makes what the site shows with them: a report of a run on the mock, the autopsy page, the schemas. Needs `npm run build`. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = join(root, 'website/dist/pages');
const publicDir = join(pages, 'public');
rmSync(pages, { recursive: true, force: true });
cpSync(join(root, 'docs'), pages, { recursive: true, filter: (name) => !name.endsWith('.html') });
mkdirSync(join(publicDir, 'schemas'), { recursive: true });

// What a guide shows or links to outside of docs/ is served as a file; a folder of the project is only named.
for (const page of readdirSync(pages, { recursive: true }).filter((name) => name.endsWith('.md'))) {
  const text = readFileSync(join(pages, page), 'utf8');
  const mended = text.replace(/(!?)\[([^\]]*)\]\(([^)#:]+)(#[^)]*)?\)/g, (link, image, words, to) => {
    const target = relative(root, resolve(root, 'docs', dirname(page), to));
    if (target.startsWith('docs')) return link;
    if (statSync(join(root, target)).isDirectory()) return words;
    const served = `/project/${target.replace(/\.md$/, '.md.txt')}`;
    cpSync(join(root, target), join(publicDir, served));
    return `${image}[${words}](${served})`;
  });
  writeFileSync(join(pages, page), mended);
}

const run = mkdtempSync(join(tmpdir(), 'countersign-site-'));
execFileSync(
  process.execPath,
  [join(root, 'bin/countersign.cjs'), 'gateway', '--target', 'mock', '--seed', '1', '--out', join(run, 'run')],
  {
    stdio: 'inherit',
  },
);
cpSync(join(run, 'run/report.html'), join(publicDir, 'sample-report.html'));
rmSync(run, { recursive: true });

cpSync(join(root, 'docs/autopsy.html'), join(publicDir, 'autopsy.html'));

const schemas = ['files', 'payload'].flatMap((folder) =>
  readdirSync(join(root, 'schemas', folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ from: join(root, 'schemas', folder, name), name })),
);
for (const { from, name } of schemas) cpSync(from, join(publicDir, 'schemas', name));
const items = schemas.map(({ name }) => `<li><a href="${name}">${name}</a></li>`).join('\n');
writeFileSync(
  join(publicDir, 'schemas/index.html'),
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Schemas</title>
<style>:root{color-scheme:light dark;font-family:system-ui;margin:2rem}</style><h1>Schemas</h1><ul>
${items}
</ul></html>
`,
);
