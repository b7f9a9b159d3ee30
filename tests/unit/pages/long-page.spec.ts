/** report.html of a long recording: the page has an end, and what its findings lead to is on it. */
import { expect, test } from '@playwright/test';
import { htmlReport } from '../../../src/pages/report-page.ts';
import { everything, statements } from '../report/all-outcomes.ts';
import { sampleCases } from '../report/sample-cases.ts';

const count = 5_100;
const cases = Array.from({ length: count }, (_, index) => ({ ...sampleCases[0]!, number: index + 1 }));
const [row] = everything.results;

test('the list has the first five thousand exchanges and those that a finding leads to, and says so', () => {
  const results = [{ ...row!, exchanges: [5_050, 5_060, 5_061, 5_062] }];
  const result = { ...everything, results, observations: [], exchangeCount: count };
  const page = htmlReport(result, { statements, questions: () => undefined, cases });
  const listed = [...page.matchAll(/<div class="inside" id="(exchange-\d+)"/g)].map(([, anchor]) => anchor!);
  expect(listed).toHaveLength(5_003);
  expect(listed.slice(-3).map((anchor) => anchor.replace(/\D+/, ''))).toEqual(['5050', '5060', '5062']);
  expect(page).toContain('5,003 of 5,100 exchanges are listed');
  const links = [...page.matchAll(/href="#(exchange[^"]*\d)"/g)].map(([, anchor]) => anchor!);
  expect(links.filter((anchor) => !listed.includes(anchor))).toEqual([]);
  expect(links.length).toBeGreaterThan(2);
});
