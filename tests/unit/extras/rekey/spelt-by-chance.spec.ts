/** Among very many ids are some that rekey spells by chance in what it makes up: they are told from those that are left of the original. */

import { exchangesOf } from '../../../../src/extras/rekey/keys.ts';
import { idAlias, newPseudonyms, offsetFrom, shiftTimestamp } from '../../../../src/extras/rekey/pseudonyms.ts';
import { rekeyRecordings } from '../../../../src/extras/rekey/rekey.ts';
import { signRequest } from '../../../../src/protocol/index.ts';
import { toHar } from '../../../../src/record/write-har.ts';
import { scannerFor } from '../../../../src/run/secrets/scan.ts';
import { readRecording } from '../../../../src/verdict/recordings/recording.ts';
import { diceFrom } from '../../../dice.ts';
import { expect, test } from '../../../engine.ts';

const salt = 'salt of the test';
const drawn = diceFrom(11);
const digits = (count: number) => Array.from({ length: count }, () => 1 + drawn.below(9)).join('');

test('only an id that no report spells by chance, and that is no pseudonym, is looked for in the copy', () => {
  const chance = ['123456789', 'ABCDEFGHIJ', '1234567', 'aaaaaaaaaaaa', 'elsewhere', 'undefined'];
  const pseudonyms = newPseudonyms(salt, undefined);
  const made = pseudonyms.id('50718293');
  for (const id of [...chance, 'order-0001', '987654321', made]) pseudonyms.id(id);
  const sought = pseudonyms.replaced().flatMap(({ pairs }) => pairs.map(([original]) => original));
  expect(sought).toEqual(['50718293', 'order-0001', '987654321']);
});

test.describe('a record in which a moved timestamp and stand-ins spell ids', () => {
  const timestamp = '1769774317';
  const moved = shiftTimestamp(timestamp, offsetFrom(salt), [0, 0])!;
  const long = digits(12);
  const startedAt = Date.parse('2026-01-30T12:00:00.000Z');
  const second = String((startedAt + offsetFrom(salt)) / 1000);
  const ids = [moved.slice(1, 9), long, idAlias(long, salt).slice(2, 10), moved.slice(2), second.slice(0, 9)];
  const recording = readRecording(harOf(ids), 'record');
  const keysOf = () => ({ consumerSecret: 'secret of the shop' });
  const rekeyed = rekeyRecordings([recording], { salt, secrets: [], keysOf });
  const copy = exchangesOf(rekeyed.recordings[0]!);

  test('keeps the timestamp as it was moved, and its signatures verify', () => {
    for (const { request } of copy) expect(request.headers[0]![1]).toContain(`oauth_timestamp="${moved}"`);
    expect(rekeyed.signed).toMatchObject({ right: ids.length });
  });

  test('holds no id where it was, also where ids are not expected', () => {
    const texts = copy.map(({ request, response }) => [request, response!].map(({ body }) => String(body)).join());
    for (const [at, id] of ids.entries()) {
      expect(texts[at]).toMatch(/^day_close_request_id=\d+,about \d+$/);
      expect(texts[at]).not.toMatch(new RegExp(`\\b${id}\\b`));
    }
  });

  test('is searched clean, and the search still finds each id', () => {
    const leaksIn = scannerFor(rekeyed.replaced);
    const label = { operation: 'close-day', intent: 'open' } as const;
    const cases = copy.map((exchange, at) => ({
      scenario: 's',
      number: at + 1,
      label,
      exchanges: [exchange] as const,
    }));
    const written = toHar(cases, { suite: { name: 'countersign', version: '0' } });
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
      const key = { method: 'HMAC-SHA1', consumerSecret: 'secret of the shop' } as const;
      const { authorization } = signRequest({ ...place, body }, { consumerKey: 'countersign-test', key }, fresh);
      const given = { Authorization: authorization, 'Content-Type': 'application/x-www-form-urlencoded' };
      const headers = Object.entries(given).map(([name, value]) => ({ name, value }));
      const postData = { text: `day_close_request_id=${id}` };
      const request = { method: 'POST', url: `https://${host}${place.target}`, headers, postData };
      const response = { status: 200, statusText: 'OK', headers: [], content: { text: `about ${id}` } };
      return { startedDateTime: new Date(startedAt).toISOString(), time: 1, request, response };
    });
    return JSON.stringify({ log: { version: '1.2', entries } });
  }
});
