/** An empty test. It measures what Playwright Test costs in every run of the suite. */
import { test } from '@playwright/test';

test('nothing is tested', () => {});
