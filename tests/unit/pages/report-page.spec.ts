/** report.html: valid, self-contained, safe with hostile values, and complete. */
import { createHash } from 'node:crypto';
import { expect, test } from '@playwright/test';
import type { Case } from '../../../src/exchange/case.ts';
import { htmlReport } from '../../../src/pages/report-page.ts';
import { script, scriptHash } from '../../../src/pages/script.ts';
import { style } from '../../../src/pages/style.ts';
import { tokens } from '../../../src/pages/tokens.ts';
import type { Result } from '../../../src/result/result.ts';
import { everything, hostile, resultOf, rows, statements } from '../report/all-outcomes.ts';
import { golden } from '../report/golden.ts';
import { sampleCases } from '../report/sample-cases.ts';
import { all, byId, type Node, parseHtml, textOf } from './html-tree.ts';

const questions = (id: string) => (id === 'A5' ? `Is it wrapped in ${hostile.markup}?` : undefined);

/** The sample with members that the other samples do not have. */
const full: Result = {
  ...everything,
  results: rows.map((row) =>
    row.id === 'close-day/fails-long' ? { ...row, counterexample: { path: '0:1', exchange: 7 } } : row,
  ),
  contracts: [
    { pact: 'one.json', interaction: `asks ${hostile.markup}`, state: 'gate open', outcome: 'pass', mismatches: [] },
    {
      pact: 'one.json',
      interaction: 'asks again',
      state: hostile.bidi,
      outcome: 'fail',
      blame: 'subject',
      mismatches: [hostile.escape],
    },
  ],
};

test('the sample is written as the golden file has it', () => {
  const text = page(full).replace(style, '').replace(script, '');
  expect(text).toBe(golden('all-outcomes.html', text));
});

for (const [what, result, cases] of [
  ['the sample', full, sampleCases],
  ['a conformant run', resultOf(rows.slice(0, 2)), sampleCases],
  ['a run that was aborted at once', resultOf([], { conclusion: 'aborted', observations: [], exchangeCount: 0 }), []],
  ['a run whose exchanges are not at hand', everything, []],
] as const) {
  test(`the page of ${what} is well-formed, its ids are unique and its links lead somewhere`, () => {
    const root = parseHtml(page(result, cases));
    const ids = all(root).flatMap(({ attributes }) => (attributes.id === undefined ? [] : [attributes.id]));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const targets = all(root, 'a').map(({ attributes }) => attributes.href!);
    expect(targets.filter((href) => !href.startsWith('#'))).toEqual([]);
    const dead = targets.filter((href) => !ids.includes(href.slice(1)));
    expect(cases.length === 0 ? dead.filter((href) => !href.startsWith('#exchange-')) : dead).toEqual([]);
  });

  test(`the page of ${what} has landmarks, headings in order and named controls`, () => {
    const root = parseHtml(page(result, cases));
    expect(root.attributes.lang).toBe('en');
    for (const name of ['header', 'main', 'footer', 'h1']) expect(all(root, name), name).toHaveLength(1);
    const levels = all(root).flatMap(({ name }) => (/^h\d$/.test(name) ? [Number(name[1])] : []));
    expect(levels.filter((level, index) => index > 0 && level > levels[index - 1]! + 1)).toEqual([]);
    for (const header of all(root, 'th')) expect(header.attributes.scope).toMatch(/^(?:col|row|rowgroup)$/);
    for (const input of all(root, 'input')) expect(input.parent!.name).toBe('label');
    for (const button of all(root, 'button')) expect(button.attributes.type).toBe('button');
    for (const part of all(root, 'details')) expect((part.children[0] as Node).name).toBe('summary');
    for (const region of all(root).filter(({ attributes }) => attributes['aria-labelledby'] !== undefined)) {
      expect(textOf(byId(root, region.attributes['aria-labelledby']!)).trim()).not.toBe('');
    }
  });
}

test('the reader of these tests refuses what a browser would have to repair', () => {
  const wrapped = (body: string) => `<!doctype html>\n<html><body>${body}</body></html>`;
  expect(textOf(parseHtml(wrapped('<p>a &lt; <code>b</code></p>')))).toBe('a < b');
  for (const broken of [
    '<p>',
    '<p></div></p>',
    '<p>a & b</p>',
    '<p><div></div></p>',
    '<td>x</td>',
    '<a href=x>y</a>',
  ]) {
    expect(() => parseHtml(wrapped(broken)), broken).toThrow();
  }
});

