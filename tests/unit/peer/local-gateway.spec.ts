/** The local gateway: places, servers, certificates, and answers in chunks. */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { ServerResponse } from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import { type LocalGateway, openLocalGateway, type Place } from '../../../src/peer/local-gateway/local-gateway.ts';
import { clientScenarios } from '../../../src/plan/client/index.ts';
import type { LocalAnswer, LocalReply } from '../../../src/record/case.ts';
import type { Exchange, SentRequest } from '../../../src/record/exchange.ts';
import { performClientScenario } from '../../../src/run/client/perform-client.ts';
import { clientEvidence } from '../../../src/verdict/client/client-evidence.ts';
import { expect, test } from '../../engine.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';

const form = 'application/x-www-form-urlencoded';

type Received = { status?: number; headers?: string[]; chunks?: Buffer[]; text?: string; failure?: string };

/** Sends a request, and returns the answer or the code of the error. Certificates are verified. */
function openSend(ca?: string) {
  const agents = { https: new https.Agent({ keepAlive: true, ca }), http: new http.Agent({ keepAlive: true }) };
  const send = (sent: SentRequest, { deadlineMs = 5_000, acceptAnyCertificate = false } = {}) =>
    new Promise<Received>((resolve) => {
      const failed = (error: NodeJS.ErrnoException) => resolve({ failure: error.code ?? error.name });
      const { hostname, port } = new URL(`${sent.scheme}://${sent.host}`);
      const options = {
        ...{ host: hostname, port, path: sent.target, method: sent.method, agent: agents[sent.scheme] },
        // Node writes a flat list unchanged.
        headers: sent.headers.flat() as unknown as http.OutgoingHttpHeaders,
        signal: AbortSignal.timeout(deadlineMs),
        rejectUnauthorized: !acceptAnyCertificate,
      };
      const started = (sent.scheme === 'https' ? https : http).request(options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', failed);
        const { statusCode: status, rawHeaders: headers } = answer;
        answer.once('end', () => resolve({ status, headers, chunks, text: Buffer.concat(chunks).toString() }));
      });
      started.on('error', failed).end(sent.body);
    });
  return { send, close: () => Object.values(agents).map((agent) => agent.destroy()) };
}

const empty: LocalReply = { kind: 'reply', status: 200, headers: [], body: new Uint8Array() };
type PlaceOptions = Parameters<LocalGateway['open']>[1];
const slow = (afterMs: number, slowReply = empty): LocalAnswer => ({ kind: 'slow', afterMs, slowReply });

let gateway: LocalGateway;
/** A client that trusts the authority of `gateway`. */
let client: ReturnType<typeof openSend>;
const places: Place[] = [];

test.beforeAll(() => {
  gateway = openLocalGateway();
});
test.afterAll(() => gateway.close());
test.beforeEach(() => {
  client = openSend(gateway.ca?.pem);
});
test.afterEach(() => {
  client.close();
  for (const place of places.splice(0)) place.close();
});

/** Opens a place that is closed after the test. */
async function placeFor(answer: LocalAnswer, options?: PlaceOptions, at = gateway): Promise<Place> {
  const place = await at.open(answer, options);
  if ('unavailable' in place) throw new Error(place.unavailable);
  places.push(place);
  return place;
}

function reply(text: string, headers: LocalReply['headers'] = []): LocalReply {
  return { kind: 'reply', status: 200, headers, body: Buffer.from(text) };
}

function requestTo(baseUrl: string, path: string, text: string): SentRequest {
  const [, scheme, host, prefix] = /^(https?):\/\/([^/]+)(.*)$/.exec(baseUrl)!;
  const body = Buffer.from(text);
  return {
    method: 'POST',
    scheme: scheme as 'http' | 'https',
    host: host!,
    target: `${prefix}${path}`,
    headers: [
      ['Host', host!],
      ['X-Two', 'a'],
      ['content-TYPE', form],
      ['x-two', 'b'],
      ['Content-Length', String(body.length)],
    ],
    body,
  };
}

