/** exchanges.har is HAR 1.2, and reading gives back what was written. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type * as Har from 'har-format';
import type { Case } from '../../../src/record/case.ts';
import { HarError } from '../../../src/record/har.ts';
import { readHar } from '../../../src/record/read-har.ts';
import { toHar } from '../../../src/record/write-har.ts';
import { expect, test } from '../../engine.ts';
import { sampleCases } from '../report/sample-cases.ts';
import { arbitraryCase, comparable } from './arbitrary-cases.ts';

const suite = { name: 'countersign', version: '0.0.0' };

const plain: Case = {
  scenario: 'recurring/one-row',
  number: 0,
  label: {
    operation: 'process-recurring-payments',
    intent: 'fault',
    about: 'authentication/signed',
    twin: { scenario: 'recurring/one-row', number: 3 },
    differsIn: 'the signature',
    facts: { gate: 'open', gates: 2 },
  },
  exchanges: [
    {
      request: {
        method: 'POST',
        scheme: 'https',
        host: '127.0.0.1:8443',
        target: '/paynet/api/v4/process-recurring-payments/1?b=%2B+c&a=',
        headers: [
          ['Host', '127.0.0.1:8443'],
          ['Content-Type', 'application/x-www-form-urlencoded'],
          ['X-Twice', 'one'],
          ['x-twice', 'two'],
        ],
        body: new TextEncoder().encode('payload=ü'),
      },
      response: {
        status: 403,
        reason: 'Forbidden',
        headers: [['Content-Type', 'text/html;charset=utf-8']],
        body: Uint8Array.of(0xff, 0x00, 0x0a),
      },
      startedAt: Date.UTC(2024, 1, 29, 23, 59, 59, 7),
      durationMs: 3.125,
      connection: '2',
    },
  ],
};

const unanswered: Case = {
  ...plain,
  number: 1,
  exchanges: [
    {
      request: { ...plain.exchanges[0].request, body: Uint8Array.of(0xc3, 0x28) },
      failure: { kind: 'timeout', message: '127.0.0.1:8443 did not answer within 5 ms' },
      startedAt: plain.exchanges[0].startedAt,
      durationMs: 5,
    },
  ],
};

/** Names the types of texts and numbers. Asymmetric matchers would take a minute for all entries. */
function typesOf(members: object): object {
  const types = Object.entries(members).map(([name, one]) => [name, typeof one === 'object' ? one : typeof one]);
  return Object.fromEntries(types);
}
const [text, number] = ['string', 'number'];
/** The members that HAR 1.2 requires in both messages. */
const message = { httpVersion: text, cookies: [], headersSize: number, bodySize: number };

test('a file with any cases is HAR 1.2, and is read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(arbitraryCase, { maxLength: 4 }), (cases) => {
      const har = toHar(cases, { suite });
      const read = readHar(har).entries;
      expect(read.map(({ testCase }) => comparable(testCase!))).toEqual(cases.map(comparable));
      expect(read.map(({ incomplete }) => incomplete)).toEqual(cases.map(() => undefined));
      const { log } = JSON.parse(har);
      expect([log.version, typesOf(log.creator)]).toEqual(['1.2', { name: text, version: text }]);
      for (const { request, response, timings, time, startedDateTime, cache } of log.entries) {
        expect(startedDateTime).toMatch(/^\d{4}(-\d\d){2}T[\d:]{8}\.\d{3}Z$/);
        expect(cache).toEqual({});
        expect(typesOf(timings)).toMatchObject({ send: number, wait: number, receive: number });
        const parts = Object.values<number>(timings).filter((part) => part !== -1);
        expect(parts.reduce((a, b) => a + b, 0)).toBe(time);
        expect(typesOf(request)).toMatchObject({ ...message, method: text, url: text });
        expect(URL.canParse(request.url)).toBe(true);
        if (request.postData) expect(typesOf(request.postData)).toMatchObject({ mimeType: text, text });
        expect(typesOf(response)).toMatchObject({ ...message, status: number, statusText: text, redirectURL: text });
        expect(typesOf(response.content)).toMatchObject({ size: number, mimeType: text });
        for (const pair of [...request.headers, ...request.queryString, ...response.headers])
          expect(typesOf(pair)).toEqual({ name: text, value: text });
      }
    }),
    { seed: 12, numRuns: process.env.MUTATIONS === undefined ? 60 : 500 },
  );
});

for (const [form, target, url] of [
  ['absolute form', 'http://127.0.0.1:8443/paynet?a=b', 'http://127.0.0.1:8443/paynet?a=b'],
  ['authority form', '127.0.0.1:8443', 'https://127.0.0.1:8443'],
  ['asterisk form', '*', 'https://127.0.0.1:8443'],
  ['no form at all', ':99999', 'https://127.0.0.1:8443'],
  ['an absolute form that is no URL', 'http://[x', 'https://127.0.0.1:8443'],
] as const) {
  test(`a request target in ${form} is kept, and the entry has a valid URL`, () => {
    const request = { ...plain.exchanges[0].request, target };
    const sent = { ...plain, exchanges: [{ ...plain.exchanges[0], request }] as const };
    expect(entries([sent])[0].request.url).toBe(url);
    expect(readHar(toHar([sent], { suite })).entries[0]!.exchange.request).toEqual({
      ...request,
      body: Buffer.from(request.body),
    });
  });
}

