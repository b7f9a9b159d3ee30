/** adapters/minimal.py, the first adapter in docs/how-to/write-an-adapter.md. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '../engine.ts';
import { root } from '../house/tree.ts';
import { pythonWithOAuth, skipUnless } from '../needed.ts';
import { here } from '../unit/app/run-command.ts';
import { main } from '../unit/app/spawned.ts';

test.describe.configure({ mode: 'default' });

let python: string | undefined;

test.beforeAll(() => {
  python = pythonWithOAuth();
});
test.beforeEach(() => skipUnless(python !== undefined, 'Python with requests-oauthlib'));

test('the shortest adapter holds every point of the self-test', { tag: '@all' }, () => {
  const { stdout, stderr, status } = client('--check-adapter');
  expect(`${stdout}${stderr}`).not.toMatch(/^✗/m);
  expect(stdout).toMatch(/^– injected values are signed - The adapter does not offer this\.$/m);
  expect(stderr.replace(/\s+/g, ' ')).toMatch(
    /in all \d+ points that it offers \(\d+ more are not offered\)\. Nothing was judged\./,
  );
  expect(status).toBe(0);
});

test('the shortest adapter is conformant, with its remark that nothing is validated', { tag: '@all' }, () => {
  const { stdout, stderr, status } = client('--cases', '1', '--out', here('run'));
  expect(`${stdout}${stderr}`).toMatch(/Conclusion: conformant/);
  expect(status).toBe(0);
});

function client(...options: string[]) {
  const command = [main, 'client', ...options, '--', python!, join(root, 'adapters/minimal.py')];
  return spawnSync(process.execPath, command, { cwd: here(), encoding: 'utf8', timeout: 200_000 });
}
