/** Recordings: what other tools write and lose, and which changes of a stored run are refused. */
import { type RequirementId, requirements } from '../../../contracts/requirements/index.ts';
import { clientScenarios } from '../../../src/plan/client/index.ts';
import type { ClientPlan } from '../../../src/plan/scenario.ts';
import { drawFor } from '../../../src/plan/seed.ts';
import {
  type ClientCase,
  type ClientLabel,
  type Decoded,
  type ExpectedReading,
  splitByExchange,
} from '../../../src/record/case.ts';
import { HarError } from '../../../src/record/har.ts';
import { readHar } from '../../../src/record/read-har.ts';
import { casesOf, groupByScenario } from '../../../src/record/run.ts';
import { toHar } from '../../../src/record/write-har.ts';
import { clientJudges } from '../../../src/rules/index.ts';
import { evidenceOf } from '../../../src/verdict/conclude.ts';
import { readRecording, validateAnswer } from '../../../src/verdict/recordings/recording.ts';
import { expect, test } from '../../engine.ts';
import { closeDay, type Draft, keysOf, now, recurring } from '../rules/client/sample-requests.ts';
import { sampleCase } from '../rules/sample-cases.ts';
import { judge } from './runs.ts';

// biome-ignore lint/suspicious/noExplicitAny: the edits make invalid entries.
type Json = any;

const path = '/api/v2/close-day/1111';
const signed = (draft: Draft = {}) => closeDay({ asked: null, host: 'gate.example', target: path, ...draft });
const paid = { 'client-orderid': 'a-1', 'recurring-payment-id': '0000000042', amount: '10.00' };
const batch = (draft: Draft = {}) =>
  recurring({
    asked: null,
    host: 'gate.example',
    target: '/api/v4/process-recurring-payments/1111',
    input: { columns: Object.keys(paid), rows: [Object.values(paid)] },
    ...draft,
  });

/** The entry of a recorder that loses nothing. */
function entryOf({ exchanges: [exchange] }: ClientCase, change: (entry: Json) => void = () => {}): Json {
  const { method, scheme, host, target, headers, body } = exchange!.request;
  const listed = headers
    .map(([name, value]) => ({ name, value }))
    .filter(({ name }) => !/^content-length$/i.test(name));
  const entry = {
    startedDateTime: new Date(now).toISOString(),
    time: 12,
    request: {
      method,
      url: `${scheme}://${host}${target}`,
      headers: listed.some(({ name }) => /^host$/i.test(name)) ? listed : [{ name: 'Host', value: host }, ...listed],
      postData: { mimeType: 'application/x-www-form-urlencoded', text: Buffer.from(body).toString('utf8') },
      bodySize: body.length,
    },
    response: { status: 200, statusText: 'OK', headers: [], content: { size: 0, mimeType: '' } },
  };
  change(entry);
  return entry;
}

function judged(entries: readonly Json[], { creator = 'recorder', side = 'client' as 'client' | 'gateway' } = {}) {
  const text = JSON.stringify({ log: { version: '1.2', creator: { name: creator, version: '1' }, entries } });
  const recording = readRecording(text, 'foreign');
  const { result } = judge(side, [recording], { keys: { hasKeys: true, keysOf } });
  const row = (id: string) => result.results.find((one) => one.id === id)!;
  const failing = result.results.filter(({ outcome }) => outcome === 'fail' || outcome === 'error').map(({ id }) => id);
  return { recording, result, row, failing };
}

const signature = 'authentication/signature-verifies';
const base64 = (text: string) => Buffer.from(text).toString('base64');
type Change = (entry: Json) => void;
/** Sets the member at this path. */
const set =
  (place: string, value: unknown): Change =>
  (entry) => {
    const names = place.split('.');
    names.slice(0, -1).reduce((part, name) => part[name], entry)[names.at(-1)!] = value;
  };
const withHeader =
  (name: string, value: string): Change =>
  ({ request }) => {
    const others = request.headers.filter((one: Json) => one.name.toLowerCase() !== name.toLowerCase());
    request.headers = [...others, { name, value }];
  };
const all =
  (...changes: readonly Change[]): Change =>
  (entry) => {
    for (const change of changes) change(entry);
  };
/** Replaces the text of the body. */
const body =
  (change: (text: string) => string): Change =>
  ({ request: { postData } }) => {
    postData.text = change(postData.text);
  };
