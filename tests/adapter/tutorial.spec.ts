/** The adapter that adapters/README.md arrives at, put together from its blocks as a reader would. */
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
  writeFileSync(adapter, lastAdapter(readFileSync(join(root, 'adapters/README.md'), 'utf8')));
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

function lastAdapter(tutorial: string): string {
  const blocks = [...tutorial.matchAll(/^```python\n(.*?)^```$/gms)].map(([, text]) => text!);
  const [, say, firstCall, whole, recurring, branches] = blocks as [string, string, string, string, string, string];
  const perform = whole
    .replace(/^ {4}if case\["op"\] != .*\n.*\n/m, branches)
    .replace('send(case, "/api/v2/close-day/", case["input"], ca_file)', 'send(case, path, form, ca_file)')
    .replace('read_close_day(answer)', 'read(answer)');
  return ['import json, sys\n', say, firstCall, recurring, perform].join('\n');
}
