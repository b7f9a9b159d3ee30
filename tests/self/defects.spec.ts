/** Every defect makes exactly its own rows fail: a missing one is a weak judge, a further one a judge of two things. */
import { expect, test } from '@playwright/test';
import { gatewayDefects } from '../../src/defects/index.ts';
import { runInProcess } from '../../src/run/run-in-process.ts';
import { completeRunOptions } from '../../src/run/run-options.ts';

const options = (defects: readonly string[]) =>
  completeRunOptions({ defects, seed: 'self-test', cases: 6 }, 1_800_000_000_000, '/nowhere');

test('the mock without a defect is conformant under strict', async () => {
  const result = await runInProcess(options([]));
  expect(result.results.filter(({ outcome }) => outcome === 'fail' || outcome === 'inconclusive')).toEqual([]);
  expect(result.conclusion).toBe('conformant');
});

for (const defect of gatewayDefects) {
  test(`${defect.id} fails exactly what it breaks`, async () => {
    const result = await runInProcess(options([defect.id]));
    const failing = result.results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    expect(failing.sort()).toEqual([...defect.breaks].sort());
    expect(result.results.filter(({ outcome }) => outcome === 'error')).toEqual([]);
  });
}