const inBase64 = (members: object, encode = base64): Change =>
  all(body(encode), ({ request: { postData } }) => Object.assign(postData, members));
const data: Change = ({ request: { postData } }) => {
  postData._data = base64(postData.text);
  delete postData.text;
};
const length: Change = (entry) => withHeader('Content-Length', `${entry.request.postData.text.length}`)(entry);
const withoutHost: Change = ({ request }) => {
  request.headers = request.headers.filter((one: Json) => one.name !== 'Host');
};

const judgeable: readonly (readonly [what: string, change: Change, draft?: Draft])[] = [
  ['an encoding of its body', inBase64({ encoding: 'base64' })],
  ['base64 in lines', inBase64({ encoding: 'BASE64' }, (text) => base64(text).replace(/.{20}/g, '$&\r\n'))],
  ['_base64', inBase64({ _base64: true })],
  ['base64 in a comment', inBase64({ comment: 'base64' })],
  ['_data in place of a text', data],
  ['the length of a body whose base64 is not stated', all(length, body(base64))],
  ['the address that a proxy dialled', set('request.url', `https://198.51.100.9:8443${path}`)],
  ['the port that is the default one', set('request.url', `https://gate.example:443${path}`)],
  [
    'the authority of HTTP/2',
    all(set('request.url', `https://198.51.100.9${path}`), withoutHost, withHeader(':authority', 'gate.example')),
  ],
  [
    'what a proxy behind TLS saw',
    all(set('request.url', `http://10.0.0.3:8080${path}`), withHeader('X-Forwarded-Proto', 'https')),
  ],
  ['what a proxy behind TLS saw, without a word of it', set('request.url', `http://10.0.0.3:8080${path}`)],
  [
    'the host that a proxy passed on',
    all(
      set('request.url', `http://backend:8080${path}`),
      withHeader('Host', 'backend:8080'),
      withHeader('X-Forwarded-Host', 'gate.example'),
      withHeader('X-Forwarded-Proto', 'https'),
    ),
  ],
  ['a Host with another port', withHeader('Host', 'gate.example:8443'), { host: 'gate.example:8443' }],
  ['a port that a proxy added to Host', withHeader('Host', 'gate.example:8443')],
  ['no time that it took', set('time', null)],
  ['no answer', set('response', null)],
  ['a status as text', set('response.status', '200')],
  ['a size that the recorder counted wrong', set('request.bodySize', 4000)],
];
for (const [what, change, draft] of judgeable) {
  test(`a record that states ${what} is judged whole`, () => {
    const { failing, row } = judged([entryOf(signed(draft), change)]);
    expect({ failing, signature: row(signature).outcome }).toEqual({ failing: [], signature: 'pass' });
  });
}

test('a wrong signature still fails in a record whose Host is not that of its URL', () => {
  // No hash has 19 bytes, so the autopsy does not search.
  const wrong = signed({ signature: () => base64('x'.repeat(19)) });
  const changed = entryOf(wrong, set('request.url', `https://198.51.100.9${path}`));
  expect(judged([changed]).failing).toEqual([signature]);
});

const foreign: Readonly<Record<string, Change>> = {
  'no time': set('startedDateTime', null),
  'an object as its time': set('startedDateTime', {}),
  'an empty time': set('startedDateTime', ''),
  'no headers': set('request.headers', undefined),
  'a URL of the browser': set('request.url', 'about:blank'),
  'a URL with a placeholder': set('request.url', '{{host}}/logo.png'),
  'half a surrogate pair': withHeader('X', '\ud800'),
  'no request': set('request', null),
  'a body in an unknown encoding': set('response.content', { text: 'x', encoding: 'zstd' }),
  'a status that is none': set('response.status', 'ok'),
};

test('an entry that is no JSON is left out by its number', () => {
  const text = JSON.stringify({ log: { entries: [entryOf(signed()), { time: 'NaN' }] } }).replace('"NaN"', 'NaN');
  const recording = readRecording(text, 'foreign');
  expect(recording.unreadable).toEqual(['entry 2 of the HAR file cannot be read: the entry is not JSON']);
  expect(casesOf(recording)).toHaveLength(1);
});

