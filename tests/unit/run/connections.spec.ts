/** Connections: which exchanges share one, how requests are framed, and which answers can be read. */

import { fork } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { Framing } from '../../../src/plan/scenario.ts';
import type { Exchange, SentRequest } from '../../../src/record/exchange.ts';
import { frameRequest, openTransport, readResponse, type Transport } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';
import { listen } from '../../listen.ts';

test('exchanges have the same connection exactly where the server saw the same one', async () => {
  await exchangeOver({}, async (transport, request) => {
    const exchanges: Exchange[] = [];
    for (let turn = 0; turn < 6; turn++) exchanges.push(await transport.send(request));
    exchanges.push(...(await Promise.all(Array.from({ length: 6 }, () => transport.send(request)))));
    expect(groupIndexes(exchanges.map(({ connection }) => connection))).toEqual(groupIndexes(exchanges.map(portSeen)));
    expect(new Set(exchanges.map(portSeen)).size).toBeLessThan(exchanges.length);
  });
});

test('if only one connection is allowed, consecutive requests share it', async () => {
  await exchangeOver({ oneConnection: true }, async (transport, request) => {
    const ports = new Set<unknown>();
    for (let turn = 0; turn < 20; turn++) ports.add(portSeen(await transport.send(request)));
    expect(ports.size).toBe(1);
  });
});

test('a connection that the target closed gets a successor with a number of its own', async () => {
  await exchangeOver({ keepAlive: false }, async (transport, request) => {
    const first = await transport.send(request);
    const second = await transport.send(request);
    expect([first.connection, second.connection]).toEqual(['1', '2']);
  });
});

test('a request is not lost to a connection that was ended without notice while the process was busy', async () => {
  // Another process ends the connection, so that the end arrives while this process computes.
  const other = fork(new URL('ends-unannounced.mjs', import.meta.url), { stdio: 'ignore' });
  const port = await new Promise((tells) => other.once('message', tells));
  await exchangeOver({ oneConnection: true }, async (transport, request) => {
    for (let turn = 0; turn < 10; turn++) {
      const { response, failure } = await transport.send({ ...request, host: `127.0.0.1:${port}` });
      expect(failure).toBeUndefined();
      expect(response?.status).toBe(200);
      for (const until = performance.now() + 30; performance.now() < until; );
    }
  }).finally(() => other.kill());
});

test('the message about a broken connection has a reason in words, also for unusual framings', async () => {
  await exchangeOver({ respond: ({ socket }) => socket.resetAndDestroy() }, async (transport, request, server) => {
    for (const { failure } of [await transport.send(request), await transport.send(request, 'chunked')])
      expect(failure?.message).toMatch(/^the connection to 127\.0\.0\.1:\d+ broke: ECONNRESET: [a-z ]+$/);
    await new Promise((closed) => server.close(closed));
    const { failure, connection } = await transport.send(request);
    expect([failure?.kind, connection]).toEqual(['unreachable', undefined]);
    expect(failure?.message).toMatch(/ cannot be reached \(ECONNREFUSED: [a-z ]+\)$/);
  });
});

test('an answer in parts is read, and an invalid or too large answer fails with our own message', async () => {
  const answers = [
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 20', '0 OK\r\nContent-Length: 2\r\n\r\no', 'k'],
    ['HTTP/1.1 200 OK\r\nX : y\r\n\r\n'],
    [`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(300_000)}`],
  ];
  const respond: RequestListener = async ({ socket }) => {
    for (const part of answers.shift()!)
      await new Promise<void>((sent) => socket.write(part, () => setTimeout(sent, 5)));
  };
  await exchangeOver({ respond }, async (transport, request) => {
    const next = () => transport.send(request);
    const [read, malformed, large] = [await next(), await next(), await next()];
    expect(Buffer.from(read.response!.body).toString()).toBe('ok');
    const message = expect.stringMatching(/^127.* did not answer in HTTP\/1\.1: a header has a blank before its colon/);
    expect(malformed.failure).toMatchObject({ kind: 'malformed', message });
    expect(large.failure).toEqual({ kind: 'too-large', message: 'the headers of the answer exceed 262144 bytes' });
  });
});

/** Replaces each entry by the index of the first equal entry. */
function groupIndexes(names: readonly (string | undefined)[]): number[] {
  return names.map((name) => names.indexOf(name));
}

