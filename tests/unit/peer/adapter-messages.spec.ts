/** The messages of the adapter protocol against their schemas, and what is read from an adapter's own. */
import { mock } from 'node:test';
import { validateClosed } from '../../../schemas/index.ts';
import { AdapterError } from '../../../src/peer/adapter/channel.ts';
import {
  byeLine,
  cancelLine,
  caseLine,
  helloLine,
  introduced,
  pingLine,
  readLine,
  replyOf,
  type SessionCase,
} from '../../../src/peer/adapter/messages.ts';
import { OpenCases } from '../../../src/peer/adapter/open-cases.ts';
import { expect, test } from '../../engine.ts';

const ready = { t: 'ready', protocol: 1, client: { name: 'shop' } };
const { offers } = introduced(ready).introduction;

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

test('what the suite sends fits its schemas, and is one line whatever the text', () => {
  const greeting = {
    suite: { name: 'countersign', version: '1' },
    seed: 's',
    ca: { file: 'ca.pem', pem: 'PEM', truststore: { file: 'ca.p12', password: 'changeit' } },
  };
  const lines = [
    helloLine(greeting),
    caseLine('c_1', recurring, { ...offers, inject: ['nonce'], stages: ['csv'] }, 10.5),
    cancelLine('c_1'),
    pingLine(1),
    byeLine(),
  ];
  expect(lines.map((line) => line.indexOf('\n') === line.length - 1)).toEqual([true, true, true, true, true]);
  for (const line of lines) {
    const message = JSON.parse(line);
    expect(validateClosed(message.t, message), line).toEqual([]);
  }
  expect(JSON.parse(lines[1]!)).toMatchObject({
    auth: { method: 'RSA-SHA256', consumer_key: 'shop', private_key_pem: 'PEM' },
    inject: { nonce: 'n' },
    want: ['decoded', 'stages'],
    deadline_ms: 11,
  });
  expect(JSON.parse(lines[1]!).inject).not.toHaveProperty('timestamp');
});

test('what ready leaves out has a default', () => {
  expect(introduced(ready)).toEqual({
    introduction: {
      adapter: { name: 'adapter of shop', version: undefined },
      client: { name: 'shop', version: undefined, language: undefined, languageVersion: undefined },
      offers: {
        ops: ['close-day', 'process-recurring-payments'],
        signatureMethods: ['HMAC-SHA1', 'RSA-SHA256'],
        stages: [],
        inject: [],
        maxInFlight: 1,
        tls: true,
      },
    },
    cancel: false,
    remarks: [],
  });
});

