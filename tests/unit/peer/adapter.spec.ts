/** Lines and messages of an adapter, and its process. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { mock } from 'node:test';
import { validateClosed } from '../../../schemas/index.ts';
import { adapterEnvironment, type ChannelListener, overSocket } from '../../../src/peer/adapter/channel.ts';
import { Conversation } from '../../../src/peer/adapter/conversation.ts';
import {
  type AdapterError,
  brokenLine,
  type Ending,
  ended,
  languageOf,
  quoteBytes,
  summaryOf,
} from '../../../src/peer/adapter/faults.ts';
import { defaultLimits, RetryBudget } from '../../../src/peer/adapter/limits.ts';
import { maxLineBytes, parseReady, readLine, replyOf, type SessionCase } from '../../../src/peer/adapter/messages.ts';
import { formatNotes, Notes } from '../../../src/peer/adapter/notes.ts';
import { expect, test } from '../../engine.ts';
import { textOf } from '../../house/tree.ts';

const ready = { t: 'ready', protocol: 1, client: { name: 'shop' } };
const recurring: SessionCase = {
  operation: 'process-recurring-payments',
  baseUrl: 'https://127.0.0.1:1/x',
  endpointId: '1111',
  consumerKey: 'shop',
  auth: { method: 'RSA-SHA256', consumerKey: 'shop', privateKeyPem: 'PEM' },
  input: {
    columns: ['a', 'a'],
    rows: [
      ['1', null],
      ['\ud800', '\n'],
    ],
  },
  inject: { nonce: 'n', timestamp: '1' },
  deadlineMs: 10.5,
};

/** A conversation with an adapter in this process, which answers hello with these offers. `sent`: the lines of the suite. */
async function openConversation(offers: object) {
  const sent: string[] = [];
  const notes = new Notes();
  let finish: (ending: Ending) => void;
  const finished = new Promise<Ending>((resolve) => {
    finish = resolve;
  });
  let listener: ChannelListener;
  const say = (line: object | string) =>
    listener.line(Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)));
  const limits = { ...defaultLimits, lateMs: 0 };
  const greeting = {
    suite: { name: 'countersign', version: '1' },
    seed: 's',
    ca: { file: 'ca.pem', pem: 'PEM', truststore: { file: 'ca.p12', password: 'changeit' } },
  };
  const signal = new AbortController().signal;
  const options = { greeting, limits, notes, command: [], retryBudget: new RetryBudget(limits), signal };
  const conversation = await Conversation.open(async (handlers) => {
    listener = handlers;
    return {
      send: (line) => {
        sent.push(line);
        if (line.startsWith('{"t":"hello"')) say({ ...ready, offers });
      },
      finish: () => finish({ code: 'exited', how: 'exited with code 0', orderly: true }),
      kill: () => {},
      ended: finished,
      unfinished: () => new Uint8Array(),
      lastErrorLines: () => '',
    };
  }, options);
  await conversation.greet();
  return { conversation, sent, say, notes };
}

test('each message of the suite fits its schema, and is one line whatever the text', async () => {
  const { conversation, sent } = await openConversation({ inject: ['nonce'], stages: ['csv'], cancel: true });
  expect((await conversation.sendCase(recurring)).kind).toBe('timed-out');
  await conversation.close();
  const messages = sent.map((line) => JSON.parse(line));
  expect(messages.map(({ t }) => t)).toEqual(['hello', 'ping', 'case', 'cancel', 'bye']);
  for (const message of messages) expect(validateClosed(message.t, message), message.t).toEqual([]);
  expect(sent.filter((line) => line.indexOf('\n') !== line.length - 1)).toEqual([]);
  expect(messages[2]).toMatchObject({
    auth: { method: 'RSA-SHA256', consumer_key: 'shop', private_key_pem: 'PEM' },
    inject: { nonce: 'n' },
    want: ['decoded', 'stages'],
    deadline_ms: 11,
  });
  expect(messages[2].inject).not.toHaveProperty('timestamp');
  expect(messages[3].id).toBe(messages[2].id);
});

