/** A request as text: line ends, folded headers, what an editor adds, and what is refused. */

import { RequestTextError, readRequestText } from '../../../src/autopsy/index.ts';
import { expect, test } from '../../engine.ts';

const lines = [
  'POST /api/v2/close-day/1?x=1 HTTP/1.1',
  'Host: gate.example.com',
  'Content-Type: text/plain',
  '',
  'a=b',
];

test('LF and CRLF, a byte-order mark and empty lines before make no difference', () => {
  const plain = readRequestText(Buffer.from(lines.join('\n')));
  expect(plain).toEqual({
    request: {
      method: 'POST',
      scheme: 'https',
      host: 'gate.example.com',
      target: '/api/v2/close-day/1?x=1',
      headers: [
        ['Host', 'gate.example.com'],
        ['Content-Type', 'text/plain'],
      ],
      body: expect.anything(),
    },
    remarks: [],
  });
  expect(Buffer.from(plain.request.body).toString()).toBe('a=b');
  const crlf = readRequestText(Buffer.from(`\ufeff\r\n${lines.join('\r\n')}`));
  expect(crlf.request).toEqual(plain.request);
});

test('a body keeps its line ends; those beyond Content-Length are left out with a remark', () => {
  const open = readRequestText(Buffer.from(`${lines.join('\n')}\n`));
  expect(Buffer.from(open.request.body).toString()).toBe('a=b\n');
  const counted = readRequestText(Buffer.from(`${lines.join('\n').replace('\n\n', '\nContent-Length: 3\n\n')}\r\n`));
  expect(Buffer.from(counted.request.body).toString()).toBe('a=b');
  expect(counted.remarks).toHaveLength(1);
  const wrong = readRequestText(Buffer.from(lines.join('\n').replace('\n\n', '\nContent-Length: 2\n\n')));
  expect(Buffer.from(wrong.request.body).toString()).toBe('a=b');
  expect(wrong.remarks[0]).toContain('Content-Length is 2');
  expect(Buffer.from(wrong.shorter!.body).toString()).toBe('a=');
});

test('a header that is folded over lines is put together', () => {
  const text = 'GET / HTTP/1.1\nHost: a\nAuthorization: OAuth x="1",\n   y="2"\n\n';
  expect(readRequestText(Buffer.from(text)).request.headers[1]).toEqual(['Authorization', 'OAuth x="1", y="2"']);
});

test('the URL that the client saw takes the place of Host and of an absolute target', () => {
  const seen = { scheme: 'http', host: 'Proxy:8080' };
  const absolute = lines.join('\n').replace('POST /', 'POST https://inner.example/');
  expect(readRequestText(Buffer.from(absolute)).request).toMatchObject({
    target: 'https://inner.example/api/v2/close-day/1?x=1',
  });
  expect(readRequestText(Buffer.from(absolute), seen).request).toMatchObject({
    ...seen,
    target: '/api/v2/close-day/1?x=1',
  });
});

for (const [code, text] of [
  ['no-request-line', '{"log": 1}'],
  ['no-request-line', ''],
  ['malformed-header-line', 'POST / HTTP/1.1\nHost gate\n\n'],
  ['no-host', 'POST / HTTP/1.1\n\n'],
  ['chunked-body', 'POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n5\r\nhel'],
] as const) {
  test(`${JSON.stringify(text.slice(0, 30))} is refused as ${code}`, () => {
    expect(() => readRequestText(Buffer.from(text))).toThrow(
      expect.objectContaining({ code, name: RequestTextError.name }),
    );
  });
}
