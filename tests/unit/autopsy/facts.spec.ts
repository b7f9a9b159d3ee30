/** Facts about a request, and malformations of its form. */
import { createHash, createHmac, privateEncrypt, sign as signBytes } from 'node:crypto';
import { type AutopsyKeys, autopsy } from '../../../src/autopsy/autopsy.ts';
import { deviationOf } from '../../../src/autopsy/index.ts';
import { type Pair, percentEncode, type WireRequest } from '../../../src/protocol/index.ts';
import { expect, test } from '../../engine.ts';
import { otherShopKeys, shopKeys } from '../../keys/index.ts';
import { choiceOf, type Draft, drawRequest, plainRequest, signWith, withHeader } from './drawn.ts';

const rsa = shopKeys;
const drawn = drawRequest(choiceOf(5), 'HMAC-SHA1');
const closeDay: Draft = {
  ...drawn,
  method: 'POST',
  // A host without letters has no other spellings to try.
  host: '127.0.0.1:8443',
  target: '/api/v2/close-day/1',
  body: 'day_close_request_id=902B4FF5',
  credentials: drawn.credentials.filter(([name]) => name !== 'oauth_token'),
  tokenSecret: '',
};
const keys = { consumerSecret: closeDay.consumerSecret, publicKey: rsa.publicKey };
const shallow = { limits: { depth: 1 } };

const changed = (change: (header: string) => string, from = closeDay) =>
  withHeader(signWith(from, [], rsa.privateKey), change);

function factsOf(request: WireRequest, autopsyKeys: AutopsyKeys = keys): string[] {
  return autopsy(request, autopsyKeys, shallow).facts.map(({ id }) => id);
}

test('a right request has no facts', () => {
  expect(factsOf(changed((header) => header))).toEqual([]);
});

