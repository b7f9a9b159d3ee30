/** Records of other tools: what they state about the bytes counts, and what they lost is inconclusive. */
import { requirements } from '../../../contracts/requirements/index.ts';
import type { ClientCase } from '../../../src/record/client-case.ts';
import { judgeRecordings } from '../../../src/verdict/recordings/judge-recordings.ts';
import { readRecording } from '../../../src/verdict/recordings/recording.ts';
import { expect, test } from '../../engine.ts';
import { closeDay, type Draft, keysOf, now, recurring } from '../rules/client/sample-requests.ts';

// biome-ignore lint/suspicious/noExplicitAny: entries are changed member by member, into what no type describes.
type Json = any;

const path = '/api/v2/close-day/1111';
const signed = (draft: Draft = {}) => closeDay({ asked: null, host: 'gate.example', target: path, ...draft });
const batch = (draft: Draft = {}) =>
  recurring({
    asked: null,
    host: 'gate.example',
    target: '/api/v4/process-recurring-payments/1111',
    input: { columns: ['client-orderid', 'recurring-payment-id', 'amount'], rows: [['a-1', '0000000042', '10.00']] },
    ...draft,
  });

/** The entry of a recorder that keeps all. */
function entryOf({ wire: [exchange] }: ClientCase, change: (entry: Json) => void = () => {}): Json {
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
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  const { result } = judgeRecordings({
    header: {
      suite: { name: 'countersign', version: '0.0.0' },
      subject: { kind: side, name: 'x', target: 'recording' },
      ...{ runId: 'r', profile: 'rfc5849', seed: 'none', startedAt: '2024-01-31T23:59:59.000Z', durationMs: 1 },
      ...{ reproduce: 'r', effects: { predicted: nothing, recorded: nothing } },
    },
    side,
    only: [],
    recordings: [recording],
    keys: { hasKeys: true, keysOf },
  });
  const row = (id: string) => result.results.find((one) => one.id === id)!;
  const failing = result.results.filter(({ outcome }) => outcome === 'fail' || outcome === 'error').map(({ id }) => id);
  return { recording, result, row, failing };
}

const signature = 'authentication/signature-verifies';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const header = (entry: Json, name: string, value: string) => {
  entry.request.headers = entry.request.headers.filter((one: Json) => one.name.toLowerCase() !== name.toLowerCase());
  entry.request.headers.push({ name, value });
};
const inBase64 =
  (members: object, text = (plain: string) => base64(plain)) =>
  (entry: Json) => {
    Object.assign(entry.request.postData, { text: text(entry.request.postData.text) }, members);
  };

const whole: readonly (readonly [what: string, change: (entry: Json) => void, draft?: Draft])[] = [
  ['an encoding of its body', inBase64({ encoding: 'base64' })],
  [
    'an encoding of a body in lines',
    inBase64({ encoding: 'BASE64' }, (text) => base64(text).replace(/.{20}/g, '$&\r\n')),
  ],
  ['_base64', inBase64({ _base64: true })],
  ['base64 in a comment', inBase64({ comment: 'base64' })],
  [
    '_data in place of a text',
    ({ request: { postData } }) => {
      postData._data = base64(postData.text);
      delete postData.text;
    },
  ],
  [
    'the length of a body whose base64 is not stated',
    (entry) => {
      header(entry, 'Content-Length', String(entry.request.postData.text.length));
      entry.request.postData.text = base64(entry.request.postData.text);
    },
  ],
  [
    'the address that a proxy dialled',
    ({ request }) => {
      request.url = `https://198.51.100.9:8443${path}`;
    },
  ],
  [
    'the port that is the default one',
    ({ request }) => {
      request.url = `https://gate.example:443${path}`;
    },
  ],
  [
    'the authority of HTTP/2',
    ({ request }) => {
      request.url = `https://198.51.100.9${path}`;
      request.headers = request.headers.filter((one: Json) => one.name !== 'Host');
      request.headers.push({ name: ':authority', value: 'gate.example' });
    },
  ],
  [
    'what a proxy behind TLS saw',
    (entry) => {
      entry.request.url = `http://10.0.0.3:8080${path}`;
      header(entry, 'X-Forwarded-Proto', 'https');
    },
  ],
  [
    'what a proxy behind TLS saw, without a word of it',
    ({ request }) => {
      request.url = `http://10.0.0.3:8080${path}`;
    },
  ],
  [
    'the host that a proxy passed on',
    (entry) => {
      entry.request.url = `http://backend:8080${path}`;
      header(entry, 'Host', 'backend:8080');
      header(entry, 'X-Forwarded-Host', 'gate.example');
      header(entry, 'X-Forwarded-Proto', 'https');
    },
  ],
  ['a Host with another port', (entry) => header(entry, 'Host', 'gate.example:8443'), { host: 'gate.example:8443' }],
  ['a port that a proxy added to Host', (entry) => header(entry, 'Host', 'gate.example:8443')],
  [
    'no time that it took',
    (entry) => {
      entry.time = null;
    },
  ],
  [
    'no answer',
    (entry) => {
      entry.response = null;
    },
  ],
  [
    'a status as text',
    ({ response }) => {
      response.status = '200';
    },
  ],
];
for (const [what, change, draft] of whole) {
  test(`a record that states ${what} is judged whole`, () => {
    const { failing, row } = judged([entryOf(signed(draft), change)]);
    expect({ failing, signature: row(signature).outcome }).toEqual({ failing: [], signature: 'pass' });
  });
}

