/** The configuration of the suite's own tests. The commands use playwright.config.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { defineConfig } from '@playwright/test';
// @ts-expect-error This module has no types, because Node loads it before it can remove types from other files.
import { stripTypes } from './tests/strip-types.mjs';

// Tests write into this folder, not the user's. Workers inherit its name; only the process that made it removes it.
const inherited = process.env.COUNTERSIGN_TESTS_STATE;
const state = inherited ?? mkdtempSync(join(tmpdir(), 'countersign-tests-state-'));
if (inherited === undefined) process.once('exit', () => rmSync(state, { recursive: true, force: true }));
process.env.COUNTERSIGN_TESTS_STATE = state;
process.env.XDG_STATE_HOME = state;

// V8 optimizes later, because most code of a test runs only a few times. Newer versions refuse the flag.
if (process.versions.v8.startsWith('11.3.')) setFlagsFromString('--interrupt-budget=1500000');

stripTypes(join(state, 'without-types'));

export default defineConfig({
  testDir: 'tests',
  testIgnore: ['conformance/**'],
  // Give whole files to workers. For single tests, the engine would copy the whole file for each test.
  fullyParallel: false,
  forbidOnly: true,
  expect: { toHaveScreenshot: { pathTemplate: 'reports/samples/{arg}{ext}' } },
  // Even on a busy machine, only a test that hangs reaches this limit.
  timeout: 600_000,
  // Tests spend a third of their time waiting, so three workers keep two cores busy.
  workers: 3,
  quiet: true,
  reporter: [[process.env.CI ? 'dot' : 'list'], ['./tests/measured.ts']],
});
