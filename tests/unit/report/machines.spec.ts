/** report.json, ctrf.json and junit.xml match public schemas, keep all values, and fail if the run fails. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { default as addFormats } from 'ajv-formats';
import { exitCode } from '../../../src/record/result/conclude.ts';
import type { Result, ResultRow } from '../../../src/record/result/result.ts';
import { ctrfReport, junitReport } from '../../../src/report/ci.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { expect, test } from '../../engine.ts';
import { batchSentAgain, everything, hostile, resultOf, rows, statements } from './all-outcomes.ts';

test('report.json keeps every value, odd characters included', () => {
  expect(JSON.parse(jsonReport(everything))).toEqual(JSON.parse(JSON.stringify(everything)));
  expect(JSON.parse(jsonReport(everything)).observations[1].value).toBe(hostile.bidi);
});

test('report.json has no invisible character and no control character', () => {
  const acting = jsonReport(everything)
    .replaceAll('\n', '')
    .match(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(acting).toBeNull();
});

test('ctrf.json fits the public schema for every kind of run', () => {
  expect(ctrfFaults(document(everything))).toEqual([]);
  expect(ctrfFaults(document(resultOf(rows.slice(0, 1))))).toEqual([]);
  expect(ctrfFaults(document(resultOf([], { conclusion: 'aborted', aborted: 'no answer' })))).toEqual([]);
  expect(ctrfFaults(document(resultOf(rows, { durationMs: 0.5 })))).toEqual([]);
});

test('ctrf.json has the conclusion as a test if no row failed', () => {
  const aborted = resultOf([], { conclusion: 'aborted', aborted: `It ended. ${hostile.escape}` });
  expect(tests(aborted)).toEqual([
    {
      name: 'conclusion',
      status: 'failed',
      duration: 0,
      suite: ['run'],
      message: 'It ended. <U+001B>[2J<U+001B>]0;title<U+0007>',
      rawStatus: 'aborted',
      type: 'conclusion',
      extra: { repeat: aborted.reproduce },
    },
  ]);
});

test('ctrf.json shortens and escapes a message, and keeps the whole value in extra', () => {
  expect(tests(everything).find(({ name }) => name === 'authentication/fails')!.extra.actual).toBe(hostile.nul);
  expect(ctrfReport(everything, { statements }).replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  const found = tests(everything).find(({ name }) => name === 'close-day/fails-long')!;
  expect(found.message.length).toBeLessThan(2_200);
  expect(found.extra.expected).toBe(hostile.long);
});

// biome-ignore lint/suspicious/noExplicitAny: the tests read single members of parsed JSON.
function document(result: Result): any {
  return JSON.parse(ctrfReport(result, { statements }));
}

// biome-ignore lint/suspicious/noExplicitAny: the tests read single members of parsed JSON.
function tests(result: Result): any[] {
  return document(result).results.tests;
}

test('junit.xml has one test case for each requirement, in the suite of its dimension', () => {
  const found = suitesOf(everything)
    .slice(1)
    .flatMap((suite) => casesOf(suite).map((test) => `${suite.attributes.name} ${test.attributes.name}`));
  expect(found.sort()).toEqual(rows.map((row) => `${row.dimension} ${row.id}`).sort());
});

test('the counts in junit.xml are those of its elements', () => {
  const root = parseXml(junitReport(everything, { statements }));
  for (const suite of root.children) {
    const tests = casesOf(suite);
    const has = (test: Element, name: string) => test.children.some((child) => child.name === name);
    const having = (name: string) => String(tests.filter((test) => has(test, name)).length);
    expect(suite.attributes.tests).toBe(String(tests.length));
    expect(suite.attributes.failures).toBe(having('failure'));
    expect(suite.attributes.errors).toBe(having('error'));
    expect(suite.attributes.skipped).toBe(having('skipped'));
  }
  const sum = (of: string) => [of, `${root.children.reduce((sum, { attributes }) => sum + Number(attributes[of]), 0)}`];
  const sums = Object.fromEntries(['tests', 'failures', 'errors'].map(sum));
  expect(root.attributes).toEqual({ name: 'countersign', ...sums, time: '12.345' });
});

test('junit.xml and ctrf.json fail if and only if the exit code is not 0', () => {
  const subsets: ResultRow[][] = [[], ...rows.map((row) => [row]), ...rows.map((row) => [rows[0]!, row])];
  const seen = new Set<string>();
  const stale = { file: 'known.yaml', problems: [{ id: 'close-day/passes', sentence: 'it passes' }] };
  const marked = (mark: Partial<ResultRow>) =>
    subsets.map((subset) => subset.map((row) => (row.outcome === 'fail' ? { ...row, ...mark } : row)));
  for (const [all, more] of [
    [subsets, { profile: 'strict' }],
    [subsets, { profile: 'rfc5849' }],
    [subsets, { profile: 'strict', acceptPartial: true }],
    [subsets, { profile: 'rfc5849', baseline: stale }],
    [marked({ known: { reason: 'GW-12' } }), { profile: 'rfc5849', baseline: { ...stale, problems: [] } }],
    [marked({ known: { reason: 'GW-12' } }), { profile: 'strict', acceptPartial: true }],
    [marked({ known: { reason: 'GW-12' } }), { profile: 'strict', baseline: stale }],
    [subsets, { profile: 'rfc5849', hazards: [batchSentAgain] }],
    [subsets, { profile: 'rfc5849', hazards: [batchSentAgain], failOn: 'hazard' }],
    [subsets, { profile: 'strict', hazards: [{ ...batchSentAgain, known: { reason: 'CL-7' } }] }],
    [marked({ notScored: true }), { profile: 'rfc5849', set: '2026-11' }],
    [subsets, { profile: 'rfc5849', acceptPartial: true, scope: { only: [], shard: { index: 1, of: 2 } } }],
  ] as const) {
    for (const subset of all) {
      const result = resultOf(subset, more);
      const red = exitCode(result) !== 0;
      seen.add(`${red ? 'red' : 'green'} ${result.conclusion}`);
      const what = `${result.conclusion}: ${subset.map((row) => row.id).join(' ')}`;
      expect(isRed(result), what).toBe(red);
      const { summary, environment } = JSON.parse(ctrfReport(result, { statements })).results;
      expect([summary.failed > 0, environment.healthy], `ctrf of ${what}`).toEqual([red, !red]);
    }
  }
  const ends = ['conformant', 'non-conformant', 'partial'];
  expect([...seen].sort()).toEqual([
    ...ends.map((end) => `green ${end}`),
    ...['aborted', ...ends].map((end) => `red ${end}`),
  ]);
});

test('hazards with one id have different names', () => {
  const hazards = ['no answer', 'status 5xx'].map((kind) => ({ ...batchSentAgain, how: `in one call after ${kind}` }));
  const result = resultOf([], { profile: 'rfc5849', hazards });
  const id = 'hazard/batch-sent-again';
  const names = hazards.map(({ how }) => `${id} (process-recurring-payments, ${how})`);
  expect(names.map((name) => caseOf(result, name).name)).toEqual(['testcase', 'testcase']);
  const tests: { name: string }[] = JSON.parse(ctrfReport(result, { statements })).results.tests;
  expect(tests.map(({ name }) => name).filter((name) => name.startsWith(id))).toEqual(names);
  expect(caseOf(resultOf([], { profile: 'rfc5849', hazards: hazards.slice(1) }), id).name).toBe('testcase');
});

test('junit.xml has no character that XML 1.0 forbids', () => {
  const text = junitReport(everything, { statements });
  expect(text).not.toMatch(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
});

const shapes: Readonly<Record<string, { attributes: Readonly<Record<string, RegExp>>; children: string }>> = {
  testsuites: { attributes: totalled('name', 'tests', 'failures', 'errors', 'time'), children: '(testsuite )*' },
  testsuite: {
    attributes: totalled('name', 'tests', 'failures', 'errors', 'skipped', 'time'),
    // Surefire requires this order, and at most one `properties`.
    children: '(properties )?(testcase )*',
  },
  properties: { attributes: {}, children: '(property )*' },
  property: { attributes: totalled('name', 'value'), children: '' },
  testcase: { attributes: totalled('name', 'classname', 'time'), children: '((failure|error|skipped|system-out) )?' },
  failure: { attributes: totalled('type', 'message'), children: '' },
  error: { attributes: totalled('type', 'message'), children: '' },
  skipped: { attributes: totalled('message'), children: '' },
  'system-out': { attributes: {}, children: '' },
};

function totalled(...names: readonly string[]): Record<string, RegExp> {
  const forms: Record<string, RegExp> = { time: /^\d+(?:\.\d{3})?$/, name: /./ };
  for (const name of ['tests', 'failures', 'errors', 'skipped']) forms[name] = /^\d+$/;
  return Object.fromEntries(names.map((name) => [name, forms[name] ?? /^/]));
}

test('junit.xml fits both public schemas for every kind of run', () => {
  const contract = { pact: 'a.json', interaction: 'a', state: '', mismatches: [hostile.markup, hostile.escape] };
  const baseline = { file: 'known.yaml', problems: [{ id: 'close-day/passes', sentence: 'it passes' }] };
  const runs: readonly Result[] = [
    everything,
    resultOf(rows.slice(0, 1)),
    resultOf([]),
    resultOf(rows, { profile: 'rfc5849', acceptPartial: true }),
    resultOf([], { conclusion: 'aborted', aborted: hostile.markup }),
    resultOf(rows, { scope: { only: [], shard: { index: 1, of: 2 } }, labels: { gateway: '4' } }),
    resultOf(rows.slice(0, 1), { contracts: [{ ...contract, outcome: 'fail' }], baseline }),
  ];
  for (const result of runs) expect(faultsOf(parseXml(junitReport(result, { statements })))).toEqual([]);
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  expect(faultsOf(parseXml(`${head}<testsuites name="" tests="x"><testcase/></testsuites>`))).toEqual([
    'testsuites has name tests, and not name tests failures errors time',
    'testsuites name=""',
    'testsuites tests="x"',
    'testsuites holds testcase ',
    'testcase has , and not name classname time',
  ]);
});

function faultsOf({ name, attributes, children }: Element): string[] {
  const shape = shapes[name];
  if (shape === undefined) return [`${name} is unknown`];
  const expected = Object.keys(shape.attributes);
  const found = Object.keys(attributes);
  const content = children.map((child) => `${child.name} `).join('');
  return [
    ...(isSame(found, expected) ? [] : [`${name} has ${found.join(' ')}, and not ${expected.join(' ')}`]),
    ...Object.entries(attributes)
      .filter(([key, value]) => shape.attributes[key]?.test(value) === false)
      .map(([key, value]) => `${name} ${key}="${value}"`),
    ...(new RegExp(`^${shape.children}$`).test(content) ? [] : [`${name} holds ${content}`]),
    ...children.flatMap(faultsOf),
  ];
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join() === [...others].sort().join();
}

function suitesOf(result: Result): readonly Element[] {
  return parseXml(junitReport(result, { statements })).children;
}

function casesOf(suite: Element): readonly Element[] {
  return suite.children.filter((child) => child.name === 'testcase');
}

function caseOf(result: Result, name: string): Element {
  const found = suitesOf(result)
    .flatMap(casesOf)
    .find((test) => test.attributes.name === name);
  if (!found) throw new Error(`no test case ${name}`);
  return found;
}

function isRed(result: Result): boolean {
  return suitesOf(result)
    .flatMap(casesOf)
    .some((test) => test.children.some((child) => child.name === 'failure' || child.name === 'error'));
}

const digest = '742dee4cffda469902a9c30c4a87b0b7000d59d2ee502dcccb12ec471cea96a2';
const bytes = readFileSync(new URL('./ctrf-schema-0.0.json', import.meta.url));
if (createHash('sha256').update(bytes).digest('hex') !== digest) throw new Error('the schema of ctrf.io was changed');

const ajv = new Ajv({ allErrors: true, strict: false });
addFormats.default(ajv);
const check = ajv.compile(JSON.parse(bytes.toString('utf8')));

const statuses = ['passed', 'failed', 'skipped', 'pending', 'other'];

function ctrfFaults(value: unknown): string[] {
  check(value);
  const { tests = [], summary = {} } = (value as { results?: Document }).results ?? {};
  return [
    ...(check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`),
    ...statuses
      .filter((status) => summary[status] !== tests.filter((test) => test.status === status).length)
      .map((status) => `the count of ${status} is wrong`),
    ...(summary.tests === tests.length ? [] : ['the count of tests is wrong']),
  ];
}

interface Document {
  readonly tests?: readonly { readonly status: string }[];
  readonly summary?: Readonly<Record<string, unknown>>;
}

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

function parseXml(xml: string): Element {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(declaration)) throw new Error('no XML declaration');
  const holder: Element = { name: '', attributes: {}, children: [], text: '' };
  const open: Element[] = [holder];
  const token = /<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)/gy;
  token.lastIndex = declaration.length;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const match = token.exec(xml);
    if (!match) throw new Error(`not well-formed at ${at}: ${xml.slice(at, at + 60)}`);
    const [, closing, name, attributes, empty, text] = match;
    const current = open.at(-1)!;
    if (text !== undefined) {
      current.text += unescapeXml(text);
    } else if (closing) {
      if (current.name !== name) throw new Error(`</${name}> closes <${current.name}>`);
      open.pop();
    } else {
      const element: Element = { name: name!, attributes: attributesOf(attributes ?? ''), children: [], text: '' };
      current.children.push(element);
      if (!empty) open.push(element);
    }
  }
  if (open.length !== 1 || holder.children.length !== 1 || holder.text.trim() !== '') throw new Error('no single root');
  return holder.children[0]!;
}

function attributesOf(text: string): Record<string, string> {
  const found = [...text.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name!, unescapeXml(value!)]);
  const names = found.map(([name]) => name);
  if (new Set(names).size !== names.length) throw new Error(`an attribute twice:${text}`);
  return Object.fromEntries(found);
}

function unescapeXml(text: string): string {
  if (/&(?!#\d+;)/.test(text) || text.includes(']]>')) throw new Error(`not escaped: ${text}`);
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
