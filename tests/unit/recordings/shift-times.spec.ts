/** No form of a timestamp keeps its time in a copy: with one of them anyone could tell by how much all others moved. */
import { editExchange } from '../../../src/extras/rekey/edit-exchange.ts';
import { offsetFrom, shiftTimestamp } from '../../../src/extras/rekey/shift-times.ts';
import { newStandIns } from '../../../src/extras/rekey/stand-ins.ts';
import { expect, test } from '../../engine.ts';

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
  '1_795_790_592': '1_675_790_592',
  '1_795790592': '1_675790592',
  '1.795790592e9': '1.675790592e9',
  '+1.795790592E+09': '+1.675790592E+09',
  '1.7957906e9': '1.6757906e9',
  '1.79579e+09': '1.67579e+09',
  '1.8e9': '1.7e9',
  '0x6b099700': '0x63e28900',
  '6B099700': '63E28900',
};

for (const [text, told] of Object.entries(forms)) {
  test(`${JSON.stringify(text)} moves, and stays as it was written`, () => {
    expect(shiftTimestamp(text, offset, span)).toBe(told);
  });
}

test('an exponent keeps its digits, whatever the seconds are', () => {
  expect(shiftTimestamp('1.79579059e+09', offset - 7000, span)).toBe('1.67579058e+09');
});

test('what is no time of the record stays', () => {
  for (const text of [
    '',
    'H2Cr67wqa',
    '-1700000000',
    '0x00000001',
    '1.7e9',
    '0'.repeat(41),
    `${at}${'0'.repeat(40)}`,
  ]) {
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
    host: 'gateway.test',
    target: '/',
    body: Buffer.from(json(at)),
  } as const;
  const exchange = { request: { ...request, headers: [['Authorization', header(at)]] as const }, startedAt: 1000 * at };
  const standIns = newStandIns(salt, 'shop', new Set(), { hosts: [], prefixes: new Set(), span });
  const edited = editExchange({ ...exchange, durationMs: 0 }, standIns);
  expect(edited.request.headers[0]![1]).toBe(header(at + offsetFrom(salt) / 1000));
  expect(Buffer.from(edited.request.body).toString()).toBe(json(at + offsetFrom(salt) / 1000));
});
