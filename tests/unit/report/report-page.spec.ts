/** report.html: valid, self-contained, safe with hostile values, and complete. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Case } from '../../../src/record/case.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { exchangeData } from '../../../src/report/pages/exchange-data.ts';
import { type PageExchange, requestLines, responseLines } from '../../../src/report/pages/exchange-view.ts';
import { htmlReport } from '../../../src/report/pages/report-page.ts';
import { script, scriptHash } from '../../../src/report/pages/script.ts';
import { baseStringOf } from '../../../src/verdict/gateway-evidence.ts';
import { expect, test } from '../../engine.ts';
import {
  batchSentAgain,
  everything,
  golden,
  hostile,
  resultOf,
  rows,
  statements,
  withHazards,
  written,
} from './all-outcomes.ts';
import { byId, elements, parseHtml, textOf } from './html-tree.ts';
import { sampleCases } from './sample-cases.ts';

const questions = (id: string) => (id === 'A5' ? `Is it wrapped in ${hostile.markup}?` : undefined);

const packedIn = /(?<=id="packed">)[^<]*/;

/** The list of all exchanges in a page, and the exchanges themselves. */
function unpacked(page: string) {
  const [head, ...lines] = gunzipSync(Buffer.from(packedIn.exec(page)![0], 'base64'))
    .toString()
    .split('\n');
  const entries: PageExchange[] = JSON.parse(head!).entries;
  return { entries, shown: lines.map((line): PageExchange => JSON.parse(line)) };
}

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
  const text = page({ ...full, hazards: withHazards.hazards! })
    .replace(/<style>[^<]*<\/style>/, '')
    .replace(script, '')
    .replace(scriptHash, '')
    .replace(packedIn, '');
  expect(text).toBe(golden('all-outcomes.html', text));
});

