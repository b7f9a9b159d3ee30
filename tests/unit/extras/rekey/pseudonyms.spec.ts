/** Pseudonyms of times and ids, and the search for original values in a copy. */

import { copySummary } from '../../../../src/app/commands/rekey.ts';
import { readUserKeys } from '../../../../src/app/config/keys.ts';
import { editExchange } from '../../../../src/extras/rekey/edit.ts';
import { idPseudonym, newPseudonyms, offsetFrom, shiftTimestamp } from '../../../../src/extras/rekey/pseudonyms.ts';
import { exchangesOf, rekeyRecordings } from '../../../../src/extras/rekey/rekey.ts';
import { signRequest } from '../../../../src/protocol/index.ts';
import { groupByScenario } from '../../../../src/record/run.ts';
import { toHar } from '../../../../src/record/write-har.ts';
import { scannerFor } from '../../../../src/run/secrets/secret.ts';
import { type Recording, readRecording } from '../../../../src/verdict/recordings/recording.ts';
import { diceFrom } from '../../../dice.ts';
import { expect, test } from '../../../engine.ts';
import { sampleCase } from '../../rules/sample-cases.ts';

const at = 1_795_790_592;
const span = [1000 * at - 5000, 1000 * at + 5000] as const;
const salt = 'salt of the test';
const offset = -120_000_000_000;
const moved = at - 120_000_000;

const forms: Readonly<Record<string, string>> = {
  [at]: `${moved}`,
  [`${at}123`]: `${moved}123`,
  [`${at}.5`]: `${moved}.5`,
  [`-${at}`]: `-${moved}`,
  [`+${at}`]: `+${moved}`,
  [` ${at} `]: ` ${moved} `,
  [`0${at}`]: `0${moved}`,
  [`${at}0`]: `${moved}0`,
  [`${at}s`]: `${moved}s`,
};

test('a time of the record is shifted and keeps its form, and another text is not shifted', () => {
  for (const [text, shifted] of Object.entries(forms)) expect(shiftTimestamp(text, offset, span)).toBe(shifted);
  for (const text of ['+1.79579e+09', '0x6b099700', '', 'H2Cr67wqa', '-170000000', `${'0'.repeat(40)}${at}`])
    expect(shiftTimestamp(text, offset, span)).toBeUndefined();
});

test('a time with a misspelt name or in JSON is shifted by the same offset', () => {
  const names = ['oauth_timestamp', 'OAuth_Timestamp', 'oauth_timestam', 'oauth-timestamp', 'oauth_timestamps'];
  const header = (time: number) => `OAuth ${names.map((name) => `${name}="${time}"`).join(', ')}`;
  const json = (time: number) => `{"oauth_timestamp": ${time}, "oauth_timestam": "${time}"}`;
  const request = { method: 'POST', scheme: 'http', host: 'a.test', target: '/', body: Buffer.from(json(at)) } as const;
  const exchange = { request: { ...request, headers: [['Authorization', header(at)]] as const }, startedAt: 1000 * at };
  const pseudonyms = newPseudonyms(salt, 'shop', { hosts: [], prefixes: new Set(), span });
  const edited = editExchange({ ...exchange, durationMs: 0 }, pseudonyms);
  expect(edited.request.headers[0]![1]).toBe(header(at + offsetFrom(salt) / 1000));
  expect(Buffer.from(edited.request.body).toString()).toBe(json(at + offsetFrom(salt) / 1000));
});

test('the leak search ignores pseudonyms, and ids that occur in reports by chance', () => {
  const chance = ['123456789', 'ABCDEFGHIJ', '1234567', 'aaaaaaaaaaaa', 'elsewhere', 'undefined'];
  const pseudonyms = newPseudonyms(salt, undefined);
  const made = pseudonyms.id('50718293');
  for (const id of [...chance, 'order-0001', '987654321', made]) pseudonyms.id(id);
  const sought = pseudonyms.valuesToReplace('not elsewhere, undefined').flatMap(({ pairs }) => pairs);
  expect(sought.map(([original]) => original)).toEqual(['50718293', 'order-0001', '987654321']);
});

