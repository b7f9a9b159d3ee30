/** The adapter that docs/how-to/write-an-adapter.md shows. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '../engine.ts';
import { pythonWithOAuth, skipUnless } from '../needed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.describe.configure({ mode: 'default' });

let folder: string;
let adapter: string;
let python: string | undefined;

test.beforeAll(() => {
  python = pythonWithOAuth();
  folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  adapter = join(folder, 'my-adapter.py');
  writeFileSync(adapter, adapterIn(readFileSync(join(root, 'docs/how-to/write-an-adapter.md'), 'utf8')));
});
test.beforeEach(() => skipUnless(python !== undefined, 'Python with requests-oauthlib'));
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the adapter of the tutorial holds every point of the self-test', () => {
  const { stdout, stderr, status } = client('--check-adapter');
  expect(`${stdout}${stderr}`).not.toMatch(/^✗/m);
  expect(status).toBe(0);
});

test('the adapter of the tutorial is conformant, with its remark that nothing is validated', { tag: '@all' }, () => {
  const { stdout, stderr, status } = client('--cases', '1', '--out', join(folder, 'run'));
  expect(`${stdout}${stderr}`).toMatch(/Conclusion: conformant/);
  expect(status).toBe(0);
});

function client(...options: string[]) {
  const command = [join(root, 'dist/src/app/main.js'), 'client', ...options, '--', python!, adapter];
  return spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8', timeout: 200_000 });
}

function adapterIn(page: string): string {
  return /^```python\n(.*?)^```$/ms.exec(page)![1]!;
}