test('offers count within bounds, and unknown offers give a remark', () => {
  const { introduction, cancel, remarks } = parseReady({
    ...ready,
    offers: {
      ops: ['close-day', 'open-day'],
      inject: ['nonce', 'clock'],
      max_in_flight: 5000,
      cancel: true,
      tls: false,
    },
    offer: {},
  });
  expect(introduction.offers).toMatchObject({ ops: ['close-day'], inject: ['nonce'], maxInFlight: 64, tls: false });
  expect(cancel).toBe(true);
  expect(remarks).toEqual([
    'In the ready message offer is not a known key; perhaps "offers" is meant; it is ignored.',
    'The adapter offers "open-day", which is not an operation of this suite.',
  ]);
});

test('a ready of another version, without a name or with long texts is refused', () => {
  expect(() => parseReady({ ...ready, protocol: 2 })).toThrow(/speaks version 2/);
  expect(() => parseReady({ t: 'ready', protocol: 1, client: {} })).toThrow(/client\.name is missing/);
  expect(() => parseReady({ t: 'ready', client: { name: 'x' } })).toThrow(/protocol is missing/);
  expect(() => parseReady({ ...ready, client: { name: 'x'.repeat(201) } })).toThrow(/client\.name .* at most 200 char/);
  expect(() => parseReady({ ...ready, offers: { stages: Array(41).fill('a') } })).toThrow(/stages .* at most 40 names/);
});

test('members that are null count as absent', () => {
  const read = replyOf({
    t: 'result',
    id: 'c_1',
    outcome: 'completed',
    decoded: { kind: 'finished', serial: null, gates: [{ gateId: { long: '1' }, RRN: null }] },
    stages: { csv: 'a', payload: null },
    stage: null,
  });
  expect(read).toEqual({
    reply: {
      outcome: 'completed',
      decoded: { kind: 'finished', gates: [{ gateId: { long: '1' } }] },
      stages: { csv: 'a' },
    },
  });
});

test('a long reason is cut, and its beginning stays', () => {
  const read = replyOf({ t: 'result', id: 'c_1', outcome: 'unsupported', reason: 'r'.repeat(1_000_000) });
  expect(read).toEqual({ reply: { outcome: 'unsupported', reason: 'r'.repeat(10_000) } });
});

const wrongResults: readonly (readonly [object, RegExp])[] = [
  [{ decoded: { kind: 'refused' } }, /decoded\.http_status is missing/],
  [
    { decoded: { kind: 'finished', gates: [{ gateId: { long: '1', text: '1' } }] } },
    /one of the members long, bool and text/,
  ],
  // Each report of hundreds of cases is kept, so its size is limited.
  [{ decoded: { kind: 'finished', gates: Array(1001).fill({}) } }, /decoded\.gates is .* at most 1000/],
  [{ decoded: { kind: 'parameters', params: [['a', 'b'.repeat(65_537)]] } }, /params\[0\]\[1\] is .* at most 65536/],
  [{ stages: { csv: 'c'.repeat(131_073) } }, /stages\.csv is .* at most 131072 characters long/],
  [
    { decoded: { kind: 'finished', gates: Array(1000).fill({ RRN: { text: 'g'.repeat(2000) } }) } },
    /decoded and stages have more than 262144 bytes/,
  ],
];

for (const [members, fault] of wrongResults) {
  test(`a result with ${JSON.stringify(members).slice(0, 100)} is refused`, () => {
    const read = replyOf({ t: 'result', id: 'c_1', outcome: 'completed', ...members });
    expect(read).toEqual({ fault: expect.stringMatching(fault) });
  });
}

test('members of a later version are ignored, and named where an adapter is checked', () => {
  const result = { t: 'result', id: 'c_1', outcome: 'completed', decoded: { kind: 'finished', serail: 'x' } };
  expect(replyOf(result)).toHaveProperty('reply');
  expect(validateClosed('result', result).map(({ sentence }) => sentence)).toEqual([
    'decoded.serail is not a known key; perhaps "serial" is meant',
  ]);
});

test('progress extends a deadline, but at most to three times', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  try {
    const { conversation, sent, say } = await openConversation({});
    const results = ['busy', 'silent'].map((name) => conversation.sendCase({ ...recurring, deadlineMs: 400, name }));
    const { id } = JSON.parse(sent.find((line) => line.includes('"t":"case"'))!);
    for (let at = 0; at < 10; at += 1) {
      mock.timers.tick(200);
      say({ t: 'progress', id });
    }
    const error = (message: RegExp) => ({ kind: 'timed-out', error: { message: expect.stringMatching(message) } });
    expect(await Promise.all(results)).toMatchObject([error(/ busy within 1200 ms/), error(/ silent within 400 ms/)]);
  } finally {
    mock.timers.reset();
  }
});

