/** docs/autopsy.html in a browser: it gives the answers of the command, and sends nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { autopsy } from '../../src/autopsy/autopsy.ts';
import { deviations } from '../../src/autopsy/index.ts';
import type { SignatureMethod, WireRequest } from '../../src/protocol/index.ts';
import { packageRoot } from '../../src/run/options/suite-version.ts';
import { expect } from '../engine.ts';
import { shopKeys } from '../keys/index.ts';
import { choiceOf, drawRequest, signWith } from '../unit/autopsy/drawn.ts';
import { pageFaults } from './accessible.ts';
import { test, visit } from './browser.ts';

const html = readFileSync(join(packageRoot, 'docs', 'autopsy.html'), 'utf8');

test('the page explains its example, is accessible, and reaches no network @all', async () => {
  expect(await pageFaults({ html })).toEqual([]);
  const misdeeds = await visit({ html }, async (page) => {
    await page.getByRole('button', { name: 'Try an example' }).click();
    await expect(page.locator('#verdict')).toContainText('body-left-out');
    await expect(page.locator('#found mark')).toHaveCount(1);
    const outcome = await page.evaluate(() =>
      fetch('http://127.0.0.1:9/').then(
        () => 'reached',
        () => 'refused',
      ),
    );
    expect(outcome).toBe('refused');
  });
  expect(misdeeds.length).toBeGreaterThan(0);
  expect(
    misdeeds.filter((one) => !/connect-src 'none'|violates the document's Content Security Policy/.test(one)),
  ).toEqual([]);
});

test('the page and the command agree on 300 wrong signatures @all', async () => {
  const choice = choiceOf(50);
  const samples = Array.from({ length: 300 }, (_, index) => {
    const method: SignatureMethod = index % 4 === 0 ? 'RSA-SHA256' : 'HMAC-SHA1';
    const drawn = drawRequest(choice, method);
    return { drawn, request: signWith(drawn, [choice.pick(deviations)], shopKeys.privateKey) };
  });
  const { publicKey } = shopKeys;
  const publicKeyPem = String(publicKey.export({ type: 'spki', format: 'pem' }));
  const answers: string[] = [];
  await visit({ html }, async (page) => {
    const inputs = samples.map(({ drawn: { consumerSecret, tokenSecret }, request }) => ({
      request: textOf(request),
      baseUrl: `${request.scheme}://${request.host}`,
      consumerSecret,
      tokenSecret,
      publicKey: publicKeyPem,
    }));
    answers.push(...(await answersOf(page, inputs)));
  });
  const different = samples.flatMap(({ drawn: { consumerSecret, tokenSecret }, request }, index) => {
    const keys = { consumerSecret, ...(tokenSecret === '' ? {} : { tokenSecret }), publicKey };
    const [fromCommand, fromPage] = [JSON.stringify(autopsy(request, keys)), answers[index]];
    return fromCommand === fromPage ? [] : [`${fromCommand}\nand on the page\n${fromPage}`];
  });
  expect(different.slice(0, 3), `${different.length} of them`).toEqual([]);
  expect(answers).toHaveLength(300);
});

function answersOf(page: Page, inputs: readonly (object & { readonly request: string })[]): Promise<string[]> {
  return page.evaluate(async (all) => {
    const program = document.scripts[0]!.textContent!;
    const worker = new Worker(URL.createObjectURL(new Blob([program], { type: 'text/javascript' })));
    const found: string[] = [];
    for (const { request, ...more } of all) {
      const data = await new Promise<{ found?: object }>((done, failed) => {
        worker.onmessage = (message) => done(message.data);
        worker.onerror = ({ message }) => failed(new Error(message));
        worker.postMessage({ ...more, request: Uint8Array.from(request, (unit) => unit.charCodeAt(0)) });
      });
      found.push(JSON.stringify(data.found ?? data));
    }
    return found;
  }, inputs);
}

function textOf({ method, target, headers, body }: WireRequest): string {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''];
  return `${lines.join('\n')}${Buffer.from(body).toString('latin1')}`;
}
