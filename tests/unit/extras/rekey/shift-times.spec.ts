/** No form of a timestamp keeps its time in a copy: with one of them anyone could tell by how much all others moved. */
import { editExchange } from '../../../../src/extras/rekey/edit.ts';
import { newPseudonyms, offsetFrom, shiftTimestamp } from '../../../../src/extras/rekey/pseudonyms.ts';
import { expect, test } from '../../../engine.ts';

const at = 1_795_790_592;
const span = [1000 * at - 5000, 1000 * at + 5000] as const;
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

for (const [text, told] of Object.entries(forms)) {
  test(`${JSON.stringify(text)} moves, and stays as it was written`, () => {
    expect(shiftTimestamp(text, offset, span)).toBe(told);
  });
}

test('a time in another form becomes a pseudonym', () => {
  for (const text of ['+1.79579e+09', '1.8e9', '0x6b099700', '6B099700', '1_795_790_592']) {
    expect(shiftTimestamp(text, offset, span)).toBeUndefined();
  }
});

test('what is no time of the record stays', () => {
  for (const text of ['', 'H2Cr67wqa', '-170000000', '0x00000001', '2.7e9', '0'.repeat(41), `${at}${'0'.repeat(40)}`]) {
    expect(shiftTimestamp(text, offset, span)).toBe(text);
  }
});

test('a time under a misspelt name, or in JSON, moves too, by as much', () => {
  const salt = 'salt of the test';
  const names = ['oauth_timestamp', 'OAuth_Timestamp', 'oauth_timestam', 'oauth-timestamp', 'oauth_timestamps'];
  const header = (time: number) => `OAuth ${names.map((name) => `${name}="${time}"`).join(', ')}`;
  const json = (time: number) => `{"oauth_timestamp": ${time}, "oauth_timestam": "${time}"}`;
  const request = {
    method: 'POST',
    scheme: 'https',
    host: 'a.test',
    target: '/',
    body: Buffer.from(json(at)),
  } as const;
  const exchange = { request: { ...request, headers: [['Authorization', header(at)]] as const }, startedAt: 1000 * at };
  const standIns = newPseudonyms(salt, 'shop', { hosts: [], prefixes: new Set(), span });
  const edited = editExchange({ ...exchange, durationMs: 0 }, standIns);
  expect(edited.request.headers[0]![1]).toBe(header(at + offsetFrom(salt) / 1000));
  expect(Buffer.from(edited.request.body).toString()).toBe(json(at + offsetFrom(salt) / 1000));
});