function portSeen({ response }: Exchange): string {
  return Buffer.from(response!.body).toString();
}

interface ServerOptions {
  readonly keepAlive?: boolean;
  readonly oneConnection?: boolean;
  /** Identifies the connection of the request: a number instead of its port. */
  readonly respond?: RequestListener;
}

/** Passes on a transport, a request to a server on a free port, and that server. */
async function exchangeOver(
  { keepAlive = true, oneConnection = false, respond }: ServerOptions,
  use: (transport: Transport, request: SentRequest, server: Server) => Promise<void>,
): Promise<void> {
  const answerPort: RequestListener = ({ socket }, response) =>
    response.writeHead(200, keepAlive ? {} : { Connection: 'close' }).end(String(socket.remotePort));
  const server = createServer(respond ?? answerPort);
  const { host } = await listen(server);
  const transport = openTransport({ oneConnection });
  try {
    const body = new TextEncoder().encode('a=b');
    await use(transport, { method: 'POST', scheme: 'http', host, target: '/', headers: [], body }, server);
  } finally {
    await transport.close();
    server.closeAllConnections();
    server.close();
  }
}

const request: SentRequest = {
  method: 'POST',
  scheme: 'http',
  host: '127.0.0.1:8080',
  target: '/api/v2/close-day/1111',
  headers: Object.entries({ Authorization: 'OAuth a="b"', 'Content-Type': 'application/x-www-form-urlencoded' }),
  body: Buffer.from('a=1&b=2'),
};

const framings: readonly (readonly [Framing, string])[] = [
  ['absolute-form', 'POST http://127.0.0.1:8080/api/v2/close-day/1111 HTTP/1.1\r\n'],
  ['http-1.0', 'POST /api/v2/close-day/1111 HTTP/1.0\r\n'],
  ['own-connection', 'HTTP/1.1\r\nhost: 127.0.0.1:8080\r\nconnection: keep-alive\r\n'],
  ['chunked', '\r\n\r\n4\r\na=1&\r\n3\r\nb=2\r\n0\r\n\r\n'],
  ['duplicate-authorization', 'Authorization: OAuth a="b"\r\nAuthorization: OAuth a="b"\r\n'],
  ['duplicate-host', 'host: 127.0.0.1:8080\r\nhost: 127.0.0.1:8080\r\n'],
  ['duplicate-content-length', 'content-length: 7\r\ncontent-length: 7\r\n'],
  ['content-length-too-long', 'content-length: 17\r\n\r\na=1&b=2'],
  ['content-length-too-short', 'content-length: 2\r\n\r\na=1&b=2'],
];

for (const [framing, expected] of framings) {
  test(`${framing} is on the wire and in the record`, () => {
    const framed = frameRequest(request, framing);
    expect(Buffer.from(framed.bytes).toString()).toContain(expected);
    const [, ...lines] = Buffer.from(framed.bytes).toString().split('\r\n\r\n')[0]!.split('\r\n');
    expect(framed.request.headers.map(([name, value]) => `${name}: ${value}`)).toEqual(lines);
  });
}

test('a connection that is kept open is left silent, and a target that closes it early is seen', async () => {
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  const silence = async (silenceMs: number, closes: boolean) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {}).once('data', () => (closes ? socket.end(answer) : socket.write(answer)));
    });
    const { host } = await listen(server);
    const transport = openTransport({ deadlineMs: 20_000, silenceMs });
    const exchange = await transport.send({ ...request, host }, 'kept-open');
    await new Promise((resolve) => server.close(resolve));
    return exchange;
  };
  const open = await silence(50, false);
  expect(open).toMatchObject({ response: { status: 200 }, silence: { waitedMs: 50 } });
  expect(open.silence?.closedAfterMs).toBeUndefined();
  expect((await silence(20_000, true)).silence).toMatchObject({ waitedMs: 20_000, closedAfterMs: expect.any(Number) });
});

