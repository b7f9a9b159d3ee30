/** Defects that only stored exchanges show. The kill matrix proves that each defect breaks exactly its requirements. */
import { runClientInProcess } from '../../../src/app/prove/run-in-process.ts';
import { clientDefects, gatewayDefects } from '../../../src/faults/index.ts';
import { expect, test } from '../../engine.ts';

test('a defect has stored exchanges if and only if its reach is stored', () => {
  const defects = [...gatewayDefects, ...clientDefects];
  expect(defects.filter(({ reach, stored }) => (reach === 'stored') !== (stored !== undefined))).toEqual([]);
});

for (const { id, alteration } of clientDefects.filter(({ reach }) => reach === 'stored')) {
  test(`${id} shows in no call @all`, async () => {
    const { result } = await runClientInProcess({ seed: '1', cases: 2, usesOracle: false }, [alteration]);
    expect(result.results.filter(({ outcome }) => outcome === 'fail').map((row) => row.id)).toEqual([]);
  });
}
