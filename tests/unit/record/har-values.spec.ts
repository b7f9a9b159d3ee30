/** What the values of a HAR are read as. */

import { bytesOf } from '../../../src/record/har-entry.ts';
import { fromHar } from '../../../src/record/read-har.ts';
import { expect, test } from '../../engine.ts';

const read = (text: string, encoding?: unknown) => Buffer.from(bytesOf(text, encoding)).toString('utf8');

test('base64 is known in any letters, and UTF-8 where nothing or that is named', () => {
  expect([read('b2s=', 'base64'), read('b2s=', 'BASE64'), read('b2s=', 'Base64')]).toEqual(['ok', 'ok', 'ok']);
  expect([read('ok'), read('ok', ''), read('ok', null), read('ok', 'UTF-8'), read('ok', 'utf8')]).toEqual(
    Array.from({ length: 5 }, () => 'ok'),
  );
});

test('a text in an unknown encoding is refused, and never read as what it is not; without a text nothing depends on it', () => {
  expect([read('6f6b', 'hex'), read('\u00c3\u00a9', 'ISO-8859-1')]).toEqual(['ok', '\u00e9']);
  for (const encoding of ['gzip', 'base64url']) {
    expect(() => read('b2s=', encoding)).toThrow(`the encoding "${encoding}" is not known`);
    expect(read('', encoding)).toBe('');
  }
});

test('an entry, a request or a response that is no object is told as that', () => {
  const request = { method: 'GET', url: 'https://gateway.example/x', headers: [] };
  const told = (entry: unknown) => {
    try {
      fromHar(JSON.stringify({ log: { version: '1.2', entries: [entry] } }));
    } catch (cause) {
      return (cause as Error).message;
    }
    return 'nothing';
  };
  expect([null, [], 'x', {}, { request: null }, { request }, { request, response: 4 }].map(told)).toEqual(
    ['it', 'it', 'it', 'its request', 'its request', 'its response', 'its response'].map(
      (what) => `entry 1 of the HAR file cannot be read: ${what} is no JSON object`,
    ),
  );
});
