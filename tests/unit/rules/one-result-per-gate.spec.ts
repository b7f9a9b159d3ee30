/** Which gates an endpoint has does not change from one answer of a scenario to the next. */
import type { Case } from '../../../src/record/case.ts';
import { judgeCases } from '../../../src/rules/index.ts';
import { expect, test } from '../../engine.ts';
import { finished, gate, sampleCase } from './sample-cases.ts';

const id = 'close-day/one-result-per-gate';

/** An answer of which the gates have these ids; undefined leaves one out. */
function answer(ids: readonly (number | undefined)[], number: number, change: Partial<Case> = {}): Case {
  const gates = ids.map((gateId) => ({ ...gate, gateId }));
  return { ...finished({ response: { gates } }), number, ...change };
}

function outcomes(...cases: readonly Case[]): readonly string[] {
  return judgeCases(id, cases).map(({ finding }) => finding.outcome);
}

function at(target: string, one: Case): Case {
  return { ...one, exchange: { ...one.exchange, request: { ...one.exchange.request, target } } };
}

test('a gate that the answer before did not have is not one of the endpoint', () => {
  expect(outcomes(answer([1, 2], 0), answer([1, 3], 1), answer([2, 1], 2))).toEqual(['fail']);
  const [verdict] = judgeCases(id, [answer([1, 2], 0), answer([1, 3], 1)]);
  expect(verdict?.finding.actual).toBe('gate 3, which it did not have');
});

test('a gate that comes no more is one that has no result, whatever number of gates is known', () => {
  expect(outcomes(answer([1, 2], 0), answer([1], 1))).toEqual(['fail']);
});

test('the same gates in another order, in other digits or after another query are the same', () => {
  const other = sampleCase('close-day', {
    body: '{"response":{"status":"finished","gates":[{"gateId":2},{"gateId":1.0}]}}',
  });
  expect(outcomes(answer([1, 2], 0), { ...other, number: 1 })).toEqual([]);
  expect(outcomes(answer([1, 2], 0), at('/api/v2/close-day/1111?a=1', answer([1, 3], 1)))).toEqual(['fail']);
});

test('another endpoint, another host and another scenario may have other gates', () => {
  const first = answer([1, 2], 0);
  const other = answer([3], 1);
  const request = { ...other.exchange.request, host: 'other.test' };
  expect(outcomes(first, { ...other, exchange: { ...other.exchange, request } })).toEqual([]);
  expect(outcomes(first, at('/api/v2/close-day/1112', answer([3], 1)))).toEqual([]);
  expect(outcomes(first, answer([3], 0, { scenario: 'another/scenario' }))).toEqual([]);
});

test('of an answer with a gate without an id nothing is compared', () => {
  expect(outcomes(answer([1, 2], 0), answer([1, undefined], 1), answer([2, 3], 2))).toEqual(['fail']);
  expect(outcomes(answer([1, undefined], 0), answer([2, undefined], 1))).toEqual([]);
});

test('of a recording of another tool it is not known what was done to the endpoint between two answers', () => {
  const label = { operation: 'close-day', intent: 'open' } as const;
  expect(outcomes(answer([1, 2], 0, { label }), answer([1, 3], 1, { label }))).toEqual([]);
  const asked = { ...label, openPoint: 'A7' };
  expect(outcomes(answer([1, 2], 0, { label: asked }), answer([1, 3], 1, { label: asked }))).toEqual(['fail']);
});
