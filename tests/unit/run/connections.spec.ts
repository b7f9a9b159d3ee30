/** Which exchanges shared a TCP connection: what is recorded is what the server saw. */
import { fork } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exchange, SentRequest } from '../../../src/record/exchange.ts';
import { openTransport, type Transport } from '../../../src/run/transport/transport.ts';
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
