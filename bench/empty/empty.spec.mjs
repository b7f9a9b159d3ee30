/** The least that Playwright Test can do: what every run of the suite costs before it does anything. */
import { test } from '@playwright/test';

test('nothing is tested', () => {});
