/** Among very many ids are some that rekey spells by chance in what it makes up: they are told from those that are left of the original. */
import { toHar } from '../../../src/exchange/har.ts';
import { signRequest } from '../../../src/protocol/index.ts';
import { drawApart } from '../../../src/recordings/draw-apart.ts';
import { prefixAlias } from '../../../src/recordings/prefix-alias.ts';
import { readRecording } from '../../../src/recordings/recording.ts';
import { rekeyRecordings, telling } from '../../../src/recordings/rekey-recordings.ts';
import { offsetFrom, shiftTimestamp } from '../../../src/recordings/shift-times.ts';
import { formFinder } from '../../../src/secrets/find-forms.ts';
import { redactorFor } from '../../../src/secrets/redactor.ts';
import { scannerFor } from '../../../src/secrets/scan.ts';
import { manyTexts, secretText } from '../../../src/secrets/secret.ts';
import { diceFrom } from '../../dice.ts';
import { expect, test } from '../../engine.ts';

const salt = 'salt of the test';
const drawn = diceFrom(11);
const digits = (count: number) => Array.from({ length: count }, () => 1 + drawn.below(9)).join('');

test('one of very many texts is passed over in a longer one that was made up, where the whole of that stands, and found anywhere else', () => {
  const finder = formFinder([manyTexts('an id', [['40718293']]), secretText('the secret', 'canary-5')]);
  finder.pass(Buffer.from('x407182934'));
  finder.pass(Buffer.from('the canary-5 in a signature'));
  finder.pass(Buffer.from('40718293'));
  const found = (text: string) => finder.all(Buffer.from(text)).map(({ name, at }) => `${name} at ${at}`);
  expect(found('a x407182934, x407182934')).toEqual([]);
  expect(found('x407182934 and x407182935')).toEqual(['an id at 16']);
  expect(found('407182934')).toEqual(['an id at 0']);
  expect(found('40718293')).toEqual(['an id at 0']);
  expect(finder.any(Buffer.from('x407182934'))).toBeUndefined();
  // A secret is no id of many: nothing that was made up may hold it.
  expect(found('the canary-5 in a signature')).toEqual(['the secret at 4']);
});

test('what the end of a row and the start of the next one spell is left, and so it is behind an escape; in lines of base64 an id is replaced', () => {
  const { text } = redactorFor([manyTexts('an id', [['03645713', '09721144']]), secretText('the secret', 'canary-5')]);
  const rows = 'a;1.00\n36457133;2.00\n';
  expect(text(rows)).toBe(rows);
  const encoded = `payload=${encodeURIComponent(Buffer.from(`%41;${rows}`).toString('base64'))}`;
  expect(text(encoded)).toBe(encoded);
  expect(text('a;1.00\n03645713;2.00\n')).toBe('a;1.00\n09721144;2.00\n');
  const inLines = Buffer.from('the order of 03645713 was paid').toString('base64').replace(/.{6}/g, '$&\n');
  expect(Buffer.from(text(inLines), 'base64').toString()).toBe('the order of 09721144 was paid');
  expect(text('cana\nry-5')).not.toBe('cana\nry-5');
});

test('stand-ins that spell an original are drawn again, and keep their form and what the ids had in common', () => {
  const whole = Array.from({ length: 500 }, () => digits(12));
  // Of each id another one is what its stand-in spells, at its start, inside of it, or all of it.
  const spelt = whole.map((id, at) =>
    prefixAlias(id, salt).slice(
      ...([
        [0, 8],
        [2, 10],
        [0, 12],
      ][at % 3] as [number, number]),
    ),
  );
  const cut = whole.map((id) => id.slice(0, 11));
  const originals = [...whole, ...spelt, ...cut];
  const standIns = new Map(originals.map((id) => [id, prefixAlias(id, salt)]));
  const further = drawApart(standIns, originals, salt);
  const { any } = formFinder([
    manyTexts(
      '',
      originals.map((id) => [id] as const),
    ),
  ]);
  expect([...standIns.values()].filter((text) => any(Buffer.from(text)) !== undefined)).toEqual([]);
  expect(new Set(standIns.values()).size).toBe(standIns.size);
  const form = (text: string) => `${text.length} ${text.startsWith('0')} ${/^\d*$/.test(text)}`;
  expect([...standIns].filter(([id, standIn]) => form(id) !== form(standIn))).toEqual([]);
  expect(whole.filter((id, at) => !standIns.get(id)!.startsWith(standIns.get(cut[at]!)!))).toEqual([]);
  // An id that comes later has the stand-in that it would have had among them.
  expect(whole.filter((id) => prefixAlias(id, salt, further) !== standIns.get(id))).toEqual([]);
});