test('a viewer finds times, query, texts and the connection', () => {
  const [entry] = entries([plain]);
  expect(entry).toMatchObject({
    startedDateTime: '2024-02-29T23:59:59.007Z',
    time: 3.125,
    connection: 'recurring/one-row#2',
    request: {
      url: 'https://127.0.0.1:8443/paynet/api/v4/process-recurring-payments/1?b=%2B+c&a=',
      queryString: [
        { name: 'b', value: '+ c' },
        { name: 'a', value: '' },
      ],
      postData: { mimeType: 'application/x-www-form-urlencoded', text: 'payload=ü' },
      bodySize: 10,
    },
    response: { content: { size: 3, mimeType: 'text/html;charset=utf-8', text: '/wAK', encoding: 'base64' } },
    _countersign: { scenario: 'recurring/one-row', case: 0, connection: '2', number: 1, label: plain.label },
  });
  expect(entry.request.postData._encoding).toBeUndefined();
});

test('a request body that is not UTF-8 is base64, and a missing response has status 0 with the reason', () => {
  const [, entry] = entries([plain, unanswered]);
  expect(entry._countersign.number).toBe(2);
  expect(entry.request.postData).toMatchObject({ text: 'wyg=', _encoding: 'base64' });
  expect(entry.response).toMatchObject({ status: 0, _error: '127.0.0.1:8443 did not answer within 5 ms' });
  expect(entry._countersign.failure.kind).toBe('timeout');
  expect(readHar(toHar([unanswered], { suite })).entries[0]!.exchange.response).toBeUndefined();
});

test('a HAR of a browser is read without cases and without pseudo-headers', () => {
  const [one, ...others] = readHar(`\ufeff${JSON.stringify(recorded({}))}`).entries;
  const { exchange, testCase, incomplete } = one!;
  expect([others, testCase, incomplete]).toEqual([[], undefined, undefined]);
  expect(exchange.request.headers).toEqual(Object.entries({ accept: '*/*', authorization: 'OAuth a="b"' }));
  expect(Buffer.from(exchange.request.body).toString()).toBe('a=b');
  expect(exchange.startedAt).toBe(Date.UTC(2024, 0, 1, 11, 0, 0));
});

test('a body that a recorder omitted is reported, and is not read as an empty body', () => {
  const postData = { mimeType: 'application/x-www-form-urlencoded', params: [{ name: 'a', value: 'b' }] };
  const headers = [
    { name: 'Content-Length', value: '3' },
    { name: 'Authorization', value: 'OAuth a="b"' },
  ];
  for (const noBytes of [
    { request: { postData }, response: { content: { size: 12 } } },
    { request: { headers, postData: undefined, bodySize: -1 }, response: { headers, content: { size: -1 } } },
  ]) {
    const { incomplete } = readHar(JSON.stringify(recorded(noBytes))).entries[0]!;
    expect(incomplete).toBe('the bytes of the request body and the bytes of the response body');
  }
});

test('a recorded request that failed has no response', () => {
  const failed = recorded({ response: { status: 0, _error: 'net::ERR_CONNECTION_RESET' } });
  const { response, failure } = readHar(JSON.stringify(failed)).entries[0]!.exchange;
  expect(response).toBeUndefined();
  expect(failure).toEqual({ kind: 'reset', message: 'net::ERR_CONNECTION_RESET' });
});

test('a file that is not HAR is refused with the reason and a hint', () => {
  expect(refusal('{')).toMatchObject({ code: 'not-json', message: 'the JSON of the file is not complete' });
  expect(refusal('{]}')).toMatchObject({ code: 'not-json', hint: expect.stringContaining('HAR 1.2') });
  expect(refusal('{"log":{}}')).toMatchObject({ code: 'not-har' });
  expect(refusal('null')).toMatchObject({ code: 'not-har' });
});

test('an invalid entry is refused with its number and the fault', () => {
  const without = recorded({ request: { headers: undefined } });
  expect(refusal(JSON.stringify(without))).toMatchObject({
    code: 'bad-entry',
    message: 'entry 1 of the HAR file cannot be read: headers is not a list',
  });
  const endless = JSON.stringify(recorded({})).replace('"time":1.5', '"time":1e400');
  expect(refusal(endless)).toMatchObject({
    message: expect.stringContaining('the duration in "time" is longer than thirty years'),
  });
  const wrongLabel = JSON.parse(toHar([plain], { suite }));
  wrongLabel.log.entries[0]._countersign.label.intent = 'unknown';
  expect(refusal(JSON.stringify(wrongLabel))).toMatchObject({
    message: expect.stringContaining('intent is "unknown"'),
  });
});

