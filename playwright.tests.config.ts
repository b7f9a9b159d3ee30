/** The suite's own tests; what the commands run is in playwright.config.ts. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type PlaywrightTestConfig } from '@playwright/test';

// No test writes into the folders of the person who runs it. Workers inherit the variable; tests/measured.ts removes the folder.
process.env.COUNTERSIGN_TESTS_STATE ??= mkdtempSync(join(tmpdir(), 'countersign-tests-state-'));
process.env.XDG_STATE_HOME = process.env.COUNTERSIGN_TESTS_STATE;

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
  use: whatBrowsersAreGiven(),
  reporter: [[process.env.CI ? 'dot' : 'list'], ['./tests/measured.ts']],
});

/**
 * The engine's own defaults. It computes each option of a browser by a step for each test, with a stack of its own, whether or not
 * the test has a browser: ten milliseconds of the processor, four thousand times. What is given as a value is only read.
 */
function whatBrowsersAreGiven(): PlaywrightTestConfig['use'] {
  return {
    acceptDownloads: true,
    bypassCSP: false,
    clientCertificates: [],
    colorScheme: 'light',
    contrast: 'no-preference',
    deviceScaleFactor: 1,
    extraHTTPHeaders: {},
    forcedColors: 'none',
    hasTouch: false,
    ignoreHTTPSErrors: false,
    isMobile: false,
    javaScriptEnabled: true,
    locale: 'en-US',
    offline: false,
    permissions: [],
    reducedMotion: 'no-preference',
    serviceWorkers: 'allow',
    storageState: { cookies: [], origins: [] },
    viewport: { width: 1280, height: 720 },
  };
}
