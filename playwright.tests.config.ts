/** The suite's own tests; what the commands run is in playwright.config.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
// @ts-expect-error What takes the types out has none itself: Node loads it as it is.
import { stripTypes } from './tests/strip-types.mjs';

// No test writes into the folders of the person who runs it. Workers inherit the variable; the process that made the folder removes it.
const inherited = process.env.COUNTERSIGN_TESTS_STATE;
const state = inherited ?? mkdtempSync(join(tmpdir(), 'countersign-tests-state-'));
if (inherited === undefined) process.once('exit', () => rmSync(state, { recursive: true, force: true }));
process.env.COUNTERSIGN_TESTS_STATE = state;
process.env.XDG_STATE_HOME = state;

stripTypes(join(state, 'without-types'));

export default defineConfig({
  testDir: 'tests',
  testIgnore: ['conformance/**'],
  // A file is the unit that a worker takes: with each test a unit of its own the engine copies the whole file for each of them.
  fullyParallel: false,
  forbidOnly: true,
  expect: { toHaveScreenshot: { pathTemplate: 'reports/samples/{arg}{ext}' } },
  // What hangs ends; what only waits for a busy machine does not.
  timeout: 600_000,
  // Of a test's time a third is waiting, for processes and for deadlines: a third worker keeps two cores busy.
  workers: 3,
  quiet: true,
  reporter: [[process.env.CI ? 'dot' : 'list'], ['./tests/measured.ts']],
});
