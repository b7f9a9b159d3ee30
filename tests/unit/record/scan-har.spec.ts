/** Reading a HAR file entry by entry accepts the same files as JSON.parse, also after random edits. */
import { isDeepStrictEqual } from 'node:util';
import { array, assert, constantFrom, nat, oneof, property, tuple } from 'fast-check';
import { HarError } from '../../../src/record/har.ts';
import { readHar, scanHar } from '../../../src/record/read-har.ts';
import { expect, test } from '../../engine.ts';

const draws = process.env.MUTATIONS === undefined ? 1_000 : 5_000;

const pieces = [
  ...['{"log":', '{"entries":', '"log"', '"entries"', '{"request":1}', '"a"', '"\\"]"', '"', '\\'],
  ...['[', ']', '{', '}', ',', ':', '1', '-', 'null', ' ', '\n', '\ufeff', '\u00e9'],
];
const whole = ' {"a":"\\\\","log":{"a":[1,{"x":"}]\\\\"}],"entries":[{"b":"\\"]\u00e9"},2,"x"],"c":null},"z":{}} ';

test('random texts, and a file with one edit, are scanned as JSON.parse reads them', () => {
  const random = array(constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(''));
  const edited = tuple(nat(whole.length), nat(2), constantFrom('', ...pieces)).map(
    ([at, without, put]) => `${whole.slice(0, at)}${put}${whole.slice(at + without)}`,
  );
  assert(
    property(oneof(random, edited), (text) => isDeepStrictEqual(byParts(text), byParse(text))),
    { seed: 1, numRuns: 2 * draws },
  );
  expect(byParts(whole)).toHaveLength(3);
});

test('if `entries` occurs twice, the last one counts', () => {
  for (const last of ['[2]', '{}', '"x"']) {
    const text = `{"log":1,"l\\u006fg":{"entries":[1],"entries":${last}}}`;
    expect(byParts(text)).toEqual(byParse(text));
  }
});

test('millions of backslashes or open brackets are scanned quickly', () => {
  expect(byParts(`{"log":{"entries":["${'\\\\'.repeat(1_000_000)}"]}}`)).toHaveLength(1);
  expect(byParts(`{"log":{"entries":${'['.repeat(1_000_000)}`)).toBe('not JSON');
});

for (const [name, megabytes] of Object.entries({ answer: 64, request: 4 })) {
  test(`an entry with more than ${megabytes} MB in its ${name} is unreadable`, { tag: '@all' }, () => {
    const body = 'x'.repeat(megabytes * 1024 * 1024 + 1);
    const bytes = Buffer.from(JSON.stringify({ log: { entries: [entryWith({}), entryWith({ [name]: body })] } }));
    const message = `entry 2 of the HAR file has a body of more than ${megabytes} MB`;
    expect(readHar(bytes).entries[1]!.unreadable).toMatchObject({ name: HarError.name, message });
    // The body ends one character earlier.
    bytes.write('" ', bytes.lastIndexOf('x"'));
    expect(readHar(bytes).entries[1]!.unreadable).toBeUndefined();
  });
}

test('an answer over 4 MB becomes a failure, as in a run', () => {
  const max = 4 * 1024 * 1024;
  const entries = [max, max + 1].map((length) => entryWith({ answer: 'x'.repeat(length) }));
  const [whole, longer] = readHar(JSON.stringify({ log: { entries } })).entries.map(({ exchange }) => exchange);
  expect(whole!.response!.body).toHaveLength(max);
  expect(longer!.response).toBeUndefined();
  expect(longer!.failure).toEqual({ kind: 'too-large', message: 'the response body exceeds 4194304 bytes' });
});

test('an entry with more than 1 MB in the head of its request is unreadable', () => {
  const entry = (length: number) => ({
    ...entryWith({}),
    request: { method: 'POST', url: 'http://a/', headers: [{ name: 'A', value: 'x'.repeat(length) }] },
  });
  const read = (length: number) =>
    readHar(JSON.stringify({ log: { entries: [entryWith({}), entry(length)] } })).entries;
  expect(read(1024 * 1024 - 2)[1]!.unreadable).toBeUndefined();
  const { message } = read(1024 * 1024 - 1)[1]!.unreadable!;
  expect(message).toBe('entry 2 of the HAR file has a head of more than 1 MB');
});

