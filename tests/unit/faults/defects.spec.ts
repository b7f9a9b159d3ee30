/** What holds of the lists of defects; that each breaks exactly its requirements is for the kill matrix. */
import { clientDefects } from '../../../src/faults/client/index.ts';
import { gatewayDefects } from '../../../src/faults/index.ts';
import { expect, test } from '../../engine.ts';
import { asStored, plainCloseDay, traced, wireCalls } from './telling-calls.ts';

for (const defects of [gatewayDefects, clientDefects])
  test(`ids of ${defects[0]!.side} defects are unique, and each breaks a requirement`, () => {
    const ids = defects.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(defects.filter(({ breaks }) => breaks.length === 0)).toEqual([]);
    expect(defects.filter(({ reach, stored }) => (reach === 'stored') !== (stored !== undefined))).toEqual([]);
  });

for (const { id, alteration, stored = [] } of clientDefects.filter(({ reach }) => reach === 'stored'))
  test(`${id} shows in its stored requests, and in no call`, async () => {
    for (const call of wireCalls)
      expect((await traced(call, [alteration])).requests).toEqual((await traced(call, [])).requests);
    for (const request of stored) {
      const right = await traced(plainCloseDay, [asStored(request)]);
      expect((await traced(plainCloseDay, [asStored(request), alteration])).requests).not.toEqual(right.requests);
    }
  });