test('an entry, a request or a response that is not an object is refused', () => {
  const request = { method: 'GET', url: 'https://gateway.example/x', headers: [] };
  const messageOn = (entry: unknown) => refusal(JSON.stringify({ log: { version: '1.2', entries: [entry] } })).message;
  expect([null, [], 'x', {}, { request: null }, { request }, { request, response: 4 }].map(messageOn)).toEqual(
    ['the entry', 'the entry', 'the entry', 'the request', 'the request', 'the response', 'the response'].map(
      (what) => `entry 1 of the HAR file cannot be read: ${what} is not a JSON object`,
    ),
  );
});

for (const [place, right, wrong] of [
  ['_countersign.label.operation', '"operation":"process-recurring-payments"', '"operation":"refund"'],
  ['_client.calls', '"calls":[]', '"calls":[{"scenario":"a","number":1}]'],
  ['_gateway.scenarios', '"log":{', '"log":{"_gateway":{"scenarios":[null]},'],
] as const) {
  test(`a wrong ${place} is refused with its place and its writer`, () => {
    const error = refusal(toHar([plain], { suite }, { side: 'client', records: [] }).replace(right, wrong));
    expect(error.code).toBe('bad-run');
    expect(error.message).toContain(`the HAR file cannot be used: ${place}`);
    expect(error.hint).toContain(`${suite.name} ${suite.version}`);
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the tests read parsed members.
function entries(cases: readonly Case[]): any[] {
  return JSON.parse(toHar(cases, { suite })).log.entries;
}

function refusal(text: string): HarError {
  try {
    readHar(text);
  } catch (cause) {
    if (cause instanceof HarError) return cause;
    throw cause;
  }
  throw new Error('it was read');
}

/** A HAR with one entry as Chrome exports it, with the changes of the test. */
function recorded({ request, response }: { request?: object; response?: object }): object {
  const entry = {
    startedDateTime: '2024-01-01T12:00:00.000+01:00',
    time: 1.5,
    request: {
      method: 'POST',
      url: 'https://example.test/x',
      httpVersion: 'http/2.0',
      headers: [
        { name: ':authority', value: 'example.test' },
        { name: 'accept', value: '*/*' },
        { name: 'authorization', value: 'OAuth a="b"' },
      ],
      postData: { mimeType: 'application/x-www-form-urlencoded', text: 'a=b' },
      bodySize: 3,
      ...request,
    },
    response: {
      status: 200,
      statusText: '',
      headers: [],
      content: { size: 2, mimeType: 'text/plain', text: 'ok' },
      bodySize: 2,
      ...response,
    },
  };
  return { log: { version: '1.2', creator: { name: 'WebInspector', version: '537.36' }, entries: [entry] } };
}

test.describe('a long body', () => {
  const plain = sampleCases.find(({ exchanges: [exchange] }) => exchange.response !== undefined)!;

  const kinds = {
    text: { body: Buffer.alloc(100_000, '"xyz'), written: 125_002 },
    'bytes that are no text': { body: Buffer.alloc(100_000, 0xff), written: 133_338 },
    'text that is six times as long in JSON': { body: Buffer.alloc(100_000, 0x01), written: 133_338 },
  };
  for (const [kind, { body, written }] of Object.entries(kinds)) {
    test(`a long body of ${kind} is written once, and read into each entry`, () => {
      const har = toHar([plain, ...cases(body, Buffer.from(body), Buffer.from(body))], { suite });
      const texts = JSON.parse(har).log.entries.map((one: Har.Entry) => one.response.content.text);
      expect(texts.slice(1).map((text?: string) => text !== undefined)).toEqual([true, false, false]);
      expect(JSON.stringify(texts[1]).length).toBe(written);
      const read = readHar(har).entries.map(({ exchange }) => exchange.response!.body);
      for (const copy of read.slice(1)) expect(Buffer.compare(copy, body)).toBe(0);
      expect(read[3]).toBe(read[1]);
    });
  }

  test('an entry with a long body also has its digest', () => {
    const [short, long] = entries([plain, ...cases(kinds.text.body)]);
    expect(Object.keys(long.response.content)).toEqual(Object.keys(short.response.content));
    expect(Object.keys(long._countersign)).toEqual([...Object.keys(short._countersign), 'bodyDigest']);
    expect(long._countersign.bodyDigest).toBe(createHash('sha256').update(kinds.text.body).digest('hex'));
  });

  test('an entry is refused if no earlier entry has its long body', () => {
    const har = toHar(cases(kinds.text.body, kinds.text.body), { suite }).split('\n');
    expect(() => readHar([har[0], har[2]!.replace(/,$/, ''), ...har.slice(3)].join('\n')).entries).toThrow(
      'entry 1 of the HAR file cannot be read: the body is missing, and no earlier entry has the same body',
    );
  });

  function cases(...bodies: readonly Buffer[]): Case[] {
    const response = plain.exchanges[0].response!;
    return bodies.map((body, number) => ({
      ...plain,
      number,
      exchanges: [{ ...plain.exchanges[0], response: { ...response, body } }] as const,
    }));
  }
});
