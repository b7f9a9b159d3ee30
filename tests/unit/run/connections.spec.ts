/** What goes over a connection: which exchanges share one, how requests are framed, and which answers are read. */
import { fork } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { Framing } from '../../../src/plan/scenario.ts';
import type { Exchange, Header, SentRequest } from '../../../src/record/exchange.ts';
import { frameRequest, openTransport, readResponse, type Transport } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';

test('exchanges have the same connection exactly where the server saw the same one', async () => {
  await over({}, async (transport, request) => {
    const exchanges: Exchange[] = [];
    for (let turn = 0; turn < 6; turn++) exchanges.push(await transport.send(request));
    exchanges.push(...(await Promise.all(Array.from({ length: 6 }, () => transport.send(request)))));
    expect(sharing(exchanges.map(({ connection }) => connection))).toEqual(sharing(exchanges.map(portSeen)));
    expect(new Set(exchanges.map(portSeen)).size).toBeLessThan(exchanges.length);
  });
});

test('with one connection at most, what comes one after the other shares it', async () => {
  await over({ oneConnection: true }, async (transport, request) => {
    const ports = new Set<unknown>();
    for (let turn = 0; turn < 20; turn++) ports.add(portSeen(await transport.send(request)));
    expect(ports.size).toBe(1);
  });
});

test('a connection that the target closed gets a successor with a number of its own', async () => {
  await over({ keepAlive: false }, async (transport, request) => {
    const first = await transport.send(request);
    const second = await transport.send(request);
    expect([first.connection, second.connection]).toEqual(['1', '2']);
  });
});

test('a request is not lost to a connection that was ended without notice while the process was busy', async () => {
  // The end comes from another process, so that it arrives while this one does nothing but compute.
  const other = fork(new URL('ends-unannounced.mjs', import.meta.url), { stdio: 'ignore' });
  const port = await new Promise((tells) => other.once('message', tells));
  await over({ oneConnection: true }, async (transport, request) => {
    for (let turn = 0; turn < 10; turn++) {
      const { response, failure } = await transport.send({ ...request, host: `127.0.0.1:${port}` });
      expect(failure).toBeUndefined();
      expect(response?.status).toBe(200);
      for (const until = performance.now() + 30; performance.now() < until; );
    }
  }).finally(() => other.kill());
});

test('an exchange that found no connection has none', async () => {
  await over({}, async (transport, request, server) => {
    await new Promise((closed) => server.close(closed));
    const exchange = await transport.send(request);
    expect(exchange.failure?.kind).toBe('unreachable');
    expect(exchange.connection).toBeUndefined();
  });
});

test('a connection that breaks is told in words, framed by hand too', async () => {
  await over({ respond: ({ socket }) => socket.resetAndDestroy() }, async (transport, request, server) => {
    for (const { failure } of [await transport.send(request), await transport.send(request, 'chunked')]) {
      expect(failure?.message).toMatch(/^the connection to 127\.0\.0\.1:\d+ broke: ECONNRESET: [a-z ]+$/);
    }
    await new Promise((closed) => server.close(closed));
    const { failure } = await transport.send(request);
    expect(failure?.message).toMatch(/ cannot be reached \(ECONNREFUSED: [a-z ]+\)$/);
  });
});

test('an answer that has no status of an answer is told in words of ours, and the next one is read', async () => {
  const answers = ['000 None', '001 One', '101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c', '200 OK'];
  const respond: RequestListener = ({ socket }) => {
    socket.write(`HTTP/1.1 ${answers.shift()}\r\nContent-Length: 0\r\n\r\n`);
  };
  await over({ respond }, async (transport, request) => {
    for (const why of ['its status is not', 'its status is not', 'it changes to another protocol']) {
      const message = expect.stringMatching(`HTTP/1.1: ${why}.*[a-zA-Z]$`);
      expect((await transport.send(request)).failure).toMatchObject({ kind: 'malformed', message });
    }
    expect((await transport.send(request)).response?.status).toBe(200);
  });
});

test('a header that cannot be read is told as that, and a body that is too short as what it is', async () => {
  const headers: Readonly<Record<string, string>> = {
    'X-Name: a\r\n b': 'a header is continued',
    'X-Name : a': 'a header has a blank before its colon',
    'X Name: a': 'a line of its headers has no name',
    nothing: 'a line of its headers has no name',
    'X-Name: a\0b': 'a header has a character that none may have',
  };
  const heads = Object.keys(headers).flatMap((header) =>
    ['', 'HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n'].map((before) => [before, header]),
  );
  const left = [...heads];
  const respond: RequestListener = ({ socket }) => {
    const [before, header] = left.shift() ?? ['', 'Connection: close'];
    socket.end(`${before}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n${header}\r\n\r\nokay`);
  };
  await over({ respond }, async (transport, request) => {
    for (const [, header] of heads) {
      const { failure } = await transport.send(request);
      expect(failure).toMatchObject({ kind: 'malformed', message: expect.stringContaining(`: ${headers[header!]}`) });
    }
    expect((await transport.send(request)).failure?.message).toMatch(/does not match|other side closed|broke/);
  });
});

