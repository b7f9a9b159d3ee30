/** The defects of the reference client: each shows in a call, keeps to its operation, and leaves the rest of the call alone. */

import type { ClientDefect } from '../../../src/faults/client/defect.ts';
import { clientDefects } from '../../../src/faults/client/index.ts';
import { expect, test } from '../../engine.ts';
import { answeredCalls } from './answered-calls.ts';
import { asStored, type Call, plainCloseDay, type Trace, traced, wireCalls } from './telling-calls.ts';

const stored = clientDefects.filter(({ reach }) => reach === 'stored');
const reached = clientDefects.filter(({ reach }) => reach === undefined);
const calls = [...wireCalls, ...answeredCalls];

test('ids are unique, and every defect breaks a row and has a hook', () => {
  const ids = clientDefects.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(clientDefects.filter(({ breaks }) => breaks.length === 0)).toEqual([]);
  expect(clientDefects.filter(({ alteration }) => Object.keys(alteration).length === 0)).toEqual([]);
});

test('a defect of reach stored has requests that show it, and no other has', () => {
  expect(stored.length).toBeGreaterThan(0);
  expect(clientDefects.filter((defect) => (defect.reach === 'stored') !== (defect.stored !== undefined))).toEqual([]);
});

for (const defect of reached) {
  test(`${defect.id} shows in a call of its own operation, and in none of the other`, async () => {
    const differing = await differingCalls(defect);
    expect(differing.length).toBeGreaterThan(0);
    const other = differing.filter(({ operation }) => defect.operation !== 'both' && defect.operation !== operation);
    expect(other).toEqual([]);
  });
}

for (const defect of stored) {
  test(`${defect.id} shows in its stored requests, and in no call`, async () => {
    expect(await differingCalls(defect)).toEqual([]);
    for (const request of defect.stored!) {
      const right = await traced(plainCloseDay, [asStored(request)]);
      const wrong = await traced(plainCloseDay, [asStored(request), defect.alteration]);
      expect(wrong.requests).not.toEqual(right.requests);
    }
  });
}

test('a defect of a decoder changes no request', async () => {
  const decoders = reached.filter(({ breaks }) => breaks.every((row) => /\/(?:decodes|broken)-/.test(row)));
  expect(decoders.length).toBeGreaterThan(35);
  for (const { alteration } of decoders) {
    for (const call of wireCalls.slice(0, 2)) {
      expect((await traced(call, [alteration])).requests).toEqual((await traced(call, [])).requests);
    }
  }
});

const rightTraces = new Map<Call, Promise<string>>();

async function differingCalls({ alteration }: ClientDefect): Promise<Call[]> {
  const differing: Call[] = [];
  for (const call of calls) {
    const right = rightTraces.get(call) ?? traced(call, []).then(textOf);
    rightTraces.set(call, right);
    const wrong = textOf(await traced(call, [alteration]));
    if (wrong !== (await right)) differing.push(call);
  }
  return differing;
}

function textOf({ requests, trusting, reply }: Trace): string {
  const sent = requests.map(({ body, ...rest }) => ({ ...rest, body: Buffer.from(body).toString('latin1') }));
  return JSON.stringify({ sent, trusting, reply });
}