function entryWith({ request = '', answer = '' }: { request?: string; answer?: string }) {
  return {
    ...{ startedDateTime: '2026-01-31T12:00:00Z', time: 1 },
    request: { method: 'POST', url: 'http://a/', headers: [], postData: { text: request } },
    response: { status: 200, statusText: 'OK', headers: [], content: { text: answer } },
  };
}

test('more than 256 MB to judge are refused, and other traffic does not count', { tag: '@all' }, () => {
  // Four entries share the bytes of one, and are long by white space: a file with such bodies takes half a minute.
  const blanks = ' '.repeat(86 * 1024 * 1024);
  const entry = Buffer.from(JSON.stringify(entryWith({})).replace('{', `{${blanks}`).concat(','));
  const [start, end] = ['{"log":{"entries":[', ']}}'].map((text) => Buffer.from(text)) as [Buffer, Buffer];
  const parts = [start, entry, entry, entry, entry.subarray(0, -1), end];
  const places = parts.map((_, at) => parts.slice(0, at).reduce((sum, { length }) => sum + length, 0));
  const read = (from: number, to: number) => {
    const part = places.findLastIndex((place) => place <= from);
    return parts[part]!.subarray(from - places[part]!, to - places[part]!);
  };
  const numbers: number[] = [];
  const isWanted = (_: unknown, number: number) => numbers.push(number) > 0 && number !== 2;
  const file = { length: places.at(-1)! + end.length, read };
  expect(() => readHar(file, isWanted)).toThrow('the HAR file has more than 256 MB to judge');
  // If entry 2 counted, entry 3 would be one too many.
  expect(numbers).toEqual([1, 2, 3, 4]);
  expect(readHar(file, (_, number) => number === 1).entries).toHaveLength(4);
});

function byParts(text: string): unknown {
  try {
    const bytes = Buffer.from(text);
    const { entries } = scanHar({ length: bytes.length, read: (start, end) => bytes.subarray(start, end) });
    return entries?.map(([start, end]) => JSON.parse(bytes.toString('utf8', start, end)));
  } catch (cause) {
    if (cause instanceof SyntaxError) return 'not JSON';
    throw cause;
  }
}

function byParse(text: string): unknown {
  try {
    const log = JSON.parse(text.replace(/^\ufeff/, ''))?.log;
    return Array.isArray(log?.entries) && !Array.isArray(log) ? log.entries : undefined;
  } catch {
    return 'not JSON';
  }
}

for (const [what, bytes] of [
  ['empty', ''],
  ['compressed (gzip)', '\x1f\x8b\x08'],
  ['a zip archive', 'PK\x03\x04'],
  ['UTF-16', '\xff\xfe{\0'],
  ['a flow file of mitmproxy', '4829:9:websocket;'],
] as const) {
  test(`a file that is ${what} is refused with a hint`, () => {
    const read = () => readHar(Buffer.from(bytes, 'latin1'));
    expect(read).toThrow(
      expect.objectContaining({
        code: 'not-json',
        message: `the file is ${what}`,
        hint: expect.stringMatching(/^[A-Z].*\.$/),
      }),
    );
  });
}

test('bytes that are not UTF-8 are refused with their place', () => {
  const har = (name: string) =>
    `{"log":{"creator":{"name":"${name}","version":"1"},"entries":[{"comment":"${name}"}]}}`;
  const broken = Buffer.from(har('a\xff'), 'latin1');
  expect(() => readHar(broken)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/not UTF-8 between/) }),
  );
  // The bytes of an entry are decoded later than the rest of the file, when the entry is read.
  const inEntry = Buffer.from(har('a').replace('comment":"a', 'comment":"\xff'), 'latin1');
  const place = `${inEntry.indexOf('{"comment')} and ${inEntry.indexOf('}]}}') + 1}`;
  expect(() => readHar(inEntry)).toThrow(
    expect.objectContaining({ code: 'not-json', message: `the HAR file is not UTF-8 between bytes ${place}` }),
  );
});