for (const [what, change] of Object.entries(foreign)) {
  test(`an entry of other traffic with ${what} is left out and spoils nothing`, () => {
    const other = entryOf(signed({ method: 'GET', target: '/logo.png' }), change);
    const { failing, recording, row } = judged([other, entryOf(signed())]);
    expect(failing).toEqual([]);
    expect(row(signature).outcome).toBe('pass');
    expect(recording.unrelated + recording.unreadable!.length).toBe(1);
  });
}

const lossy: Readonly<Record<string, Change>> = {
  'a character in the place of bytes': body((text) => text.replace('100.00', '100\ufffd00')),
  'NUL in the place of bytes': body((text) => text.replace('100.00', '100\0\0')),
  'UTF-8 that was read as Latin-1': body((text) => text.replace('100.00', '\u00c3\u00a9')),
  'a body that ends before its length': all(
    length,
    body((text) => text.slice(0, 30)),
  ),
  'a body of 64 KB': body((text) => text.padEnd(65_536, '0')),
  'a redacted field': body((text) => text.replace('100.00', '[redacted]')),
  'no Authorization': withHeader('Authorization', ''),
  REDACTED: withHeader('Authorization', 'REDACTED'),
  '[authorization redacted]': withHeader('Authorization', '[authorization redacted]'),
  'a signature of asterisks': (entry) => {
    const { value } = entry.request.headers.find((one: Json) => one.name === 'Authorization');
    withHeader('Authorization', value.replace(/oauth_signature="[^"]*"/, 'oauth_signature="***"'))(entry);
  },
};
for (const [what, change] of Object.entries(lossy)) {
  test(`a record with ${what} leaves the signature inconclusive`, () => {
    const { failing, row } = judged([entryOf(signed(), change)]);
    expect(failing.filter((id) => id !== 'close-day/body-is-form')).toEqual([]);
    expect(row(signature).outcome).toBe('inconclusive');
  });
}

test('no Authorization fails where the record shows that none was sent', () => {
  const unsigned = withHeader('Authorization', '');
  const row = (change: Change, creator?: string) =>
    judged([entryOf(signed(), all(unsigned, change))], { creator }).row('close-day/authorization-sent');
  expect(row(set('response.status', 401), 'mitmproxy').outcome).toBe('fail');
  expect(row(set('response.content.text', '{"response":{"status":"error"}}')).outcome).toBe('fail');
  const hint = expect.stringContaining('Record again with sensitive data');
  expect(row(set('response.status', 401), 'WebInspector')).toMatchObject({ outcome: 'inconclusive', hint });
});

const clock = 'authentication/timestamp-seconds';
const [utc, seconds] = [new Date(now).toISOString(), now / 1000];
const times: readonly (readonly [time: unknown, remark: unknown])[] = [
  [utc.replace('Z', ''), undefined],
  [new Date(now - 7_200_000).toISOString().replace('Z', ''), 'the record does not state its time zone'],
  [new Date(now).toISOString().toLowerCase().replace('z', ' utc'), undefined],
  [new Date(now + 7_200_000).toISOString().replace('Z', '+0200'), undefined],
  [new Date(now + 7_200_000).toISOString().replace('T', ' ').replace('Z', '000 +02:00'), undefined],
  [seconds, undefined],
  [String(now), undefined],
  [new Date(now).toUTCString(), undefined],
  [new Date(now - 7_200_000).toISOString(), '7200 seconds after the clock of the record, as if in local time'],
  [new Date(now - 43_200_000).toISOString(), expect.stringContaining('as if in local time or by a 12-hour clock')],
  [new Date(now - 1_234_000).toISOString(), '1234 seconds after the clock of the record'],
];
for (const [time, remark] of times) {
  test(`a record of ${time} says of the clock: ${remark === undefined ? 'nothing' : String(remark)}`, () => {
    const row = judged([entryOf(signed(), set('startedDateTime', time))]).row(clock);
    expect([row.outcome, row.remark]).toEqual(['pass', remark]);
  });
}

const presence = 'recurring/client-orderid-present';
const cells = requirements
  .filter((row) => 'restsOn' in row && row.restsOn?.includes('recurring/csv-rows'))
  .map(({ id }) => id);

const tables: readonly (readonly [before: string, said: string])[] = [
  ['sep=;\n', "a spreadsheet's line sep=; before the column names"],
  ['\n', 'an empty line before the column names'],
  ['Payments, September\n', 'the line Payments, September before the column names'],
  ['# made by billing\n', 'the comment # made by billing before the column names'],
];
for (const [before, finding] of tables) {
  test(`a table with ${finding} fails no other requirement`, () => {
    const { failing, row } = judged([entryOf(batch({ csv: (csv) => `${before}${csv}` }))]);
    expect(failing).toEqual(['recurring/csv-header-quoted']);
    expect(row('recurring/csv-header-quoted').actual).toBe(finding);
  });
}

for (const [end, said] of [
  ['\x1a', 'U+001A (Ctrl-Z), the end of a file in DOS'],
  ['\0\0\0', '3 times U+0000, perhaps the unused rest of a buffer'],
  ['\ufeff', 'U+FEFF, a byte-order mark'],
  ['\u200b', 'U+200B'],
  ['\f', 'U+000C, a form feed'],
] as const) {
  test(`a last row of ${said} is named in the finding`, () => {
    const { failing, row } = judged([entryOf(batch({ csv: (csv) => `${csv}${end}` }))]);
    expect(failing).toEqual(['recurring/csv-rows']);
    expect(row('recurring/csv-rows').actual).toBe(`row 2 with 1 cell under 3 names, and with ${said}`);
  });
}

const badRows: readonly (readonly [what: string, csv: (csv: string) => string, follows: object])[] = [
  ['a line break', (csv) => `${csv}a\n;0000000042;1.00\n`, { outcome: 'fail', requirements: [presence] }],
  ['a cell too few', (csv) => csv.replace(/;[^;]*\n$/, '\n'), { outcome: 'inconclusive', requirements: cells }],
];
for (const [what, csv, follows] of badRows) {
  test(`the findings on the cells of ${what} follow from the rows`, () => {
    const { causes = [] } = judged([entryOf(batch({ csv }))]).result;
    expect(causes.filter(({ requirement }) => requirement === 'recurring/csv-rows')).toMatchObject([follows]);
  });
}

const batchOf = (...amounts: string[]) =>
  batch({ input: { columns: Object.keys(paid), rows: amounts.map((amount) => Object.values({ ...paid, amount })) } });
const another = signed({ input: { day_close_request_id: '902B4FF5A2' } });
const later = set('startedDateTime', new Date(now + 30_000).toISOString());
const sentAgain: Readonly<Record<string, readonly [hazard: string, entries: readonly Json[]]>> = {
  'the same order with another amount': ['batch', [entryOf(batch()), entryOf(batchOf('11.00'))]],
  'a batch again after no answer': ['batch', [entryOf(batch(), set('response', null)), entryOf(batch())]],
  'an order twice in one batch': ['batch', [entryOf(batchOf('10.00', '11.00'))]],
  'a close-day with a new id 30 s after no answer': [
    'close-day',
    [entryOf(signed(), set('response', null)), entryOf(another, later)],
  ],
};
for (const [what, [hazard, entries]] of Object.entries(sentAgain)) {
  test(`a record with ${what} shows the hazard`, () => {
    const { hazards = [] } = judged(entries).result;
    expect(hazards.map(({ id }) => id)).toEqual([`hazard/${hazard}-sent-again`]);
  });
}

const pages: readonly (readonly [status: number, title: string])[] = [
  [200, 'Sign in'],
  [302, 'Guest network'],
  [503, 'Down for maintenance'],
  [400, '400 The plain HTTP request was sent to HTTPS port'],
  [403, 'Just a moment...'],
];
for (const side of ['client', 'gateway'] as const) {
  test(`a web page in the place of an answer is named with its title (${side})`, () => {
    const entries = pages.map(([status, title]) =>
      entryOf(
        signed(),
        all(
          set('response.status', status),
          set('response.content.text', `<!-- -->\r\n<!DOCTYPE html>\n<html><title> ${title}\n</title></html>`),
        ),
      ),
    );
    const { result, row } = judged(entries, { side });
    expect(result.notes).toEqual(
      pages.map(([status, title], at) =>
        expect.stringContaining(`in exchange ${at + 1} is a web page "${title}" with HTTP ${status}: look for`),
      ),
    );
    if (side === 'gateway') expect(row('close-day/body-decodable').actual).toBe('a web page "Sign in"');
  });
}

test.describe('a stored run', () => {
  const keys = { hasKeys: false, keysOf: () => undefined };

  test('an answer whose body the recorder left out is not judged as an empty one', () => {
    const omitted = set('response.content', { size: 153, mimeType: 'text/html' });
    const entries = [signed(), batch()].map((one) => entryOf(one, omitted));
    const recording = readRecording(JSON.stringify({ log: { version: '1.2', entries } }), 'recorded');
    const only = ['close-day/body-decodable', 'recurring/success-*'];
    const { result } = judge('gateway', [recording], { only, keys });
    const outcomes = result.results.map(({ outcome }) => outcome);
    expect(outcomes).toHaveLength(4);
    expect(outcomes).not.toContain('fail');
    expect(outcomes).not.toContain('pass');
  });

  test('web sockets, other schemes and preflights are no calls, and a user name in a URL is no part of the host', () => {
    const urls = ['wss://a/live', `blob:https://a${path}`, 'data:,', 'chrome-extension://abc/close-day/x'];
    const to = (url: string) => all(set('request.url', url), set('request.headers', []));
    const call = to(`HTTPS://user:word@gate.example${path}?a=@b`);
    const preflight = all(call, set('request.method', 'OPTIONS'), withHeader('Access-Control-Request-Method', 'POST'));
    const entries = [...urls.map(to), call, preflight].map((change) => entryOf(signed(), change));
    const recording = readRecording(JSON.stringify({ log: { version: '1.2', entries } }), 'recorded');
    const cases = casesOf(recording);
    expect(recording.unrelated).toBe(urls.length + 1);
    expect(cases).toHaveLength(1);
    const { scheme, host, target } = cases[0]!.exchanges[0]!.request;
    expect({ scheme, host, target }).toEqual({ scheme: 'https', host: 'gate.example', target: `${path}?a=@b` });
  });

  const plans = clientScenarios.flatMap(({ id, plan }) => [...plan(drawFor('answers', id, 20))]);
  const questions = plans.filter(({ label, answer }) => label.decoding !== undefined && answer.kind === 'reply');

  function look(label: ClientLabel, answer: ClientPlan['answer'], number = 17): void {
    if (answer.kind !== 'reply') throw new Error('the plan has no answer');
    const { status, headers, body } = answer;
    const testCase = sampleCase('close-day', undefined);
    const exchange = { ...testCase.exchanges[0], response: { status, reason: '', headers, body } };
    validateAnswer({ exchange, testCase: { ...testCase, exchanges: [exchange], call: { label } } }, number);
  }

  test('each answer that a run gives is the one that its call expects', () => {
    expect(questions.length).toBeGreaterThan(300);
    for (const { label, answer } of questions) look(label, answer);
  });

  test('the answer of a call with another expectation is refused, with its entry', () => {
    const first = new Map<string, ClientPlan>();
    for (const plan of questions) {
      const { operation, input, decoding } = plan.label;
      if (input !== 'probe') first.set(`${operation} ${decoding!.expected.kind}`, plan);
    }
    const kinds = [...first.values()];
    for (const { label } of kinds) {
      for (const other of kinds.filter((one) => one.label.operation === label.operation && one.label !== label)) {
        const isFailure = [label, other.label].every(({ decoding }) => !meansSuccess(decoding!.expected));
        const refused = () => look(label, other.answer);
        if (isFailure && label.decoding!.expected.kind === 'not-success') expect(refused).not.toThrow();
        else expect(refused).toThrow(HarError);
      }
    }
    const success = kinds.find(({ label }) => label.decoding!.expected.kind === 'finished')!;
    const broken = kinds.find(
      ({ label: { operation, decoding } }) => operation === 'close-day' && decoding!.expected.kind === 'not-success',
    )!;
    expect(() => look(success.label, broken.answer)).toThrow(
      'entry 17 of the HAR file has another answer than `_countersign.call.label.decoding.expected`',
    );
  });

  test('a value that was changed in an answer is refused', () => {
    const { label, answer } = questions.find(({ label: one }) => one.decoding!.question === 'three gates')!;
    if (answer.kind !== 'reply') throw new Error('the plan has no answer');
    const body = Buffer.from(Buffer.from(answer.body).toString().replace('1234567.89', '1234567.88'));
    expect(() => look(label, { ...answer, body })).toThrow(/has another answer than/);
  });

  function meansSuccess(expected: ExpectedReading): boolean {
    if (expected.kind === 'parameters') return expected.params.some(([, value]) => value.endsWith('-response'));
    return expected.kind === 'finished' || expected.kind === 'accepted';
  }

  const reading = (answers: RequirementId, expected: ExpectedReading, decoded: Decoded) => ({
    label: { decoding: { question: 'q', form: 'only', answers: [answers], expected } } as const,
    reply: { outcome: 'completed', decoded } as const,
  });
  const gates = [{ gateId: '17', isDayClosing: true, saleAmount: '0.10' }];
  const read = [{ gateId: { long: '17' }, isDayClosing: { bool: true }, saleAmount: { text: '0.10' } }];
  const error = { kind: 'error', errorCode: '1' } as const;
  const parameters = { kind: 'parameters', params: [['type', 'error']] } as const;
  const sent = [
    closeDay(),
    recurring(),
    closeDay(
      reading('close-day/decodes-gate-id', { kind: 'finished', serial: '1', gates }, { kind: 'finished', gates: read }),
    ),
    closeDay(reading('close-day/decodes-error', { ...error, errorMessage: 'm' }, error)),
    recurring(reading('recurring/decodes-error', parameters, parameters)),
    recurring(
      reading('recurring/decodes-refused', { kind: 'refused', httpStatus: 403 }, { kind: 'refused', http_status: 403 }),
    ),
  ];
  // Values as JSON text, because half of a surrogate pair must be an escape.
  const odd = 'null¦true¦1e308¦-1¦""¦"\\ud800"¦[]¦[null]¦[[]]¦{}¦{"a":null,"toString":1}'.split('¦');

  for (const [forms, count] of Object.entries({ 'another form': 1, 'every other form @all': odd.length })) {
    test(`each member in ${forms} is refused, or judged without a fault of the suite`, () => {
      const unsent = groupByScenario([{ ...sent[2]!, number: 99, exchanges: [] }]);
      const run = { side: 'client', records: unsent, skipped: [{ ids: ['close-day/path'], reason: 'r' }] } as const;
      const suite = { name: 'countersign', version: '0.0.0' };
      const whole = JSON.parse(toHar(splitByExchange(sent), { suite }, run));
      const placesIn = (value: Json, place = ''): string[] =>
        Object.entries(typeof value === 'object' ? (value ?? {}) : {}).flatMap(([name, member]) => [
          `${place}${name}`,
          ...placesIn(member, `${place}${name}.`),
        ]);
      // Elements of a list count once.
      const places = new Map(placesIn(whole).map((place) => [place.replace(/\b\d+\b/g, '#'), place]));
      const faults = [...places.values()].flatMap((place, at) => {
        const copy = structuredClone(whole);
        set(place, 'the member')(copy);
        const text = JSON.stringify(copy);
        return Array.from({ length: count }, (_, step) => odd[(at + step) % odd.length]!).flatMap((value) => {
          const fault = faultOf(text.replace('"the member"', () => value));
          return fault === '' ? [] : [`${place} as ${value}: ${fault}`];
        });
      });
      expect([faultOf(JSON.stringify(whole)), ...faults]).toEqual(['']);
    });
  }

  /** Empty if the text is judged or refused properly. */
  function faultOf(text: string): string {
    try {
      const { run } = readHar(text);
      if (run?.side !== 'client') return '';
      const evidence = evidenceOf(run, { hasKeys: true, keysOf });
      for (const id of Object.keys(clientJudges)) evidence.judge(id as RequirementId);
      evidence.observations();
      return '';
    } catch (cause) {
      if (cause instanceof HarError && !/Cannot|undefined|not a function/.test(cause.message)) return '';
      return String(cause);
    }
  }

  for (const [name, creator, hint] of [
    ['is named', { name: 'countersign', version: '0.1.0' }, /judge it with countersign 0\.1\.0, which wrote the file/],
    ['is one word', { name: 'countersign' }, 'Give the unchanged file of the run.'],
    ['is no text', { name: { toString: 1 }, version: 1 }, 'Give the unchanged file of the run.'],
    ['is not there', undefined, 'Give the unchanged file of the run.'],
  ] as const) {
    test(`an unusable file whose writer ${name} is refused with a hint`, () => {
      const har = JSON.stringify({ log: { version: '1.2', creator, entries: [], _client: { calls: 1 } } });
      expect(() => readHar(har)).toThrow(
        expect.objectContaining({ code: 'bad-run', hint: expect.stringMatching(hint) }),
      );
    });
  }
});
