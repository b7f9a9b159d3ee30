/** A client that floods the local gateway costs neither memory nor hours, and is never green. */
import { connect, type Socket } from 'node:net';
import { type LocalGateway, openLocalGateway } from '../../../src/peer/local-gateway/local-gateway.ts';
import { clientScenarios } from '../../../src/plan/client/index.ts';
import { performClientScenario } from '../../../src/run/client/perform-client.ts';
import { clientEvidence } from '../../../src/verdict/client/client-evidence.ts';
import { expect, test } from '../../engine.ts';
import { placeAt } from './opened-place.ts';

let gateway: LocalGateway;
test.beforeEach(async () => {
  gateway = await openLocalGateway({ folder: test.info().outputDir, now: Date.now, plainHttp: true });
});
test.afterEach(() => gateway.close());

/** Writes the bytes over a connection of its own; resolves once that has ended. */
async function send(baseUrl: string, ...bytes: readonly (string | Uint8Array)[]): Promise<void> {
  const socket: Socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {}).resume();
  for (const part of bytes) socket.write(part);
  await ended;
}

const head = (baseUrl: string, length: number, end = 'keep-alive') =>
  `POST ${new URL(baseUrl).pathname}/api HTTP/1.1\r\nHost: a\r\nConnection: ${end}\r\nContent-Length: ${length}\r\n\r\n`;

const floods: Record<string, [flood: (baseUrl: string) => Promise<unknown>, kept: number, lacks: string]> = {
  requests: [
    (url) => send(url, head(url, 0).repeat(300), head(url, 0, 'close')),
    200,
    'what arrived beyond 200 requests',
  ],
  connections: [
    (url) => Promise.all(Array.from({ length: 250 }, () => send(url, head(url, 0, 'close')))),
    0,
    'what came over more than 200 connections',
  ],
  bytes: [
    (url) => {
      const [most, text] = [200_000, head(url, 200_000)];
      return send(url, text, Buffer.alloc(most), text, Buffer.alloc(most));
    },
    1,
    'all requests behind the first two, with more than 256 KB of bodies',
  ],
  'a body': [(url) => send(url, head(url, 70 * 1024 * 1024, 'close')), 0, 'a request whose body exceeds 4194304 bytes'],
};

for (const [name, [flood, kept, lacks]] of Object.entries(floods)) {
  test(`a place that is flooded with ${name} takes nothing more, and says what its record lacks`, async () => {
    const place = await placeAt(gateway);
    await flood(place.baseUrl);
    await expect.poll(() => place.isFull()).toBe(true);
    expect(place.incomplete()).toBe(lacks);
    expect(place.exchanges().length).toBeGreaterThanOrEqual(kept);
    expect(place.exchanges().length).toBeLessThanOrEqual(200);
    const before = place.exchanges().length;
    await send(place.baseUrl, head(place.baseUrl, 0));
    expect(place.exchanges().length).toBe(before);
    place.close();
    const next = await placeAt(gateway);
    await send(next.baseUrl, head(next.baseUrl, 0, 'close'));
    expect([next.exchanges().length, next.isFull()]).toEqual([1, false]);
  });
}

test('a client that floods five calls in a row is given up, and no call that it flooded is green', async () => {
  const session = {
    introduction: { client: { name: 'x' }, offers: { ops: ['close-day'], inject: [], maxInFlight: 1 } },
    takeNotes: () => [],
    close: async () => {},
    perform: async ({ baseUrl }: { baseUrl: string }) => {
      await send(baseUrl, head(baseUrl, 0).repeat(300), head(baseUrl, 0, 'close'));
      return { reply: { outcome: 'completed' } };
    },
  };
  const context = { session, gateway, seed: '1', cases: 10, inFlight: 1, secondVoice: false, now: () => 0 };
  const scenario = clientScenarios.find(({ id }) => id === 'close-day/generated')!;
  const { cases, givenUp } = await performClientScenario(scenario, context as never);
  expect(cases.map(({ call: { adapterFault } }) => adapterFault?.code)).toEqual(Array(5).fill('flooded'));
  expect(cases[0]!.call.adapterFault!.message).toMatch(
    /^The client flooded the gateway in this call: at least [23]\d\d requests arrived, each answered by status 200, and /,
  );
  const found = clientEvidence(cases, { hasKeys: false, keysOf: () => undefined }).judge(cases[0]!.call.label.about!);
  expect(found.find(({ finding }) => finding.outcome === 'inconclusive')?.finding.hint).toMatch(
    /^Let a call send one /,
  );
  expect(givenUp).toBe(gateway.flood());
  expect(givenUp).toMatch(
    /^The client was given up after 5 calls in a row .* beyond 200 requests\. Its adapter has to /,
  );
});