test('only an id that no report spells by chance, and that is no stand-in, is looked for in the copy', () => {
  const chance = ['123456789', 'ABCDEFGHIJ', '1234567', 'aaaaaaaaaaaa', 'elsewhere', 'undefined', 'number7-407182934'];
  const pairs = [...chance, 'order-0001', '987654321', '40718293'].map(
    (id, at) => [id, `number${at}-407182934`] as const,
  );
  expect([...telling([{ pairs: pairs.slice(0, 4) }, { pairs: pairs.slice(4) }])]).toEqual([
    'order-0001',
    '987654321',
    '40718293',
  ]);
});

test.describe('a record in which a moved timestamp and stand-ins spell ids', () => {
  const timestamp = '1769774317';
  const moved = shiftTimestamp(timestamp, offsetFrom(salt), [0, 0]);
  const long = digits(12);
  const startedAt = Date.parse('2026-01-30T12:00:00.000Z');
  const second = String((startedAt + offsetFrom(salt)) / 1000);
  // The last two are of what the copy says besides: what quoted-printable leaves of the timestamp behind the `=` of a base
  // string, and the second that a finding names.
  const ids = [moved.slice(1, 9), long, prefixAlias(long, salt).slice(2, 10), moved.slice(2), second.slice(0, 9)];
  const recording = readRecording(harOf(ids), 'record');
  const rekeyed = rekeyRecordings([recording], {
    side: 'client',
    salt,
    secrets: [],
    keysOf: () => ({ consumerSecret: 'secret of the shop' }),
  });
  const copy = rekeyed.recordings[0]!.client.calls.flatMap(({ wire }) => wire);

  test('keeps the timestamp as it was moved, and its signatures verify', () => {
    for (const { request } of copy) expect(request.headers[0]![1]).toContain(`oauth_timestamp="${moved}"`);
    expect(rekeyed.signed).toMatchObject({ right: ids.length });
  });

  test('holds no id where it was, also where ids are not expected', () => {
    const texts = copy.map(({ request, response }) => [request, response!].map(({ body }) => String(body)).join());
    for (const [at, id] of ids.entries()) {
      expect(texts[at]).toMatch(/^day_close_request_id=\d+,about \d+$/);
      expect(texts.join()).not.toContain(id);
    }
  });

  test('is searched clean, and the search still finds each id', () => {
    const leaksIn = scannerFor(rekeyed.replaced);
    const cases = copy.map((exchange, at) => ({
      scenario: 's',
      number: at + 1,
      label: { operation: 'close-day', intent: 'open' } as const,
      exchange,
    }));
    const written = toHar(cases, { suite: { name: 'countersign', version: '0' } }, {});
    expect(written).toContain(ids[0]);
    expect(leaksIn({ name: 'copy', bytes: Buffer.from(written) })).toEqual([]);
    const baseString = `POST&&oauth_timestamp%3D${moved}%26oauth_version%3D1.0 oauth_timestamp=${moved}`;
    for (const text of [baseString, `expected about ${second}`]) {
      expect(leaksIn({ name: 'report.html', bytes: Buffer.from(text) })).toEqual([]);
    }
    for (const id of ids) expect(leaksIn({ name: 'copy', bytes: Buffer.from(`about ${id}`) })).toHaveLength(1);
  });

  function harOf(some: readonly string[]): string {
    const entries = some.map((id) => {
      const place = {
        method: 'POST',
        scheme: 'https',
        host: 'gateway.shop-bank.com',
        target: '/paynet/api/v2/close-day/4711',
      };
      const body = [['day_close_request_id', id]] as const;
      const fresh = { timestamp, nonce: `n${id}` };
      const key = { method: 'HMAC-SHA1', consumerSecret: 'secret of the shop' } as const;
      const { authorization } = signRequest({ ...place, body }, { consumerKey: 'countersign-test', key }, fresh);
      return {
        startedDateTime: new Date(startedAt).toISOString(),
        time: 1,
        request: {
          method: 'POST',
          url: `https://${place.host}${place.target}`,
          headers: [
            { name: 'Authorization', value: authorization },
            { name: 'Content-Type', value: 'application/x-www-form-urlencoded' },
          ],
          postData: { text: `day_close_request_id=${id}` },
        },
        response: { status: 200, statusText: 'OK', headers: [], content: { text: `about ${id}` } },
      };
    });
    return JSON.stringify({ log: { version: '1.2', entries } });
  }
});
