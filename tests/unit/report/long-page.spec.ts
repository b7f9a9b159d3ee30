/** report.html of a long recording: the page has an end, and what its findings lead to is on it. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '../../engine.ts';
import { everything, written } from './all-outcomes.ts';
import { sampleCases } from './sample-cases.ts';

const count = 5_100;
const cases = Array.from({ length: count }, (_, index) => ({ ...sampleCases[0]!, number: index + 1 }));
const [row] = everything.results;

test('the data have the first five thousand exchanges and those that a finding leads to, and the page says so', () => {
  const results = [{ ...row!, exchanges: [5_050, 5_060, 5_061, 5_062] }];
  const result = { ...everything, results, observations: [], exchangeCount: count };
  const page = written.page(result, cases);
  const packed = /id="packed">([^<]*)/.exec(page)![1]!;
  const [head] = gunzipSync(Buffer.from(packed, 'base64')).toString().split('\n');
  const listed: number[] = JSON.parse(head!).entries.map(({ number }: { number: number }) => number);
  expect(listed).toHaveLength(5_003);
  expect(listed.slice(-3)).toEqual([5_050, 5_060, 5_062]);
  expect(page).toContain('5,003 of 5,100 exchanges are here');
  const links = [...page.matchAll(/href="#exchange-(\d+)"/g)].map(([, number]) => Number(number));
  expect(links.filter((number) => !listed.includes(number))).toEqual([]);
  expect(links.length).toBeGreaterThan(2);
});

test('five thousand exchanges that do not compress are a page under four megabytes', { tag: '@all' }, () => {
  const noise = createHash('shake256', { outputLength: 900 * 5_000 })
    .update('noise')
    .digest();
  const random = cases.slice(0, 5_000).map((one, at) => {
    const { request } = one.exchange;
    const body = noise.subarray(900 * at, 900 * (at + 1));
    return { ...one, exchange: { ...one.exchange, request: { ...request, body } } };
  });
  const page = written.page({ ...everything, exchangeCount: 5_000 }, random);
  expect(Buffer.byteLength(page)).toBeLessThan(4_000_000);
});

test('a page of two hundred thousand answers, one with as many header lines, is made: no call takes so many arguments', () => {
  const [first] = sampleCases;
  const headers = Array.from({ length: 200_000 }, () => ['A', 'b'] as const);
  const response = { ...first!.exchange.response!, headers };
  const many = Array(200_000)
    .fill(first!)
    .with(1, { ...first!, exchange: { ...first!.exchange, response } });
  const result = { ...everything, exchangeCount: many.length };
  expect(written.page(result, many)).toContain('200000 answers');
});
