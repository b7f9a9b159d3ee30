/** The defects of the mock as a list, and what those leave behind that change a gate. */
import { gatewayDefects } from '../../../src/faults/index.ts';
import { expect, test } from '../../engine.ts';
import { answered, closeDay } from './gateway-calls.ts';

const right = answered(undefined, closeDay({ endpointId: '1114' }));

test('what a defect leaves out or changes in a gate leaves JSON behind', () => {
  const ofGates = gatewayDefects.filter(({ breaks }) => breaks.every((row) => row.startsWith('close-day/gate-')));
  expect(ofGates.length).toBe(28);
  for (const { id } of ofGates) {
    const { text } = answered(id, closeDay({ endpointId: '1114' }));
    expect(text).not.toBe(right.text);
    expect(JSON.parse(text).response.gates).toHaveLength(3);
  }
});

test('ids of defects are unique, and every one breaks a row', () => {
  const ids = gatewayDefects.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(gatewayDefects.filter(({ breaks }) => breaks.length === 0)).toEqual([]);
});
