/** What is read of an answer, whoever sends it. */
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { fetchText } from '../../../src/record/fetch-text.ts';
import { expect, test } from '../../engine.ts';

/** What becomes of one request to a server that answers so. */
async function asked(answer: (response: ServerResponse) => void, limitMs = 600_000) {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await fetchText(url, {}, { limitMs, mostMegabytes: 1 }).catch((cause: Error) => cause.message);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('an answer that drips ends at its time, one without end at its length, and any other is read', async () => {
  const late = 'it did not answer in full within 0.3 s';
  expect(await asked(() => {}, 300)).toBe(late);
  const drip = (response: ServerResponse) => {
    const timer = setInterval(() => response.write('a'), 5);
    response.on('close', () => clearInterval(timer));
  };
  expect(await asked(drip, 300)).toBe(late);
  expect(await asked((response) => response.end(' '.repeat(1024 ** 2 + 1)))).toBe('its answer is longer than 1 MB');
  expect(await asked((response) => response.end('é'))).toEqual({ status: 200, text: 'é' });
  expect(await asked((response) => response.writeHead(204).end())).toEqual({ status: 204, text: '' });
});

test('what becomes of a connection is told in words of ours', async () => {
  const told: unknown[] = [];
  const length = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{';
  for (const answer of ['HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n', 'no HTTP\r\n\r\n', length, '']) {
    const server = createSocketServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    told.push(await fetchText(url, {}, { limitMs: 600_000, mostMegabytes: 1 }).catch((cause: Error) => cause.message));
    server.close();
  }
  const closed = 'it closed the connection before the end of its answer';
  expect(told).toEqual(['it redirects to another address', 'it does not answer in HTTP/1.1', closed, closed]);
  for (const coding of ['gzip', 'deflate', 'br']) {
    const packed = (response: ServerResponse) => response.writeHead(200, { 'Content-Encoding': coding }).end('xxxxxx');
    expect(await asked(packed)).toBe('its answer is not compressed as it says');
  }
});

test('a port that fetch refuses by itself is told as one', async () => {
  const asking = fetchText('http://127.0.0.1:1', {}, { limitMs: 600_000, mostMegabytes: 1 });
  await expect(asking).rejects.toThrow('its port is one that fetch never uses');
});
