/** Recordings as they are judged: what a stored run of many cases costs, and what another tool left out. */
import { readRecording } from '../../../src/verdict/recordings/recording.ts';
import { expect, test } from '../../engine.ts';
import { sampleCase } from '../rules/sample-cases.ts';
import { judgedOf } from './judged.ts';

const keys = { hasKeys: false, keysOf: () => undefined };

test('as many records as cases cost no square of their number', () => {
  const many = 2_000;
  let asked = 0;
  const cases = Array.from({ length: many }, (_, number) => ({
    ...sampleCase('close-day', undefined, { intent: 'open' }),
    number,
    get scenario() {
      asked++;
      return 'many';
    },
  }));
  const scenarios = cases.map(({ number }) => ({ scenario: 'many', caseNumbers: [number], suiteErrors: [] }));
  const recording = { client: { calls: [], skipped: [] }, cases, gateway: { scenarios }, strangers: 0 };
  const { cases: judged } = judgedOf('gateway', [recording], { keys });
  expect(judged).toHaveLength(many);
  expect(asked).toBeLessThan(200 * many);
});

test('an answer whose body the recorder left out is not judged as an empty one', () => {
  const entries = ['v2/close-day', 'v4/process-recurring-payments'].map((path) => ({
    startedDateTime: '2024-01-01T12:00:00.000Z',
    time: 1,
    request: { method: 'POST', url: `https://gate.example/api/${path}/1111`, headers: [] },
    response: { status: 200, statusText: '', headers: [], content: { size: 153, mimeType: 'text/html' } },
  }));
  const recording = readRecording(JSON.stringify({ log: { version: '1.2', entries } }), 'recorded');
  const only = ['close-day/body-decodable', 'recurring/success-*'];
  const { result } = judgedOf('gateway', [recording], { only, keys });
  const outcomes = result.results.map(({ outcome }) => outcome);
  expect(outcomes).toHaveLength(4);
  expect(outcomes).not.toContain('fail');
  expect(outcomes).not.toContain('pass');
});

test('what a browser records beside HTTP, and its preflight, is of neither operation, and a user name in a URL is no part of the host', () => {
  const path = '/api/v2/close-day/1111';
  const urls = [
    'wss://a.example/live',
    `blob:https://a.example${path}`,
    'data:,',
    'chrome-extension://abc/close-day/x',
  ];
  const entries = [...urls, `HTTPS://user:word@gate.example${path}?a=@b`].map((url) => ({
    startedDateTime: '2024-01-01T12:00:00.000Z',
    time: 1,
    request: { method: 'POST', url, headers: [] },
    response: { status: 200, statusText: '', headers: [], content: { size: 0, mimeType: '' } },
  }));
  const headers = [{ name: 'Access-Control-Request-Method', value: 'POST' }];
  const preflight = { ...entries[4]!, request: { ...entries[4]!.request, method: 'OPTIONS', headers } };
  const log = { version: '1.2', entries: [...entries, preflight] };
  const { cases, strangers } = readRecording(JSON.stringify({ log }), 'recorded');
  expect(strangers).toBe(urls.length + 1);
  expect(cases).toHaveLength(1);
  const { scheme, host, target } = cases[0]!.exchange.request;
  expect({ scheme, host, target }).toEqual({ scheme: 'https', host: 'gate.example', target: `${path}?a=@b` });
});
