/** The lists of defects are consistent. The kill matrix proves that each defect breaks exactly its requirements. */
import { runClientInProcess } from '../../../src/app/prove/run-in-process.ts';
import { clientDefects, gatewayDefects } from '../../../src/faults/index.ts';
import { expect, test } from '../../engine.ts';

for (const defects of [gatewayDefects, clientDefects]) {
  test(`ids of ${defects[0]!.side} defects are unique, and each breaks a requirement`, () => {
    const ids = defects.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(defects.filter(({ breaks }) => breaks.length === 0)).toEqual([]);
    expect(defects.filter(({ reach, stored }) => (reach === 'stored') !== (stored !== undefined))).toEqual([]);
  });
}

for (const { id, alteration } of clientDefects.filter(({ reach }) => reach === 'stored')) {
  test(`${id} shows in no call @all`, async () => {
    const { result } = await runClientInProcess({ seed: '1', cases: 2, secondVoice: false }, [alteration]);
    expect(result.results.filter(({ outcome }) => outcome === 'fail').map((row) => row.id)).toEqual([]);
  });
}