const headers: readonly (readonly [fact: string, change: (header: string) => string])[] = [
  ['missing-header', () => ''],
  ['missing-parameter', (header) => header.replace(/oauth_nonce="[^"]*", /, '')],
  ['version-missing', (header) => header.replace(/oauth_version="1.0", /, '')],
  ['empty-token', (header) => `${header}, oauth_token=""`],
  ['other-parameters-in-header', (header) => `${header}, day_close_request_id="902B4FF5"`],
  ['other-parameters-in-header', (header) => header.replace('oauth_nonce', 'oauth_nonse')],
  ['escape-left-in-value', (header) => header.replace(/oauth_nonce="/, '$&%252F')],
  ['tolerated', (header) => header.replace(/%3D"/, '%3d"')],
  ['tolerated', (header) => header.replace('OAuth', 'oauth')],
  ['body-hash-sent', (header) => `${header}, oauth_body_hash="x"`],
  ['unknown-method', (header) => header.replace('HMAC-SHA1', 'HMAC-SHA3')],
  ['not-base64', (header) => header.replace(/oauth_signature="[^"]*"/, 'oauth_signature="%21%21"')],
  ['hmac-length', (header) => header.replace(/oauth_signature="[^"]*"/, 'oauth_signature="aGVsbG8%3D"')],
];

test('each oddity of a header is stated', () => {
  for (const [fact, change] of headers) expect(factsOf(changed(change)), String(change)).toContain(fact);
});

test('a body of another type is stated, and a space in payload', () => {
  expect(factsOf(signWith({ ...closeDay, contentType: 'application/json' }, []))).toEqual(['body-is-no-form']);
  expect(factsOf(signWith({ ...closeDay, body: 'payload=a+b' }, []))).toEqual(['space-in-payload']);
  expect(factsOf(signWith({ ...closeDay, body: 'a=b\n' }, []))).toEqual(['body-ends-with-newline']);
});

test('without the key that the method needs nothing is tried', () => {
  const found = autopsy(signWith(closeDay, []), {});
  expect(found).toMatchObject({ verified: false, deviations: [], triedCount: 0 });
  expect(found.facts.map(({ id }) => id)).toEqual(['no-key']);
});

test('an autopsy of a very long request computes few ways to sign, and names the reason', () => {
  const long = signWith({ ...closeDay, body: `day_close_request_id=${'日'.repeat(5_000)}` }, []);
  const wrong = withHeader(long, (header) => header.replace(/oauth_nonce="/, '$&x'));
  const bounded = autopsy(wrong, keys, { limits: { depth: 1, work: 500_000 } });
  expect(bounded.facts.map(({ id }) => id)).toContain('too-long-to-search');
  expect(bounded.triedCount).toBeGreaterThan(5);
  expect(bounded.triedCount).toBeLessThan(100);
  const whole = autopsy(wrong, keys, shallow);
  expect(whole.facts.map(({ id }) => id)).not.toContain('too-long-to-search');
  expect(whole.triedCount).toBeGreaterThan(150);
});

test('of more than 200,000 parameters only the right way to sign is computed', { tag: '@all' }, () => {
  const many = signWith({ ...closeDay, body: 'a&'.repeat(200_001) }, []);
  expect(autopsy(many, keys, shallow)).toMatchObject({ signature: 'right', triedCount: 1 });
  const wrong = autopsy({ ...many, body: Buffer.from('a&'.repeat(200_002)) }, keys, shallow);
  expect(wrong.facts.map(({ id }) => id)).toContain('too-long-to-search');
  expect(wrong).toMatchObject({ signature: 'wrong', triedCount: 1, deviations: [] });
});

test('the size of the text that each way to sign encodes again is counted', () => {
  const body = Array.from({ length: 60 }, (_, at) => `a${at}=${'%21x'.repeat(1000)}`).join('&');
  const wrong = { ...signWith({ ...closeDay, body }, []), body: Buffer.from(`${body}x`) };
  const limits = { depth: 1, work: 11_000_000 };
  expect(autopsy(wrong, keys, { limits }).facts.map(({ id }) => id)).toContain('too-long-to-search');
});

const recurring: Draft = {
  ...closeDay,
  target: '/api/v4/process-recurring-payments/1',
  credentials: closeDay.credentials.map(([name, value]) => [name, name.endsWith('method') ? 'RSA-SHA256' : value]),
};

const batch: Draft = { ...recurring, body: 'payload=YTtiCg%3D%3D' };

/** The autopsy of a recurring request with this signature. */
function signedBy(signature: Buffer, from = recurring) {
  const text = encodeURIComponent(signature.toString('base64'));
  const request = changed((header) => header.replace(/oauth_signature="[^"]*"/, `oauth_signature="${text}"`), from);
  return autopsy(request, keys, shallow);
}

const textsOf = ({ facts }: ReturnType<typeof signedBy>) => facts.map(({ text }) => text).join();

const inside: readonly (readonly [fact: string, signature: Buffer])[] = [
  ['key-does-not-match', signBytes('sha256', Buffer.from('x'), otherShopKeys.privateKey)],
  ['key-does-not-match', Buffer.alloc(256, 7)],
  ['key-does-not-match', Buffer.alloc(256, 0xff)],
  ['rsa-length', Buffer.alloc(128, 7)],
  ['rsa-length', createHmac('sha256', 'x').update('y').digest()],
  ['other-digest', signBytes('sha1', Buffer.from('x'), rsa.privateKey)],
  ['other-digest', signBytes('sha512', Buffer.from('x'), rsa.privateKey)],
  ['no-digest-inside', privateEncrypt(rsa.privateKey, Buffer.from('no digest'))],
  ['inside', privateEncrypt(rsa.privateKey, Buffer.from('ab'.repeat(32)))],
  ['digest-info-missing', privateEncrypt(rsa.privateKey, Buffer.alloc(32, 7))],
  ['key-matches', signBytes('sha256', Buffer.from('x'), rsa.privateKey)],
];

for (const [index, [fact, signature]] of inside.entries()) {
  test(`${fact} is stated of RSA signature ${index + 1}, and nothing is named`, () => {
    const found = signedBy(signature);
    expect(found.facts.map(({ id }) => id)).toEqual([fact]);
    expect(found).toMatchObject({ verified: false, deviations: [] });
  });
}

test('a signature of another length is reported with the key size that gives this length', () => {
  expect(textsOf(signedBy(Buffer.alloc(512, 7)))).toContain('This one has 512, as for a key of 4096 bits.');
  expect(textsOf(signedBy(Buffer.alloc(300, 7)))).not.toContain('bits');
});

const withPair = (drawn: Draft, name: string, value: string): Draft => ({
  ...drawn,
  credentials: drawn.credentials.map(([at, was]) => [at, at === name ? value : was]),
});
const examine = (drawn: Draft, ...ids: Parameters<typeof deviationOf>[0][]) => {
  const deviations = ids.map((id) => deviationOf(id));
  return autopsy(signWith(drawn, deviations, rsa.privateKey), keys, shallow);
};

for (const [kind, body] of [
  ['JSON', '{"day_close_request_id":"902B4FF5"}'],
  ['XML', '<a b="c"/>'],
  ['a multipart body', '--x\r\nContent-Disposition: form-data; name="payload"\r\n\r\ny\r\n--x--'],
  ['base64 without a name before it', 'ImNsaWVudC1vcmRlcmlkIjsi'],
  ['9 bytes without =', 'some text'],
] as const) {
  test(`a body that is ${kind} comes before the signature, and its fix is no advice on signing`, () => {
    for (const drawn of [closeDay, batch]) {
      const found = examine({ ...drawn, body }, 'body-left-out');
      expect(found.malformations[0]).toMatchObject({
        id: expect.stringMatching(/body-is-form|payload-only/),
        actual: kind,
      });
      expect(found.deviations.map(({ fix }) => fix)).toEqual([expect.stringContaining('as a form first')]);
    }
  });
}

test('an empty body is reported, with the fields in the query', () => {
  const found = examine({ ...closeDay, body: '', target: `${closeDay.target}?day_close_request_id=9` });
  expect(found.facts.map(({ text }) => text)).toContain(
    'The body is empty. The operation needs a form in the body, not in the query (day_close_request_id).',
  );
});

for (const [target, id] of [
  [`${closeDay.target}?q=x`, 'query-left-out'],
  [`${closeDay.target}/`, 'trailing-slash-cut'],
] as const) {
  test(`${id}: an extra part that the operation does not have may come from a proxy`, () => {
    expect(examine({ ...closeDay, target }, id).deviations).toMatchObject([
      { id, fix: expect.stringContaining('proxy') },
    ]);
    const other = examine({ ...closeDay, target: target.replace('close-day', 'other') }, id);
    expect(other.deviations[0]?.fix).not.toContain('proxy');
  });
}

for (const [value, text] of [
  ['{{nonce}}', 'placeholder'],
  ['$'.concat('{__time()}'), 'placeholder'],
  ['<timestamp>', 'placeholder'],
  ['%NONCE%', 'placeholder'],
  ['$NONCE', 'placeholder'],
  ['undefined', 'missing value'],
  ['[object Object]', 'missing value'],
  ['\u06f1\u06f7\u06f9', 'another script'],
] as const) {
  test(`${value} is reported as no value, with a fitting fix`, () => {
    const about = (drawn: Draft) => examine(drawn).facts.filter(({ id }) => id === 'odd-value');
    expect(about(withPair(closeDay, 'oauth_nonce', value))).toMatchObject([{ text: expect.stringContaining(text) }]);
    expect(about({ ...batch, body: `payload=${percentEncode(value)}` })).toHaveLength(1);
    const [fault] = examine(withPair(closeDay, 'oauth_timestamp', value)).malformations;
    expect(fault).toMatchObject({ id: 'authentication/timestamp-seconds', actual: expect.stringContaining(text) });
    expect(fault?.fix).not.toContain('milliseconds');
  });
}

test('raw + and = in a body say that it was not encoded, so the signer did not sign an encoded one', () => {
  for (const body of ['payload=YT+iCg==', 'payload=YT+i/g']) {
    const [first] = examine({ ...batch, body }, 'plus-not-escaped-in-body').deviations;
    expect(first?.id).toBe('plus-not-escaped-in-body');
  }
});

const base = autopsy(signWith(batch, [], rsa.privateKey), keys).baseString;
const sha256 = createHash('sha256').update(base).digest();
const opened = (bytes: Buffer) => privateEncrypt(rsa.privateKey, bytes);
const signed = (text: string) => signBytes('sha256', Buffer.from(text), rsa.privateKey);
for (const [says, signature] of [
  ['SHA256 digest of the base string as hex text', opened(Buffer.from(sha256.toString('hex')))],
  ['SHA256 digest of the base string as hex text', opened(Buffer.from(sha256.toString('hex').toUpperCase()))],
  ['SHA256 digest of the base string as base64 text', opened(Buffer.from(sha256.toString('base64')))],
  ['SHA256 digest of another text as hex text', opened(Buffer.from('ab'.repeat(32)))],
  [
    'SHA256 digest, but declares SHA1',
    opened(Buffer.concat([Buffer.from('3021300906052b0e03021a05000414', 'hex'), sha256])),
  ],
  ['a wrong base string, encrypted without a hash', opened(Buffer.from('POST&https%3A%2F%2Fx&y'))],
  ['The client signed the base string in base64', signed(Buffer.from(base).toString('base64'))],
] as const) {
  test(`inside an RSA signature: ${says} (${signature.toString('hex', 0, 3)})`, () => {
    expect(textsOf(signedBy(signature, batch))).toContain(says);
  });
}

test('inside an RSA signature: the base string itself, where the key has room for it', () => {
  const tiny: Draft = { ...batch, host: 'a', body: 'payload=', credentials: batch.credentials.slice(0, 3) };
  const whole = autopsy(signWith(tiny, [], rsa.privateKey), keys, { limits: { depth: 0 } }).baseString;
  expect(whole.length).toBeLessThan(246);
  const found = signedBy(opened(Buffer.from(whole)), tiny);
  expect(textsOf(found)).toContain('The signature contains the base string, encrypted without a hash');
});

const { consumerSecret, target: plainTarget } = plainRequest;
const credentials: readonly Pair[] = [
  ['oauth_consumer_key', 'shop & co'],
  ['oauth_signature_method', 'HMAC-SHA1'],
  ['oauth_timestamp', '1700000000'],
  ['oauth_nonce', 'n/+ce'],
  ['oauth_version', '1.0'],
];

/** A request with a right signature, and a changed header. */
const request = (change: (header: string) => string, drafted: Partial<Draft> = {}) =>
  withHeader(signWith({ ...plainRequest, credentials, ...drafted }, []), change);

const asPrinted = (header: string): string => header;

/** The credentials with `instead` in place of one of them. */
function but(name: string, ...instead: readonly Pair[]): readonly Pair[] {
  return credentials.flatMap((pair) => (pair[0] === name ? instead : [pair]));
}

/** The malformations of a request with a right signature. */
function brokenBy(one: WireRequest, tokenSecret?: string): string[] {
  const keys = { consumerSecret, ...(tokenSecret === undefined ? {} : { tokenSecret }) };
  const { signature, verified, deviations, malformations } = autopsy(one, keys, { limits: { depth: 1 } });
  expect([signature, deviations, verified]).toEqual(['right', [], malformations.length === 0]);
  return malformations.map(({ id }) => id.replace('authentication/', ''));
}

const raw = (name: string) => (header: string) =>
  header.replace(new RegExp(`(${name}=")([^"]*)`), (_, before, value) => before + decodeURIComponent(value));

const unquoted = (header: string) => header.replaceAll('"', '');
const malformed: readonly (readonly [ids: readonly string[], change: (header: string) => string])[] = [
  [['header-values-encoded'], raw('oauth_signature')],
  [['header-scheme'], (header) => header.replace('OAuth ', '')],
  [['header-scheme', 'header-values-encoded'], (header) => unquoted(header).replaceAll(', ', '; ')],
];

test('a right signature in a header of another form is malformed at any path', () => {
  for (const [ids, change] of malformed) {
    expect(brokenBy(request(change))).toEqual(ids);
    expect(brokenBy(request(change, { target: '/other/path' }))).toEqual(ids);
  }
});

const method: Pair = ['oauth_signature_method', 'HMAC-SHA1'];
const ofOperations: readonly (readonly [id: string, drafted: Partial<Draft>])[] = [
  ['header-parameters', { credentials: but('oauth_version') }],
  ['header-parameters', { credentials: [...credentials, ['oauth_token', 'not issued']] }],
  ['version', { credentials: but('oauth_version', ['oauth_version', '1.0a']) }],
  ['parameters-only-in-header', { body: 'oauth_nonce=n' }],
  ['recurring-method', { target: '/api/v4/process-recurring-payments/1' }],
  ['close-day/content-type-sent', { contentType: 'text/plain' }],
  ['close-day/body-is-form', { body: '' }],
  ['close-day/method', { method: 'GET' }],
  ['close-day/path', { target: `${plainTarget}?trace=1` }],
];

test('a right signature in a request that breaks a rule of the operations is malformed', () => {
  for (const [id, drafted] of ofOperations)
    expect(brokenBy(request(asPrinted, drafted)), JSON.stringify(drafted)).toEqual([id]);
});

test('requests of neither operation need only follow RFC 5849', () => {
  const target = '/other/path';
  const extra = Object.entries({ oauth_token: 'x', oauth_callback: 'oob' });
  expect(brokenBy(request(asPrinted, { target, credentials: [...but('oauth_version'), ...extra] }))).toEqual([]);
  expect(brokenBy(request(asPrinted, { target, contentType: 'application/json' }))).toEqual([]);
  expect(brokenBy(request(asPrinted, { target, credentials: but('oauth_nonce') }))).toEqual(['missing-parameter']);
  expect(brokenBy(request(asPrinted, { target, credentials: [...credentials, method] }))).toEqual([
    'repeated-parameter',
  ]);
});

test('an issued token, a realm and an empty token are not malformed', () => {
  const withToken = (token: string) => request(asPrinted, { credentials: [...credentials, ['oauth_token', token]] });
  expect(brokenBy(withToken('x'), '')).toEqual([]);
  expect(brokenBy(withToken(''))).toEqual([]);
  expect(brokenBy(request(asPrinted, { realm: 'shop' }))).toEqual([]);
});

test('a second Authorization header is malformed', () => {
  const one = request(asPrinted);
  expect(brokenBy({ ...one, headers: [...one.headers, ['authorization', 'OAuth a="b"']] })).toEqual(['header-scheme']);
});

test('credentials that moved into the body are malformed for the operations, and in order elsewhere', () => {
  const moved = (one: WireRequest): WireRequest => {
    const pairs = one.headers[2]![1].slice('OAuth '.length).replaceAll('"', '').replaceAll(', ', '&');
    return { ...one, headers: one.headers.slice(0, 2), body: Buffer.from(`${Buffer.from(one.body)}&${pairs}`) };
  };
  expect(brokenBy(moved(request(asPrinted)))).toEqual(['close-day/authorization-sent']);
  expect(brokenBy(moved(request(asPrinted, { target: '/other/path' })))).toEqual([]);
  const wrongVersion = { target: '/other/path', credentials: but('oauth_version', ['oauth_version', '2.0']) };
  expect(brokenBy(moved(request(asPrinted, wrongVersion)))).toEqual(['version']);
});

test('all faults of one kind are reported, with what to do', () => {
  const change = (header: string): string => raw('oauth_nonce')(raw('oauth_consumer_key')(header));
  const [found, ...more] = autopsy(request(change), { consumerSecret }).malformations;
  expect(more).toEqual([]);
  expect(found).toEqual({
    id: 'authentication/header-values-encoded',
    statement: expect.stringContaining('percent-encoded exactly once'),
    expected: expect.any(String),
    actual: 'oauth_consumer_key with   & not percent-encoded; oauth_nonce with / + not percent-encoded',
    fix: expect.stringContaining('%2B'),
  });
});

test('credentials of another scheme are neither read nor shown', () => {
  const found = autopsy(
    request(() => `Basic ${percentEncode('user')}=secret`),
    { consumerSecret },
  );
  expect(found.malformations.map(({ id }) => id)).toContain('authentication/header-scheme');
  expect(JSON.stringify(found)).not.toContain('secret');
});
