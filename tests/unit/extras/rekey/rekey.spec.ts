/** Copies of evidence: pseudonyms keep length and class, and signatures stay correct or keep their deviation. */
import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { autopsy } from '../../../../src/autopsy/autopsy.ts';
import { editExchange } from '../../../../src/extras/rekey/edit.ts';
import { idPseudonym, newPseudonyms } from '../../../../src/extras/rekey/pseudonyms.ts';
import { signAgain } from '../../../../src/extras/rekey/rekey.ts';
import { publishedIdentity } from '../../../../src/mock/identity.ts';
import {
  decodeCsv,
  decodeForm,
  encodeForm,
  type Pair,
  sign,
  signRequest,
  verifyRequest,
} from '../../../../src/protocol/index.ts';
import type { Exchange, SentRequest } from '../../../../src/record/exchange.ts';
import { publishedKeys } from '../../../../src/run/target/published.ts';
import { expect, test } from '../../../engine.ts';
import { longShopKeys } from '../../../keys/index.ts';

const salt = 'salt of the test';
const alias = (id: string) => idPseudonym(id, salt);
const texts = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => Buffer.from(text).toString() === text);

test.describe('the pseudonym of an id', () => {
  test('has the length of the id, and the same character class at each place', () => {
    fc.assert(
      fc.property(texts, (id) => {
        const kinds = { a: /\p{Ll}/gu, A: /\p{Lu}/gu, o: /\p{Lo}/gu, 0: /\p{Nd}/gu };
        const shape = (text: string) => Object.entries(kinds).reduce((out, [to, of]) => out.replace(of, to), text);
        assert.equal(shape(alias(id)), shape(id));
        assert.equal(Buffer.byteLength(alias(id)), Buffer.byteLength(id));
      }),
    );
  });

  test('differs for another id, and has a common beginning if the ids have one', () => {
    const ascii = fc.stringMatching(/^[A-Za-z0-9 ;"-]{0,20}$/);
    fc.assert(
      fc.property(ascii, ascii, (a, b) => {
        assert.equal(alias(a) === alias(b), a === b);
        assert.equal(alias(`x${a}${b}x`).startsWith(alias(`x${a}x`).slice(0, a.length + 1)), true);
      }),
    );
  });

  test('depends on the salt', () => {
    expect(idPseudonym('order-1234', 'one')).not.toBe(idPseudonym('order-1234', 'two'));
    expect(alias('order-1234')).toMatch(/^[a-z]{5}-[1-9][0-9]{3}$/);
    const same = [...alias('order-1234')].filter((character, at) => character === 'order-1234'[at]);
    expect(same).toHaveLength(1);
  });

  test('keeps what judges check: UUIDs, long numbers, leading zeros, white space around', () => {
    expect(alias('00000000-0000-0000-0000-000002d9b229')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(alias('9223372036854775807')).toBe('9223372036854775807');
    // The pseudonym of a number below 2^53, 2^63 or 2^64 is also below, and above is also above.
    expect(alias('7123456789012345678')).toMatch(/^(?!7123)[1-8]\d{18}$/);
    expect(alias('9512345678901234')).toMatch(/^9[1-9]\d{14}$/);
    expect(alias('18212345678901234567')).toMatch(/^18[0-3]\d{17}$/);
    expect(alias('0000000042')).toMatch(/^0\d{9}$/);
    expect(alias(' order-1\n')).toBe(` ${alias('order-1')}\n`);
  });

  test('adds no plus or slash in base64', () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const special = (text: string, at: number) => base64(`${' '.repeat(at)}${text}";`).replace(/[A-Za-z0-9]/g, '.');
    fc.assert(fc.property(texts, fc.nat(2), (id, at) => assert.equal(special(alias(id), at), special(id, at))));
  });
});

const csv =
  '"client-orderid";"recurring-payment-id";"amount"\n"order ""1"" ü>>>???";"1234567890";"10.00"\nb-2;0000000042;7\n';
const payload = Buffer.from(csv).toString('base64');
const wrapped = payload.replace(/.{20}/g, '$&\r\n');

test.describe('a batch', () => {
  for (const [name, body] of Object.entries({
    'as it should be': encodeForm([['payload', payload]]),
    'with escapes in lower case': encodeForm([['payload', payload]]).replace(/%../g, (one) => one.toLowerCase()),
    'escaped twice': encodeForm([['payload', encodeURIComponent(payload)]]),
    'in lines': encodeForm([['payload', wrapped]]),
    'for URLs': `payload=${payload.replaceAll('+', '-').replaceAll('/', '_')}`,
    'with bare plus signs': `payload=${payload}`,
    'without base64': encodeForm([['payload', csv]]),
    'in hex': `payload=${Buffer.from(csv).toString('hex')}`,
    'in base64 twice': encodeForm([['payload', Buffer.from(payload).toString('base64')]]),
    'under another name': encodeForm([['Payload', payload]]),
  })) {
    test(`${name} keeps its length, and changes only its ids`, () => {
      const edited = Buffer.from(editExchange(exchange(body), newPseudonyms(salt, undefined)).request.body).toString();
      expect(edited).not.toBe(body);
      expect(edited).toHaveLength(body.length);
      const { columns, rows } = decodeCsv(csvIn(edited));
      expect(columns).toEqual(['client-orderid', 'recurring-payment-id', 'amount']);
      expect(rows).toEqual([
        [alias('order "1" ü>>>???'), alias('1234567890'), '10.00'],
        [alias('b-2'), alias('0000000042'), '7'],
      ]);
      // The copy has the same escapes in the same places.
      const escapes = (text: string) => text.replace(/%[0-9A-F]{2}/g, '%U').replace(/%[0-9a-f]{2}/g, '%l');
      const written = (text: string) => escapes(text).replace(/[A-Za-z0-9]/g, '.');
      if (!name.includes('twice') && !name.includes('without')) expect(written(edited)).toBe(written(body));
    });
  }
});

test('the same id gets the same pseudonym in a close-day, in its answer, in JSON and in the path', () => {
  const answer =
    '{ "response":{"gates":[{"gateId": 7101,"epntId":"1111","saleAmount":"1111"}]},"theRequestSerialNumber":"a\\u0041-\\"1\\n"}';
  const original = exchange('day_close_request_id=ABCDEFGH1&sale_approved_count=1111', answer);
  const { request, response } = editExchange(original, newPseudonyms(salt, undefined));
  expect(decodeForm(request.body)).toEqual([
    ['day_close_request_id', alias('ABCDEFGH1')],
    ['sale_approved_count', '1111'],
  ]);
  expect(request.target).toBe(`/${alias('paynet')}/api/v2/close-day/${alias('1111')}`);
  const text = Buffer.from(response!.body).toString();
  expect(text).toHaveLength(answer.length);
  expect(text).toMatch(
    /^\{ "response":\{"gates":\[\{"gateId": \d{4},"epntId":"\d{4}","saleAmount":"1111"\}\]\},"theRequestSerialNumber":"[a-z]\\u00[45][0-9A-F]-\\"\d\\n"\}$/,
  );
  expect(JSON.parse(text).response.gates[0]).toMatchObject({ gateId: Number(alias('7101')), epntId: alias('1111') });
});

test('a host is replaced everywhere by a reserved name of the same length, but loopback hosts stay', () => {
  const pseudonyms = newPseudonyms(salt, undefined);
  const { request } = editExchange(exchange(''), pseudonyms);
  expect(request.host).toMatch(/^[a-p]+\.example:8443$/);
  expect(request.host).toHaveLength('gateway.bank.com:8443'.length);
  expect(request.headers[0]).toEqual(['Host', request.host]);
  // docs/how-to/share-evidence.md says that loopback hosts stay.
  for (const host of ['127.0.0.1:80', 'localhost:9441', '[::1]:9441']) expect(pseudonyms.host(host)).toBe(host);
  expect(pseudonyms.host('LocalHost:80')).toBe('LocalHost:80');
});

test('cookies and headers about proxies, addresses or requests are replaced, and equal values stay equal', () => {
  const proxies = 'Via Forwarded X-Forwarded-For X-Real-IP';
  const names = `Cookie ${proxies} X-Request-Id Correlation-ID traceparent`.split(' ');
  const canaryHeader = (name: string): [string, string] => [name, `canary-${name}.bank.com 10.20.30.40`];
  const original = exchange('');
  const request = { ...original.request, headers: [...original.request.headers, ...names.map(canaryHeader)] };
  const response = { ...original.response!, headers: [...names, 'Set-Cookie', 'X-Served-By'].map(canaryHeader) };
  const edited = editExchange({ ...original, request, response }, newPseudonyms(salt, undefined));
  expect(JSON.stringify(edited)).not.toMatch(/canary|bank\.com|10\.20\.30\.40/);
  expect(edited.response!.headers.slice(0, names.length)).toEqual(edited.request.headers.slice(-names.length));
  const hosts = ['localhost', '127.0.0.1:80', '[::1]', 'https://localhost:84'].map((host) => ['Origin', host] as const);
  const fromLoopback = { ...original, request: { ...original.request, headers: hosts } };
  expect(editExchange(fromLoopback, newPseudonyms(salt, undefined)).request.headers).toEqual(hosts);
});

test.describe('a signature', () => {
  const { publicKey, privateKey } = longShopKeys;
  const hmac = { method: 'HMAC-SHA1', consumerSecret: 'secret of the shop' } as const;
  const rsa = { method: 'RSA-SHA256', privateKey } as const;
  const keysOf = () => [hmac, { method: 'RSA-SHA256', publicKey } as const];
  const fields: Pair[] = [['day_close_request_id', 'ABCDEFGH1']];

  for (const key of [hmac, rsa]) {
    test(`of ${key.method} that was correct verifies with the published key`, () => {
      const original = signed(key, fields);
      expect(verifyRequest(original, keysOf)).toMatchObject({ ok: true });
      const copy = rekeyed(original);
      expect(copy.signed).toBe('right');
      const { consumerKey } = publishedIdentity;
      expect(verifyRequest(copy.request, publishedKeys)).toMatchObject({ ok: true, consumerKey });
    });

    test(`of ${key.method} with a known deviation has the same deviation in the copy`, () => {
      // The signature does not cover the body.
      const original = { ...signed(key, []), body: Buffer.from(encodeForm(fields)) };
      const again = rekeyed(original);
      expect(again.signed).toBe('same-fault');
      expect(verifyRequest(again.request, publishedKeys)).toMatchObject({ failure: 'bad-signature' });
      const { consumerSecret, publicKeyPem } = publishedIdentity;
      const published = { consumerSecret, publicKey: createPublicKey(publicKeyPem) };
      const ids = (request: SentRequest, keys: object) => autopsy(request, keys).deviations.map(({ id }) => id);
      const issued = { consumerSecret: hmac.consumerSecret, publicKey };
      expect(ids(again.request, published)).toEqual([ids(original, issued)[0]!]);
    });

    test(`of ${key.method} that no deviation explains is replaced by another wrong signature`, () => {
      const original = withSignature(signed(key, fields), (text) => sign(`a text other than ${text}`, key));
      const again = rekeyed(original);
      expect(again.signed).toBe('other-fault');
      expect(verifyRequest(again.request, publishedKeys)).toMatchObject({ failure: 'bad-signature' });
      const value = (request: SentRequest) => /oauth_signature="([^"]*)"/.exec(request.headers[0]![1])![1]!;
      expect(value(again.request)).not.toBe(value(original));
      expect(rekeyed(original).request).toEqual(again.request);
    });
  }

  test('is not added to an unsigned request', () => {
    expect(rekeyed({ ...exchange(encodeForm(fields)).request }).signed).toBe('unsigned');
  });

  test('in a body changes the length of the body and Content-Length', () => {
    const original = signed(hmac, fields);
    const credentials = original.headers[0]![1].replace('OAuth ', '').replaceAll('"', '').replaceAll(', ', '&');
    const body = Buffer.from(`${encodeForm(fields)}&${credentials}`);
    const length = ['content-length', String(body.length)] as const;
    const again = rekeyed({ ...original, headers: [length, original.headers[1]!], body });
    expect(again.signed).toBe('right');
    expect(again.request.headers[0]).toEqual(['content-length', String(again.request.body.length)]);
    expect(again.request.body.length).not.toBe(body.length);
  });

  function rekeyed(original: SentRequest) {
    const edited = editExchange({ request: original, startedAt: 0, durationMs: 0 }, newPseudonyms(salt, 'shop'));
    return signAgain(original, edited.request, { keysOf, issued: 'shop', salt });
  }
});

function signed(key: Parameters<typeof signRequest>[1]['key'], body: readonly Pair[]): SentRequest {
  const { request } = exchange(encodeForm(body));
  const fresh = { timestamp: '1700000000', nonce: 'n1' };
  const { authorization } = signRequest({ ...request, body }, { consumerKey: 'shop', key }, fresh);
  const headers = { Authorization: authorization, 'Content-Type': 'application/x-www-form-urlencoded' };
  return { ...request, headers: Object.entries(headers) };
}

function withSignature(request: SentRequest, change: (text: string) => string): SentRequest {
  const [[name, value], ...rest] = request.headers as [[string, string], ...[string, string][]];
  const written = value.replace(/(?<=oauth_signature=")[^"]*/, (text) => encodeURIComponent(change(text)));
  return { ...request, headers: [[name, written], ...rest] };
}

function exchange(body: string, answer = ''): Exchange {
  const host = 'gateway.bank.com:8443';
  const line = { method: 'POST', scheme: 'https', host, target: '/paynet/api/v2/close-day/1111' } as const;
  const response = { status: 200, reason: 'OK', headers: [], body: Buffer.from(answer) };
  const request = { ...line, headers: [['Host', host] as const], body: Buffer.from(body) };
  return { request, response, startedAt: 0, durationMs: 1 };
}

function csvIn(body: string): string {
  const value = body.slice(body.indexOf('=') + 1);
  let text = /^payload=[A-Za-z0-9+/=]*$/.test(body) ? value : decodeURIComponent(value.replaceAll('+', ' '));
  if (text.includes('%')) text = decodeURIComponent(text);
  if (/^[0-9a-f]+$/.test(text)) return Buffer.from(text, 'hex').toString();
  while (!text.startsWith('"')) text = Buffer.from(text, 'base64').toString();
  return text;
}
