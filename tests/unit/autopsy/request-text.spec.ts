/** Requests as text and in the forms that people paste are read, or refused by the name of the form. */
import assert from 'node:assert/strict';
import { autopsyOfText } from '../../../src/autopsy/autopsy.ts';
import { RequestTextError, readRequestText } from '../../../src/autopsy/request-text.ts';
import { signRequest } from '../../../src/protocol/index.ts';
import { expect, test } from '../../engine.ts';

const consumerSecret = 'a-secret-of-these-tests';
const body = 'day_close_request_id=902B4FF5AA&sale_approved_sum=1%2B2';
const target = '/api/v2/close-day/7';
const authorization = signRequest(
  {
    method: 'POST',
    scheme: 'https',
    host: 'gate.example',
    target,
    body: Object.entries({ day_close_request_id: '902B4FF5AA', sale_approved_sum: '1+2' }),
  },
  { consumerKey: 'Shop', key: { method: 'HMAC-SHA1', consumerSecret } },
  { timestamp: '1790000000', nonce: 'n0nce' },
).authorization;
const first = `POST ${target} HTTP/1.1`;
const type = 'Content-Type: application/x-www-form-urlencoded';
const length = `Content-Length: ${body.length}`;
const authorized = `Authorization: ${authorization}`;
const headers = ['Host: gate.example', type, authorized];
const head = [first, ...headers];
const whole = [...head, length, ''];
const text = (...lines: string[]) => lines.join('\n');
const counted = text(...head, length, '', body);
const uncounted = text(...head, '', body);
const answer = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}';
const chunked = text(...head, 'Transfer-Encoding: chunked', '', '');
const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
const chunks = `${chunked}${chunk(body.slice(0, 9))}${chunk(body.slice(9))}0\r\n`;
const folded = authorization.replace('OAuth ', 'OAuth \n    ').replaceAll(', ', ', \n    ');
const wire = (lines: readonly string[], end: string) =>
  lines.map((line) => `10:11 DEBUG wire - http-outgoing-0 >> "${line}${end}"`);
const curl = `curl 'https://gate.example${target}' \\\n  -H '${type}' \\\n  -H '${authorized}'`;
const lines = (mark: string) => whole.map((line) => `${mark} ${line}`);

