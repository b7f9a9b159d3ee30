/** Compares the first screens with the pictures in reports/samples/, on a desktop and a phone, light and dark. `-u all` renews them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { packageRoot } from '../../src/run/options/suite-version.ts';
import { expect } from '../engine.ts';
import { test, visit } from './browser.ts';
import { comparisons } from './comparison-pages.ts';
import { type SampleDesk, sampleDesk } from './desk-pages.ts';
import { pageOf, runs } from './report-pages.ts';

let desk: SampleDesk;
test.beforeAll(async () => {
  desk = await sampleDesk();
});
test.afterAll(async () => {
  await desk?.close();
});

test('the first screens equal their pictures @all', async () => {
  test.slow();
  const autopsy = { html: readFileSync(join(packageRoot, 'docs', 'autopsy.html'), 'utf8') };
  const tryExample = async (page: Page) => {
    await page.locator('#language').selectOption('python');
    await page.getByRole('button', { name: 'Try an example' }).click();
    await page.locator('#verdict').waitFor();
  };
  const screens = [
    ['desk-waiting', desk.pages['engagement that waits']!],
    ['desk-wrong', desk.pages['engagement of a wrong client']!],
    ['desk-through', desk.pages['engagement at its end']!],
    ['autopsy', autopsy, tryExample],
    ['report', { html: pageOf(runs['gateway that checks no signature']!()) }],
    ['report-client', { html: pageOf(runs['wrong client']!()) }],
    ['diff', { html: await comparisons['comparison that breaks']!() }],
    ['history', { html: await comparisons.history!() }],
  ] as const;
  for (const [name, address, prepare] of screens) {
    for (const width of [1280, 390] as const) {
      const look = async (page: Page) => {
        await prepare?.(page);
        if (typeof address === 'string') await expect(page.locator('[data-live]')).toHaveText('Live');
        await page.evaluate(maskRandom);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await expect.soft(page).toHaveScreenshot(`${name}-${width}-${colorScheme}.png`, { maxDiffPixelRatio: 0.01 });
        }
      };
      await visit(address, look, { width }, (url) => url.startsWith(desk.pageUrl));
    }
  }
});

function maskRandom(): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    node.nodeValue = (node.nodeValue ?? '')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:7420')
      .replace(/\be[0-9a-f]{12}\b/g, 'e0123456789ab')
      .replace(/\bDesk-[0-9a-f]{12}\b/g, 'Desk-0123456789ab')
      .replace(/\b[0-9A-Za-z]{40}\b/g, '0123456789abcdef0123456789abcdef01234567')
      .replace(/\b\d\d:\d\d:\d\d\b/g, '12:00:00');
  }
}
