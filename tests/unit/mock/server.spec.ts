/** The mock on a socket, with and without TLS. */

import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { newAuthority } from '../../../src/mock/certificates.ts';
import type { Alteration, LogEntry, MockOptions, RunningMock } from '../../../src/mock/index.ts';
import { startMock } from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { privatePemOf, shopKeys } from '../../keys/index.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';
import { batchRequest, csv, noon, request, send, sendBytes } from './caller.ts';

const now = () => noon;

async function withMock<T>(options: MockOptions, use: (mock: RunningMock, host: string) => Promise<T>): Promise<T> {
  const mock = await startMock({ now, ...options });
  try {
    return await use(mock, `127.0.0.1:${mock.port}`);
  } finally {
    await mock.close();
  }
}

test('an answer has the documented headers and Date, in this order, and no others', async () => {
  await withMock({}, async (mock, host) => {
    const agent = new http.Agent({ keepAlive: true });
    const answer = await send(mock.port, batchRequest(csv, { host }), agent);
    agent.destroy();
    expect(answer.headers).toEqual([
      ['Content-Length', '0'],
      ['Keep-Alive', 'timeout=60'],
      ['Connection', 'keep-alive'],
      ['Date', 'Fri, 02 Jan 2026 12:00:00 GMT'],
    ]);
  });
});

test('the base URL has the prefix, and only paths below it are found', async () => {
  await withMock({ prefix: '/paynet/' }, async (mock, host) => {
    expect(mock.baseUrl).toBe(`http://${host}/paynet`);
    expect((await send(mock.port, request({ host, prefix: '/paynet' }))).status).toBe(200);
    expect((await send(mock.port, request({ host }))).status).toBe(404);
    expect(mock.counters().closedDays).toBe(1);
  });
});

test('an absolute target replaces Host', async () => {
  await withMock({}, async (mock) => {
    const sent = request({ host: 'gate.example' });
    const headers = sent.headers.with(0, ['Host', 'other.example']);
    const answer = await send(mock.port, { ...sent, headers, target: `http://gate.example${sent.target}` });
    expect(JSON.parse(answer.body).response.status).toBe('finished');
  });
});

test('two hundred requests at once are all answered, and the totals are exact', async () => {
  await withMock({}, async (mock, host) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });
    const sent = Array.from({ length: 200 }, (_, i) => (i % 2 ? request({ host }) : batchRequest(csv, { host })));
    const answers = await Promise.all(sent.map((one) => send(mock.port, one, agent)));
    agent.destroy();
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const counts = { closedDays: 100, startedPayments: 200, totalAmount: '1100.00', requests: 200, refused: 0 };
    expect(mock.counters()).toEqual(counts);
    const serials = answers.map(({ body }) => /-(\w{12})"/.exec(body)?.[1]).filter((serial) => serial !== undefined);
    expect(new Set(serials).size).toBe(100);
  });
});

test('of the same request sent twenty times at once one is accepted', async () => {
  await withMock({}, async (mock, host) => {
    const one = request({ host });
    await Promise.all(Array.from({ length: 20 }, () => send(mock.port, one)));
    expect(mock.counters()).toMatchObject({ closedDays: 1, requests: 20, refused: 19 });
  });
});