/** Texts that are read as a request with a right signature. */
const accepted: readonly (readonly [name: string, pasted: string | Buffer])[] = [
  ['an answer after a counted body', `${counted}${answer}`],
  ['an answer on a line of its own', `${counted}\n\n${answer}`],
  ['an answer after a body without a count', `${uncounted}\n \n${answer}`],
  ['an answer that touches a body without a count', `${uncounted}${answer}`],
  ['a second request of the connection', `${counted}${counted}`],
  ['a second request, and no count', `${uncounted}\n\n${uncounted}`],
  ['words after a counted body', `${counted}\n\nRegards`],
  ['a blank in the empty line, as Postman writes', text(...head, length, ' ', body, ' ', answer)],
  ['chunks', `${chunks}\r\n`],
  ['chunks with extension and trailer', `${chunks.replace(/9\r\n/, '9;a=b\r\n')}Digest: x\r\n\r\n`],
  ['chunks, and an answer', `${chunks}\r\n${answer}`],
  ['chunks that a tool put together', `${chunked}${body}`],
  [
    'the timeline of Insomnia',
    text(
      '* Preparing request',
      ...lines('>').slice(0, 3),
      `> Authorization: ${folded}`,
      '',
      `| ${body}`,
      '',
      '< HTTP/1.1 400 Bad Request',
    ),
  ],
  ['curl -v with its body', text('*   Trying 203.0.113.7', ...lines('>'), body, '* done', '< HTTP/1.1 403 Forbidden')],
  ['a quotation of a mail', text('Hello,', ...lines('>'), `> ${body}`)],
  ['the toolbelt of requests', text(...lines('<'), `< ${body}`, '> HTTP/1.1 403 Forbidden')],
  ['wire log', text(...wire(whole, '[\\r][\\n]'), ...wire([body], ''), 'http-outgoing-0 << "HTTP/1.1 403[\\r][\\n]"')],
  [
    'http.client of Python',
    text(`send: b'${[...whole, ''].join('\\r\\n')}'`, `send: b'${body}'`, "reply: 'HTTP/1.1 403'", "send: b'x'"),
  ],
  ['a bytes literal', `b'${[...head, length, '', body].join('\\r\\n')}'`],
  [
    'OkHttp',
    text(
      `D/OkHttp: --> POST https://gate.example${target}`,
      ...headers.map((line) => `D/OkHttp: ${line}`),
      'D/OkHttp: ',
      `D/OkHttp: ${body}`,
      'D/OkHttp: --> END POST (9-byte body)',
    ),
  ],
  [
    'HTTP/2 headers',
    text(':authority: gate.example', ':method: POST', `:path: ${target}`, ':scheme: https', type, authorized, '', body),
  ],
  ['curl with --data-raw', `${curl} \\\n  --data-raw '${body}'\n`],
  [
    'curl with -d twice, and compressed',
    `$ ${curl} -d 'day_close_request_id=902B4FF5AA' --compressed -d "sale_approved_sum=1%2B2" -sS`,
  ],
  ['curl with --data-urlencode', `${curl} -d day_close_request_id=902B4FF5AA --data-urlencode 'sale_approved_sum=1+2'`],
  [
    'curl of Charles',
    `curl -H "Host: gate.example" -H "${type}" -H '${authorized}' --data-binary "${body}" 'https://gate.example${target}'`,
  ],
  [
    "curl with $'' and -XPOST",
    `curl -XPOST --url https://gate.example${target} -H $'${authorized}' --data=${body.replace('&', '\\&')}`,
  ],
  ['words before the request', text('Hello, this is refused:', '', counted)],
];
for (const [name, pasted] of accepted) {
  test(`${name}: the request is read`, () => {
    const read = readRequestText(Buffer.from(pasted as string));
    expect(autopsyOfText(read, { consumerSecret }, { limits: { depth: 1 } }).signature).toBe('right');
    expect(read.request.target.replace('https://gate.example', '')).toBe(target);
  });
}

/** Texts that are refused. Message and hint match `says`. */
const refused: readonly (readonly [code: string, pasted: string, says: RegExp])[] = [
  ['no-request-line', '{"log": 1}', /request line/],
  ['no-request-line', '', /request line/],
  ['malformed-header-line', 'POST / HTTP/1.1\nHost gate\n\n', /not a header line/],
  ['no-host', 'POST / HTTP/1.1\n\n', /no Host header/],
  ['body-not-whole', text(...head, length, '', ''), /Content-Length is 55, but the text has only 0 bytes/],
  ['body-not-whole', text(...head, length, '', body.slice(0, 30)), /55, but the text has only 30 bytes/],
  ['body-not-whole', text(...head, length, '', body.slice(0, 30), '', answer), /55, but the text has only 30 bytes/],
  ['chunked-body', chunks.slice(0, -20), /chunks are incomplete/],
  ['pasted-form', text(...lines('>'), '* upload completely sent off', '< HTTP/1.1 403'), /curl -v.*and the sent body/],
  ['pasted-form', text(...wire(whole, '[\\r][\\n]')), /wire log/],
  ['pasted-form', `send: b'${[...whole, ''].join('\\r\\n')}'`, /http.client/],
  ['pasted-form', text(...head.map((line) => `headers - http-outgoing-0 >> ${line}`)), /log of headers/],
  ['pasted-form', `${curl} -d "id=$ID"`, /command line of curl.*variables/],
  ['pasted-form', `${curl} -d @body.txt`, /command line of curl/],
  ['pasted-form', `${curl} -F a=b`, /command line of curl/],
  ['pasted-form', 'curl "https://gate.example/" ^\n  -H ^"A: b^"', /cURL \(bash\)/],
  ['pasted-form', 'Invoke-WebRequest -UseBasicParsing -Uri "https://gate.example/"', /PowerShell.*cURL/],
  ['pasted-form', 'fetch("https://gate.example/", {"method": "POST"})', /fetch/],
  ['pasted-form', 'http POST https://gate.example/ a=b', /HTTPie/],
  ['pasted-form', '<PreparedRequest [POST]>', /program prints.*body/],
  ['pasted-form', "{'Content-Type': 'x', 'Authorization': 'OAuth y'}", /log of headers.*no body/],
  ['pasted-form', "Method: POST, RequestUri: 'https://gate.example/', Version: 1.1", /program prints/],
  ['pasted-form', '=> Send header, 9 bytes (0x9)\n0000: POST / HTTP/1.1', /log of headers/],
  ['pasted-form', answer, /HTTP answer/],
  ['pasted-form', 'From: a@b\nSubject: refused\n\nHello', /mail/],
];
for (const [index, [code, pasted, message]] of refused.entries()) {
  test(`paste ${index + 1} is refused as ${code}: ${message.source}`, () => {
    const read = () =>
      autopsyOfText(readRequestText(Buffer.from(pasted)), { consumerSecret }, { limits: { depth: 1 } });
    assert.throws(read, (cause) => {
      assert(cause instanceof RequestTextError);
      expect(cause.code).toBe(code);
      expect(`${cause.message}. ${cause.hint}`).toMatch(message);
      return true;
    });
  });
}

