/** The gates of a scenario's mock: drawn by the seed, known to the plan, and what the mock answers with. */

import { closeDayScenarios } from '../../../src/plan/close-day.ts';
import { mockEndpoints } from '../../../src/run/gateway/planned-cases.ts';
import { performScenario } from '../../../src/run/gateway/run-scenario.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { expect, test } from '../../engine.ts';

const scenarioNamed = (id: string) => closeDayScenarios.find((scenario) => scenario.id === id)!;

test('the same seed and scenario draw the same gates, another seed draws others', () => {
  const first = mockEndpoints('a', 'close-day/right');
  expect(mockEndpoints('a', 'close-day/right')).toEqual(first);
  expect(mockEndpoints('b', 'close-day/right')['1111']).not.toEqual(first['1111']);
});

test('over 200 seeds no two gates of an endpoint share an id, and ids beyond 2^53 and amounts beyond a double come', () => {
  const gates = Array.from({ length: 200 }, (_, seed) => mockEndpoints(String(seed), 'any')['1114']!);
  for (const several of gates) expect(new Set(several.map(({ gateId }) => gateId)).size).toBe(several.length);
  const drawn = gates.flatMap((several) => several.slice(3));
  expect(drawn.some(({ gateId }) => BigInt(gateId) > 2n ** 53n)).toBe(true);
  expect(drawn.some(({ totals }) => totals.saleAmount.length > 16)).toBe(true);
});

test('the answers hold the drawn gates, each once, and the request the drawn totals', async () => {
  const options = completeRunOptions({ seed: 'gates' }, 0, '.');
  const several = await performScenario(scenarioNamed('close-day/several-gates'), options);
  const answer = Buffer.from(several.cases[0]!.exchange.response!.body).toString();
  for (const { gateId } of mockEndpoints('gates', 'close-day/several-gates')['1114']!) {
    expect(answer.split(`"gateId":${gateId},`)).toHaveLength(2);
  }
  const withTotals = await performScenario(scenarioNamed('close-day/totals'), options);
  const { saleAmount } = mockEndpoints('gates', 'close-day/totals')['1111']![0]!.totals;
  expect(Buffer.from(withTotals.cases[0]!.exchange.request.body).toString()).toContain(
    `sale_approved_sum=${saleAmount}&`,
  );
});