test('a wrong signature still fails in a record whose Host is not that of its URL', () => {
  const changed = entryOf(signed({ signature: () => base64('x'.repeat(20)) }), ({ request }) => {
    request.url = `https://198.51.100.9${path}`;
  });
  expect(judged([changed]).failing).toEqual([signature]);
});

const foreign: readonly (readonly [what: string, change: (entry: Json) => void])[] = [
  [
    'no time',
    (entry) => {
      entry.startedDateTime = null;
    },
  ],
  [
    'an object as its time',
    (entry) => {
      entry.startedDateTime = {};
    },
  ],
  [
    'an empty time',
    (entry) => {
      entry.startedDateTime = '';
    },
  ],
  [
    'no headers',
    ({ request }) => {
      delete request.headers;
    },
  ],
  [
    'a URL of the browser',
    ({ request }) => {
      request.url = 'about:blank';
    },
  ],
  [
    'a URL with a placeholder',
    ({ request }) => {
      request.url = '{{host}}/logo.png';
    },
  ],
  [
    'half a surrogate pair',
    ({ request }) => {
      request.headers.push({ name: 'X', value: '\ud800' });
    },
  ],
  [
    'no request',
    (entry) => {
      entry.request = null;
    },
  ],
  [
    'a body in an unknown encoding',
    ({ response }) => {
      response.content = { text: 'x', encoding: 'zstd' };
    },
  ],
  [
    'a status that is none',
    ({ response }) => {
      response.status = 'ok';
    },
  ],
];
test('an entry that is no JSON is left out by its number', () => {
  const text = JSON.stringify({ log: { entries: [entryOf(signed()), { time: 'NaN' }] } }).replace('"NaN"', 'NaN');
  const { unreadable, client } = readRecording(text, 'foreign');
  expect(unreadable).toEqual(['entry 2 of the HAR file cannot be read: it is not JSON']);
  expect(client.calls).toHaveLength(1);
});

for (const [what, change] of foreign) {
  test(`an entry of other traffic with ${what} is left out and spoils nothing`, () => {
    const other = entryOf(signed({ method: 'GET', target: '/logo.png' }), change);
    const { failing, recording, row } = judged([other, entryOf(signed())]);
    expect(failing).toEqual([]);
    expect(row(signature).outcome).toBe('pass');
    expect(recording.strangers + recording.unreadable!.length).toBe(1);
  });
}

