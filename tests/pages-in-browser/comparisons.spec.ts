/** Pages of comparisons, of a history and of a matrix in a browser. */
import type { Page } from '@playwright/test';
import { implementationsDocument } from '../../src/extras/matrix/matrix-document.ts';
import { documentPage } from '../../src/report/pages/page.ts';
import { expect } from '../engine.ts';
import { demoMatrix } from '../unit/extras/matrix/setting.ts';
import { injections, maxTextLength, pageFaults } from './accessible.ts';
import { test, visit } from './browser.ts';
import { comparisons } from './comparison-pages.ts';
import { hostileValues } from './hostile-values.ts';

const htmlOf = async (name: string) => ({ html: await comparisons[name]!() });

test('pages of comparisons and of a history are accessible in both themes @all', async () => {
  const found: string[] = [];
  for (const name of ['comparison that breaks', 'comparison that is thin', 'comparison with clients', 'history'])
    found.push(...(await pageFaults(await htmlOf(name))).map((one) => `${name}: ${one}`));
  expect(found).toEqual([]);
});

test('500 hostile values are harmless in a comparison and a history, and long ones are shortened @all', async () => {
  for (const name of ['hostile comparison', 'hostile history']) {
    const page = await htmlOf(name);
    expect(page.html.length, name).toBeLessThan(4 * 1024 * 1024);
    expect(await injections(page), name).toEqual([]);
    expect(await maxTextLength(page), name).toBeLessThan(8_000);
  }
});

test('the address keeps filter and search of a comparison, and the page fits a phone @all', async () => {
  const page = await htmlOf('comparison that is thin');
  let address = '';
  const choose = async (opened: Page) => {
    const part = opened.locator('#behaviour');
    await part.getByRole('button', { name: 'risky' }).click();
    await part.getByRole('searchbox').fill('member');
    address = await opened.evaluate(() => location.hash);
    expect(await rows(opened)).toEqual(['risky']);
    await opened.reload();
    expect(await rows(opened)).toEqual(['risky']);
    expect(await opened.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  };
  expect(await visit(page, choose, { width: 390 })).toEqual([]);
  expect(address).toBe('#behaviour&behaviour=risky&behaviour-q=member');
});

function rows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('#behaviour [data-row]')];
    return [...new Set(all.filter((row) => !row.hidden).map((row) => row.dataset.row!))];
  });
}

test('a history without scripts has every change of each run @all', async () => {
  const misdeeds = await visit(
    await htmlOf('history'),
    async (page) => {
      await expect(page.locator('.runs-strip li')).toHaveCount(6);
      const grid = page.getByRole('table');
      await expect(grid.getByRole('row').filter({ hasText: 'close-day/finished-has-gates' })).toContainText('broke');
      const run = page.locator('#subject-0-run-2');
      await run.locator('summary').first().click();
      await expect(run).toContainText('close-day/gate-rrn-present');
    },
    { scripts: false },
  );
  expect(misdeeds).toEqual([]);
});

test('the page of a matrix is accessible in both themes, and fits a phone @all', async () => {
  const address = { html: documentPage(implementationsDocument(demoMatrix)) };
  expect(await pageFaults(address)).toEqual([]);
  for (const width of [390, 1280] as const) {
    await visit(
      address,
      async (page) => {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      },
      { width },
    );
  }
});

test('hostile names and reasons are harmless on the page of a matrix @all', async () => {
  const hostile = hostileValues.map((text) => ({
    ...demoMatrix.implementations[0]!,
    name: text,
    waits: text,
    cells: [
      { profile: text, runs: [{ ...demoMatrix.implementations[0]!.cells[0]!.runs[0]!, reason: text, version: text }] },
    ],
  }));
  expect(
    await injections({
      html: documentPage(
        implementationsDocument({ ...demoMatrix, title: hostileValues.join(' '), implementations: hostile }),
      ),
    }),
  ).toEqual([]);
});
