/** The desk's pages in a browser. */
import { request } from 'node:http';
import { expect } from '../engine.ts';
import { injections, pageFaults } from './accessible.ts';
import { test, visit } from './browser.ts';
import { type SampleDesk, sampleDesk } from './desk-pages.ts';
import { hostileValues } from './hostile-values.ts';

let desk: SampleDesk;
const isDeskUrl = (url: string) => url.startsWith(desk.pageUrl);

test.beforeAll(async () => {
  desk = await sampleDesk();
});
test.afterAll(async () => {
  await desk?.close();
});

test('the pages of the desk are accessible in both themes @all', async () => {
  const found: string[] = [];
  for (const [name, url] of Object.entries(desk.pages)) {
    const isOurs = (one: string) => one.startsWith(new URL(url).origin);
    found.push(...(await pageFaults(url, isOurs)).map((one) => `${name}: ${one}`));
  }
  expect(found.filter((one) => !one.includes('status of 404'))).toEqual([]);
});

test('the page of an engagement shows a request without a reload @all', async () => {
  await visit(
    desk.pages['engagement that waits']!,
    async (page) => {
      await expect(page.locator('[data-live]')).toHaveText('Live');
      await expect(page.locator('h1')).toHaveText('Waiting for a request');
      await expect(page.locator('#connect')).toHaveAttribute('open');
      await desk.waiting.follow({}, 1);
      await expect(page.locator('h1')).toHaveText('Correct so far');
      await expect(page.locator('#connected')).not.toHaveAttribute('open');
      await expect(page.locator('.next-step')).toContainText('step 2 of 16');
    },
    {},
    isDeskUrl,
  );
});

test('500 hostile values in requests are harmless on a page of the desk @all', async () => {
  const page = desk.pages['engagement of a wrong client']!;
  const id = page.split('/').pop()!;
  for (let start = 0; start < hostileValues.length; start += 10)
    await send(desk.origin, id, hostileValues.slice(start, start + 10));
  expect(await injections(page, isDeskUrl)).toEqual([]);
});

test('the check for hostile values finds a page that runs them @all', async () => {
  const html = `<!doctype html><title>x</title><img src="http://127.0.0.1:9/x.png" onerror="alert(1)">`;
  expect(await injections({ html })).toEqual(
    expect.arrayContaining(['dialog: 1', 'request: http://127.0.0.1:9/x.png', expect.stringContaining('<img')]),
  );
});

function send(origin: string, id: string, values: readonly string[]): Promise<void> {
  const ascii = values[0]!.replace(/[^!-~]/g, '');
  return new Promise((done, failed) => {
    const path = `/${id}/api/v2/close-day/1111?${ascii.replaceAll('#', '')}`;
    const headers = { 'Content-Type': ascii, Authorization: `OAuth oauth_consumer_key="${ascii}"` };
    request(origin, { path, method: 'POST', headers }, (response) => response.resume().on('end', () => done()))
      .on('error', failed)
      .end(`day_close_request_id=${values.join('&x=')}`);
  });
}
