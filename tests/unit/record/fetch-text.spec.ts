/** Answers of other programs, exchanges as JSON, and hosts of this machine. */

import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Server } from 'node:net';
import { fetchText } from '../../../src/record/fetch-text.ts';
import { isLoopback } from '../../../src/record/hosts.ts';
import { fromJson, toJson } from '../../../src/record/json.ts';
import { expect, test } from '../../engine.ts';
import { listen } from '../../listen.ts';

/** Sends a request to the server, closes the server, and returns the text or the message of the error. */
async function fetchedFrom(server: Server, limitMs = 600_000) {
  const url = `http://${(await listen(server)).host}`;
  const read = fetchText(url, {}, { limitMs, maxMegabytes: 1 }).catch((cause: Error) => cause.message);
  return read.finally(() => server.close());
}

function fetched(answer: (response: ServerResponse) => void, limitMs?: number) {
  const server = createServer((_, response) => answer(response));
  return fetchedFrom(server, limitMs).finally(() => server.closeAllConnections());
}

test('a slow answer ends at the time limit and an endless one at the size limit', async () => {
  const message = 'no complete answer arrived within 0.3 s';
  expect(await fetched(() => {}, 300)).toBe(message);
  const drip = (response: ServerResponse) => {
    const timer = setInterval(() => response.write('a'), 5);
    response.on('close', () => clearInterval(timer));
  };
  expect(await fetched(drip, 300)).toBe(message);
  expect(await fetched((response) => response.end(' '.repeat(1024 ** 2 + 1)))).toBe('the answer is longer than 1 MB');
  expect(await fetched((response) => response.end('é'))).toEqual({ status: 200, text: 'é' });
  expect(await fetched((response) => response.writeHead(204).end())).toEqual({ status: 204, text: '' });
});

test('errors of a connection have our own messages', async () => {
  const messages: unknown[] = [];
  const length = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{';
  for (const answer of ['HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n', 'no HTTP\r\n\r\n', length, '']) {
    const server = createSocketServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(answer));
    });
    messages.push(await fetchedFrom(server));
  }
  const closed = 'the connection was closed before the end of the answer';
  expect(messages).toEqual(['the answer redirects to another address', 'the answer is not HTTP/1.1', closed, closed]);
  const refused = fetchText('http://127.0.0.1:1', {}, { limitMs: 600_000, maxMegabytes: 1 });
  await expect(refused).rejects.toThrow('Node.js does not connect to this port');
  for (const coding of ['gzip', 'deflate', 'br']) {
    const packed = (response: ServerResponse) => response.writeHead(200, { 'Content-Encoding': coding }).end('xxxxxx');
    expect(await fetched(packed)).toBe('the answer is not compressed as its Content-Encoding says');
  }
});

test('only the names and addresses of this machine are loopback', () => {
  const names = 'localhost LocalHost:8080 localhost. 127.0.0.1 127.0.0.1:443 127.255.3.4 127.1 [::1] [::1]:8443';
  const more = '[0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::FFFF:127.9.8.7]:80';
  expect(`${names} ${more}`.split(' ').filter((host) => !isLoopback(host))).toEqual([]);
  const others =
    '127.example.com localhost.example.com 127.0.0.1.nip.io 127.0.0.256 127.0.0.1.2 128.0.0.1 0.0.0.0 [::2] ::1 ' +
    '[::ffff:128.0.0.1] [::127.0.0.1] notlocalhost localhost.. :80 localhost:port gateway.example@127.0.0.1 ' +
    '127.0.0.1/x localhost#gateway.example localhost\\gateway.example ';
  expect(others.split(' ').filter(isLoopback)).toEqual([]);
});

const record = (body: Uint8Array) => ({ cases: [{ response: { body }, failure: undefined, at: new Date(0) }] });

test('bytes of any buffer become base64', () => {
  const part = new Uint8Array([7, 7, 0, 255, 10, 7]).subarray(2, 5);
  for (const body of [Buffer.from([0, 255, 10]), new Uint8Array([0, 255, 10]), part]) {
    expect(toJson(record(body))).toBe(
      '{"cases":[{"response":{"body":{"base64":"AP8K"}},"at":"1970-01-01T00:00:00.000Z"}]}',
    );
  }
});

test('a repeated long body is written once, and read into each place', () => {
  const [long, other] = [Buffer.alloc(5000, 'a'), Buffer.alloc(5000, 'b')];
  const text = toJson([{ body: long }, { body: other }, { body: long }, { body: other }]);
  expect(text.length).toBeLessThan(2 * 7000);
  const read = fromJson<{ body: Buffer }[]>(text).map(({ body }) => body);
  expect(read.map((body) => body.toString('latin1', 0, 1))).toEqual(['a', 'b', 'a', 'b']);
  expect(read[2]).toBe(read[0]);
});
