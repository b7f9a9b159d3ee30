/** The extremes of both sides do what they are named after, to every request and to every answer. */

import * as mock from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { extremeClients } from '../../self/extreme-clients.ts';
import { extremeGateways, refusalRows } from '../../self/extreme-gateways.ts';
import { batchRequest, csv, noon, request } from '../mock/caller.ts';
import { answeredCalls } from './answered-calls.ts';
import { plainBatch, plainCloseDay, traced, wireCalls } from './telling-calls.ts';

function client(id: string) {
  const { alteration } = extremeClients.find((extreme) => extreme.id === id)!;
  return (call: Parameters<typeof traced>[0]) => traced(call, [alteration]);
}

function gateway(id: string, sent: mock.Received) {
  const alterations = [extremeGateways.find((extreme) => extreme.id === id)!.alteration];
  return mock.respond(
    sent,
    mock.defaultWorld(),
    mock.settingsWith(alterations),
    noon,
    mock.joinAlterations(alterations),
  );
}

test('a client that refuses everything, and one that sends nothing, leave nothing on the wire', async () => {
  for (const call of wireCalls) {
    const refusing = await client('refuses-everything')(call);
    expect([refusing.requests, refusing.reply.outcome]).toEqual([[], 'refused_locally']);
    expect((await client('sends-nothing')(call)).requests).toEqual([]);
  }
  expect((await client('sends-nothing')(plainCloseDay)).reply).toMatchObject({ decoded: { kind: 'finished' } });
  expect((await client('sends-nothing')(plainBatch)).reply).toMatchObject({ decoded: { kind: 'accepted' } });
});

test('clients with one answer for everything send as the right one does', async () => {
  for (const call of answeredCalls) {
    const right = await traced(call, []);
    const success = await client('everything-is-success')(call);
    expect(success.reply.decoded!.kind).toBe(call.operation === 'close-day' ? 'finished' : 'accepted');
    const nothing = await client('nothing-is-success')(call);
    expect(nothing.reply.decoded!.kind).toBe('undecodable');
    const gone = await client('reports-transport-errors')(call);
    expect(gone.reply.outcome).toBe('transport_error');
    for (const { requests } of [success, nothing, gone]) expect(requests).toEqual(right.requests);
  }
});

const bare = { ...request(), headers: [] };
const sent = [request(), batchRequest(csv), request({ secret: 'x' }), request({ fields: [] }), bare];

test('the mock itself accepts two of the five requests', () => {
  const decisions = sent.map(
    (one) => mock.respond(one, mock.defaultWorld(), mock.settingsWith([]), noon).about.decision,
  );
  expect(decisions).toEqual(['accepted', 'accepted', 'refused', 'refused', 'refused']);
});

test('a gateway accepts everything, refuses everything, or says the same to everything', () => {
  for (const one of sent) {
    expect(gateway('accepts-everything', one).about.decision).toBe('accepted');
    expect(gateway('refuses-everything', one).about.decision).toBe('refused');
    expect(gateway('answers-500', one).status).toBe(500);
    expect([gateway('answers-empty-200', one).status, gateway('answers-empty-200', one).body.length]).toEqual([200, 0]);
  }
});

test('rows about refusals are many, and of the gateway', () => {
  expect(refusalRows.length).toBeGreaterThan(40);
  expect(refusalRows).toContain('authentication/close-day-unsigned-refused');
  expect(refusalRows).not.toContain('close-day/decodes-error');
});

test('ids are unique', () => {
  const ids = [...extremeClients.map(({ id }) => `client ${id}`), ...extremeGateways.map(({ id }) => `gateway ${id}`)];
  expect(new Set(ids).size).toBe(ids.length);
});
