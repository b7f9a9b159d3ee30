/** report.json: what is read back is what was written, byte for byte the same however the result was built. */
import type { Result } from '../../../src/record/result/result.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { expect, test } from '../../engine.ts';
import { everything, hostile, withHazards } from './all-outcomes.ts';
import { golden } from './golden.ts';

test('the sample is written as the golden file has it', () => {
  const text = jsonReport(withHazards);
  expect(text).toBe(golden('all-outcomes.json', text));
});

test('every value comes back exactly, odd characters included', () => {
  expect(JSON.parse(jsonReport(everything))).toEqual(JSON.parse(JSON.stringify(everything)));
  expect(JSON.parse(jsonReport(everything)).observations[1].value).toBe(hostile.bidi);
});

test('no character of the file acts on whoever looks at it', () => {
  const acting = jsonReport(everything)
    .replaceAll('\n', '')
    .match(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(acting).toBeNull();
});

test('the order in which members were set does not show', () => {
  const reversed = reverseKeys(everything) as Result;
  expect(Object.keys(reversed)[0]).not.toBe('format');
  expect(jsonReport(reversed)).toBe(jsonReport(everything));
});

test('the file is indented by two spaces and ends with one line end', () => {
  const text = jsonReport(everything);
  expect(text).toMatch(/^\{\n {2}"format": "countersign-report",\n/);
  expect(text).toMatch(/[^\n]\n$/);
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reverseKeys(member)]),
  );
}

test('what only a live run has of its effects is written too', () => {
  const budget = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };
  const live = { allowed: budget, ledger: { ...budget, unclear: 1 }, notSent: [{ reason: 'it could', cases: 3 }] };
  const written = JSON.parse(jsonReport({ ...everything, effects: { ...everything.effects, ...live } })).effects;
  expect(written).toEqual({ ...everything.effects, ...live });
});