function curl(...args: readonly string[]): Promise<string> {
  const flags = '--silent --show-error --max-time 5 --noproxy * --cacert'.split(' ');
  const command = [...flags, gateway.ca!.file, ...args];
  return new Promise((resolve, reject) => {
    execFile('curl', command, (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
  });
}

test('a request is recorded byte for byte, its header lines in order and case, with the answer that it got', async () => {
  const place = await placeFor(reply('hello', [['content-type', 'text/html;charset=utf-8']]), {
    pathSuffix: '/PayNet/v%20x',
  });
  const request = requestTo(place.baseUrl, '/api/v2/close-day/1?a=%2b', 'a=%41+b');
  const answer = await client.send(request);
  await place.whenSettled();
  const [exchange, ...others] = place.exchanges();
  expect(others).toEqual([]);
  const { headers, ...rest } = exchange!.request;
  const { headers: sentHeaders, ...sent } = request;
  expect(rest).toEqual({ ...sent, body: expect.any(Buffer) });
  expect(Buffer.from(rest.body).toString()).toBe('a=%41+b');
  expect(headers.slice(0, sentHeaders.length)).toEqual(sentHeaders);
  expect(place.baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/x[0-9a-f]{16}\/PayNet\/v%20x$/);
  const expected = Object.entries({ 'content-type': 'text/html;charset=utf-8', 'Content-Length': '5' });
  expect(exchange!.response).toMatchObject({ status: 200, headers: expected });
  expect(answer).toMatchObject({ headers: expected.flat(), text: 'hello' });
});

test('requests go to the place that their path names, and connections are numbered', async () => {
  const one = await placeFor(reply('one'));
  const two = await placeFor(reply('two'));
  for (const place of [one, two, one]) await client.send(requestTo(place.baseUrl, '/x', ''));
  const other = openSend(gateway.ca?.pem);
  await other.send(requestTo(two.baseUrl.replace('/x', '//X'), '/y', ''));
  await Promise.all([one.whenSettled(), two.whenSettled()]);
  other.close();
  expect(one.exchanges().map(({ request }) => request.target.slice(18))).toEqual(['/x', '/x']);
  expect(two.exchanges().map(({ request }) => request.target.slice(-2))).toEqual(['/x', '/y']);
  const numbers = [...one.exchanges(), ...two.exchanges()].map((exchange) => Number(exchange.connection));
  expect(new Set(numbers.slice(0, 3)).size).toBe(1);
  expect(numbers[3]).toBe(numbers[0]! + 1);
});

test('a request that names no place is a stray: only a lone place that claims strays gets it', async () => {
  const before = gateway.strayCount();
  const claiming = await placeFor(reply('claimed'), { claimStrays: true });
  const stray = requestTo(new URL(claiming.baseUrl).origin, '/api/v2/close-day/1', 'stray=1');
  const first = await client.send(stray);
  const second = await placeFor(reply('second'));
  const answer = await client.send(stray);
  second.close();
  claiming.close();
  const secondLate = await client.send(requestTo(claiming.baseUrl, '/late', ''));
  expect([first.text, answer.status, secondLate.status]).toEqual(['claimed', 404, 404]);
  expect(claiming.exchanges()).toHaveLength(1);
  expect(gateway.strayCount() - before).toBe(2);
});

test('curl is served: with Expect, with a chunked body, and twice over one connection', async () => {
  skipUnless(missingPrograms('curl').length === 0, 'curl');
  const place = await placeFor(reply('ok'));
  const url = `${place.baseUrl}/api`;
  expect(await curl('-H', 'Expect: 100-continue', '--data', 'a=1', url)).toBe('ok');
  expect(await curl('-H', 'Transfer-Encoding: chunked', '--data', 'b=2', url)).toBe('ok');
  expect(await curl('--data', 'c=3', url, url)).toBe('okok');
  await place.whenSettled();
  const bodies = place.exchanges().map(({ request }) => Buffer.from(request.body).toString());
  expect(bodies).toEqual(['a=1', 'b=2', 'c=3', 'c=3']);
  const [expecting, chunked, third, fourth] = place.exchanges();
  expect(expecting!.request.headers).toContainEqual(['Expect', '100-continue']);
  expect(chunked!.request.headers).toContainEqual(['Transfer-Encoding', 'chunked']);
  expect(fourth!.connection).toBe(third!.connection);
});

test('under the name localhost every base URL has it, and a client that trusts the authority is served', async () => {
  const localhost = openLocalGateway({ host: 'localhost' });
  const send = openSend(localhost.ca?.pem);
  for (const server of ['ordinary', 'wrong-name'] as const) {
    const place = await placeFor(reply('ok'), { server }, localhost);
    expect(new URL(place.baseUrl).hostname).toBe('localhost');
    const { failure } = await send.send(requestTo(place.baseUrl, '/api', 'a=1'));
    expect(failure).toBe(server === 'ordinary' ? undefined : 'ERR_TLS_CERT_ALTNAME_INVALID');
  }
  send.close();
  await localhost.close();
});

test('a reset reaches the client as one, over TLS and over TCP', async () => {
  const plain = openLocalGateway({ plainHttp: true });
  for (const at of [gateway, plain]) {
    const place = await placeFor({ kind: 'reset' }, undefined, at);
    const { failure } = await client.send(requestTo(place.baseUrl, '/api', 'a=1'));
    await place.whenSettled();
    expect(failure).toBe('ECONNRESET');
    expect(place.exchanges()).toMatchObject([{ failure: { kind: 'reset' } }]);
  }
  await plain.close();
});

test('a slow answer comes after its time, and a client that leaves before is noticed', async () => {
  const place = await placeFor(slow(150, reply('late')));
  const patient = await client.send(requestTo(place.baseUrl, '/api', ''));
  const hurried = await client.send(requestTo(place.baseUrl, '/api', ''), { deadlineMs: 60 });
  await place.whenSettled();
  expect([patient.text, hurried.failure]).toEqual(['late', 'ABORT_ERR']);
  const [first, second] = place.exchanges();
  expect(first!.durationMs).toBeGreaterThanOrEqual(140);
  expect(second!.failure).toEqual({ kind: 'timeout', message: 'the connection ended before the answer was complete' });
});

test('an endless answer ends when its place closes', async () => {
  const place = await placeFor({ kind: 'endless' });
  const answer = client.send(requestTo(place.baseUrl, '/api', ''));
  await expect.poll(() => place.exchanges().length).toBe(1);
  expect(place.exchanges()[0]!.failure).toEqual({ kind: 'timeout', message: 'the answer was not complete' });
  await place.whenSettled(20);
  place.close();
  expect((await answer).failure).toBe('ECONNRESET');
});

test('a body of another length than announced ends with the connection', async () => {
  const place = await placeFor(reply('{"resp', [['Content-Length', '100']]));
  expect((await client.send(requestTo(place.baseUrl, '/api', ''))).failure).toBe('ECONNRESET');
});

test('a request that breaks off is not an exchange, and the record says that it is missing', async () => {
  const plain = openLocalGateway({ plainHttp: true });
  const place = await placeFor(reply('ok'), undefined, plain);
  const { port, pathname } = new URL(place.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(`POST ${pathname}/api HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na=1`);
  await expect.poll(() => place.incomplete).toBe('a request whose body was cut off');
  expect(place.exchanges()).toEqual([]);
  await plain.close();
});

test('a client that trusts the authority refuses the servers with another certificate, and may take any', async () => {
  for (const [server, code] of [
    ['other-authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['wrong-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['expired', 'CERT_HAS_EXPIRED'],
  ] as const) {
    const place = await placeFor(reply('ok'), { server });
    const request = requestTo(place.baseUrl, '/api', '');
    expect((await client.send(request)).failure).toBe(code);
    expect(place.exchanges()).toEqual([]);
    expect((await client.send(request, { acceptAnyCertificate: true })).status).toBe(200);
  }
});

test('the host can be written in mixed case, and the default port where it can be bound', async () => {
  const mixed = await placeFor(reply('ok'), { server: 'mixed-case-host' });
  expect(mixed.baseUrl).toMatch(/^https:\/\/LocalHost:\d+\//);
  await client.send(requestTo(mixed.baseUrl, '/api', ''));
  expect(mixed.exchanges()[0]!.request.host).toMatch(/^LocalHost:\d+$/);
  const found = await gateway.open(reply('ok'), { server: 'explicit-default-port' });
  if ('unavailable' in found) {
    expect(found.unavailable).toMatch(/^the server cannot be started: port 443 on 127\.[\d.]+ /);
  } else {
    expect(found.baseUrl).toMatch(/^https:\/\/127\.\d+\.\d+\.\d+:443\//);
    expect((await client.send(requestTo(found.baseUrl, '/api', ''))).status).toBe(200);
    found.close();
  }
});

test('the file of the authority holds its certificate, and plain http has none', async () => {
  expect(readFileSync(gateway.ca!.file, 'utf8')).toBe(gateway.ca?.pem);
  const plain = openLocalGateway({ plainHttp: true });
  expect(plain.ca).toBeUndefined();
  expect(await plain.open(reply(''), { server: 'expired' })).toEqual({ unavailable: 'plain http has no certificate' });
  expect((await placeFor(reply(''), undefined, plain)).baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
  await plain.close();
});

test('after its end the gateway listens nowhere and holds no connection', async () => {
  const plain = openLocalGateway({ plainHttp: true });
  const place = await placeFor(slow(60_000, reply('')), undefined, plain);
  const request = requestTo(place.baseUrl, '/api', '');
  const pending = client.send(request);
  await expect.poll(() => place.exchanges().length).toBe(1);
  const start = performance.now();
  await plain.close();
  expect(performance.now() - start).toBeLessThan(30_000);
  expect((await pending).failure).toBe('ECONNRESET');
  expect((await client.send(request)).failure).toBe('ECONNREFUSED');
});

/** What a client receives of the answer, and what the gateway records. */
async function receive(text: string): Promise<{ readonly chunks: Buffer[]; readonly recorded: Exchange }> {
  const plain = openLocalGateway({ plainHttp: true });
  // A client for one answer, because `client` may still have a connection to an earlier gateway at the same port.
  const single = openSend();
  try {
    const place = await placeFor(reply(text, [['Transfer-Encoding', 'chunked']]), undefined, plain);
    const { chunks, failure } = await single.send(requestTo(place.baseUrl, '/api', ''));
    expect(failure).toBeUndefined();
    await place.whenSettled();
    return { chunks: chunks!, recorded: place.exchanges()[0]! };
  } finally {
    single.close();
    await plain.close();
  }
}

test('a client that decodes each chunk by itself loses characters of several bytes', async () => {
  const text = 'Ger\u00e4t \u6f22 \u{1f600}, ASCII';
  const { chunks } = await receive(text);
  expect(Buffer.concat(chunks).toString('utf8')).toBe(text);
  const separate = chunks.map((chunk) => chunk.toString('utf8')).join('');
  expect(separate.replace(/\ufffd+/g, '?')).toBe('Ger?t ? ?, ASCII');
});

test('an answer whose chunks were joined on their way to the socket is recorded as not sent', async () => {
  const text = 'Ger\u00e4t \u6f22';
  expect((await receive(text)).recorded).toMatchObject({ response: { status: 200 } });
  const { write, end } = ServerResponse.prototype;
  const pieces: Uint8Array[] = [];
  Object.assign(ServerResponse.prototype, {
    write: (chunk: Uint8Array, written: () => void) => pieces.push(chunk) && written(),
    end(this: ServerResponse, last: Uint8Array) {
      return end.call(this, Buffer.concat([...pieces, last]), 'utf8');
    },
  });
  try {
    const { chunks, recorded } = await receive(text);
    expect(chunks.map(String)).toEqual([text]);
    expect(recorded.response).toBeUndefined();
    expect(recorded.failure).toEqual({ kind: 'not-sent', message: expect.stringContaining('separate chunks') });
  } finally {
    Object.assign(ServerResponse.prototype, { write, end });
  }
});

test.describe('over plain HTTP', () => {
  let gateway: LocalGateway;
  test.beforeEach(async () => {
    gateway = openLocalGateway({ plainHttp: true });
  });
  test.afterEach(() => gateway.close());

  /** Sends each text after the answer to the one before, with path and host of the place. Returns the last status line. */
  async function sent(place: Place, ...requests: readonly string[]): Promise<string> {
    const { host, hostname, port, pathname } = new URL(place.baseUrl);
    const socket = connect(Number(port), hostname);
    let first = '';
    for (const bytes of requests) {
      socket.write(bytes.replace('PATH', `${pathname}/a`).replace('HOST', host), 'latin1');
      const [received] = (await once(socket, 'data')) as [Buffer];
      first = received.toString('latin1').split('\r\n', 1)[0]!;
    }
    socket.destroy();
    return first;
  }

  const head = 'POST PATH HTTP/1.1\r\nHost: HOST\r\n';
  const [length, last] = [`${head}Content-Length: 1\r\n\r\na`, 'POST PATH HTTP/1.1\r\n'];
  for (const [what, requests, missing] of [
    ['a folded header', [`${head}X: a\n b\r\n\r\n`], /^a request that is not HTTP\/1\.1: Missing expected CR .*, at «/],
    ['a long header', [`${head}X: ${'a'.repeat(70_000)}\r\n\r\n`], /: Header overflow, at «/],
    ['no Host', [`${last}Content-Length: 0\r\n\r\n`], /^a request that is not HTTP\/1\.1: it has no Host$/],
    ['junk after a whole one', [length, 'SENDS PATH HTTP/1.1\r\n\r\n'], /^bytes after a whole request: Invalid method/],
    ['a blank in a name after one', [length, `${head}X Y: a\r\n\r\n`], /^bytes after a whole .* header token, at «/],
  ] as const) {
    test(`a request with ${what} is refused, and its call names the missing part`, async () => {
      const place = await placeFor(empty, undefined, gateway);
      expect(await sent(place, ...requests)).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(place.exchanges()).toHaveLength(requests.length - 1);
      expect(place.incomplete).toMatch(missing);
    });
  }

  for (const [what, answer] of Object.entries({ 'at once': empty, later: slow(150) })) {
    test(`a body that is longer than its Content-Length gets its own answer ${what}, and its rest is reported`, async () => {
      const place = await placeFor(answer, undefined, gateway);
      expect(await sent(place, `${head}Content-Length: 1\r\n\r\na=b&c=d`)).toMatch(/^HTTP\/1\.1 200 /);
      expect(place.exchanges()).toMatchObject([{ request: { body: Buffer.from('a') }, response: { status: 200 } }]);
      expect(place.incomplete).toBe('bytes after a whole request: Invalid method encountered, at «=b&c=d»');
    });
  }

  test('a request of HTTP/1.0 needs no Host', async () => {
    const place = await placeFor(empty, undefined, gateway);
    expect(await sent(place, 'POST PATH HTTP/1.0\r\nContent-Length: 0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    expect([place.exchanges().length, place.incomplete]).toEqual([1, undefined]);
  });

  /** Writes the bytes on a new connection, and resolves at its end. */
  async function send(baseUrl: string, ...bytes: readonly (string | Uint8Array)[]): Promise<void> {
    const socket: Socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {}).resume();
    for (const part of bytes) socket.write(part);
    await ended;
  }

  const headOf = (baseUrl: string, length: number, end = 'keep-alive') =>
    `POST ${new URL(baseUrl).pathname}/api HTTP/1.1\r\nHost: a\r\nConnection: ${end}\r\nContent-Length: ${length}\r\n\r\n`;

  const floods: Record<string, [flood: (baseUrl: string) => Promise<unknown>, kept: number, lacks: string]> = {
    requests: [
      (url) => send(url, headOf(url, 0).repeat(300), headOf(url, 0, 'close')),
      200,
      'all requests after the first 200',
    ],
    bytes: [
      (url) => {
        const [size, text] = [200_000, headOf(url, 200_000)];
        return send(url, text, Buffer.alloc(size), text, Buffer.alloc(size));
      },
      1,
      'all requests after the first two, because the bodies exceed 256 KB',
    ],
    body: [(url) => send(url, headOf(url, 70 * 1024 * 1024, 'close')), 0, 'a request whose body exceeds 4194304 bytes'],
  };

  for (const [name, [flood, minCount, message]] of Object.entries(floods)) {
    test(`a place that is flooded with ${name} stops recording, and says what its record lacks`, async () => {
      const place = await placeFor(empty, undefined, gateway);
      await flood(place.baseUrl);
      await expect.poll(() => place.isFull).toBe(true);
      expect(place.incomplete).toBe(message);
      expect(place.exchanges().length).toBeGreaterThanOrEqual(minCount);
      expect(place.exchanges().length).toBeLessThanOrEqual(200);
      const before = place.exchanges().length;
      await send(place.baseUrl, headOf(place.baseUrl, 0));
      expect(place.exchanges().length).toBe(before);
      place.close();
      const next = await placeFor(empty, undefined, gateway);
      await send(next.baseUrl, headOf(next.baseUrl, 0, 'close'));
      expect([next.exchanges().length, next.isFull]).toEqual([1, false]);
    });
  }

  test('a client that floods five calls in a row is given up, and no call that it flooded is green', async () => {
    const session = {
      introduction: { client: { name: 'x' }, offers: { ops: ['close-day'], inject: [], maxInFlight: 1 } },
      takeNotes: () => [],
      close: async () => {},
      perform: async ({ baseUrl }: { baseUrl: string }) => {
        await send(baseUrl, headOf(baseUrl, 0).repeat(300), headOf(baseUrl, 0, 'close'));
        return { reply: { outcome: 'completed' } };
      },
    };
    const context = { session, gateway, seed: '1', cases: 10, inFlight: 1, usesOracle: false, now: () => 0 };
    const scenario = clientScenarios.find(({ id }) => id === 'close-day/generated')!;
    const { cases, givenUp } = await performClientScenario(scenario, context as never);
    expect(cases.map(({ call: { adapterFault } }) => adapterFault?.code)).toEqual(Array(5).fill('flooded'));
    expect(cases[0]!.call.adapterFault!.message).toMatch(
      /^The client flooded the gateway in this call: at least [23]\d\d requests arrived, although each got status 200\. The record lacks /,
    );
    const found = clientEvidence(cases, { hasKeys: false, keysOf: () => undefined }).judge(cases[0]!.call.label.about!);
    expect(found.find(({ finding }) => finding.outcome === 'inconclusive')?.finding.hint).toMatch(
      /^Send one request in each call/,
    );
    expect(givenUp).toBe(gateway.floodError());
    expect(givenUp).toMatch(
      /^The suite stopped testing the client, because 5 calls in a row .* after the first 200\. Send one request /,
    );
  });
});