test('nothing is loaded and only the script of the page may run', () => {
  const text = page(full);
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1];
  expect(policy).toBe(
    `default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'; base-uri 'none'; form-action 'none'`,
  );
  expect(scriptHash).toBe(`sha256-${createHash('sha256').update(script).digest('base64')}`);
  expect(text.match(/<script/g)).toHaveLength(1);
  expect(text).not.toMatch(/\ssrc=|javascript:|@import|url\(|\son[a-z]+=/i);
});

test('no value from elsewhere becomes mark-up, and none acts on the eye', () => {
  const root = parseHtml(page(full));
  const names = new Set(all(root).map(({ name }) => name));
  expect(names.has('b')).toBe(false);
  const shown = [textOf(root), ...all(root).flatMap(({ attributes }) => Object.values(attributes))]
    .join('')
    .replaceAll('\n', '');
  expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
});

test('a failure labels what was expected and what was received, and how to repeat it', () => {
  const [first] = all(byId(parseHtml(page(full)), 'failures'), 'article');
  expect(factsOf(first!)).toMatchObject({
    Expected: hostile.markup,
    Received: 'a<U+0000>b',
    Hint: '<U+001B>[2J<U+001B>]0;title<U+0007>',
    Exchanges: '4, 5',
    Repeat: 'countersign gateway --only authentication/fails --seed 7Copy',
  });
});

test('a failure shows its exchange beside its twin, with a mark on the lines that only it has', () => {
  const [first] = all(byId(parseHtml(page(full)), 'failures'), 'article');
  expect(all(first!, 'h4').map(textOf)).toEqual(['Exchange 4, which decides', 'Exchange 3, its twin']);
  const marks = all(first!, 'mark').map(textOf);
  expect(marks).toContain('day_close_request_id = xyz');
  expect(marks).toContain('HTTP/1.1 403 Forbidden');
  expect(marks).not.toContain('Host: 127.0.0.1:1');
});

test('a failure without a twin shows its request beside its response', () => {
  const second = all(byId(parseHtml(page(full)), 'failures'), 'article')[2]!;
  expect(all(second, 'h4').map(textOf)).toEqual(['Exchange 7: request', 'Exchange 7: response']);
});

test('where a generated case was shrunk, the smallest one is the evidence', () => {
  const shrunk = all(byId(parseHtml(page(full)), 'failures'), 'article')[1]!;
  expect(textOf(shrunk)).toContain('Evidence: exchange 7');
  expect(factsOf(shrunk)['Smallest case']).toBe('7');
});

test('every row is there once among the requirements, under its section, with its outcome', () => {
  const requirements = byId(parseHtml(page(full)), 'requirements');
  const shown = all(requirements, 'details').map(({ attributes }) => attributes['data-outcome']);
  expect(shown.sort()).toEqual(rows.map(({ outcome }) => outcome).sort());
  const sections = all(requirements, 'h3').map((heading) => textOf(heading).split(' ')[1]);
  expect(sections).toEqual(['1', '2.2', '2.3', '3', '4.2', '5', '8']);
  expect(textOf(requirements)).toContain('Known to catch');
});

test('an inconclusive row says why and who is behind it', () => {
  const text = textOf(byId(parseHtml(page(full)), 'inconclusive'));
  expect(text).toContain('because of the environment');
  expect(text).toContain('the twin was not accepted');
  expect(text).toContain('Inconclusive is not a pass.');
});

test('an exchange shows what was on the wire and what it says', () => {
  const text = (number: number) => textOf(byId(parseHtml(page(full)), `exchange-${number}`));
  expect(text(6)).toContain('"client-orderid";"amount"↵\nÖrder;1.00↵\n');
  expect(text(4)).toContain('body of 3 bytes that is not UTF-8, here as base64');
  expect(text(4)).toContain('X-Odd: r<U+009B>ed\n');
  expect(text(5)).toContain('No whole response: timeout');
  expect(text(8)).toContain('shortened: exchanges.har has it whole');
  expect(text(7)).not.toContain('decoded from base64');
});

