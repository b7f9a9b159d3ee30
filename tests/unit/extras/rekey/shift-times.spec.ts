/** No form of a timestamp keeps its time in a copy: with one of them anyone could tell by how much all others moved. */
import { editExchange } from '../../../../src/extras/rekey/edit.ts';
import { newPseudonyms, offsetFrom, shiftTimestamp } from '../../../../src/extras/rekey/pseudonyms.ts';
import { KnownFaults, signAgain } from '../../../../src/extras/rekey/sign-again.ts';
import { encodeForm, type Pair, signRequest } from '../../../../src/protocol/index.ts';
import type { SentRequest } from '../../../../src/record/exchange.ts';
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

const consumerSecret = 'secret of the shop';
const options = { keysOf: () => ({ consumerSecret }), issued: 'shop', salt: 'of the test' };
const fields: Pair[] = [['day_close_request_id', 'ABCDEFGH1']];

/** To a host without letters, whose spellings need not be tried. The request has `fields` in its body, and signs what is given. */
function signing(body: readonly Pair[], secret = consumerSecret): SentRequest {
  const place = { method: 'POST', scheme: 'https', host: '192.0.2.1', target: '/api/v2/close-day/1' } as const;
  const { authorization } = signRequest(
    { ...place, body },
    { consumerKey: 'shop', key: { method: 'HMAC-SHA1', consumerSecret: secret } },
    { timestamp: '1700000000', nonce: 'n1' },
  );
  return {
    ...place,
    headers: [
      ['Authorization', authorization],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ],
    body: Buffer.from(encodeForm(fields)),
  };
}

const [right, unsignedBody, signedTwice] = [signing(fields), signing([]), signing([...fields, ...fields])];
const unexplained = signing(fields, 'a secret that nobody knows');
/** Its faults are single ones: pairs would only be searched for in vain. */
const newKnown = () => new KnownFaults({ depth: 1, deep: 0, work: 60_000_000 });
const again = (request: SentRequest, known = newKnown()) => signAgain(request, request, options, known);

test('a fault that a signer had before is named again where nothing is searched any more', () => {
  const known = newKnown();
  expect(again(unsignedBody, known)).toEqual(again(unsignedBody));
  for (let count = 0; count < 100; count += 1) expect(again(unexplained, known).signed).toBe('other-fault');
  expect(known.unsearched).toBe(92);
  expect(again(unsignedBody, known)).toEqual(again(unsignedBody));
  expect(again(right, known)).toEqual(again(right));
  expect(known.unsearched).toBe(92);
  expect([again(signedTwice).signed, again(signedTwice, known).signed]).toEqual(['same-fault', 'other-fault']);
});