test('offers are taken as they are, within bounds, and what is unknown is remarked', () => {
  const { introduction, cancel, remarks } = introduced({
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

test('what an adapter says of itself is bounded, however long it is', () => {
  const long = `${'x'.repeat(198)}\u{1f600}${'x'.repeat(140_000)}`;
  const { introduction, remarks } = introduced({
    ...ready,
    adapter: { name: long, version: long },
    client: { name: long, version: long, language: long, language_version: long },
    offers: {
      ops: ['close-day', long],
      stages: ['csv', long, ...Array.from({ length: 5000 }, (_, i) => `stage ${i}`)],
      signature_methods: ['HMAC-SHA1', long],
      inject: ['nonce', long],
    },
    [long]: 1,
  });
  expect(introduction.client.name).toBe(`${'x'.repeat(198)}…`);
  expect(introduction.offers.stages.slice(0, 2)).toEqual(['csv', 'stage 0']);
  expect(introduction.offers.signatureMethods).toEqual(['HMAC-SHA1']);
  expect(JSON.stringify(introduction).length).toBeLessThan(4000);
  expect(remarks.join('\n').length).toBeLessThan(2000);
  expect(remarks).toContainEqual(expect.stringMatching(/^Of offers\.stages 4962 names are ignored: at most 40 names/));
  expect(remarks).toContainEqual(expect.stringMatching(/^Of offers\.signature_methods 1 name is ignored/));
});

test('a ready of another version or without a name is refused', () => {
  expect(() => introduced({ ...ready, protocol: 2 })).toThrow(/speaks version 2/);
  expect(() => introduced({ t: 'ready', protocol: 1, client: {} })).toThrow(/client\.name is missing/);
  expect(() => introduced({ t: 'ready', client: { name: 'x' } })).toThrow(/protocol is missing/);
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

test('of a long reason the beginning is kept', () => {
  const read = replyOf({ t: 'result', id: 'c_1', outcome: 'unsupported', reason: 'r'.repeat(1_000_000) });
  expect(read).toEqual({ reply: { outcome: 'unsupported', reason: 'r'.repeat(10_000) } });
});

const wrongResults: readonly (readonly [object, RegExp])[] = [
  [{ outcome: 'done' }, /outcome is "done"/],
  [{ decoded: { kind: 'refused' } }, /decoded\.http_status is missing/],
  [{ decoded: { kind: 'parameters' } }, /decoded\.params is missing/],
  [{ decoded: { kind: 'parameters', params: [['type']] } }, /decoded\.params\[0\] is a list of one/],
  [{ decoded: { kind: 'finished', gates: [{ gateId: { long: 1 } }] } }, /gateId\.long is 1 \(number\)/],
  [
    { decoded: { kind: 'finished', gates: [{ gateId: { long: '1', text: '1' } }] } },
    /one of the members long, bool and text/,
  ],
  [{ decoded: { kind: 'finished', gates: [{ gateId: { number: '1' } }] } }, /gateId\.number is not a known key/],
  [{ stages: { csv: 1 } }, /stages\.csv is 1/],
  // What is kept of each case is bounded: a run has hundreds.
  [{ decoded: { kind: 'finished', gates: Array(1001).fill({}) } }, /decoded\.gates is .* at most 1000/],
  [{ decoded: { kind: 'finished', serial: 's'.repeat(65_537) } }, /decoded\.serial is .* at most 65536 characters/],
  [{ decoded: { kind: 'parameters', params: [['a', 'b'.repeat(65_537)]] } }, /params\[0\]\[1\] is .* at most 65536/],
  [{ stages: { csv: 'c'.repeat(131_073) } }, /stages\.csv is .* at most 131072 characters long/],
  [
    { decoded: { kind: 'finished', gates: Array(1000).fill({ RRN: { text: 'g'.repeat(2000) } }) } },
    /decoded and stages have more than 262144 bytes/,
  ],
  [{ stages: Object.fromEntries([...'abc'].map((name) => [name, name.repeat(90_000)])) }, /more than 262144/],
  [{ stages: { csv: '\u6f22'.repeat(90_000) } }, /more than 262144/],
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

test('progress keeps a case open beyond its deadline, but no longer than the most that it has', () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  try {
    const ended: string[] = [];
    const timedOut = (id: string, _: string, afterMs: number) => {
      ended.push(`${id} after ${afterMs}`);
      return new AdapterError('timed-out', id, 'Answer it.');
    };
    const cases = new OpenCases({ lateMs: 1, note: () => {}, timedOut });
    for (const id of ['busy', 'silent']) void cases.wait(id, { deadlineMs: 400, mostMs: 1200 }, id);
    for (let at = 0; at < 10; at += 1) {
      mock.timers.tick(200);
      cases.progress('busy');
    }
    expect(ended).toEqual(['silent after 400', 'busy after 1200']);
  } finally {
    mock.timers.reset();
  }
});

for (const encoding of ['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be']) {
  test(`a message in ${encoding} is known, with a byte-order mark and without`, () => {
    const lines = wide('\ufeff{"t":"pong"}\n{"t":"pong"}\n', encoding).toString('latin1').split('\n');
    for (const line of lines.slice(0, 2)) {
      expect(readLine(Buffer.from(line, 'latin1'))).toMatchObject({
        kind: 'broken',
        where: encoding.slice(0, 6).toUpperCase(),
        shown: Buffer.from('{"t":"pong"}'),
      });
    }
  });
}

function wide(text: string, encoding: string): Buffer {
  const size = encoding.startsWith('utf-16') ? 2 : 4;
  const bytes = Buffer.alloc(size * text.length);
  for (let at = 0; at < text.length; at++) {
    if (encoding.endsWith('le')) bytes.writeUIntLE(text.charCodeAt(at), size * at, size);
    else bytes.writeUIntBE(text.charCodeAt(at), size * at, size);
  }
  return bytes;
}
