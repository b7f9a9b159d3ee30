/** The fast path signs and verifies as the reference does: of as many drawn requests as MUTATIONS asks for. signature.spec.ts has the vectors. */

import {
  encodeForm,
  newQuickSigner,
  newQuickVerifier,
  type Pair,
  type SigningKey,
  signRequest,
  type VerifyingKey,
  verifyRequest,
  type WireRequest,
} from '../../../src/protocol/index.ts';
import { diceFrom } from '../../dice.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';

/** 100,000 where all mutations are drawn, in a few seconds of the processor; a million with MUTATIONS=1000000. */
const count = Number(process.env.MUTATIONS ?? 2_000);

const shared = { method: 'HMAC-SHA1', consumerSecret: 'secret of a shop & more' } as const;
const { privateKey, publicKey } = shopKeys;

test('a request signed on the fast path has the header of the reference, and verifies as there', () => {
  const draw = drawn(7);
  const wrong: string[] = [];
  const lookup = (consumerKey: string): readonly VerifyingKey[] | undefined =>
    consumerKey === 'unknown' ? undefined : [shared, { method: 'RSA-SHA256', publicKey }];
  const verify = newQuickVerifier(lookup);
  let verified = 0;
  for (let at = 0; at < count; ) {
    const request = { method: 'POST', scheme: 'http', host: 'shop.example:8080', target: draw.target() };
    const credentials = { consumerKey: draw.text(), key: shared };
    const sign = newQuickSigner(request, credentials);
    // One signer signs many bodies: what it remembers of names must not outlive them.
    for (let same = 0; same < 20; same++, at++) {
      const body = draw.body();
      const fresh = { timestamp: same === 19 ? draw.text() : '1700000000', nonce: draw.text() };
      const authorization = sign(body, fresh);
      if (authorization !== signRequest({ ...request, body }, credentials, fresh).authorization)
        wrong.push(authorization);
      if (same % 4 !== 0) continue;
      const sent = draw.altered(request, body, authorization);
      const { steps: _, ...told } = verifyRequest(sent, lookup);
      const { steps: __, ...quick } = verify(sent) as ReturnType<typeof verifyRequest>;
      if (JSON.stringify(told) !== JSON.stringify(quick)) wrong.push(JSON.stringify([sent, told, quick]));
      if (told.ok) verified += 1;
    }
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  // Neither nearly all nor hardly any of them are right, or one half of the comparison would be empty.
  expect(verified).toBeGreaterThan(count / 40);
  expect(verified).toBeLessThan(count / 5);
});

test('an RSA signature of a payload, short or of several pieces, is that of the reference', () => {
  const request = { method: 'POST', scheme: 'https', host: 'shop.example', target: '/api/v4/x/1111' };
  const credentials: { consumerKey: string; key: SigningKey } = {
    consumerKey: 'shop',
    key: { method: 'RSA-SHA256', privateKey },
  };
  const sign = newQuickSigner(request, credentials);
  const fresh = { timestamp: '1700000000', nonce: 'n' };
  const bytes = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * 151 + (at >> 5)) & 255));
  const payloads = [3, 4, 5000, 49_152, 49_153, 200_000].map((length) => bytes(length).toString('base64'));
  // Not base64, at its end or everywhere.
  payloads.push(`${payloads[4]} `, '%&=+/'.repeat(3000), 'ключ €'.repeat(20_000));
  const differing = payloads.filter((payload) => {
    const body: Pair[] = [['payload', payload]];
    return sign(body, fresh) !== signRequest({ ...request, body }, credentials, fresh).authorization;
  });
  expect(differing.map((payload) => payload.slice(0, 20))).toEqual([]);
});

/** Everything from one seed. */
function drawn(seed: number) {
  const { below: next, of } = diceFrom(seed);
  const plain = ['', 'a', 'b1', '1042.50', 'A1B2C3D4E5F6A7B8', 'oauth_nonce', 'x'.repeat(70)];
  const odd = ['%', '+ /', 'a=b&c', 'é€😀', '\udc80\udcff', '%2B', '~-._', '"\\', '\0', 'oauth_x'];
  const text = (): string => (next(3) > 0 ? of(plain) : of(odd) + of(plain));
  const usual = ['day_close_request_id', 'sale_approved_count', 'sale_approved_sum', 'reversal_approved_count'];
  const body = (): Pair[] => {
    const names = next(2) === 0 ? usual : Array.from({ length: next(5) }, text);
    return names.map((name): Pair => [name, text()]);
  };
  const changes: ((header: string) => string)[] = [
    (header) => header.replaceAll(', ', of([',', ' , ', ',  ', ', ,'])),
    (header) => header.replace('OAuth ', of(['oauth ', 'OAuth  ', 'Basic ', 'OAuth realm="a b\\"c", '])),
    (header) => header.replace(/oauth_version="1.0",? ?/, of(['', 'oauth_version="1.1", ', 'oauth_token="", '])),
    (header) => header.replace(/nonce="[^"]*"/, of(['nonce=""', 'nonce="%zz"', 'nonce="%c3%a9"', 'nonce="\\x"'])),
    (header) => header.replace(/signature="(.)/, of(['signature="A', 'signature="%41', 'signature="'])),
    (header) => header.replace('%3D"', of(['="', '%3d"', '"', '%3D", '])),
    (header) => header.replace('HMAC-SHA1', of(['HMAC-SHA256', 'RSA-SHA256', ''])),
    (header) => `${header}, oauth_${of(['nonce', 'extra', 'token'])}="1"`,
    (header) => header.replace(/consumer_key="[^"]*"/, 'consumer_key="unknown"'),
  ];
  const forms: ((form: string) => string)[] = [
    (form) => form.replace('=', of(['', '==', '=%3d', '%3D'])),
    (form) => `${of(['&', '=&', '&&'])}${form}&`,
    (form) => form.replaceAll('%2', '%252'),
    (form) => form.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  ];
  return {
    text,
    body,
    target: () => of(['/api/v2/close-day/1111', '/', '/a?b=c', '/?sale_approved_sum=1&%zz', '/ü']),
    /** The request as sent: in half of the cases as it is, in the others with something changed that may or may not matter. */
    altered: (
      request: Pick<WireRequest, 'method' | 'scheme' | 'host' | 'target'>,
      pairs: readonly Pair[],
      authorization: string,
    ): WireRequest => {
      const form = encodeForm(pairs);
      const headers: [string, string][] = [
        [
          'Content-Type',
          of([
            ...Array(9).fill('application/x-www-form-urlencoded'),
            'application/x-www-form-urlencoded; a=b',
            'text/plain',
          ]),
        ],
        [of(['Authorization', 'authorization']), next(2) === 0 ? authorization : of(changes)(authorization)],
      ];
      if (next(30) === 0) headers.push(['Authorization', 'OAuth']);
      const body = Buffer.from(next(3) > 0 ? form : of(forms)(form), next(9) === 0 ? 'latin1' : 'utf8');
      return { ...request, headers, body };
    },
  };
}