/** The lines that an adapter writes during a case; `result` is a correct result. */
type Written = (result: {
  readonly t: 'result';
  readonly id: string;
  readonly outcome: string;
}) => readonly (object | string)[];

async function askWith(written: Written, deadlineMs: number) {
  const { conversation, sent, say, notes } = await openConversation({});
  const pending = conversation.sendCase({ ...recurring, deadlineMs });
  const { id } = JSON.parse(sent.at(-1)!);
  for (const line of written({ t: 'result', id, outcome: 'unsupported' })) say(line);
  return { answer: await pending, notes: formatNotes(notes.take()).join('\n') };
}

const tolerated: Readonly<Record<string, readonly [written: Written, notes: RegExp]>> = {
  'a line of another program': [
    (result) => ['DeprecationWarning: old', '{"level":"info","msg":"sending"}', result],
    /not a message of the protocol: «DeprecationWarning: old»[\s\S]*: «\{"level":"info","msg":"sending"\}»/,
  ],
  'a second answer': [(result) => [result, result], /answered twice; only the first answer counts: «\{"t":"result"/],
  'a log without a text': [
    (result) => [{ t: 'log' }, { t: 'log', text: { a: 1 } }, { t: 'log', text: null }, { t: 'log', text: 5 }, result],
    /^The suite ignored a log message without a text: «\{"t":"log"\}»$/,
  ],
};

for (const [what, [written, notes]] of Object.entries(tolerated)) {
  test(`${what} is noted, and the case is answered`, async () => {
    const found = await askWith(written, 60_000);
    expect(found).toMatchObject({ answer: { kind: 'reply' }, notes: expect.stringMatching(notes) });
  });
}

interface Failure {
  readonly written: Written;
  readonly code: AdapterError['code'];
  readonly message: RegExp;
  readonly hint: RegExp;
  readonly notes?: RegExp;
}

const failures: Readonly<Record<string, Failure>> = {
  'messages without end': {
    written: () =>
      Array.from({ length: 4000 }, () => [
        { t: 'pong', n: 77 },
        { t: 'log', text: 'still here' },
        { t: 'result', id: 'another', outcome: 'unsupported' },
      ]).flat(),
    code: 'flooded',
    message: /wrote 10001 lines .* without the answer that the suite waits for, such as «\{"t":"pong","n":77\}»/,
    hint: /Answer each message once/,
  },
  'an unknown id': {
    written: (result) => [{ ...result, id: 'case-1' }],
    code: 'timed-out',
    message: /did not answer a case/,
    hint: /does not exist, with "case-1" as its id\. Return the id unchanged/,
    notes: /has the id of a case that was never sent: «\{"t":"result","id":"case-1"/,
  },
  'a number as id': {
    written: (result) => [{ ...result, id: 5 }],
    code: 'protocol-violation',
    message: /^A result has the number 5 as its id, which must be the text that was sent: «\{"t":"result","id":5,/,
    hint: /Return the id unchanged, as the text that was sent\.$/,
  },
  'a result on several lines': {
    written: (result) => JSON.stringify(result, null, 2).split('\n'),
    code: 'timed-out',
    message: /did not answer a case within \d+ ms; it wrote a line that is not a message of the protocol: «\{»\.$/,
    hint: /^Write each message as one complete JSON object with the member "t", alone on its line/,
  },
};

for (const [what, { written, code, message, hint, notes }] of Object.entries(failures)) {
  test(`${what} loses the case as ${code}`, async () => {
    expect(await askWith(written, 200)).toMatchObject({
      answer: { error: { code, message: expect.stringMatching(message), hint: expect.stringMatching(hint) } },
      ...(notes && { notes: expect.stringMatching(notes) }),
    });
  });
}

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

function cut(...chunks: readonly (string | Buffer)[]): { readonly seen: string[]; readonly rest: string } {
  const lines: string[] = [];
  const socket = Object.assign(new EventEmitter(), { setNoDelay: () => {} });
  const { unfinished } = overSocket(socket as unknown as Socket, {
    bytes: () => {},
    line: (line) => lines.push(Buffer.from(line).toString('utf8')),
    tooLong: (start) => lines.push(`too long: ${Buffer.from(start).toString('latin1').slice(0, 5)}`),
    byteOrderMark: () => lines.push('byte-order mark'),
  });
  for (const chunk of chunks) socket.emit('data', Buffer.from(chunk as Buffer));
  return { seen: lines, rest: Buffer.from(unfinished()).toString('utf8') };
}

const splitLines: Readonly<Record<string, readonly [text: string, seen: readonly string[]]>> = {
  'only 0x0A ends a line': ['a\nb\u2028c\u0085d\u2029e\u000bf\rg\n\nh', ['a', 'b\u2028c\u0085d\u2029e\u000bf\rg', '']],
  'one CR before the line feed is dropped': ['a\r\n\r\nb\r\r\n', ['a', '', 'b\r']],
  'a byte-order mark is dropped only at the start': ['\ufeffa\n\ufeffb\n', ['byte-order mark', 'a', '\ufeffb']],
};

for (const [what, [text, lines]] of Object.entries(splitLines)) test(what, () => expect(cut(text).seen).toEqual(lines));

test('a character that is split over chunks stays whole, and an unfinished line is the rest', () => {
  const whole = bytes('é😀\nü\nb');
  for (let at = 0; at <= whole.length; at++)
    expect(cut(whole.subarray(0, at), whole.subarray(at))).toEqual({ seen: ['é😀', 'ü'], rest: 'b' });
});

test('a line at the limit is read, and a longer one is reported once and dropped to its end', () => {
  const longest = '12345'.padEnd(maxLineBytes, 'x');
  expect(cut(`${longest}\n${longest}\r\n`).seen.map(({ length }) => length)).toEqual([maxLineBytes, maxLineBytes]);
  expect(cut(longest, '67', '89\nnext\n').seen).toEqual(['too long: 12345', 'next']);
});

test('an object is a message if it has the member t in any place', () => {
  for (const line of ['{"t":"pong","n":1}', ' { "t" : "pong", "n": 1 }', '{"n":1,"t":"pong"}'])
    expect(readLine(bytes(line))).toEqual({ kind: 'message', message: { t: 'pong', n: 1 } });
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
    '\ufeff{"t":"pong"}',
  ])
    expect(readLine(bytes(line)), line).toEqual({ kind: 'stray' });
  expect(readLine(bytes(' \t '))).toEqual({ kind: 'blank' });
  expect(readLine(bytes(''))).toEqual({ kind: 'blank' });
});

test('a line that starts as a message and cannot be read is reported with its fault', () => {
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

test('a message that cannot be read is quoted, with what to write in that language', () => {
  const line = bytes('{"t":"result","took":NaN}');
  const where = 'a value is missing at position 21';
  expect(readLine(line)).toEqual({ kind: 'broken', code: 'not-json', where });
  const message = `The adapter wrote a line that is not JSON (${where}): «{"t":"result","took":NaN}»`;
  const hint = expect.stringContaining('json.dumps(..., allow_nan=False)');
  expect(brokenLine('not-json', where, line, 'python')).toMatchObject({ message, hint });
  expect(brokenLine('not-utf8', '', line, 'node').hint).toContain('UTF-8 in every locale');
  expect(brokenLine('duplicate-key', '', line, 'node').hint).toContain('use the first value, others the last one');
});

test('a quotation is short and shows what does not print', () => {
  expect(quoteBytes(bytes('a\u001b[31m\u2028\u0000b'))).toBe('«a\\x1b[31m\\u2028\\x00b»');
  expect(quoteBytes(bytes('x'.repeat(1000)), 10)).toBe('«xxxxxxxxxx…» (1000 bytes)');
  expect(quoteBytes(Buffer.from([0xff, 0x41]))).toBe('«\ufffdA»');
});

const lastWords: readonly (readonly [text: string, summary: string])[] = [
  ['only', 'only'],
  [`${'x'.repeat(400)}\n`, `${'x'.repeat(300)}…`],
  [`${`${'x'.repeat(100)}\n`.repeat(100)}last but one\nlast\n`, `${'x'.repeat(100)} / last but one / last`],
  ['only\nTypeError: no\n  at a\n  at b\n  at c\n', 'TypeError: no / at a / at b'],
  [
    'file:///a/b.mjs:2\nconst = ;\n      ^\n\nSyntaxError: no\n    at compile (node:internal/x:1:2)\n\nNode.js v20\n',
    'file:///a/b.mjs:2 / SyntaxError: no / Node.js v20',
  ],
  ['node:internal/loader:1\n  throw err;\n\nError: Cannot find module\n', 'Error: Cannot find module'],
  [
    'Traceback (most recent call last):\n  File "a.py", line 2, in <module>\n    f()\n' +
      '  File "/usr/lib/python3.11/json/decoder.py", line 3, in raw\nValueError: no\n',
    'File "a.py", line 2, in <module> / ValueError: no',
  ],
];

test('the summary of standard error has the error and its place, without frames of the runtime', () => {
  for (const [text, summary] of lastWords) expect(summaryOf(bytes(text))).toBe(summary);
});

test('the page of the protocol states the limits that hold', () => {
  const { readyMs, lateMs, byeMs, maxCrashes, stuck, stuckInAll } = defaultLimits;
  const page = textOf('schemas/adapter/README.md');
  for (const row of [
    `| \`hello\` to \`ready\` | ${readyMs / 1000} s |`,
    `| after the deadline | ${lateMs / 1000} s `,
    `| \`bye\` or end of input to exit | ${byeMs / 1000} s`,
    `| restarts | none after the adapter ended ${maxCrashes} times in a row without a result, after ${stuck} stuck cases in a row, or after ${stuckInAll} stuck cases in all |`,
  ])
    expect(page).toContain(row);
});

test('an adapter gets what programs need, and neither proxies nor secrets', () => {
  const ours = {
    PATH: '/bin',
    LC_ALL: 'C',
    PYENV_ROOT: '/pyenv',
    PERL5LIB: '/perl',
    http_proxy: 'http://proxy',
    HTTPS_PROXY: 'http://proxy',
    ALL_PROXY: 'socks://proxy',
    AWS_SECRET_ACCESS_KEY: 'secret',
    NODE_OPTIONS: '--inspect',
    NODE_EXTRA_CA_CERTS: 'other.pem',
    NOTHING: undefined,
  };
  expect(adapterEnvironment(ours, { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', NO_PROXY: '' })).toEqual({
    PATH: '/bin',
    LC_ALL: 'tr_TR.UTF-8',
    PYENV_ROOT: '/pyenv',
    PERL5LIB: '/perl',
    TZ: 'Pacific/Kiritimati',
    COUNTERSIGN_ADAPTER_OUT: 'fd:3',
    NO_PROXY: '*',
    no_proxy: '*',
  });
});

const languages: readonly (readonly [named: string | undefined, command: readonly string[], language: string])[] = [
  ['PHP', ['run'], 'php'],
  ['python 3.12', ['node'], 'python'],
  [undefined, ['/usr/bin/python3.11', 'adapter.py'], 'python'],
  [undefined, ['C:\\ruby\\bin\\ruby.exe', 'a'], 'ruby'],
  [undefined, ['env', '-u', 'X', './adapter.pl'], 'perl'],
  [undefined, ['java', '-jar', 'a.jar'], 'java'],
  [undefined, ['./adapter'], 'unknown'],
  ['COBOL', ['./adapter'], 'unknown'],
];

test('the language of an adapter is what it says, or what its command shows', () => {
  for (const [name, command, language] of languages) expect(languageOf(name, command), language).toBe(language);
});

test('after a crash at an unterminated string, the hint says where lines end', () => {
  const state = {
    ...{ language: 'node', unfinished: new Uint8Array(), firstStray: undefined, oddId: undefined, otherMessages: [] },
    ...{ caseName: undefined, answered: false, strayWhileWaiting: undefined },
  };
  const ending = { code: 'exited', how: 'exited with code 1', orderly: false } as const;
  const hint = (lastErrorLines: string) => ended({ ...state, lastErrorLines }, ending, true).hint;
  for (const words of ['SyntaxError: Unterminated string in JSON', 'JSONDecodeError: Unterminated string starting at'])
    expect(hint(words)).toContain('so does readline in Node 24');
  expect(hint('KeyError: id')).not.toContain('0x0A');
});

test('three notes of each kind are stored, and the others are counted', () => {
  const notes = new Notes();
  for (let i = 1; i <= 5; i++) notes.add('stray lines', `line ${i}`);
  notes.add('restarts', 'started again');
  expect(formatNotes(notes.take())).toEqual([
    'line 1',
    'line 2',
    'line 3',
    'Altogether there were 5 stray lines.',
    'started again',
  ]);
});
