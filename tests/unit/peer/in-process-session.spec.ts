/** The reference client as a session without sockets: the same requests and readings as over the wire. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishedIdentity } from '../../../src/mock/identity.ts';
import type { SessionCase } from '../../../src/peer/adapter/client-session.ts';
import { type ClientAlteration, openInProcessSession } from '../../../src/peer/client/index.ts';
import {
  type LocalGateway,
  openInProcessGateway,
  openLocalGateway,
  type Place,
} from '../../../src/peer/local-gateway/index.ts';
import type { LocalAnswer } from '../../../src/plan/scenario.ts';
import type { ServerKind } from '../../../src/record/client-case.ts';
import type { SentRequest } from '../../../src/record/exchange.ts';
import { expect, test } from '../../engine.ts';
import { batch, closing } from './calls.ts';
import { openHttpsSend } from './https-send.ts';

const { consumerKey, consumerSecret, privateKeyPem } = publishedIdentity;
const accepted: LocalAnswer = { kind: 'reply', status: 200, headers: [], body: new Uint8Array() };

const closeDay = {
  operation: 'close-day',
  endpointId: '1111',
  consumerKey,
  auth: { method: 'HMAC-SHA1', consumerKey, secret: consumerSecret },
  input: closing,
  deadlineMs: 1_000,
} as const satisfies Partial<SessionCase>;

const charge = {
  ...closeDay,
  operation: 'process-recurring-payments',
  auth: { method: 'RSA-SHA256', consumerKey, privateKeyPem },
  input: batch,
} as const satisfies Partial<SessionCase>;

async function placeAt(gateway: LocalGateway, answer: LocalAnswer, server?: ServerKind): Promise<Place> {
  const place = await gateway.open(answer, { server });
  if ('unavailable' in place) throw new Error(place.unavailable);
  return place;
}

test('a call arrives at its place as it would over the wire', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-session-'));
  const wired = await openLocalGateway({ folder, now: Date.now });
  const https = openHttpsSend(wired.ca?.pem);
  const seen = await Promise.all([
    arrived(openInProcessGateway({ now: Date.now })),
    arrived({ ...wired, handle: (request, connection) => https.send(request, { ...patient, ...connection }) }),
  ]);
  https.close();
  await wired.close();
  rmSync(folder, { recursive: true });
  expect(seen[0]).toEqual(seen[1]);
  expect(seen[0]!.decoded).toEqual({ kind: 'accepted' });
});

const patient = { acceptAnyCertificate: false, deadlineMs: 5_000 };

async function arrived(gateway: LocalGateway) {
  const place = await placeAt(gateway, accepted);
  const session = openInProcessSession({ gateway, clock: () => 1_700_000_000_000, nonce: () => 'n' });
  // The client's share of it is no whole number of milliseconds.
  const { reply } = await session.perform({ ...charge, deadlineMs: 5_001, baseUrl: place.baseUrl });
  await place.settled();
  const [exchange, ...others] = place.exchanges();
  const { request, response } = exchange!;
  const names = request.headers.map(([name]) => name).filter((name) => name !== 'Connection');
  const body = Buffer.from(request.body).toString();
  return { decoded: reply?.decoded, names, body, response, others };
}

test('answers that do not come are transport errors, and no time is spent on them', async () => {
  const gateway = openInProcessGateway({ now: () => 0 });
  const session = openInProcessSession({ gateway });
  const reasonFor = async (answer: LocalAnswer) => {
    const place = await placeAt(gateway, answer);
    const { reply } = await session.perform({ ...closeDay, baseUrl: place.baseUrl });
    expect(place.exchanges()).toHaveLength(1);
    place.close();
    return reply?.outcome === 'transport_error' ? reply.reason : reply?.outcome;
  };
  expect(await reasonFor({ kind: 'reset' })).toBe('reset: the connection was reset');
  expect(await reasonFor({ kind: 'endless' })).toBe('timeout: no whole answer within 800 ms');
  expect(await reasonFor(slow(900))).toBe('timeout: no whole answer within 800 ms');
  expect(await reasonFor(slow(50))).toBe('completed');
});

test('a connection that breaks or is refused is told in words', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.resetAndDestroy()));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const request = {
    method: 'POST',
    scheme: 'http',
    host: `127.0.0.1:${port}`,
    target: '/',
    headers: [],
    body: Buffer.of(),
  };
  const { send, close } = openHttpsSend();
  const failed = async () => (await send(request as SentRequest, patient)).failure;
  expect(await failed()).toEqual({ kind: 'reset', message: expect.stringMatching(/^ECONNRESET: [a-z ]+$/) });
  await new Promise((closed) => server.close(closed));
  expect(await failed()).toEqual({ kind: 'unreachable', message: expect.stringMatching(/^ECONNREFUSED: [a-z ]+$/) });
  close();
});

function slow(afterMs: number): LocalAnswer {
  // biome-ignore lint/suspicious/noThenProperty: the name that LocalAnswer gives it
  return { kind: 'slow', afterMs, then: accepted };
}

test('an error of a hook before the request is out is an error of the adapter', async () => {
  const gateway = openInProcessGateway({ now: () => 0 });
  const broken: ClientAlteration = {
    fields: () => {
      throw new Error('no fields today');
    },
  };
  const place = await placeAt(gateway, accepted);
  const { reply } = await openInProcessSession({ gateway, alterations: [broken] }).perform({
    ...closeDay,
    baseUrl: place.baseUrl,
  });
  expect(reply).toEqual({ outcome: 'adapter_error', reason: 'no fields today' });
});
