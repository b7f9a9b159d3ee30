/** Bytes from an adapter: cut into lines, read as messages, and shown to people. */
import { LineReader } from '../../../src/peer/adapter/channel.ts';
import { type AdapterLanguage, brokenLine, inGuillemets, LastWords } from '../../../src/peer/adapter/faults.ts';
import { readLine } from '../../../src/peer/adapter/messages.ts';
import { expect, test } from '../../engine.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

function cut(chunks: readonly (string | Buffer)[], limit = 100): { readonly seen: string[]; readonly rest: string } {
  const seen: string[] = [];
  const reader = new LineReader(limit, {
    line: (line) => seen.push(Buffer.from(line).toString('utf8')),
    tooLong: (start) => seen.push(`too long: ${Buffer.from(start).toString('latin1').slice(0, 5)}`),
    byteOrderMark: () => seen.push('byte-order mark'),
  });
  for (const chunk of chunks) reader.push(Buffer.from(chunk as Buffer));
  return { seen, rest: Buffer.from(reader.rest()).toString('utf8') };
}

test('lines end at 0x0A and nowhere else', () => {
  expect(cut(['a\nb\u2028c\u0085d\u2029e\u000bf\rg\n\nh']).seen).toEqual(['a', 'b\u2028c\u0085d\u2029e\u000bf\rg', '']);
  expect(cut(['a\nb']).rest).toBe('b');
});

test('a character that is split over chunks stays whole', () => {
  const whole = bytes('é😀\nü\n');
  for (let at = 0; at <= whole.length; at++) {
    expect(cut([whole.subarray(0, at), whole.subarray(at)]).seen).toEqual(['é😀', 'ü']);
  }
});

test('one CR before the line feed is dropped', () => {
  expect(cut(['a\r\n\r\nb\r\r\n']).seen).toEqual(['a', '', 'b\r']);
});

test('a byte-order mark is dropped at the start of the stream alone', () => {
  expect(cut(['\ufeffa\n\ufeffb\n']).seen).toEqual(['byte-order mark', 'a', '\ufeffb']);
});

test('a line at the limit is read, and one beyond it is reported once and dropped to its end', () => {
  expect(cut(['12345\n'], 5).seen).toEqual(['12345']);
  expect(cut(['12345\r\n'], 5).seen).toEqual(['12345']);
  expect(cut(['123', '4567', '89\nnext\n'], 5).seen).toEqual(['too long: 12345', 'next']);
});

test('objects with the member t are messages, wherever it is', () => {
  for (const line of ['{"t":"pong","n":1}', ' { "t" : "pong", "n": 1 }', '{"n":1,"t":"pong"}']) {
    expect(readLine(bytes(line))).toEqual({ kind: 'message', message: { t: 'pong', n: 1 } });
  }
});

test('everything else is stray or blank', () => {
  for (const line of [
    'npm start',
    '{"level":"info"}',
    '{ not json',
    '[{"t":"pong"}]',
    '{"t":1}',
    '\ufffd',
    '"t"',
    '\0{"t":"pong"}',
  ]) {
    expect(readLine(bytes(line)), line).toEqual({ kind: 'stray' });
  }
  expect(readLine(bytes(' \t '))).toEqual({ kind: 'blank' });
  expect(readLine(bytes(''))).toEqual({ kind: 'blank' });
});

test('what starts as a message and cannot be read is broken, and it is said how', () => {
  const codes = ['{"t":"pong"', '{"t":"pong","n":NaN}', '{"t":"pong","t":"pong"}', '{"t":"pong"} {}'].map((line) =>
    readLine(bytes(line)),
  );
  expect(codes).toMatchObject([
    { kind: 'broken', code: 'not-json' },
    { kind: 'broken', code: 'not-json', where: expect.stringContaining('position 16') },
    { kind: 'broken', code: 'duplicate-key' },
    { kind: 'broken', code: 'not-json' },
  ]);
  const latin1 = Buffer.from('{"t":"log","text":"é"}', 'latin1');
  expect(readLine(latin1)).toMatchObject({ kind: 'broken', code: 'not-utf8' });
});