test('JSON is laid out without touching its numbers and escapes', () => {
  const withEvidence = resultOf([{ ...rows[2]!, exchanges: [1] }]);
  const text = textOf(byId(parseHtml(page(withEvidence)), 'failures'));
  expect(text).toContain(
    [
      '    "gates": [',
      '      {},',
      '      {',
      '        "gateId": 12345678901234567890,',
      '        "odd": "</script>\\u202e"',
      '      }',
      '    ],',
      '    "none": [ ]',
    ].join('\n'),
  );
});

test('JSON that is nested ten thousand deep makes no page of its indentation', () => {
  const deep = Buffer.from(`${'['.repeat(10_000)}${']'.repeat(10_000)}`);
  const [first] = sampleCases;
  const answered = { ...first!.exchange, response: { ...first!.exchange.response!, body: deep } };
  const withEvidence = resultOf([{ ...rows[2]!, exchanges: [1] }]);
  expect(page(withEvidence, [{ ...first!, exchange: answered }]).length).toBeLessThan(2_000_000);
});

test('observations are under the question of their open point', () => {
  const text = textOf(byId(parseHtml(page(full)), 'observations'));
  expect(text).toContain(`A5Is it wrapped in ${hostile.markup}?`);
  expect(text).toContain('abc<U+202E>gpj.exe');
});

test('interactions of the Pact contracts are listed with what did not fit', () => {
  const contracts = byId(parseHtml(page(full)), 'contracts');
  expect(all(contracts, 'th').map(textOf)).toContain('asks again<U+001B>[2J<U+001B>]0;title<U+0007>');
  expect(textOf(contracts)).toContain('abc<U+202E>');
});

test('a page of many long exchanges stays under three megabytes', () => {
  const many: Case[] = Array.from({ length: 600 }, (_, number) => ({
    ...sampleCases[number % 8]!,
    scenario: 'recurring/generated',
    number,
    exchange: sampleCases[7]!.exchange,
  }));
  const text = page(resultOf(rows, { exchangeCount: 600 }), many);
  expect(Buffer.byteLength(text)).toBeLessThan(3_000_000);
  expect(text).toContain('exchange-600');
});

test('the text colours have the contrast that WCAG AA asks for, light and dark', () => {
  const [light = '', dark = ''] = tokens.split('@media print')[0]!.split('@media (prefers-color-scheme: dark)');
  for (const [scheme, text] of [
    ['light', light],
    ['dark', dark],
  ]) {
    const colours = Object.fromEntries(
      [...text!.matchAll(/--([a-z-]+): (#[0-9a-f]{6})/g)].map(([, name, colour]) => [name!, colour!]),
    );
    const grounds = ['page', 'card', 'inset'];
    const pairs = [
      ...['text', 'muted', 'link', 'pass', 'fail', 'inconclusive', 'error'].flatMap((ink) =>
        grounds.map((ground) => [ink, ground]),
      ),
      ...['pass', 'fail', 'inconclusive', 'error', 'none'].map((ink) => [ink, `${ink}-ground`]),
      ['text', 'none-ground'],
      ['text', 'mark'],
      ['card', 'link'],
    ];
    const weak = pairs.filter(([ink, ground]) => contrast(colours[ink!]!, colours[ground!]!) < 4.5);
    expect(weak, scheme).toEqual([]);
  }
});

/** Contrast ratio of two colours (WCAG 2.2, relative luminance). */
function contrast(a: string, b: string): number {
  const luminance = (colour: string) => {
    const [red, green, blue] = [1, 3, 5]
      .map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high! + 0.05) / (low! + 0.05);
}

function factsOf(node: Node): Record<string, string> {
  return Object.fromEntries(
    all(node, 'dt').map((term) => [
      textOf(term),
      textOf(term.parent!.children.find((child): child is Node => typeof child !== 'string' && child.name === 'dd')!),
    ]),
  );
}

function page(result: Result, cases: readonly Case[] = sampleCases): string {
  return htmlReport(result, { statements, questions, cases });
}
