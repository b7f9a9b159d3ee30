/** Values are decided by seed and scenario alone, and a failing one leads to a small one and a path that repeats it. */
import fc from 'fast-check';
import { gatewayScenarios } from '../../../src/plan/index.ts';
import type { PlannedCase } from '../../../src/plan/scenario.ts';
import { drawFor } from '../../../src/plan/seed.ts';
import { plannedCases } from '../../../src/run/gateway/planned-cases.ts';
import { expect, test } from '../../engine.ts';

const build = (value: number): PlannedCase => ({
  label: { intent: 'valid', differsIn: String(value) },
  request: { operation: 'close-day', body: [['n', String(value)]] },
});
const drawnValue = (planned: PlannedCase) => Number(planned.request.body[0]![1]);
const numbers = fc.integer({ min: 0, max: 1_000_000 });

test('the same seed and scenario draw the same values; another seed, scenario or stream draws others', () => {
  const draw = (seed: string, scenario: string) => drawFor(seed, scenario, 20).values(numbers, 20);
  expect(draw('7', 'a/b')).toEqual(draw('7', 'a/b'));
  expect(draw('8', 'a/b')).not.toEqual(draw('7', 'a/b'));
  expect(draw('7', 'a/c')).not.toEqual(draw('7', 'a/b'));
  const one = drawFor('7', 'a/b', 20);
  expect(one.values(numbers, 20)).not.toEqual(one.values(numbers, 20));
});

test('a failing value is shrunk to the smallest that still fails, and its path repeats it', async () => {
  const planned = drawFor('7', 'a/b', 50).generate(numbers, 50, build);
  const failing = planned.find((one) => drawnValue(one) > 1000)!;
  const { planned: smallest, path } = await failing.generated!.shrink(async (one) => drawnValue(one) > 1000);
  expect(drawnValue(smallest)).toBe(1001);
  const repeated = drawFor('7', 'a/b', 50, path).generate(numbers, 50, build);
  expect(repeated.map(drawnValue)).toEqual([1001]);
  expect(drawFor('7', 'a/c', 50, path).generate(numbers, 50, build), 'of another scenario').toEqual([]);
  expect(drawFor('7', 'a/b', 50, path.replace('a/b/', '')).generate(numbers, 50, build)).toHaveLength(1);
});

test('a path of one stream leaves the values of the other streams as they were', () => {
  const whole = drawFor('7', 'a/b', 3);
  const first = whole.values(numbers, 3);
  const narrowed = drawFor('7', 'a/b', 3, '2/1');
  expect(narrowed.values(numbers, 3)).toEqual(first);
  expect(narrowed.generate(numbers, 3, build)).toHaveLength(1);
});

test('a range that has one end is open wherever it is sent, in 400 generated batches too', () => {
  const halves = gatewayScenarios
    .filter(({ operation }) => operation === 'process-recurring-payments')
    .flatMap((scenario) => plannedCases(scenario, { seed: '7', cases: 400 }))
    .filter(({ label }) => /amount-(?:from|to)[ -]alone|empty-amount-to/.test(label.differsIn ?? ''));
  expect(new Set(halves.map(({ label }) => label.differsIn)).size).toBe(5);
  expect(halves.filter(({ label }) => label.intent !== 'open' || label.openPoint !== 'A15')).toEqual([]);
});

test('no header of a scenario has the nonce of another request, with 400 generated cases either', () => {
  const parts = gatewayScenarios.filter(({ id }) => id.endsWith('/header-forms'));
  expect(parts).toHaveLength(2);
  for (const scenario of parts) {
    const nonces = plannedCases(scenario, { seed: '7', cases: 400 }).flatMap(({ request: { header } }, at) => {
      const nonce = `${at}`.padStart(16, String.fromCharCode(0x4e00 + at));
      const right = { consumerKey: 'shop', method: 'HMAC-SHA1', timestamp: '1700000000', nonce } as const;
      return (
        header?.(right).parameters.flatMap(([name, value]) => (name === 'oauth_nonce' && value ? [value] : [])) ?? []
      );
    });
    expect(nonces.length).toBeGreaterThan(100);
    // A parameter that is sent twice has its nonce twice.
    const repeated = nonces.filter((nonce, at) => at !== nonces.indexOf(nonce) && nonce !== nonces[at - 1]);
    expect(repeated).toEqual([]);
  }
});

test('the two order ids of the right batch are of one length, as those of a shop are, and are two', () => {
  const scenario = gatewayScenarios.find(({ id }) => id === 'recurring/many-rows')!;
  for (let seed = 1; seed <= 200; seed += 1) {
    const planned = plannedCases(scenario, { seed: String(seed), cases: 1 });
    const { body } = planned.find(({ label }) => label.differsIn === '2 rows')!.request;
    const csv = Buffer.from(body.find(([name]) => name === 'payload')![1]!, 'base64').toString();
    const orders = csv
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(';')[0]!);
    expect(new Set(orders.map(({ length }) => length)).size, csv).toBe(1);
    expect(new Set(orders).size, csv).toBe(2);
  }
});