for (const [what, result, cases] of [
  ['the sample', full, sampleCases],
  ['a conformant run', resultOf(rows.slice(0, 2)), sampleCases],
  ['a conformant run with a hazard', resultOf(rows.slice(0, 2), { hazards: [batchSentAgain] }), sampleCases],
  ['a run that was aborted at once', resultOf([], { conclusion: 'aborted', observations: [], exchangeCount: 0 }), []],
  ['a run whose exchanges are not at hand', everything, []],
] as const) {
  test(`the page of ${what} is well-formed, with unique ids and no dead link`, () => {
    const root = parseHtml(page(result, cases));
    const ids = elements(root).flatMap(({ attributes }) => (attributes.id === undefined ? [] : [attributes.id]));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const targets = elements(root, 'a').map(({ attributes }) => attributes.href!);
    expect(targets.filter((href) => !href.startsWith('#'))).toEqual([]);
    // Ignore links to exchanges, because the script of the page makes their targets.
    expect(targets.filter((href) => !/^#exchange-\d+$/.test(href) && !ids.includes(href.slice(1)))).toEqual([]);
    const numbers = targets.map((href) => Number(/^#exchange-(\d+)$/.exec(href)?.[1] ?? 1));
    expect(cases.length === 0 ? [] : numbers.filter((number) => number > cases.length)).toEqual([]);
  });
}

test('the HTML parser of these tests refuses what a browser would repair', () => {
  const wrapped = (body: string) => `<!doctype html>\n<html><body>${body}</body></html>`;
  expect(textOf(parseHtml(wrapped('<p>a &lt; <code>b</code></p>')))).toBe('a < b');
  for (const broken of ['<p>', '<p></div></p>', '<p>a & b</p>', '<p><div></div></p>', '<td>x', '<a href=x>y</a>'])
    expect(() => parseHtml(wrapped(broken)), broken).toThrow();
});

test('the page loads nothing, and allows only its own script', () => {
  const text = page(full);
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1];
  expect(policy).toBe(
    `default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'; base-uri 'none'; form-action 'none'`,
  );
  expect(scriptHash).toBe(`sha256-${createHash('sha256').update(script).digest('base64')}`);
  expect(text.match(/<script/g)).toHaveLength(2);
  expect(text.replace(script, '')).not.toMatch(/\ssrc=|javascript:|@import|url\(|\son[a-z]+=/i);
  // The browser must be able to parse the script.
  expect(() => new Function(script)).not.toThrow();
});

test('no value of a subject becomes markup or has a control character', () => {
  const root = parseHtml(page(full));
  expect(elements(root).some(({ name }) => name === 'b')).toBe(false);
  const text = [textOf(root), ...elements(root).flatMap(({ attributes }) => Object.values(attributes))]
    .join('')
    .replaceAll('\n', '');
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
});

test('the first screen shows a fault of the suite, or else what to fix first', () => {
  const headOf = (result: Result) => elements(parseHtml(page(result)), 'header')[0]!;
  expect(textOf(headOf(full))).toContain('A fault of the suite comes first');
  const results = full.results.filter(({ outcome }) => outcome !== 'error');
  const failing = headOf({ ...full, results, conclusion: 'non-conformant' });
  expect(textOf(elements(failing, 'h1')[0]!)).toMatch(/^The gateway does not conform$/);
  const first = elements(failing, 'section').find(({ attributes }) => /first/.test(attributes.class ?? ''))!;
  expect(textOf(first)).toMatch(/^What to fix first/);
  expect(elements(first, 'dt').map(textOf)).toEqual(['Expected', 'Received', 'Hint']);
});

test('the heading of an aborted run has a capital letter, and counts of one are singular', () => {
  const aborted = { conclusion: 'aborted', aborted: 'the run was interrupted', exchangeCount: 1 } as const;
  const observations = [{ ...everything.observations[0]!, exchanges: [1] }];
  const text = page(resultOf([], { ...aborted, observations }));
  expect(textOf(elements(parseHtml(text), 'h1')[0]!)).toBe('The run was interrupted');
  expect(text).toContain('About this run: 1 exchange in');
  expect(text).not.toMatch(/\b1 (?:more unusual|ordinary) answers|\b1 exchanges/);
});

test('the data of the page have all exchanges, with outcome and twin', () => {
  const { entries, shown } = unpacked(page(full));
  expect(entries.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(entries[3]).toMatchObject({ outcome: 'fail' });
  expect(shown[3]!.twin).toBe(3);
  const request = requestLines(shown[5]!).map(({ text }) => text);
  expect(request).toContain('"client-orderid";"amount"');
  expect(request).toContain('Örder;1.00');
  const answer = (index: number) =>
    responseLines(shown[index]!)
      .map(({ text }) => text)
      .join('\n');
  expect(answer(3)).toContain('bytes that are not UTF-8');
  expect(answer(3)).toContain('X-Odd: r<U+009B>ed\n');
  expect(answer(4)).toContain('No complete response: timeout');
});

test('JSON is indented with its numbers and escapes unchanged', () => {
  const { exchanges } = exchangeData(everything, { cases: sampleCases, baseStringOf });
  const text = responseLines(exchanges.get(1)!).map((line) => line.text);
  expect(text.join('\n')).toContain(
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

test('answers to open points have their question, and contradicting answers come first', () => {
  const point = (value: string, exchange: number) => ({ openPoint: 'A5', value, exchanges: [exchange] });
  const common = Array.from({ length: 6 }, (_, index) => point(`try-${index}: refused`, index + 1));
  const observations = [...common, point('odd: refused', 7), point('odd: accepted', 8), point(`x: ${hostile.bidi}`, 1)];
  const part = byId(parseHtml(page({ ...full, observations })), 'observations');
  const answers = elements(part, 'tr').map((line) => textOf(line));
  expect(answers.slice(1).map((text) => /odd|x/.exec(text.replace(/^.*\?/, ''))?.[0])).toEqual(['odd', 'odd']);
  expect(textOf(part)).toContain(`A5 Is it wrapped in ${hostile.markup}?`);
  expect(textOf(part)).toContain('7 ordinary answers');
  expect(textOf(part)).toContain('abc<U+202E>gpj.exe');
});

function page(result: Result, cases: readonly Case[] = sampleCases): string {
  return htmlReport(result, { statements, questions, cases, baseStringOf });
}

const count = 5_100;
const cases = Array.from({ length: count }, (_, index) => ({ ...sampleCases[0]!, number: index + 1 }));
const [row] = everything.results;

test('the page of a long run has the first 5,000 exchanges and those of the findings', () => {
  const results = [{ ...row!, exchanges: [5_050, 5_060, 5_061, 5_062] }];
  const result = { ...everything, results, observations: [], exchangeCount: count };
  const page = written.page(result, cases);
  const listed = unpacked(page).entries.map(({ number }) => number);
  expect(listed).toHaveLength(5_003);
  expect(listed.slice(-3)).toEqual([5_050, 5_060, 5_062]);
  expect(page).toContain('This page has 5,003 of 5,100 exchanges');
  const links = [...page.matchAll(/href="#exchange-(\d+)"/g)].map(([, number]) => Number(number));
  expect(links.filter((number) => !listed.includes(number))).toEqual([]);
  expect(links.length).toBeGreaterThan(2);
});
