/** Redaction: a secret leaves an exchange in each of its forms, and everything else stays as it was. */
import assert from 'node:assert/strict';
import { createPublicKey, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { percentEncode } from '../../../src/protocol/index.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { redactorFor, scan } from '../../../src/run/secrets/scan.ts';
import { type Secret, secretKey, secretText, standInFor } from '../../../src/run/secrets/secret.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';
import { anyCharacter } from '../any-character.ts';
import { encodings } from './leak-scan-encodings.ts';

const secret = 'c4nary/+&=% "quoted" \\ <ü> of the test';

function exchangeWith(text: string): Exchange {
  const body = Buffer.from(`before ${text} behind`, 'utf8');
  return {
    request: {
      method: 'POST',
      scheme: 'https',
      host: 'gateway.example',
      target: `/paynet/api/v2/close-day/1?x=${text}`,
      headers: [
        ['Authorization', `OAuth oauth_token="${text}"`],
        ['Content-Length', String(body.length)],
      ],
      body,
    },
    response: { status: 200, reason: text, headers: [['X-Echo', text]], body },
    failure: { kind: 'malformed', message: `it said ${text}` },
    startedAt: 1_700_000_000_000,
    durationMs: 1,
  };
}

test('a secret is taken out of each part of an exchange, whatever its encoding', () => {
  const secrets = [secretText('the secret', secret)];
  const found = (exchange: Exchange) => scan([{ name: 'exchange', bytes: asBytes(exchange) }], secrets).length;
  for (const [name, encode] of Object.entries(encodings)) {
    const given = exchangeWith(encode(secret));
    const redacted = redactorFor(secrets).exchange(given);
    expect([found(given), found(redacted)], name).toEqual([1, 0]);
    expect(redacted.request.body.length).toBe(given.request.body.length);
    expect(Buffer.from(redacted.response!.body).toString()).toMatch(/^before .* behind$/s);
    expect(Object.keys(redacted)).toEqual(Object.keys(given));
  }
});

test('a stand-in has the length and the class of the secret, in UTF-8 too', () => {
  expect(standInFor('aZ9 -~!\'*()"&/+ü中😀')).toBe('xX0 -~!\'*!!"&//é中\u{20000}');
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      assert.equal(Buffer.byteLength(standInFor(text)), Buffer.byteLength(text));
      assert.equal(percentEncode(wellFormed(standInFor(text))).length, percentEncode(wellFormed(text)).length);
    }),
  );
});

test('no secret of whatever characters is found any more, wherever it was', () => {
  const texts = fc
    .string({ unit: 'grapheme', minLength: 16, maxLength: 40 })
    .filter((text) => text === wellFormed(text));
  fc.assert(
    fc.property(
      texts,
      fc.string({ maxLength: 9 }),
      fc.constantFrom(...Object.values(encodings)),
      (text, start, encode) => {
        // A secret of marks alone has no like: the scan stops a run that would show one.
        fc.pre(standInFor(text) !== text);
        const secrets = [secretText('the secret', text)];
        const bytes = Buffer.from(`${start}${encode(text)}${start}`, 'utf8');
        const redacted = redactorFor(secrets).bytes(bytes);
        assert.equal(redacted.length, bytes.length);
        assert.deepEqual(scan([{ name: 'f', bytes: redacted }], secrets), []);
      },
    ),
    { numRuns: process.env.MUTATIONS === undefined ? 25 : 100 },
  );
});

test.describe('a private key', () => {
  const key = shopKeys.privateKey;
  let secrets: readonly Secret[] = [];
  test.beforeAll(() => {
    secrets = [secretKey('the private key', key)];
  });
  const der = (type: 'pkcs1' | 'pkcs8') => key.export({ type, format: 'der' });
  const inLines = (columns: number) =>
    der('pkcs8')
      .toString('base64')
      .replace(new RegExp(`.{${columns}}`, 'g'), '$&\n');
  const forms: Readonly<Record<string, Buffer>> = {
    'PKCS #8': pem(key, 'pkcs8'),
    'PKCS #1': pem(key, 'pkcs1'),
    'in one line of base64': Buffer.from(der('pkcs8').toString('base64')),
    'in lines of 76': Buffer.from(inLines(76)),
    'in lines of 61': Buffer.from(inLines(61)),
    DER: der('pkcs1'),
    'in hex': Buffer.from(der('pkcs8').toString('hex')),
    'in JSON': Buffer.from(JSON.stringify({ key: pem(key, 'pkcs8').toString() })),
    'in JSON inside of JSON with / escaped': Buffer.from(
      JSON.stringify(JSON.stringify(pem(key, 'pkcs8').toString()).replaceAll('/', '\\/')),
    ),
    'percent-encoded': Buffer.from(percentEncode(pem(key, 'pkcs1').toString())),
  };

  test('is taken out of each of its forms, and only what is private in it', () => {
    for (const [name, bytes] of Object.entries(forms)) {
      expect(scan([{ name, bytes }], secrets)).toEqual([{ file: name, secret: 'the private key' }]);
      const redacted = redactorFor(secrets).bytes(bytes);
      expect(scan([{ name, bytes: redacted }], secrets)).toEqual([]);
      expect(redacted).toHaveLength(bytes.length);
    }
  });

  test('leaves JSON valid that escapes its slashes', () => {
    const json = JSON.stringify({ key: pem(key, 'pkcs8').toString() }).replaceAll('/', '\\/');
    const redacted = redactorFor(secrets).text(json);
    expect(JSON.parse(redacted).key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(scan([{ name: 'json', bytes: Buffer.from(redacted) }], secrets)).toEqual([]);
  });

  test('shows nothing by its public half', () => {
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
    expect(redactorFor(secrets).text(publicKey)).toBe(publicKey);
  });
});

function pem(key: KeyObject, type: 'pkcs1' | 'pkcs8'): Buffer {
  return Buffer.from(key.export({ type, format: 'pem' }).toString());
}

function asBytes(exchange: Exchange): Buffer {
  const { request, response } = exchange;
  return Buffer.concat([Buffer.from(JSON.stringify(exchange)), request.body, response!.body]);
}

function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
