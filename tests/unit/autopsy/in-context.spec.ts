/** What a request shows besides its signature changes what is said of it: its body, its address, its values, what the key opens. */
import { createHash, privateEncrypt, sign as signBytes } from 'node:crypto';
import { autopsy, deviationOf } from '../../../src/autopsy/index.ts';
import { percentEncode } from '../../../src/protocol/index.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';
import { signedWith } from './deviant.ts';
import { choiceOf, type Drawn, drawRequest, randomOf } from './drawn.ts';

const closeDay: Drawn = {
  ...drawRequest(choiceOf(randomOf(5)), 'HMAC-SHA1'),
  method: 'POST',
  scheme: 'https',
  host: '127.0.0.1:8443',
  target: '/api/v2/close-day/1',
  body: 'day_close_request_id=902B4FF5',
  tokenSecret: '',
};
const named = (drawn: Drawn, name: string, value: string): Drawn => ({
  ...drawn,
  credentials: drawn.credentials.map(([at, was]) => [at, at === name ? value : was]),
});
const recurring = named(
  { ...closeDay, target: '/api/v4/process-recurring-payments/1', body: 'payload=YTtiCg%3D%3D' },
  'oauth_signature_method',
  'RSA-SHA256',
);
const keys = { consumerSecret: closeDay.consumerSecret, publicKey: shopKeys.publicKey };
const examine = (drawn: Drawn, ...ids: Parameters<typeof deviationOf>[0][]) =>
  autopsy(
    signedWith(
      drawn,
      ids.map((id) => deviationOf(id)),
      shopKeys.privateKey,
    ),
    keys,
    { limits: { depth: 1 } },
  );

for (const [kind, body] of [
  ['JSON', '{"day_close_request_id":"902B4FF5"}'],
  ['XML', '<a b="c"/>'],
  ['a multipart body', '--x\r\nContent-Disposition: form-data; name="payload"\r\n\r\ny\r\n--x--'],
  ['base64 without a name before it', 'ImNsaWVudC1vcmRlcmlkIjsi'],
  ['9 bytes without =', 'some text'],
] as const) {
  test(`a body that is ${kind} comes before the signature, and its fix is no advice on signing`, () => {
    for (const drawn of [closeDay, recurring]) {
      const found = examine({ ...drawn, body }, 'body-left-out');
      expect(found.malformations[0]).toMatchObject({
        id: expect.stringMatching(/body-is-form|payload-only/),
        actual: kind,
      });
      expect(found.deviations.map(({ fix }) => fix)).toEqual([expect.stringContaining('as a form first')]);
    }
  });
}

test('an empty body is said, with the fields that are in the query', () => {
  const found = examine({ ...closeDay, body: '', target: `${closeDay.target}?day_close_request_id=9` });
  expect(found.facts.map(({ text }) => text)).toContain(
    'The body is empty. The operation takes a form in the body, not in the query (day_close_request_id).',
  );
});

for (const [target, id] of [
  [`${closeDay.target}?q=x`, 'query-left-out'],
  [`${closeDay.target}/`, 'trailing-slash-cut'],
] as const) {
  test(`${id}: what the operation has not may come from a proxy`, () => {
    expect(examine({ ...closeDay, target }, id).deviations).toMatchObject([
      { id, fix: expect.stringContaining('proxy') },
    ]);
    const other = examine({ ...closeDay, target: target.replace('close-day', 'other') }, id);
    expect(other.deviations[0]?.fix).not.toContain('proxy');
  });
}