const lost: readonly (readonly [what: string, change: (entry: Json) => void])[] = [
  [
    'a character in the place of bytes',
    ({ request: { postData } }) => {
      postData.text = postData.text.replace('100.00', '100\ufffd00');
    },
  ],
  [
    'NUL in the place of bytes',
    ({ request: { postData } }) => {
      postData.text = postData.text.replace('100.00', '100\0\0');
    },
  ],
  [
    'UTF-8 that was read as Latin-1',
    ({ request: { postData } }) => {
      postData.text = postData.text.replace('100.00', '\u00c3\u00a9');
    },
  ],
  [
    'a body that ends before its length',
    (entry) => {
      const { text } = entry.request.postData;
      header(entry, 'Content-Length', String(text.length));
      entry.request.postData.text = text.slice(0, 30);
    },
  ],
  [
    'a body of 64 KB',
    ({ request: { postData } }) => {
      postData.text = postData.text.padEnd(65_536, '0');
    },
  ],
  [
    'a redacted field',
    ({ request: { postData } }) => {
      postData.text = postData.text.replace('100.00', '[redacted]');
    },
  ],
  ['no Authorization', (entry) => header(entry, 'Authorization', '')],
  ['REDACTED', (entry) => header(entry, 'Authorization', 'REDACTED')],
  ['[authorization redacted]', (entry) => header(entry, 'Authorization', '[authorization redacted]')],
  [
    'a signature of asterisks',
    (entry) => {
      const { value } = entry.request.headers.find((one: Json) => one.name === 'Authorization');
      header(entry, 'Authorization', value.replace(/oauth_signature="[^"]*"/, 'oauth_signature="***"'));
    },
  ],
];
for (const [what, change] of lost) {
  test(`a record with ${what} leaves the signature inconclusive`, () => {
    const { failing, row } = judged([entryOf(signed(), change)]);
    const isForm = (id: string) => id === 'close-day/body-is-form';
    expect(failing.filter((id) => !isForm(id))).toEqual([]);
    expect(row(signature).outcome).toBe('inconclusive');
  });
}

test('a size that the recorder counted wrong takes nothing from a request that is whole', () => {
  const { failing, row } = judged([
    entryOf(signed(), ({ request }) => {
      request.bodySize += 400;
    }),
  ]);
  expect({ failing, signature: row(signature).outcome }).toEqual({ failing: [], signature: 'pass' });
});

test('no Authorization fails where the record shows that none was sent', () => {
  const refused = (entry: Json) => {
    header(entry, 'Authorization', '');
    entry.response.status = 401;
  };
  const without = (creator: string) =>
    judged([entryOf(signed(), refused)], { creator }).row('close-day/authorization-sent');
  expect(without('mitmproxy').outcome).toBe('fail');
  const unsigned = entryOf(signed(), (entry) => {
    header(entry, 'Authorization', '');
    entry.response.content.text = '{"response":{"status":"error"}}';
  });
  expect(judged([unsigned]).row('close-day/authorization-sent').outcome).toBe('fail');
  expect(without('WebInspector')).toMatchObject({
    outcome: 'inconclusive',
    hint: expect.stringContaining('Record with sensitive data'),
  });
});

const clock = 'authentication/timestamp-seconds';
const [utc, seconds] = [new Date(now).toISOString(), now / 1000];
const times: readonly (readonly [time: unknown, remark: unknown])[] = [
  [utc.replace('Z', ''), undefined],
  [new Date(now - 7_200_000).toISOString().replace('Z', ''), 'the record does not say its zone'],
  [new Date(now + 7_200_000).toISOString().replace('Z', '+0200'), undefined],
  [new Date(now + 7_200_000).toISOString().replace('T', ' ').replace('Z', '000 +02:00'), undefined],
  [seconds, undefined],
  [String(now), undefined],
  [new Date(now).toUTCString(), undefined],
  [new Date(now - 7_200_000).toISOString(), '7200 seconds after the clock of the record, as local time would be'],
  [
    new Date(now - 43_200_000).toISOString(),
    '43200 seconds after the clock of the record, as local time, or a 12-hour clock of the recorder, would be',
  ],
  [new Date(now - 1_234_000).toISOString(), '1234 seconds after the clock of the record'],
];
for (const [time, remark] of times) {
  test(`a record of ${time} says of the clock: ${remark === undefined ? 'nothing' : String(remark)}`, () => {
    const entry = entryOf(signed(), (one) => {
      one.startedDateTime = time;
    });
    expect(judged([entry]).row(clock)).toMatchObject({ outcome: 'pass' });
    expect(judged([entry]).row(clock).remark).toEqual(remark);
  });
}

const presence = 'recurring/client-orderid-present';
const cells = requirements
  .filter((row) => 'restsOn' in row && row.restsOn?.includes('recurring/csv-rows'))
  .map(({ id }) => id);

const tables: readonly (readonly [before: string, said: string])[] = [
  ['sep=;\n', "a spreadsheet's line sep=; before the names"],
  ['\n', 'an empty line before the names'],
  ['Payments, September\n', 'the line Payments, September before the names'],
  ['# made by billing\n', 'the comment # made by billing before the names'],
];
for (const [before, said] of tables) {
  test(`of a table with ${said} nothing else fails`, () => {
    const { failing, row } = judged([entryOf(batch({ csv: (csv) => `${before}${csv}` }))]);
    expect(failing).toEqual(['recurring/csv-header-quoted']);
    expect(row('recurring/csv-header-quoted').actual).toBe(said);
  });
}

for (const [end, said] of [
  ['\x1a', 'U+001A (Ctrl-Z), as tools of DOS leave at the end'],
  ['\0\0\0', '3 times U+0000, as a buffer without its length leaves'],
  ['\ufeff', 'U+FEFF, a byte-order mark'],
  ['\u200b', 'U+200B'],
  ['\f', 'U+000C, a form feed'],
] as const) {
  test(`a last row of ${said} is shown`, () => {
    const { failing, row } = judged([entryOf(batch({ csv: (csv) => `${csv}${end}` }))]);
    expect(failing).toEqual(['recurring/csv-rows']);
    expect(row('recurring/csv-rows').actual).toBe(`row 2 with 1 cell under 3 names, in which is ${said}`);
  });
}

const spoilt: readonly (readonly [what: string, csv: (csv: string) => string, follows: object])[] = [
  [
    'a line break without quotes',
    (csv) => `${csv}a\n;0000000042;1.00\n`,
    { outcome: 'fail', requirements: [presence] },
  ],
  [
    'a cell too few in every row',
    (csv) => csv.replace(/;[^;]*\n$/, '\n'),
    { outcome: 'inconclusive', requirements: cells },
  ],
];
for (const [what, csv, follows] of spoilt) {
  test(`what ${what} makes of the cells follows from the rows`, () => {
    const { causes = [] } = judged([entryOf(batch({ csv }))]).result;
    expect(causes.filter(({ requirement }) => requirement === 'recurring/csv-rows')).toMatchObject([follows]);
  });
}

const repeats: readonly (readonly [what: string, id: string, entries: () => Json[]])[] = [
  [
    'the same order with another amount',
    'hazard/batch-sent-again',
    () => {
      const input = {
        columns: ['client-orderid', 'recurring-payment-id', 'amount'],
        rows: [['a-1', '0000000042', '11.00']],
      };
      return [entryOf(batch()), entryOf(batch({ input }))];
    },
  ],
  [
    'a batch again after no answer',
    'hazard/batch-sent-again',
    () => {
      const unanswered = entryOf(batch(), (entry) => {
        entry.response = null;
      });
      return [unanswered, entryOf(batch())];
    },
  ],
  [
    'an order twice in one batch',
    'hazard/batch-sent-again',
    () => {
      const rows = ['10.00', '11.00'].map((amount) => ['a-1', '0000000042', amount]);
      return [entryOf(batch({ input: { columns: ['client-orderid', 'recurring-payment-id', 'amount'], rows } }))];
    },
  ],
  [
    'a close-day with a new id 30 s after no answer',
    'hazard/close-day-sent-again',
    () => {
      const unanswered = entryOf(signed(), (entry) => {
        entry.response = null;
      });
      const again = signed({ input: { day_close_request_id: '902B4FF5A2' } });
      return [
        unanswered,
        entryOf(again, (entry) => {
          entry.startedDateTime = new Date(now + 30_000).toISOString();
        }),
      ];
    },
  ],
];
for (const [what, id, entries] of repeats) {
  test(`a record with ${what} shows the hazard`, () => {
    const { hazards = [] } = judged(entries()).result;
    expect(hazards.map((hazard) => hazard.id)).toEqual([id]);
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
      entryOf(signed(), ({ response }) => {
        response.status = status;
        response.content.text = `<!-- ${status} -->\r\n<!DOCTYPE html>\n<html><head><title> ${title}\n</title></head></html>`;
      }),
    );
    const { result, row } = judged(entries, { side });
    expect(result.notes).toEqual(
      pages.map(
        ([status, title], at) =>
          `What answers in exchange ${at + 1} is a web page "${title}" with HTTP ${status}: look for a firewall, a proxy or a wrong URL.`,
      ),
    );
    if (side === 'gateway') expect(row('close-day/body-decodable').actual).toBe('a web page "Sign in"');
  });
}
