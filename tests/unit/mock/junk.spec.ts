/** Bytes that are not HTTP never stop the mock. */
import net from 'node:net';
import { startMock } from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { noon, request } from './caller.ts';
import { send, sendBytes } from './send.ts';

const head = 'POST /api/v2/close-day/1111 HTTP/1.1\r\nHost: x\r\n';

const junk: Record<string, string | Uint8Array> = {
  'random bytes': Uint8Array.from({ length: 5000 }, (_, i) => (i * 197 + 31) % 256),
  'a TLS greeting': Uint8Array.from([0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]),
  'an unknown method': 'CLOSE /api/v2/close-day/1111 HTTP/1.1\r\nHost: x\r\n\r\n',
  'no Host': 'POST /api/v2/close-day/1111 HTTP/1.1\r\n\r\n',
  'a control character in a header': `${head}X-Y: a\u0001b\r\n\r\n`,
  'a header without a colon': `${head}Nonsense\r\n\r\n`,
  'two lengths': `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  'a negative length': `${head}Content-Length: -1\r\n\r\n`,
  'a length beside chunks': `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'a chunk size that is no number': `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
};

for (const [what, bytes] of Object.entries(junk)) {
  test(`${what}: answered with 400, and the mock goes on`, async () => {
    const mock = await startMock({ now: () => noon });
    const answer = await sendBytes(mock.port, bytes);
    const next = await send(mock.port, request({ host: `127.0.0.1:${mock.port}` }));
    await mock.close();
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect([next.status, mock.counters().closedDays]).toEqual([200, 1]);
  });
}

test('a request that expects something unknown is a request', async () => {
  const mock = await startMock({ now: () => noon });
  const answer = await sendBytes(mock.port, `${head}Expect: moon\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  await mock.close();
  expect([answer.split('\r\n')[0], mock.counters().requests]).toEqual(['HTTP/1.1 200 OK', 1]);
});

test('a client that leaves in the middle of a body counts as no request', async () => {
  const mock = await startMock({ now: () => noon });
  const socket = net.connect(mock.port, '127.0.0.1');
  await new Promise<void>((resolve) => socket.write(`${head}Content-Length: 100\r\n\r\nabc`, () => resolve()));
  socket.resetAndDestroy();
  const next = await send(mock.port, request({ host: `127.0.0.1:${mock.port}` }));
  await mock.close();
  expect([next.status, mock.counters().requests]).toEqual([200, 1]);
});