test.describe('a record with ids that equal a shifted timestamp or a pseudonym', () => {
  const drawn = diceFrom(11);
  const timestamp = '1769774317';
  const moved = shiftTimestamp(timestamp, offsetFrom(salt), [0, 0])!;
  const long = Array.from({ length: 12 }, () => 1 + drawn.below(9)).join('');
  const startedAt = Date.parse('2026-01-30T12:00:00.000Z');
  const second = String((startedAt + offsetFrom(salt)) / 1000);
  const ids = [moved.slice(1, 9), long, idPseudonym(long, salt).slice(2, 10), moved.slice(2), second.slice(0, 9)];
  const key = { method: 'HMAC-SHA1', consumerSecret: 'secret of the shop' } as const;
  const recording = readRecording(harOf(ids), 'record');
  const rekeyed = rekeyRecordings([recording], { salt, secrets: [], keysOf: () => [key] });
  const copy = exchangesOf(rekeyed.recordings[0]!);

  test('keeps the shifted timestamp, and its signatures verify', () => {
    for (const { request } of copy) expect(request.headers[0]![1]).toContain(`oauth_timestamp="${moved}"`);
    expect(rekeyed.signed).toMatchObject({ right: ids.length });
  });

  test('has no original id, also in unexpected places', () => {
    const texts = copy.map(({ request, response }) => [request, response!].map(({ body }) => String(body)).join());
    for (const [at, id] of ids.entries()) {
      expect(texts[at]).toMatch(/^day_close_request_id=\d+,about \d+$/);
      expect(texts[at]).not.toMatch(new RegExp(`\\b${id}\\b`));
    }
  });

  test('passes the search, which can find each id', () => {
    const leaksIn = scannerFor(rekeyed.forbidden);
    const label = { operation: 'close-day', intent: 'open' } as const;
    const all = copy.map((exchange, at) => ({ scenario: 's', number: at + 1, label, exchanges: [exchange] as const }));
    const written = toHar(all, { suite: { name: 'countersign', version: '0' } });
    expect(written).toContain(ids[0]);
    expect(leaksIn({ name: 'copy', bytes: Buffer.from(written) })).toEqual([]);
    for (const id of ids) expect(leaksIn({ name: 'copy', bytes: Buffer.from(`about ${id}`) })).toHaveLength(1);
  });

  function harOf(some: readonly string[]): string {
    const entries = some.map((id) => {
      const host = 'gateway.bank.com';
      const place = { method: 'POST', scheme: 'https', host, target: '/paynet/api/v2/close-day/4711' };
      const body = [['day_close_request_id', id]] as const;
      const fresh = { timestamp, nonce: `n${id}` };
      const { authorization } = signRequest({ ...place, body }, { consumerKey: 'countersign-test', key }, fresh);
      const values = { Authorization: authorization, 'Content-Type': 'application/x-www-form-urlencoded' };
      const headers = Object.entries(values).map(([name, value]) => ({ name, value }));
      const postData = { text: `day_close_request_id=${id}` };
      const request = { method: 'POST', url: `https://${host}${place.target}`, headers, postData };
      const response = { status: 200, statusText: 'OK', headers: [], content: { text: `about ${id}` } };
      return { startedDateTime: new Date(startedAt).toISOString(), time: 1, request, response };
    });
    return JSON.stringify({ log: { version: '1.2', entries } });
  }
});

const sample = sampleCase('close-day', {});
const exchange = {
  ...sample.exchanges[0],
  request: {
    ...sample.exchanges[0].request,
    headers: [['Authorization', 'OAuth oauth_consumer_key="shop%201", oauth_signature="x"']] as [string, string][],
  },
};
const recordings: Recording[] = [
  { side: 'gateway', records: groupByScenario([{ ...sample, exchanges: [exchange] as const }]), unrelated: 0 },
];

test('a given consumer key that is in no request is reported', async () => {
  const remarks: string[] = [];
  const read = (consumerKey?: string, of = recordings) =>
    readUserKeys({ consumerKey }, (text) => remarks.push(text), { recordings: of });
  await read('shop 1');
  await read();
  expect(remarks).toEqual([]);
  for (const given of ['shop', 'Shop 1', 'shop%201']) {
    await read(given);
    expect(remarks.pop()).toContain(`the consumer key ${JSON.stringify(given)}, so`);
  }
  await read('shop 1', []);
  expect(remarks.pop()).toContain('no request has');
});

test('a copy with an original value is refused, and the error names the kind of value', () => {
  const [id, key, host] = ['ORDER-20261128-17', 'merchant-key-of-a-test', 'gate.shop-of-a-test.example'];
  const signature = 'k+QMDBBNzAXUmpT0Hz/X1dGyMOs=';
  const parameters = `oauth_consumer_key="${key}", oauth_signature="${encodeURIComponent(signature)}"`;
  const request = {
    ...exchange.request,
    host,
    headers: [['Authorization', `OAuth ${parameters}`]] as [string, string][],
    body: Buffer.from(`day_close_request_id=${id}`),
  };
  const records = groupByScenario([{ ...sample, exchanges: [{ ...exchange, request }] as const }]);
  const keysOf = () => [{ method: 'HMAC-SHA1', consumerSecret: 'a secret of the test' } as const];
  const options = { salt: 's', secrets: [], keysOf } as const;
  const { forbidden, recordings } = rekeyRecordings([{ side: 'gateway', records, unrelated: 0 }], options);
  const { body, ...rest } = exchangesOf(recordings[0]!)[0]!.request;
  const copy = `${JSON.stringify(rest)} ${Buffer.from(body)}`;
  const leaks = (text: string) => scannerFor(forbidden)({ name: 'copy', bytes: Buffer.from(text) });
  expect(leaks(copy)).toEqual([]);
  for (const [kind, original] of [
    ['an id', id],
    ['a signature', signature],
    ['a host name or an address', host],
    ['a consumer key', key],
  ] as const)
    expect(leaks(`${copy} "${original}"`).map(({ secret }) => secret)).toEqual([`${kind} of the original`]);
});

test('a missing key and a key without a signature are reported with a hint', () => {
  const signed = { right: 0, 'same-fault': 0, 'other-fault': 4, unsigned: 0 };
  const [publicKey, consumerSecret] = ['key', 'secret'];
  const check = 'Check --consumer-secret-file and';
  const rows: readonly (readonly [counts: Partial<typeof signed>, keys: object | undefined, says: string])[] = [
    [{}, { consumerSecret, publicKey }, check],
    [{ right: 1 }, { consumerSecret, publicKey }, ''],
    [{ 'same-fault': 1 }, { consumerSecret, publicKey }, ''],
    [{ 'other-fault': 0, unsigned: 3 }, { consumerSecret, publicKey }, ''],
    [{}, undefined, ''],
    [{ right: 2 }, { publicKey }, 'all HMAC-SHA1 signatures count as wrong'],
    [{ right: 2 }, { consumerSecret }, 'all RSA-SHA256 signatures count as wrong'],
    [{ right: 2, 'other-fault': 0 }, { consumerSecret }, ''],
  ];
  for (const [counts, keys, message] of rows) {
    const sentences = copySummary({ ...signed, ...counts }, [], keys).join('\n');
    if (message === '') expect(sentences).not.toMatch(/Check --consumer|count as wrong/);
    else expect(sentences).toContain(message);
  }
});