const ok = 'HTTP/1.1 200 OK\r\n';
const early =
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';
const [long, lengthTwo, lengthZero] = ['a'.repeat(60_000), 'Content-Length: 2', 'Content-Length: 0'];
const inChunks = 'Transfer-Encoding: chunked';
/** Headers as `name: value`. */
const readable: readonly (readonly [all: string, status: number, body: string, headers: readonly string[]])[] = [
  [`${ok}${lengthTwo}\r\n\r\nok`, 200, 'ok', [lengthTwo]],
  [`${ok}${inChunks}\r\n\r\n1\r\no\r\n1;x=y\r\nk\r\n0\r\n\r\n`, 200, 'ok', [inChunks]],
  [`${ok}X:\ta\tb \r\nContent-Length: \t2 \t\r\n\r\nok`, 200, 'ok', ['X: a\tb', lengthTwo]],
  [`${early}${ok}${lengthTwo}\r\n\r\nok`, 200, 'ok', [lengthTwo]],
  [`${ok}${lengthZero}\r\n${lengthZero}\r\n\r\n`, 200, '', [lengthZero, lengthZero]],
  [`${ok}${lengthZero}\r\n${inChunks}\r\n\r\n2\r\nok\r\n0\r\n\r\n`, 200, 'ok', [lengthZero, inChunks]],
  ['HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\n', 204, '', ['Content-Length: 5']],
  ['HTTP/1.1 304 None\r\nX: y\r\n\r\n', 304, '', ['X: y']],
  [`${ok}X: ${long}\r\n${lengthZero}\r\n\r\n`, 200, '', [`X: ${long}`, lengthZero]],
];

test('an answer is read as soon as it is complete, in any pieces', () => {
  for (const [all, status, body, headers] of readable) {
    for (let at = 0; at < all.length; at += Math.ceil(all.length / 300)) {
      const chunks = { next: 0, length: 0, ranges: [] };
      expect(readResponse(Buffer.from(all.slice(0, at)), false, 'POST', chunks)).toBeUndefined();
      const read = readResponse(Buffer.from(all), false, 'POST', chunks)!.response;
      expect([read.status, read.body.toString()]).toEqual([status, body]);
      expect(read.headers.map((header) => header.join(': '))).toEqual(headers);
    }
  }
  const untilClose = readResponse(Buffer.from('HTTP/1.0 400 Bad Request\r\n\r\nno'), true);
  expect(untilClose?.response).toMatchObject({ status: 400, reason: 'Bad Request' });
  const limited = readResponse(Buffer.from(`${ok}Content-Length: 2\r\n\r\nokrest`), false);
  expect(limited?.response.body.toString()).toBe('ok');
  for (const closed of [false, true]) expect(readResponse(Buffer.from(`${ok}X: y`), closed)).toBeUndefined();
});

const chunked = (size: string) => `${ok}Transfer-Encoding: chunked\r\n\r\n${size}\r\nok\r\n0\r\n\r\n`;
const withLength = (length: string) => `${ok}Content-Length: ${length}\r\n\r\nok`;
const unreadable: Readonly<Record<string, readonly string[]>> = {
  'starts with "hello"': ['hello'],
  'starts with "HTTP/1.1 200 OK': ['HTTP/1.1 200 OK\nX: y'],
  'the status code is below 100': ['HTTP/1.1 000 None\r\n\r\n', 'HTTP/1.1 001 One\r\n\r\n'],
  'the response changes to another protocol': ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n'],
  'a header is continued': [`${ok}X-Name: a\r\n b\r\n\r\n`],
  'a header has a blank before its colon': [
    `${ok}X-Name : a\r\n\r\n`,
    `${early}${ok}X-Name : a\r\n\r\n`,
    'HTTP/1.1 304 None\r\nX : y\r\n\r\n',
  ],
  'a header line has no name': [`${ok}X Name: a\r\n\r\n`, `${ok}nothing\r\n\r\n`],
  'a header has an invalid character': [`${ok}X-Name: a\0b\r\n\r\n`],
  'a chunk has no size': ['-ff', '-1', '+2', '0x2', ' 2', '', '2 2'].map(chunked),
  'does not have the size that it announces': [chunked('1')],
  'the Content-Length is': ['-1', '+2', '0x2', '1e0', '', 'two', '2\u00a0'].map(withLength),
  '1 and 2': [`${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nok`],
};

test('an answer that can never be complete is an error with its fault', () => {
  for (const [message, answers] of Object.entries(unreadable))
    for (const answer of answers) expect(() => readResponse(Buffer.from(answer), false), answer).toThrow(message);
});
