/** Which exchanges shared a TCP connection: what is recorded is what the server saw. */
import { fork } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exchange, SentRequest } from '../../../src/record/exchange.ts';
import { openTransport, transportDefaults } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';

test('exchanges have the same connection exactly where the server saw the same one', async () => {
  const { server, request } = await listening({ keepAlive: true });
  const transport = openTransport();
  try {
    const exchanges: Exchange[] = [];
    for (let turn = 0; turn < 6; turn++) exchanges.push(await transport.send(request));
    exchanges.push(...(await Promise.all(Array.from({ length: 6 }, () => transport.send(request)))));
    expect(sharing(exchanges.map(({ connection }) => connection))).toEqual(sharing(exchanges.map(portSeen)));
    expect(new Set(exchanges.map(portSeen)).size).toBeLessThan(exchanges.length);
  } finally {
    await transport.close();
    server.close();
  }
});

test('with one connection at most, what comes one after the other shares it', async () => {
  const { server, request } = await listening({ keepAlive: true });
  const transport = openTransport({ ...transportDefaults, connections: 1 });
  try {
    const ports = new Set<unknown>();
    for (let turn = 0; turn < 20; turn++) ports.add(portSeen(await transport.send(request)));
    expect(ports.size).toBe(1);
  } finally {
    await transport.close();
    server.close();
  }
});

test('a connection that the target closed gets a successor with a number of its own', async () => {
  const { server, request } = await listening({ keepAlive: false });
  const transport = openTransport();
  try {
    const first = await transport.send(request);
    const second = await transport.send(request);
    expect([first.connection, second.connection]).toEqual(['1', '2']);
  } finally {
    await transport.close();
    server.close();
  }
});

test('a request is not lost to a connection that was ended without notice while the process was busy', async () => {
  const { server, request } = await listening({ keepAlive: true });
  // The end comes from another process, so that it arrives while this one does nothing but compute.
  const other = fork(new URL('ends-unannounced.mjs', import.meta.url), { stdio: 'ignore' });
  server.close();
  const port = await new Promise((tells) => other.once('message', tells));
  const transport = openTransport({ ...transportDefaults, connections: 1 });
  try {
    for (let turn = 0; turn < 10; turn++) {
      const { response, failure } = await transport.send({ ...request, host: `127.0.0.1:${port}` });
      expect(failure).toBeUndefined();
      expect(response?.status).toBe(200);
      for (const until = performance.now() + 30; performance.now() < until; );
    }
  } finally {
    await transport.close();
    other.kill();
  }
});

test('connections of two transports are counted apart', async () => {
  const { server, request } = await listening({ keepAlive: true });
  const transports = [openTransport(), openTransport()];
  try {
    const exchanges = await Promise.all(transports.map((transport) => transport.send(request)));
    expect(exchanges.map(({ connection }) => connection)).toEqual(['1', '1']);
  } finally {
    await Promise.all(transports.map((transport) => transport.close()));
    server.close();
  }
});

test('an exchange that found no connection has none', async () => {
  const { server, request } = await listening({ keepAlive: true });
  await new Promise((closed) => server.close(closed));
  const transport = openTransport();
  try {
    const exchange = await transport.send(request);
    expect(exchange.failure?.kind).toBe('unreachable');
    expect(exchange.connection).toBeUndefined();
  } finally {
    await transport.close();
  }
});

test('a connection that breaks is told in words, framed by hand too', async () => {
  const { server, request } = await listening({ keepAlive: true });
  server.removeAllListeners('request').on('request', ({ socket }) => socket.resetAndDestroy());
  const transport = openTransport();
  try {
    for (const { failure } of [await transport.send(request), await transport.sendFramed(request, 'chunked')]) {
      expect(failure?.message).toMatch(/^the connection to 127\.0\.0\.1:\d+ broke: ECONNRESET: [a-z ]+$/);
    }
    await new Promise((closed) => server.close(closed));
    const { failure } = await transport.send(request);
    expect(failure?.message).toMatch(/ cannot be reached \(ECONNREFUSED: [a-z ]+\)$/);
  } finally {
    await transport.close();
    server.close();
  }
});

test('an answer that the library does not understand is told in words of ours, and the next one is read', async () => {
  const { server, request } = await listening({ keepAlive: true });
  const answers = ['000 None', '001 One', '101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c', '200 OK'];
  server.removeAllListeners('request').on('request', ({ socket }) => {
    socket.write(`HTTP/1.1 ${answers.shift()}\r\nContent-Length: 0\r\n\r\n`);
  });
  const transport = openTransport();
  try {
    for (const why of ['its status is not', 'its status is not', 'it changes to another protocol']) {
      const { failure } = await transport.send(request);
      expect(failure).toMatchObject({
        kind: 'malformed',
        message: expect.stringMatching(`HTTP/1.1: ${why}.*[a-zA-Z]$`),
      });
    }
    expect((await transport.send(request)).response?.status).toBe(200);
  } finally {
    await transport.close();
    server.closeAllConnections();
    server.close();
  }
});

test('a header that cannot be read is told as that, and a body that is too short as what it is', async () => {
  const { server, request } = await listening({ keepAlive: true });
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
  server.removeAllListeners('request').on('request', ({ socket }) => {
    const [before, header] = left.shift() ?? ['', 'Connection: close'];
    socket.end(`${before}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n${header}\r\n\r\nokay`);
  });
  const transport = openTransport();
  try {
    for (const [, header] of heads) {
      const { failure } = await transport.send(request);
      expect(failure).toMatchObject({ kind: 'malformed', message: expect.stringContaining(`: ${headers[header!]}`) });
    }
    expect((await transport.send(request)).failure?.message).toMatch(/does not match|other side closed|broke/);
  } finally {
    await transport.close();
    server.closeAllConnections();
    server.close();
  }
});

test('long headers are read as far as a gateway may have them, and longer ones are told in words of ours', async () => {
  const { server, request } = await listening({ keepAlive: false });
  const lengths = [60_000, 300_000];
  server.removeAllListeners('request').on('request', (_, response) => {
    response.setHeader('X-Name', 'a'.repeat(lengths.shift()!)).end();
  });
  const transport = openTransport();
  try {
    expect((await transport.send(request)).response?.status).toBe(200);
    const { failure } = await transport.send(request);
    expect(failure).toEqual({ kind: 'too-large', message: 'the headers of the answer exceed 262144 bytes' });
  } finally {
    await transport.close();
    server.closeAllConnections();
    server.close();
  }
});

/** For each entry the place of the first one that equals it. */
function sharing(names: readonly (string | undefined)[]): number[] {
  return names.map((name) => names.indexOf(name));
}

function portSeen({ response }: Exchange): string {
  return Buffer.from(response!.body).toString();
}

/** A server on a free port that answers with the port that the request came from. */
async function listening({ keepAlive }: { keepAlive: boolean }): Promise<{ server: Server; request: SentRequest }> {
  const server = createServer((request, response) => {
    response.writeHead(200, keepAlive ? {} : { Connection: 'close' }).end(String(request.socket.remotePort));
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  const { port } = server.address() as AddressInfo;
  const body = new TextEncoder().encode('a=b');
  return {
    server,
    request: { method: 'POST', scheme: 'http', host: `127.0.0.1:${port}`, target: '/', headers: [], body },
  };
}
