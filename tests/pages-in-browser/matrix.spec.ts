/** The page of a matrix in a browser: accessible, no wider than a phone, and closed to what names and reasons say. */
import { implementationsDocument } from '../../src/extras/matrix/matrix-document.ts';
import { documentPage } from '../../src/report/pages/page.ts';
import { expect } from '../engine.ts';
import { shownMatrix } from '../unit/extras/matrix/setting.ts';
import { breaches, smuggled } from './accessible.ts';
import { test, visit } from './browser.ts';
import { hostileValues } from './hostile-values.ts';

test('the page of a matrix is accessible in both themes, and fits a phone @all', async () => {
  const address = { html: documentPage(implementationsDocument(shownMatrix)) };
  expect(await breaches(address)).toEqual([]);
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

test('nothing that a name or a reason says becomes part of the page of a matrix @all', async () => {
  const hostile = hostileValues.map((text) => ({
    ...shownMatrix.implementations[0]!,
    name: text,
    waits: text,
    cells: [
      { profile: text, runs: [{ ...shownMatrix.implementations[0]!.cells[0]!.runs[0]!, reason: text, version: text }] },
    ],
  }));
  expect(
    await smuggled({
      html: documentPage(
        implementationsDocument({ ...shownMatrix, title: hostileValues.join(' '), implementations: hostile }),
      ),
    }),
  ).toEqual([]);
});