test('a byte-order mark before a later message is what is wrong with it, before anything else it is noise', () => {
  for (const marks of ['\ufeff', '\ufeff\ufeff', ' \ufeff']) {
    const read = readLine(bytes(`${marks}{"t":"result","id":"c_1"}`));
    expect(read).toMatchObject({ kind: 'broken', code: 'byte-order-mark', shown: bytes('{"t":"result","id":"c_1"}') });
  }
  expect(readLine(bytes('\ufeffcompiling'))).toMatchObject({ kind: 'stray' });
});

const wide = (text: string) => Buffer.from(text, 'utf16le').subarray(0, -1);
const broken: readonly (readonly [line: Buffer, language: AdapterLanguage, message: RegExp, hint: RegExp])[] = [
  [
    bytes('\ufeff{"t":"pong"}'),
    'python',
    /^The adapter wrote a byte-order mark before a message: «{"t":"pong"}»$/,
    /^Write UTF-8 without a byte-order mark: the encoding 'utf-8'/,
  ],
  [bytes('\ufeff{"t":"pong"}'), 'go', /byte-order mark/, /^Write UTF-8 without a byte-order mark\. One is dropped/],
  [
    wide('{"t":"ready"}\n'),
    'node',
    /^The adapter wrote a line in UTF-16 in place of UTF-8: «{"t":"ready"}/,
    /The protocol is UTF-8 whatever the locale/,
  ],
  [
    Buffer.from('{"t":"log","text":"n\xe3o"}', 'latin1'),
    'node',
    /not UTF-8: «.*n\ufffdo"}»/,
    /UTF-8 whatever the locale/,
  ],
  [
    bytes('{"t":"result","outcome":"a","outcome":"b"}'),
    'node',
    /the name "outcome" occurs twice: «/,
    /which of the two counts/,
  ],
  [
    bytes('{"t":"result","took":NaN}'),
    'node',
    /not JSON \(a value is missing at position 21\): «.*NaN}»/,
    /one JSON object/,
  ],
];

test('a message that cannot be read is quoted, with what to write in that language', () => {
  for (const [line, language, message, hint] of broken) {
    const read = readLine(line) as Parameters<typeof brokenLine>[0];
    expect(brokenLine(read, language)).toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  }
});

test('a quotation is short and shows what does not print', () => {
  expect(inGuillemets(bytes('a\u001b[31m\u2028\u0000b'))).toBe('«a\\x1b[31m\\u2028\\x00b»');
  expect(inGuillemets(bytes('x'.repeat(1000)), 10)).toBe('«xxxxxxxxxx…» (1000 bytes)');
  expect(inGuillemets(Buffer.from([0xff, 0x41]))).toBe('«\ufffdA»');
});

test('of a long stream head and tail are kept, and the middle is counted', () => {
  const words = new LastWords();
  words.push(bytes('first line\n'));
  for (let i = 0; i < 1000; i++) words.push(bytes(`${'x'.repeat(100)}\n`));
  words.push(bytes('last but one\nlast\n'));
  const said = words.summary();
  expect(said).toMatch(/^first line \/ … 101029 bytes in all … \/ x{100} \/ last but one \/ last$/);
  expect(said.length).toBeLessThan(400);
  const short = new LastWords();
  short.push(bytes('only'));
  expect(short.summary()).toBe('only');
  short.push(bytes('\nTypeError: no\n  at a\n  at b\n  at c\n'));
  expect(short.summary()).toBe('TypeError: no / at a / at b');
});

test('of the last words of a runtime the place of the mistake is kept, and its own frames are not', () => {
  const summary = (text: string) => {
    const words = new LastWords();
    words.push(bytes(text));
    return words.summary();
  };
  expect(
    summary(
      'file:///a/b.mjs:2\nconst = ;\n      ^\n\nSyntaxError: no\n    at compile (node:internal/x:1:2)\n\nNode.js v20\n',
    ),
  ).toBe('file:///a/b.mjs:2 / SyntaxError: no / Node.js v20');
  expect(summary('node:internal/loader:1\n  throw err;\n\nError: Cannot find module\n')).toBe(
    'Error: Cannot find module',
  );
  const traced = 'Traceback (most recent call last):\n  File "a.py", line 2, in <module>\n    f()\n';
  expect(summary(`${traced}  File "/usr/lib/python3.11/json/decoder.py", line 3, in raw\nValueError: no\n`)).toBe(
    'File "a.py", line 2, in <module> / ValueError: no',
  );
});