test('long headers are read as far as a gateway may have them, and longer ones are told in words of ours', async () => {
  const lengths = [60_000, 300_000];
  const respond: RequestListener = (_, response) =>
    void response.setHeader('X-Name', 'a'.repeat(lengths.shift()!)).end();
  await over({ respond }, async (transport, request) => {
    expect((await transport.send(request)).response?.status).toBe(200);
    const { failure } = await transport.send(request);
    expect(failure).toEqual({ kind: 'too-large', message: 'the headers of the answer exceed 262144 bytes' });
  });
});

/** For each entry the place of the first one that equals it. */
function sharing(names: readonly (string | undefined)[]): number[] {
  return names.map((name) => names.indexOf(name));
}

function portSeen({ response }: Exchange): string {
  return Buffer.from(response!.body).toString();
}

interface Served {
  readonly keepAlive?: boolean;
  readonly oneConnection?: boolean;
  /** In place of the port that the request came from. */
  readonly respond?: RequestListener;
}

/** Lends a transport, a request to a server on a free port, and that server. */
async function over(
  { keepAlive = true, oneConnection = false, respond }: Served,
  use: (transport: Transport, request: SentRequest, server: Server) => Promise<void>,
): Promise<void> {
  const tellPort: RequestListener = ({ socket }, response) =>
    response.writeHead(200, keepAlive ? {} : { Connection: 'close' }).end(String(socket.remotePort));
  const server = createServer(respond ?? tellPort);
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
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
  headers: [
    ['Authorization', 'OAuth a="b"'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
  ],
  body: Buffer.from('a=1&b=2'),
};

const framings: readonly (readonly [Framing, string])[] = [
  ['absolute-form', 'POST http://127.0.0.1:8080/api/v2/close-day/1111 HTTP/1.1\r\n'],
  ['http-1.0', 'POST /api/v2/close-day/1111 HTTP/1.0\r\n'],
  ['own-connection', 'HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: keep-alive\r\n'],
  ['chunked', '\r\n\r\n4\r\na=1&\r\n3\r\nb=2\r\n0\r\n\r\n'],
  ['duplicate-authorization', 'Authorization: OAuth a="b"\r\nAuthorization: OAuth a="b"\r\n'],
  ['duplicate-host', 'Host: 127.0.0.1:8080\r\nHost: 127.0.0.1:8080\r\n'],
  ['duplicate-content-length', 'Content-Length: 7\r\nContent-Length: 7\r\n'],
  ['content-length-too-long', 'Content-Length: 17\r\n\r\na=1&b=2'],
  ['content-length-too-short', 'Content-Length: 2\r\n\r\na=1&b=2'],
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
  const heard = async (silenceMs: number, closes: boolean) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {}).once('data', () => (closes ? socket.end(answer) : socket.write(answer)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const transport = openTransport({ deadlineMs: 20_000, silenceMs });
    const exchange = await transport.send({ ...request, host }, 'kept-open');
    await new Promise((resolve) => server.close(resolve));
    return exchange;
  };
  const kept = await heard(50, false);
  expect(kept).toMatchObject({ response: { status: 200 }, silence: { waitedMs: 50 } });
  expect(kept.silence?.closedAfterMs).toBeUndefined();
  expect((await heard(20_000, true)).silence).toMatchObject({ waitedMs: 20_000, closedAfterMs: expect.any(Number) });
});

