/** What leaves requirements undetermined is named once: the requirement that the gateway breaks, or what was not allowed. */
import type { Result } from '../../src/record/result/result.ts';
import { expect, test } from '../engine.ts';
import { runLive, startLive } from './live-setting.ts';

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
