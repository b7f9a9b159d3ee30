/** `npx playwright test` in a clone: whatever its options, a run ends with our verdict, and --list is none. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from '../../engine.ts';
import { root } from '../../house/tree.ts';

const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
const config = join(root, 'playwright.config.ts');

function byHand(...options: readonly string[]) {
  const cwd = test.info().outputPath('here');
  const tmp = test.info().outputPath('tmp');
  for (const folder of [cwd, tmp]) mkdirSync(folder, { recursive: true });
  // Compiling the sources again for each run would take longer than all of them.
  const compiled = join(process.env.COUNTERSIGN_TESTS_STATE ?? tmp, 'by-hand');
  const env = { ...process.env, TMPDIR: tmp, PLAYWRIGHT_TRANSFORM_CACHE_DIR: compiled, PW_TEST_REPORTER: 'dot' };
  const { status, stdout } = spawnSync(process.execPath, [playwright, 'test', '-c', config, ...options], {
    cwd,
    env,
    encoding: 'utf8',
  });
  const left = readdirSync(tmp).filter((name) => name.startsWith('countersign-'));
  return { status, stdout, left, written: readdirSync(cwd) };
}

for (const [what, options, status, verdict, tag] of [
  ['a whole run', [], 0, 'conformant', '@all'],
  ['a whole run with another reporter', ['--reporter=list'], 0, 'conformant', '@all'],
  ['a part of a run with another reporter', ['--grep', 'close-day/locked-gate', '--reporter=list'], 3, 'aborted'],
] as const) {
  test(`${what}, started by hand, ends with our verdict and its report`, { tag: tag ?? [] }, () => {
    const ended = byHand(...options);
    expect(ended.stdout).toContain(`Conclusion: ${verdict}`);
    expect(ended).toMatchObject({ status, written: ['reports'], left: [] });
  });
}

test('a list of the tests writes nothing and judges nothing', () => {
  const ended = byHand('--list');
  expect(ended.stdout).toMatch(/^Listing tests:\n {2}gateway\.spec\.ts.*\nTotal: \d+ tests in 2 files\n$/s);
  expect(ended).toMatchObject({ status: 0, written: [], left: [] });
});
