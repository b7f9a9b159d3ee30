/** The suite's own tests; what the commands run is in playwright.config.ts. */
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'tests',
  testIgnore: ['conformance/**'],
  fullyParallel: true,
  forbidOnly: true,
  timeout: 60_000,
  workers: 2,
  quiet: true,
  reporter: [[process.env.CI ? 'dot' : 'list'], ['./tests/measured.ts']],
});