const typed = ['POST /api/v2/close-day/1?x=1 HTTP/1.1', 'Host: gate.example', 'Content-Type: text/plain', '', 'a=b'];

test('LF and CRLF, a byte-order mark and empty lines before make no difference', () => {
  const plain = readRequestText(Buffer.from(typed.join('\n')));
  expect(plain).toEqual({
    request: {
      method: 'POST',
      scheme: 'https',
      host: 'gate.example',
      target: '/api/v2/close-day/1?x=1',
      headers: Object.entries({ Host: 'gate.example', 'Content-Type': 'text/plain' }),
      body: expect.anything(),
    },
    remarks: [],
  });
  expect(Buffer.from(plain.request.body).toString()).toBe('a=b');
  const crlf = readRequestText(Buffer.from(`\ufeff\r\n${typed.join('\r\n')}`));
  expect(crlf.request).toEqual(plain.request);
});

test('a body keeps its line ends; those beyond Content-Length are left out with a remark', () => {
  const open = readRequestText(Buffer.from(`${typed.join('\n')}\n`));
  expect(Buffer.from(open.request.body).toString()).toBe('a=b\n');
  const counted = readRequestText(Buffer.from(`${typed.join('\n').replace('\n\n', '\nContent-Length: 3\n\n')}\r\n`));
  expect(Buffer.from(counted.request.body).toString()).toBe('a=b');
  expect(counted.remarks).toHaveLength(1);
  const wrong = readRequestText(Buffer.from(typed.join('\n').replace('\n\n', '\nContent-Length: 2\n\n')));
  expect(Buffer.from(wrong.request.body).toString()).toBe('a=b');
  expect(wrong.remarks[0]).toContain('Content-Length is 2');
  expect(Buffer.from(wrong.shorter!.body).toString()).toBe('a=');
});

test('a path that a proxy decoded may have blanks', () => {
  expect(readRequestText(Buffer.from('POST /a b/c HTTP/1.1\nHost: a\n\n')).request.target).toBe('/a b/c');
  expect(() => readRequestText(Buffer.from('POST /a b/c\nHost: a\n\n'))).toThrow(/request line/);
});

test('the URL that the client saw takes the place of Host and of an absolute target', () => {
  const clientUrl = { scheme: 'http', host: 'Proxy:8080' };
  const absolute = typed.join('\n').replace('POST /', 'POST https://inner.example/');
  expect(readRequestText(Buffer.from(absolute)).request).toMatchObject({
    target: 'https://inner.example/api/v2/close-day/1?x=1',
  });
  expect(readRequestText(Buffer.from(absolute), clientUrl).request).toMatchObject({
    ...clientUrl,
    target: '/api/v2/close-day/1?x=1',
  });
});
