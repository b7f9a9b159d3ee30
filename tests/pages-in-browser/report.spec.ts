/** report.html in a browser: the first screen, the way to a failure, and that no value of a subject runs. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { groupBy } from '../../src/record/group-by.ts';
import { packageRoot } from '../../src/run/options/suite-version.ts';
import { expect } from '../engine.ts';
import { injections, maxTextLength, pageFaults } from './accessible.ts';
import { test, visit } from './browser.ts';
import { hostileRun, pageOf, type Run, runs } from './report-pages.ts';

/** Three requirements of each dimension and outcome, and the first 40 exchanges: further ones repeat the same elements. */
function shorten({ result, cases }: Run): Run {
  const results = [...groupBy(result.results, ({ dimension, outcome }) => `${dimension} ${outcome}`).values()]
    .flatMap((rows) => rows.slice(0, 3))
    .map((row) => ({ ...row, exchanges: row.exchanges.filter((number) => number <= 40) }));
  return { result: { ...result, results }, cases: cases.slice(0, 40) };
}

test('every report is accessible in both themes @all', async () => {
  const found: string[] = [];
  for (const [name, run] of Object.entries(runs)) {
    const faults = await pageFaults({ html: pageOf(shorten(run())) }, undefined, (page) =>
      page.evaluate(() => location.assign('#exchange-2')),
    );
    found.push(...faults.map((one) => `${name}: ${one}`));
  }
  expect(found).toEqual([]);
});

test('500 hostile values are harmless in a report, and a value of a megabyte is shortened @all', async () => {
  const page = { html: pageOf(hostileRun()) };
  expect(await injections(page)).toEqual([]);
  // A body is shown up to 16,384 characters.
  const showLast = async (opened: Page) => {
    await opened.evaluate(() => location.assign('#exchange-501'));
    await expect(opened.locator('#detail h3')).toContainText('Exchange 501');
  };
  expect(await maxTextLength(page, showLast)).toBeLessThan(20_000);
});

test('a long value without spaces makes no page wider than its window @all', async () => {
  const long = 'W'.repeat(3_000);
  const html = pageOf(hostileRun([long, 'bare', long]));
  for (const width of [1280, 390] as const) {
    const misdeeds = await visit(
      { html },
      async (page) => {
        await page.evaluate(() => location.assign('#exchange-3'));
        await expect(page.locator('#detail h3')).toContainText('Exchange 3');
        const excess = await page.evaluate(() => {
          for (const part of document.querySelectorAll('details')) part.open = true;
          return document.documentElement.scrollWidth - innerWidth;
        });
        expect(excess).toBeLessThanOrEqual(0);
        // A part of the header without a value is printed whole.
        expect(new Set(await page.locator('dt', { hasText: /^bar/ }).allTextContents())).toEqual(new Set(['bare']));
      },
      { width },
    );
    expect(misdeeds).toEqual([]);
  }
});

test('the page that the built command writes shows the exchange of its first failure @all', async () => {
  const out = test.info().outputPath('run');
  const only = [
    '--only',
    'authentication/close-day-wrong-key-refused',
    '--defect',
    'authentication/signature-not-checked',
  ];
  const ran = spawnSync(
    process.execPath,
    [join(packageRoot, 'dist/src/app/main.cjs'), 'gateway', ...only, '--seed', '7', '--out', out],
    { encoding: 'utf8' },
  );
  expect(ran.status, ran.stderr).toBe(1);
  const misdeeds = await visit({ html: readFileSync(join(out, 'report.html'), 'utf8') }, async (page) => {
    await page
      .getByRole('link', { name: /^Show exchange/ })
      .first()
      .click();
    await expect(page.locator('#detail h3')).toContainText(/^Exchange \d+/);
  });
  expect(misdeeds).toEqual([]);
});

test('the first screen of a desktop and a phone has the conclusion and what to fix first @all', async () => {
  const html = pageOf(runs['gateway that checks no signature']!());
  for (const width of [1280, 390] as const) {
    const misdeeds = await visit({ html }, firstScreen, { width });
    expect(misdeeds).toEqual([]);
  }
});

test('copied texts have the finding, but no signature and no key @all', async () => {
  const { result, cases } = runs['gateway that checks no signature']!();
  const [row] = result.results.filter(({ outcome }) => outcome === 'fail');
  const number = row!.exchanges[0]!;
  const { request } = cases[number - 1]!.exchanges[0];
  const [, sent = ''] = /oauth_signature="([^"]+)/.exec(JSON.stringify(request.headers).replaceAll('\\"', '"')) ?? [];
  const signature = decodeURIComponent(sent);
  const target = `${request.target}?oauth_token=TokenInTheQuery&oauth_signature=${sent}`;
  const results = result.results.map((one) => (one === row ? { ...one, actual: `the signature ${signature}` } : one));
  const changed = cases.map((one, index) =>
    index === number - 1
      ? { ...one, exchanges: [{ ...one.exchanges[0], request: { ...request, target } }] as const }
      : one,
  );
  const copied: string[] = [];
  const html = pageOf({ result: { ...result, results }, cases: changed });
  const misdeeds = await visit({ html }, async (page) => {
    await page.evaluate((anchor) => location.assign(anchor), `#exchange-${number}`);
    // The arrow keys continue from the exchange of a link.
    await expect(page.locator('#list')).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('#detail h3')).toContainText(`Exchange ${number + 1}`);
    await page.keyboard.press('ArrowUp');
    for (const name of ['Copy for a colleague', 'Copy as prompt', 'Copy as cURL']) {
      const button = page.getByRole('button', { name });
      await button.waitFor();
      copied.push(
        await page.evaluate((title) => {
          let text = '';
          navigator.clipboard.writeText = async (value) => {
            text = value;
          };
          [...document.querySelectorAll('button')].find(({ textContent }) => textContent === title)!.click();
          return text;
        }, name),
      );
    }
  });
  expect(misdeeds).toEqual([]);
  expect(signature.length).toBeGreaterThan(10);
  const [curl] = copied.splice(2);
  expect(curl).toMatch(/^curl --globoff --path-as-is -i -X 'POST' 'http:\/\/127\.0\.0\.1:\d+\/\S+' -H 'host: /);
  expect(curl).toContain(`oauth_signature="${sent}"`);
  for (const text of copied) {
    expect(text).toContain(row!.id);
    for (const secret of [signature, sent, 'TokenInTheQuery', 'countersign-test']) expect(text).not.toContain(secret);
  }
});

async function firstScreen(page: Page): Promise<void> {
  for (const part of [page.locator('h1'), page.getByRole('heading', { name: 'What to fix first' })])
    await expect(part).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}