for (const [value, says] of [
  ['{{nonce}}', 'placeholder'],
  ['$'.concat('{__time()}'), 'placeholder'],
  ['<timestamp>', 'placeholder'],
  ['%NONCE%', 'placeholder'],
  ['$NONCE', 'placeholder'],
  ['undefined', 'no value'],
  ['[object Object]', 'no value'],
  ['\u06f1\u06f7\u06f9', 'another script'],
] as const) {
  test(`${value} in place of a value is said to be so, and what to do fits`, () => {
    const about = (drawn: Drawn) => examine(drawn).facts.filter(({ id }) => id === 'odd-value');
    expect(about(named(closeDay, 'oauth_nonce', value))).toMatchObject([{ text: expect.stringContaining(says) }]);
    expect(about({ ...recurring, body: `payload=${percentEncode(value)}` })).toHaveLength(1);
    const [fault] = examine(named(closeDay, 'oauth_timestamp', value)).malformations;
    expect(fault).toMatchObject({ id: 'authentication/timestamp-seconds', actual: expect.stringContaining(says) });
    expect(fault?.fix).not.toContain('milliseconds');
  });
}

test('raw + and = in a body say that it was not encoded, so the signer did not sign an encoded one', () => {
  const ids = (body: string) => {
    const { deviations, alternatives = [] } = examine({ ...recurring, body }, 'plus-not-escaped-in-body');
    return [deviations.map(({ id }) => id), ...alternatives].flat();
  };
  expect(ids('payload=YT+iCg==')[0]).toBe('plus-not-escaped-in-body');
  expect(ids('payload=YT+i/g')[0]).toBe('plus-not-escaped-in-body');
});

const base = autopsy(signedWith(recurring, [], shopKeys.privateKey), keys).baseString;
const sha256 = createHash('sha256').update(base).digest();
const opened = (bytes: Buffer) => privateEncrypt(shopKeys.privateKey, bytes);
const signed = (text: string) => signBytes('sha256', Buffer.from(text), shopKeys.privateKey);
for (const [says, signature] of [
  ['SHA256 digest of the base string as hex text', opened(Buffer.from(sha256.toString('hex')))],
  ['SHA256 digest of the base string as hex text', opened(Buffer.from(sha256.toString('hex').toUpperCase()))],
  ['SHA256 digest of the base string as base64 text', opened(Buffer.from(sha256.toString('base64')))],
  ['SHA256 digest of another text as hex text', opened(Buffer.from('ab'.repeat(32)))],
  [
    'SHA256 digest under the name of SHA1',
    opened(Buffer.concat([Buffer.from('3021300906052b0e03021a05000414', 'hex'), sha256])),
  ],
  [
    'a text like a base string, but not the right one, encrypted without a hash',
    opened(Buffer.from('POST&https%3A%2F%2Fx&y')),
  ],
  ['What was signed is the base string in base64', signed(Buffer.from(base).toString('base64'))],
] as const) {
  test(`inside an RSA signature: ${says} (${signature.toString('hex', 0, 3)})`, () => {
    const request = signedWith(recurring, [], shopKeys.privateKey);
    const text = encodeURIComponent(signature.toString('base64'));
    const headers = request.headers.map(
      ([name, value]) => [name, value.replace(/oauth_signature="[^"]*"/, `oauth_signature="${text}"`)] as const,
    );
    const found = autopsy({ ...request, headers }, keys, { limits: { depth: 1 } });
    expect(found.facts.map((fact) => fact.text).join()).toContain(says);
  });
}

test('inside an RSA signature: the base string itself, where the key has room for it', () => {
  const tiny: Drawn = { ...recurring, host: 'a', body: 'payload=', credentials: recurring.credentials.slice(0, 3) };
  const request = signedWith(tiny, [], shopKeys.privateKey);
  const whole = autopsy(request, keys, { limits: { depth: 0 } }).baseString;
  expect(whole.length).toBeLessThan(246);
  const text = encodeURIComponent(opened(Buffer.from(whole)).toString('base64'));
  const headers = request.headers.map(
    ([name, value]) => [name, value.replace(/oauth_signature="[^"]*"/, `oauth_signature="${text}"`)] as const,
  );
  const { facts } = autopsy({ ...request, headers }, keys, { limits: { depth: 1 } });
  expect(facts.map((fact) => fact.text).join()).toContain('Inside is the base string, encrypted without a hash');
});