test('a body over the bound is 413, announced or not, and the next request is answered', async () => {
  const log: LogEntry[] = [];
  await withMock({ settings: { maxBodyBytes: 1000 }, log: (entry) => log.push(entry) }, async (mock, host) => {
    const body = Buffer.alloc(1001, 'a');
    // The answer arrives while the body is still being sent.
    const reply = await send(mock.port, { ...request({ host }), body: Buffer.alloc(4_000_000) });
    const chunks = `3e9\r\n${body.toString()}\r\n0\r\n\r\n`;
    const chunked = await sendBytes(
      mock.port,
      `POST /api/v2/close-day/1111 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
    );
    expect(reply.status).toBe(413);
    expect(chunked).toMatch(/^HTTP\/1\.1 413 /);
    expect(log.map(({ status, decision }) => `${status} ${decision}`)).toEqual(['413 unread', '413 unread']);
    expect(mock.counters().requests).toBe(0);
    expect((await send(mock.port, request({ host }))).status).toBe(200);
  });
});

test('an answer can be cut off in the middle', async () => {
  await withMock({ alterations: [{ writes: (reply) => ({ ...reply, cutAfter: 10 }) }] }, async (mock, host) => {
    await expect(send(mock.port, request({ host }))).rejects.toThrow('aborted');
  });
});

test('a fault inside the mock is 500, and the next request is answered', async () => {
  const log: LogEntry[] = [];
  let calls = 0;
  const faulty: Alteration = {
    writes: (reply) => {
      calls += 1;
      if (calls === 1) throw new TypeError('secret text');
      return reply;
    },
  };
  await withMock({ alterations: [faulty], log: (entry) => log.push(entry) }, async (mock, host) => {
    expect((await send(mock.port, request({ host }))).status).toBe(500);
    expect((await send(mock.port, request({ host }))).status).toBe(200);
    const line = { method: 'POST', target: '/api/v2/close-day/1111', status: 500 };
    expect(log[0]).toEqual({ ...line, decision: 'fault', reason: 'TypeError' });
  });
});

test('the log has each decision with its reason, and no secret', async () => {
  const log: LogEntry[] = [];
  await withMock({ log: (entry) => log.push(entry) }, async (mock, host) => {
    await send(mock.port, request({ host }));
    await send(mock.port, request({ host, oauth: { oauth_version: '2.0' } }));
  });
  const line = { method: 'POST', target: '/api/v2/close-day/1111', status: 200 };
  expect(log).toEqual([
    { ...line, decision: 'accepted', reason: undefined },
    { ...line, decision: 'refused', reason: 'version: oauth_version is not 1.0' },
  ]);
});

test('close ends open connections at once, and may be called again', async () => {
  const mock = await startMock({ now });
  const agent = new http.Agent({ keepAlive: true });
  await send(mock.port, request({ host: `127.0.0.1:${mock.port}` }), agent);
  const idle = net.connect(mock.port, '127.0.0.1');
  const ended = new Promise((resolve) => idle.on('error', resolve).on('close', resolve));
  await new Promise<void>((resolve) => idle.write('POST /api/v2/close-day/1111 HTTP/1.1\r\n', () => resolve()));
  const before = performance.now();
  await mock.close();
  await mock.close();
  await ended;
  agent.destroy();
  expect(performance.now() - before).toBeLessThan(30_000);
  await expect(send(mock.port, request())).rejects.toThrow('ECONNREFUSED');
});

const wrong: [string, MockOptions, string][] = [
  ['a host of another network', { host: '192.0.2.1' }, 'bad-host'],
  ['a port above 65535', { port: 65536 }, 'bad-port'],
  ['a prefix without a slash', { prefix: 'paynet' }, 'bad-prefix'],
  ['a prefix with a query', { prefix: '/a?b' }, 'bad-prefix'],
  ['a public URL without a scheme', { publicUrl: 'gate.example/paynet' }, 'bad-public-url'],
  ['a public URL with a query', { publicUrl: 'https://gate.example/?a=b' }, 'bad-public-url'],
  ['a TLS key that is none', { tls: { key: 'x', cert: 'y' } }, 'bad-certificate'],
];

for (const [what, options, code] of wrong) {
  test(`${what} is the error ${code}`, async () => {
    await expect(startMock(options)).rejects.toMatchObject({ name: 'MockError', code });
  });
}

const head = 'POST /api/v2/close-day/1111 HTTP/1.1\r\nHost: x\r\n';

const junk: Record<string, string | Uint8Array> = {
  'random bytes': Uint8Array.from({ length: 5000 }, (_, i) => (i * 197 + 31) % 256),
  'a TLS greeting': Uint8Array.from([0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]),
  'an unknown method': 'CLOSE /api/v2/close-day/1111 HTTP/1.1\r\nHost: x\r\n\r\n',
  'no Host': 'POST /api/v2/close-day/1111 HTTP/1.1\r\n\r\n',
  'two lengths': `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  'too long header lines': `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(200_000)}\r\n\r\n`,
  'a length beside chunks': `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
};

test('bytes that are not HTTP are answered with 400 or 431, and the mock keeps running', async () => {
  await withMock({}, async (mock, host) => {
    for (const [what, bytes] of Object.entries(junk)) {
      const status = what === 'too long header lines' ? '431 Request Header Fields Too Large' : '400 Bad Request';
      expect((await sendBytes(mock.port, bytes)).split('\r\n')[0], what).toBe(`HTTP/1.1 ${status}`);
      expect((await send(mock.port, request({ host }))).status, what).toBe(200);
    }
    expect(mock.counters().closedDays).toBe(Object.keys(junk).length);
  });
});

test('a client that leaves in the middle of a body counts as no request', async () => {
  await withMock({}, async (mock, host) => {
    const socket = net.connect(mock.port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.write(`${head}Content-Length: 100\r\n\r\nabc`, () => resolve()));
    socket.resetAndDestroy();
    expect((await send(mock.port, request({ host }))).status).toBe(200);
    expect(mock.counters().requests).toBe(1);
  });
});

const authority = newAuthority(Date.now(), privatePemOf(shopKeys));

test('the chain has what strict clients ask for', () => {
  const certificate = new X509Certificate(authority.issue().cert);
  const ca = new X509Certificate(authority.certificatePem);
  expect([certificate.ca, ca.ca]).toEqual([false, true]);
  expect(certificate.checkIssued(ca)).toBe(true);
  expect(certificate.subjectAltName).toBe('IP Address:127.0.0.1, DNS:localhost');
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(new Set([certificate.serialNumber, authority.issue().cert, ca.serialNumber]).size).toBe(3);
});

test('openssl verifies it by the strict rules of RFC 5280', () => {
  skipUnless(missingPrograms('openssl').length === 0, 'openssl');
  const [ca, leaf] = ['ca.pem', 'leaf.pem'].map((name) => test.info().outputPath(name));
  writeFileSync(ca!, authority.certificatePem);
  writeFileSync(leaf!, authority.issue().cert);
  const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_ip', '127.0.0.1', '-CAfile', ca!, leaf!];
  expect(execFileSync('openssl', args, { timeout: 10_000 }).toString()).toBe(`${leaf}: OK\n`);
});