test('an answer with Content-Length, chunks or the end of the connection as its end is read', () => {
  const read = (text: string, closed = false) => readResponse(Buffer.from(text), closed);
  expect(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokrest')?.body.toString()).toBe('ok');
  expect(read('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n')?.body.toString()).toBe('ok');
  expect(read('HTTP/1.0 400 Bad Request\r\n\r\nno', true)).toMatchObject({ status: 400, reason: 'Bad Request' });
});

test('an incomplete answer is waited for, and one that can never be complete is an error', () => {
  expect(readResponse(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok'), false)).toBeUndefined();
  expect(readResponse(Buffer.from('HTTP/1.1 200 OK\r\nX: y'), false)).toBeUndefined();
  expect(readResponse(Buffer.from('HTTP/1.1 200 OK\r\nX: y'), true)).toBeUndefined();
  for (const start of ['hello', 'HTTP/1.1 200 OK\nX: y']) {
    expect(() => readResponse(Buffer.from(start), false)).toThrow(`starts with "${start.slice(0, 5)}`);
  }
});

test('a length that is none is an error, and no chunk leads back', () => {
  const refused = (head: string, body = '') =>
    expect(() => readResponse(Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`), false));
  for (const size of ['-ff', '-1', '+2', '0x2', ' 2', '', '2 2']) {
    refused('Transfer-Encoding: chunked', `${size}\r\nok\r\n0\r\n\r\n`).toThrow('a chunk has no size');
  }
  refused('Transfer-Encoding: chunked', '1\r\nok\r\n0\r\n\r\n').toThrow('does not end where its size says');
  for (const length of ['-1', '+2', '0x2', '1e0', '', 'two', '2\u00a0'])
    refused(`Content-Length: ${length}`, 'ok').toThrow('its Content-Length is');
  refused('Content-Length: 1\r\nContent-Length: 2', 'ok').toThrow('1 and 2');
  refused('no header').toThrow('a line of its headers has no name');
});

test('an answer that has no body ends with its head', () => {
  for (const status of [204, 304]) {
    expect(readResponse(Buffer.from(`HTTP/1.1 ${status} X\r\nX: y\r\n\r\n`), false)).toMatchObject({ status });
  }
});

const announcements = ['100 Continue\r\n', '102 Processing\r\n', '103 Early Hints\r\nLink: </x>\r\n'];

test('what announces an answer is not taken for it, however it is cut, framed by hand too', async () => {
  const announced = announcements.map((head) => `HTTP/1.1 ${head}\r\n`).join('');
  const all = `${announced}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`;
  for (let at = 0; at < all.length; at++) expect(readResponse(Buffer.from(all.slice(0, at)), false)).toBeUndefined();
  await readHoweverCut(all, [0, 1, 12, 25, announced.length, announced.length + 3], [['Content-Length', '2']]);
});

test('blanks and tabs around a header value are no part of it, however the answer is cut', async () => {
  const head = 'HTTP/1.1 200 OK\r\nX:\ta\tb \r\n';
  for (const [framing, body, value] of [
    ['Content-Length', 'ok', '2'],
    ['Transfer-Encoding', '2\r\nok\r\n0\r\n\r\n', 'chunked'],
  ] as const) {
    const all = `${head}${framing}: \t${value} \t\r\n\r\n${body}`;
    await readHoweverCut(all, [...all].keys(), [
      ['X', 'a\tb'],
      [framing, value],
    ]);
  }
});

/** Sends the answer in two parts, cut at each of the places. */
async function readHoweverCut(all: string, places: Iterable<number>, headers: readonly Header[]): Promise<void> {
  const cuts = [...places];
  const server = createTcpServer((socket) => {
    socket.setNoDelay().on('error', () => {});
    socket.on('data', async () => {
      const at = cuts[asked++ % cuts.length]!;
      for (const part of [all.slice(0, at), all.slice(at)]) {
        if (part !== '') await new Promise<void>((written) => socket.write(part, () => setTimeout(written, 5)));
      }
    });
  });
  let asked = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = openTransport();
  try {
    const to = { ...request, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
    const exchanges = [];
    for (const _ of cuts) exchanges.push(await transport.send(to));
    exchanges.push(await transport.send(to, 'absolute-form'));
    for (const { response } of exchanges) {
      const read = { ...response, body: Buffer.from(response!.body).toString() };
      expect(read).toMatchObject({ status: 200, body: 'ok', headers });
    }
  } finally {
    await transport.close();
    server.close();
  }
}

test('an answer that gives its length twice is read, unless the two differ', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n';
  const both = await heard(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`);
  expect(Buffer.from(both.response!.body).toString()).toBe('ok');
  expect((await heard(`${head}Content-Length: 0\r\n\r\n`)).response?.headers).toHaveLength(2);
  const different = await heard(`${head}Content-Length: 1\r\n\r\nx`);
  expect(different.failure).toMatchObject({ kind: 'malformed', message: expect.stringContaining('its length twice') });
});

test('an answer without a body is read, whatever length it gives', async () => {
  for (const status of [204, 304]) {
    const { response, failure } = await heard(`HTTP/1.1 ${status} None\r\nContent-Length: 5\r\nX: y\r\n\r\n`);
    expect({ failure, status: response?.status, length: response?.body.length }).toEqual({ status, length: 0 });
  }
  const broken = await heard('HTTP/1.1 304 None\r\nContent-Length: 5\r\nX : y\r\n\r\n');
  expect(broken.failure).toMatchObject({
    kind: 'malformed',
    message: expect.stringContaining('blank before its colon'),
  });
});

/** What becomes of that answer over a connection of its own. */
async function heard(answer: string): Promise<Exchange> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = openTransport();
  const exchange = await transport.send({ ...request, host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
  await transport.close();
  await new Promise((resolve) => server.close(resolve));
  return exchange;
}
