/** A Chromium for tests of pages, one for each worker. Browser and fonts come with npm, so all machines draw the same pictures. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { test as withoutBrowser } from '../engine.ts';
import { skipUnless } from '../needed.ts';

interface VisitOptions {
  readonly width?: 1280 | 390;
  readonly theme?: 'light' | 'dark';
  readonly scripts?: false;
}

/** A URL, or a page itself. */
export type Address = string | { readonly html: string };

const require = createRequire(import.meta.url);
const heights = { 1280: 800, 390: 844 } as const;

let browser: Browser | undefined;

/** A test that may `visit` pages. It is skipped if Chromium cannot start. */
export const test = withoutBrowser.extend<{ readonly started: undefined }, { readonly noneReason: string }>({
  noneReason: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern that the fixture needs no other.
    async ({}, use) => {
      let reason = '';
      try {
        browser = await launch();
      } catch (cause) {
        reason = String(cause).split('\n', 1)[0]!;
      }
      await use(reason);
      await browser?.close();
    },
    { scope: 'worker' },
  ],
  started: [
    async ({ noneReason }, use) => {
      skipUnless(noneReason === '', `a Chromium that starts (${noneReason})`);
      await use(undefined);
    },
    { auto: true },
  ],
});

/**
 * Opens a page in a new window and closes it after `look`. Returns the misdeeds of the page: dialogs, errors of scripts, violations
 * of the content security policy, and requests to other addresses than `allowed`.
 */
export async function visit(
  url: Address,
  look: (page: Page) => Promise<void>,
  { width = 1280, theme = 'light', scripts }: VisitOptions = {},
  allowed: (url: string) => boolean = () => false,
): Promise<readonly string[]> {
  const context = await browser!.newContext({
    viewport: { width, height: heights[width] },
    colorScheme: theme,
    reducedMotion: 'reduce',
    javaScriptEnabled: scripts !== false,
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  try {
    const opened = typeof url === 'string' ? url : 'http://127.0.0.1:1/page.html';
    const page = await context.newPage();
    const misdeeds = watch(page, context, opened, allowed);
    if (typeof url !== 'string') {
      await context.route(opened, (route) => route.fulfill({ contentType: 'text/html;charset=utf-8', body: url.html }));
    }
    await page.goto(opened);
    await look(page);
    return misdeeds;
  } finally {
    await context.close();
  }
}

function watch(page: Page, context: BrowserContext, opened: string, allowed: (url: string) => boolean): string[] {
  const misdeeds: string[] = [];
  page.on('dialog', (dialog) => {
    misdeeds.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => misdeeds.push(`fault: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') misdeeds.push(`console: ${message.text()}`);
  });
  context.on('request', (request) => {
    const url = request.url();
    const isOurs = url.split('#')[0] === opened.split('#')[0] || /^(?:data|blob|about):/.test(url);
    if (!isOurs && !allowed(url)) misdeeds.push(`request: ${url.slice(0, 200)}`);
  });
  return misdeeds;
}

async function launch(): Promise<Browser> {
  const folder = unpackBrowser();
  const fonts = join(folder, 'fonts.conf');
  writeFileSync(fonts, fontsConf(folder));
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--disable-lcd-text', '--hide-scrollbars'],
    env: { ...process.env, FONTCONFIG_FILE: fonts, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') },
  });
}

/** Unpacks Chromium once, next to the packages, where `npm ci` removes it. Renames it into place, because several workers may do so. */
function unpackBrowser(): string {
  const packages = dirname(dirname(dirname(require.resolve('@playwright/test/package.json'))));
  const { version } = JSON.parse(readFileSync(join(packages, '@sparticuz/chromium/package.json'), 'utf8'));
  const folder = join(packages, '.cache', `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const partial = mkdtempSync(`${folder}-`);
  const script =
    'import chromium from "@sparticuz/chromium"; chromium.setGraphicsMode = false; await chromium.executablePath();';
  // Another process, because the environment tells the package where to unpack, and whether with libraries.
  execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: packages,
    env: { ...process.env, TMPDIR: partial, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
    timeout: 120_000,
  });
  try {
    renameSync(partial, folder);
  } catch (cause) {
    rmSync(partial, { recursive: true });
    if (!existsSync(folder)) throw cause;
  }
  return folder;
}

/** Open Sans comes with Chromium. DejaVu has a monospaced font, and the signs that Open Sans lacks. */
function fontsConf(folder: string): string {
  const dejaVu = join(dirname(require.resolve('dejavu-fonts-ttf/package.json')), 'ttf');
  const alias = (name: string, font: string) =>
    `<match><test name="family"><string>${name}</string></test><edit name="family" mode="assign" binding="strong"><string>${font}</string></edit></match>`;
  return [
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>',
    `<dir>${join(folder, 'fonts')}</dir><dir>${dejaVu}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir>`,
    ...['sans-serif', 'system-ui', 'ui-sans-serif'].map((name) => alias(name, 'Open Sans')),
    ...['monospace', 'ui-monospace'].map((name) => alias(name, 'DejaVu Sans Mono')),
    '</fontconfig>',
  ].join('\n');
}
