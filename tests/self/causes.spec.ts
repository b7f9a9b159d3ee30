/** What leaves requirements undetermined is named once: the requirement that the gateway breaks, or what was not allowed. */
import { newRepeated, runInProcess } from '../../src/app/prove/run-in-process.ts';
import type { Result } from '../../src/record/result/result.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { expect, test } from '../engine.ts';
import { runLive, startLive } from './live-setting.ts';

const repeated = newRepeated();

for (const [defect, behind] of [
  ['recurring/accepted-says-ok', ['recurring/success-body-empty']],
  ['close-day/finished-without-gates', ['close-day/finished-has-gates']],
  ['close-day/gate-without-sale-amount', ['close-day/gate-sale-amount-present']],
  ['close-day/error-cut-off', ['close-day/body-decodable']],
  ['recurring/small-amounts-refused', ['authentication/recurring-valid-accepted']],
  [
    'authentication/port-left-out',
    ['authentication/close-day-valid-accepted', 'authentication/recurring-valid-accepted'],
  ],
] as const) {
  test(`what ${defect} leaves undetermined has the requirement that it breaks as its cause @all`, async () => {
    const options = completeRunOptions({ defects: [defect], seed: 'causes', cases: 3 }, Date.now(), '/nowhere');
    const result = await runInProcess(options, { secondVoice: false, repeated });
    const causes = inconclusive(result);
    expect(causes.map(({ requirement }) => requirement).sort()).toEqual(behind);
    expectEachOnce(result);
    for (const { requirement, exchanges } of causes) {
      const broken = result.results.find(({ id }) => id === requirement)!;
      expect(broken.outcome).toBe('fail');
      expect(exchanges.some((number) => broken.exchanges.includes(number))).toBe(true);
    }
  });
}

test('what a small allowance leaves out is grouped by what it has no room for, with the way to allow it @all', async () => {
  const allow = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };
  const setting = await startLive({ allow });
  try {
    const result = await runLive(setting.config);
    expectEachOnce(result);
    const [most, ...others] = inconclusive(result).filter(({ sentence }) => /allow\.|allow has/.test(sentence));
    expect(most!.requirements.length).toBeGreaterThan(3);
    expect(most!.sentence).toMatch(/^a request was not sent: .*allow/);
    for (const { hint } of [most!, ...others]) expect(hint).toMatch(/--allow starts-payments=N\/TOTAL|trust-refusals/);
    expect(inconclusive(result).length).toBeLessThan(10);
  } finally {
    await setting.close();
  }
});

function inconclusive({ causes = [] }: Result) {
  return causes.filter(({ outcome }) => outcome === 'inconclusive');
}

function expectEachOnce(result: Result): void {
  const open = result.results.filter(({ outcome }) => outcome === 'inconclusive').map(({ id }) => id);
  expect(
    inconclusive(result)
      .flatMap(({ requirements }) => requirements)
      .sort(),
  ).toEqual(open.sort());
  expect(open.length).toBeGreaterThan(0);
}
