/** Checks of every page: no violation of WCAG 2.2 AA, and no markup from text of a subject. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import { type Address, visit } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The violations of all rules of axe-core, one line each, and the misdeeds of the page: on a desktop and a phone, with folds closed
 * and open, in both themes. `look` runs before the folds are opened.
 */
export async function pageFaults(
  url: Address,
  allowed?: (url: string) => boolean,
  look?: (page: Page) => Promise<void>,
): Promise<string[]> {
  const found: string[] = [];
  for (const width of [1280, 390] as const) {
    const note = (state: string, faults: readonly string[]) =>
      found.push(...faults.map((one) => `${width} ${state}: ${one}`));
    const misdeeds = await visit(
      url,
      async (page) => {
        for (const state of ['folded', 'open'] as const) {
          if (state === 'open') await look?.(page);
          if (state === 'open') await unfold(page);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            // The other theme differs only in colours.
            note(
              `${state} ${colorScheme}`,
              await axeFaults(page, colorScheme === 'dark' ? ['color-contrast'] : undefined),
            );
            // A page that updates itself must not close what was opened.
            if (state === 'open') note(state, await closedFolds(page));
          }
        }
      },
      { width },
      allowed,
    );
    found.push(...misdeeds);
  }
  return found;
}

function closedFolds(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('details:not([open])')].map(
      (part) => `still folded: ${part.outerHTML.slice(0, 200)}`,
    ),
  );
}

async function axeFaults(page: Page, only?: string[]): Promise<string[]> {
  // The content security policy of the page forbids a script element.
  await page.evaluate(axe);
  return page.evaluate(async (rules) => {
    const { run } = (globalThis as unknown as { axe: typeof import('axe-core') }).axe;
    // Elements that keep a rule are not described, which takes most of the time.
    const options = { resultTypes: ['violations' as const], ...(rules === undefined ? {} : { runOnly: rules }) };
    const { violations } = await run(document, options);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    );
  }, only);
}

/** Elements that load or run something, handlers, and addresses with scripts, with all folds open; and misdeeds of the page. */
export async function injections(url: Address, allowed?: (url: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  const misdeeds = await visit(url, async (page) => void found.push(...(await activeMarkup(page))), {}, allowed);
  return [...misdeeds, ...found];
}

/** The number of characters of the longest text on the page, with all folds open, after `look`. */
export async function maxTextLength(url: Address, look?: (page: Page) => Promise<void>): Promise<number> {
  let maxLength = 0;
  await visit(url, async (page) => {
    await activeMarkup(page);
    await look?.(page);
    maxLength = await page.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
        node.parentElement!.tagName === 'SCRIPT' ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
      );
      let max = 0;
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        max = Math.max(max, node.nodeValue!.length);
      return max;
    });
  });
  return maxLength;
}

function unfold(page: Page): Promise<void> {
  return page.evaluate(async () => {
    for (let round = 0; round < 5; round += 1) {
      for (const part of document.querySelectorAll('details')) part.open = true;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
  });
}

async function activeMarkup(page: Page): Promise<string[]> {
  await unfold(page);
  return page.evaluate(() => {
    const loads = ['IMG', 'IFRAME', 'OBJECT', 'EMBED', 'BASE', 'VIDEO', 'AUDIO', 'FRAME', 'PORTAL'];
    const runs = ({ name, value }: Attr) => /^on/i.test(name) || /^\s*javascript:/i.test(value);
    return [...document.querySelectorAll('*')]
      .filter((element) => loads.includes(element.tagName) || [...element.attributes].some(runs))
      .map((element) => element.outerHTML.slice(0, 200));
  });
}
