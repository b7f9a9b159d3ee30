/** The configuration of the suite's own tests. The commands use playwright.config.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
// @ts-expect-error This module has no types: Node loads it before any types are removed.
import { stripTypes } from './tests/strip-types.mjs';

// Tests must not write into the user's folders. Workers inherit this variable. Only the process that made the folder
// removes it.
const inherited = process.env.COUNTERSIGN_TESTS_STATE;
const state = inherited ?? mkdtempSync(join(tmpdir(), 'countersign-tests-state-'));
if (inherited === undefined) process.once('exit', () => rmSync(state, { recursive: true, force: true }));
process.env.COUNTERSIGN_TESTS_STATE = state;
process.env.XDG_STATE_HOME = state;

stripTypes(join(state, 'without-types'));

export default defineConfig({
  testDir: 'tests',
  testIgnore: ['conformance/**'],
  // Workers take whole files. For single tests, the engine would copy the whole file for each test.
  fullyParallel: false,
  forbidOnly: true,
  expect: { toHaveScreenshot: { pathTemplate: 'reports/samples/{arg}{ext}' } },
  // Long enough for a busy machine, so only a test that hangs reaches this limit.
  timeout: 600_000,
  // Tests spend a third of their time waiting, so three workers keep two cores busy.
  workers: 3,
  quiet: true,
  reporter: [[process.env.CI ? 'dot' : 'list'], ['./tests/measured.ts']],
});
